// A program on f32 that permits products of tf32 is right if they lose no more than that; whole numbers
// of few bits lose nothing.

// RUN: hone run %s --arch=sm_90a --stand-in --repeat=1 --json | FileCheck %s
// RUN: hone run %s --arch=host --repeat=1 --json | FileCheck %s
// CHECK: "0/1 exact": "6144/6144"
// CHECK: "wrong": 0

func.func @permits(%a: tensor<96x80xf32>, %b: tensor<80x64xf32>) -> tensor<96x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<96x64xf32>) -> tensor<96x64xf32>
  %0 = linalg.matmul {hone.products = #hone.products<tf32>} ins(%a, %b : tensor<96x80xf32>, tensor<80x64xf32>) outs(%c : tensor<96x64xf32>) -> tensor<96x64xf32>
  return %0 : tensor<96x64xf32>
}
