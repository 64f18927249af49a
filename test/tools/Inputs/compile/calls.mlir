// Two layers that share a function.
func.func @layers(%a: tensor<?x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %0 = call @layer(%a, %b) : (tensor<?x64xbf16>, tensor<64x64xbf16>) -> tensor<?x64xbf16>
  %1 = call @layer(%0, %b) : (tensor<?x64xbf16>, tensor<64x64xbf16>) -> tensor<?x64xbf16>
  return %1 : tensor<?x64xbf16>
}
func.func private @layer(%a: tensor<?x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m) : tensor<?x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}
