// Products of 16-bit types, as kernels take them.

func.func @fixed(%a: tensor<24x64xf16>, %b: tensor<64x56xf16>) -> tensor<24x56xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x56xf32>) -> tensor<24x56xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<24x64xf16>, tensor<64x56xf16>) outs(%f : tensor<24x56xf32>) -> tensor<24x56xf32>
  return %0 : tensor<24x56xf32>
}

func.func @strided(%a: memref<?x?xf16, strided<[?, 1], offset: ?>>, %b: memref<?x?xf16, strided<[1, ?], offset: 8>>,
                   %c: memref<?x?xf16, strided<[?, 1]>>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%c : memref<?x?xf16, strided<[?, 1]>>)
  linalg.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1], offset: ?>>, memref<?x?xf16, strided<[1, ?], offset: 8>>)
    outs(%c : memref<?x?xf16, strided<[?, 1]>>)
  return
}

// Two launches, and memory between them.
func.func @chain(%a: tensor<?x64xbf16>, %b: tensor<64x?xbf16>, %d: tensor<?x40xbf16>) -> tensor<?x40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0.0 : bf16
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %n = tensor.dim %b, %c1 : tensor<64x?xbf16>
  %e0 = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %f0 = linalg.fill ins(%low : bf16) outs(%e0 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>) outs(%f0 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %e1 = tensor.empty(%m) : tensor<?x40xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %1 = linalg.matmul ins(%0, %d : tensor<?x?xbf16>, tensor<?x40xbf16>) outs(%f1 : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %1 : tensor<?x40xf32>
}

// The memory between these launches is allocated by a function that stays one.
func.func @outer(%a: tensor<8x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<8x64xbf16> {
  %0 = call @inner(%a, %b) : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xbf16>
  %1 = call @inner(%0, %b) : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xbf16>
  return %1 : tensor<8x64xbf16>
}
func.func private @inner(%a: tensor<8x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<8x64xbf16> attributes {no_inline} {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<8x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<8x64xbf16>) -> tensor<8x64xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<8x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return %0 : tensor<8x64xbf16>
}
