// A product with three kernels for its rows.
func.func @rows(%a: tensor<?x64xf16>, %b: tensor<64x56xf16>) -> tensor<?x56xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%m) : tensor<?x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x56xf32>) -> tensor<?x56xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x56xf16>) outs(%f : tensor<?x56xf32>) -> tensor<?x56xf32>
  return %0 : tensor<?x56xf32>
}
