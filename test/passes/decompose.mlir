// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-decompose)' | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(func.func(hone-decompose))' | FileCheck %s

// CHECK-LABEL: func @softmax(
// CHECK-NOT: linalg.softmax
func.func @softmax(%x: tensor<4x?xf32>, %e: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // CHECK: arith.maxnumf
  // CHECK: math.exp
  // CHECK: arith.addf
  // CHECK: arith.divf
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// On memrefs nothing takes it apart.
// CHECK-LABEL: func @memory(
// CHECK: linalg.softmax
func.func @memory(%x: memref<4x8xf32>, %e: memref<4x8xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<4x8xf32>) outs(%e : memref<4x8xf32>)
  return
}
