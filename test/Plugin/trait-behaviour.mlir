// mlir-opt treats the plugin's ops by their traits, so it sees these traits.
// RUN: mlir-opt %plugin %s -split-input-file --pass-pipeline='builtin.module(func.func(canonicalize,cse))' | FileCheck %s

// A matmul on tensors has no effect: one that is unused goes, of two equal ones one stays.
// CHECK-LABEL: func @pure(
// CHECK-COUNT-1: hone.matmul
// CHECK-NOT: hone.matmul
func.func @pure(%a: tensor<8x4xf16>, %b: tensor<4x8xf16>, %c: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %unused = hone.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x8xf16>) outs(%c : tensor<8x8xf32>) init(read) acc(f32) -> tensor<8x8xf32>
  %0 = hone.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x8xf16>) outs(%c : tensor<8x8xf32>) init(zero) acc(f32) -> tensor<8x8xf32>
  %1 = hone.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x8xf16>) outs(%c : tensor<8x8xf32>) init(zero) acc(f32) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// On memrefs it writes, so both stay.
// CHECK-LABEL: func @effects(
// CHECK-COUNT-2: hone.matmul
func.func @effects(%a: memref<8x4xf16>, %b: memref<4x8xf16>, %c: memref<8x8xf32>) {
  hone.matmul ins(%a, %b : memref<8x4xf16>, memref<4x8xf16>) outs(%c : memref<8x8xf32>) init(read) acc(f32)
  hone.matmul ins(%a, %b : memref<8x4xf16>, memref<4x8xf16>) outs(%c : memref<8x8xf32>) init(read) acc(f32)
  return
}

// -----

// The region is isolated: a constant that folding makes stays inside it.
// CHECK-LABEL: func @isolated(
// CHECK-NEXT: hone.matmul
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   arith.constant 3.0
func.func @isolated(%a: tensor<8x4xf16>, %b: tensor<4x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = hone.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x8xf16>) outs(%c : tensor<8x8xf32>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %three = arith.addf %one, %two : f32
    %scaled = arith.mulf %sum, %three : f32
    hone.yield %scaled : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
