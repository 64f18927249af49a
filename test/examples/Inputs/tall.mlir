func.func @tall(%a: tensor<3000x2000xf32>, %b: tensor<2000x24xf32>) -> tensor<3000x24xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3000x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3000x24xf32>) -> tensor<3000x24xf32>
  %c = linalg.matmul ins(%a, %b : tensor<3000x2000xf32>, tensor<2000x24xf32>) outs(%init : tensor<3000x24xf32>) -> tensor<3000x24xf32>
  return %c : tensor<3000x24xf32>
}
