// RUN: hone-opt %s --hone-pipeline=arch=host | FileCheck %s

// On the host the whole route ends in one function of loops and vectors: no GPU
// module, no launcher.

// CHECK-NOT: gpu.
// CHECK-LABEL: func.func @mlp
// CHECK-NOT: linalg.
// CHECK: call @hone_host_f32
// CHECK: call @hone_host_f32
// CHECK-NOT: honeLaunch
// CHECK: func.func private @hone_host_f32
// CHECK: vector.fma
func.func @mlp(%x: tensor<?x64xf32>, %w0: tensor<64x128xf32>, %w1: tensor<128x32xf32>,
               %hidden: tensor<?x128xf32>, %out: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%hidden : tensor<?x128xf32>) -> tensor<?x128xf32>
  %1 = linalg.matmul ins(%x, %w0 : tensor<?x64xf32>, tensor<64x128xf32>)
                     outs(%0 : tensor<?x128xf32>) -> tensor<?x128xf32>
  %2 = linalg.matmul ins(%1, %w1 : tensor<?x128xf32>, tensor<128x32xf32>)
                     outs(%out : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %2 : tensor<?x32xf32>
}
