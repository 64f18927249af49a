// Tokens sorted by experts of 64 bits, with several chunks, and rows that are added to them again.

func.func @layer(%experts: tensor<150x3xi64>, %rows: tensor<450x8xf32>, %c: tensor<150x8xf16>) -> (tensor<450xi32>, tensor<150x8xf16>, tensor<5xi32>) {
  %to, %places, %ends = hone.route %experts groups 5 : tensor<150x3xi64> -> tensor<450xi32>, tensor<450xi32>, tensor<5xi32>
  %d = hone.scatter_rows %rows to %to into %c : tensor<450x8xf32>, tensor<450xi32> into tensor<150x8xf16>
  return %places, %d, %ends : tensor<450xi32>, tensor<150x8xf16>, tensor<5xi32>
}

// As many tokens as the program has.
func.func @open(%experts: tensor<?x2xi32>) -> (tensor<?xi32>, tensor<8xi32>) {
  %to, %places, %ends = hone.route %experts groups 8 : tensor<?x2xi32> -> tensor<?xi32>, tensor<?xi32>, tensor<8xi32>
  return %to, %ends : tensor<?xi32>, tensor<8xi32>
}
