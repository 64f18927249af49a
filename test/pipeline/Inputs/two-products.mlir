// Two products with memory between them, and constants: the host reads nothing.
func.func @main() {
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %w0 = arith.constant dense<2.0> : tensor<32x48xf16>
  %w1 = arith.constant dense<0.5> : tensor<48x32xf16>
  %0 = call @layers(%x, %w0, %w1) : (tensor<64x32xf16>, tensor<32x48xf16>, tensor<48x32xf16>) -> tensor<64x32xf16>
  return
}

func.func @layers(%x: tensor<64x32xf16>, %w0: tensor<32x48xf16>, %w1: tensor<48x32xf16>) -> tensor<64x32xf16> {
  %zero = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<64x48xf16>
  %f0 = linalg.fill ins(%zero : f16) outs(%e0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf16>, tensor<32x48xf16>) outs(%f0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %e1 = tensor.empty() : tensor<64x32xf16>
  %f1 = linalg.fill ins(%zero : f16) outs(%e1 : tensor<64x32xf16>) -> tensor<64x32xf16>
  %1 = linalg.matmul ins(%0, %w1 : tensor<64x48xf16>, tensor<48x32xf16>) outs(%f1 : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %1 : tensor<64x32xf16>
}
