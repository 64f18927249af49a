func.func @open(%a: tensor<?x1024xf16>, %b: tensor<512x1024xf16>, %c: tensor<?x512xf16>) -> tensor<?x512xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = linalg.fill ins(%zero : f16) outs(%c : tensor<?x512xf16>) -> tensor<?x512xf16>
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<?x1024xf16>, tensor<512x1024xf16>) outs(%0 : tensor<?x512xf16>) -> tensor<?x512xf16>
  return %1 : tensor<?x512xf16>
}
