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

// The product is a matrix of 24 rows, the result has another shape.
func.func @reshaped(%a: tensor<4x6x64xf16>, %b: tensor<64x56xf16>, %r: tensor<4x6x56xf32>) -> tensor<4x6x56xf32> {
  %rows = tensor.collapse_shape %a [[0, 1], [2]] : tensor<4x6x64xf16> into tensor<24x64xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x56xf32>) -> tensor<24x56xf32>
  %0 = linalg.matmul ins(%rows, %b : tensor<24x64xf16>, tensor<64x56xf16>) outs(%f : tensor<24x56xf32>) -> tensor<24x56xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [4, 6, 56] : tensor<24x56xf32> into tensor<4x6x56xf32>
  %2 = arith.addf %1, %r : tensor<4x6x56xf32>
  return %2 : tensor<4x6x56xf32>
}
