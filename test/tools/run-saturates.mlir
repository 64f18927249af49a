// A softmax of large f16 scores hangs on their last bits: inputs of deviation 1
// tell nothing about it, and smaller ones are asked.
// RUN: hone run %s --arch=host --repeat=1 --json > %t.json 2> %t.err
// RUN: FileCheck %s --check-prefix=SMALLER --input-file=%t.err
// RUN: FileCheck %s --input-file=%t.json
// SMALLER: inputs of deviation 1.00 tell nothing: expected elements of result 0 that can be compared
// CHECK: "wrong": 0

func.func @scores(%a: tensor<16x64xf16>, %b: tensor<64x16xf16>) -> tensor<16x16xf32> {
  %zero = arith.constant 0.0 : f16
  %factor = arith.constant 64.0 : f16
  %eh = tensor.empty() : tensor<16x16xf16>
  %ih = linalg.fill ins(%zero : f16) outs(%eh : tensor<16x16xf16>) -> tensor<16x16xf16>
  %s = linalg.matmul ins(%a, %b : tensor<16x64xf16>, tensor<64x16xf16>) outs(%ih : tensor<16x16xf16>) -> tensor<16x16xf16>
  %es = tensor.empty() : tensor<16x16xf32>
  %t = linalg.map ins(%s : tensor<16x16xf16>) outs(%es : tensor<16x16xf32>)
    (%v: f16, %o: f32) {
      %0 = arith.mulf %v, %factor : f16
      %1 = arith.extf %0 : f16 to f32
      linalg.yield %1 : f32
    }
  %p = linalg.softmax dimension(1) ins(%t : tensor<16x16xf32>) outs(%es : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %p : tensor<16x16xf32>
}
