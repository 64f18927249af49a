// Attention: the scores of each query for each key, and the weighted values. The number of
// queries and of keys is known when the program runs.
func.func @scores(%q: tensor<?x64xf16>, %k: tensor<?x64xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %queries = tensor.dim %q, %c0 : tensor<?x64xf16>
  %keys = tensor.dim %k, %c0 : tensor<?x64xf16>
  %empty = tensor.empty(%queries, %keys) : tensor<?x?xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<?x?xf16>) -> tensor<?x?xf16>
  %s = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%q, %k : tensor<?x64xf16>, tensor<?x64xf16>) outs(%init : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %s : tensor<?x?xf16>
}

// Adds to the old values: %sum is given and changed.
func.func @blend(%weights: tensor<?x?xf16>, %values: tensor<?x64xf16>, %sum: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = linalg.matmul ins(%weights, %values : tensor<?x?xf16>, tensor<?x64xf16>)
      outs(%sum : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}
