// Rows added through an index of 64 bits that kernels sort.

func.func @scatter(%rows: tensor<1500x8xf16>, %to: tensor<1500xi64>, %w: tensor<1500xf32>, %c: tensor<701x8xf16>) -> tensor<701x8xf16> {
  %d = hone.scatter_rows %rows to %to weights %w into %c : tensor<1500x8xf16>, tensor<1500xi64>, tensor<1500xf32> into tensor<701x8xf16>
  return %d : tensor<701x8xf16>
}
