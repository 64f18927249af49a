// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(func.func(canonicalize,cse,loop-invariant-code-motion),inline)' | FileCheck %s

// Upstream's passes may do this with the op.

// Constants stay in the epilogue, which is isolated from above.
// CHECK-LABEL: func @constant(
func.func @constant(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // CHECK-NEXT: hone.matmul
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant 2.0
  // CHECK-NEXT: arith.mulf %[[SUM]], %[[TWO]]
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    %one = arith.constant 1.0 : f32
    %two = arith.addf %one, %one : f32
    %0 = arith.mulf %sum, %two : f32
    hone.yield %0 : f32
  }
  return
}

// On tensors the op is pure: an unused one goes, two of a kind become one, and one
// that does not change leaves the loop.
// CHECK-LABEL: func @pure(
func.func @pure(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %n: index) -> (tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>) {
  // CHECK: %[[D:.*]] = hone.matmul {{.*}} init(zero)
  // CHECK: %[[E:.*]] = hone.matmul {{.*}} init(read)
  // CHECK-NOT: hone.matmul
  // CHECK: scf.for
  // CHECK-NOT: hone.matmul
  // CHECK: return %[[D]], %[[D]],
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dead = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) init(read) acc(f32) -> tensor<64x48xf32>
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) init(zero) acc(f32) -> tensor<64x48xf32>
  %1 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) init(zero) acc(f32) -> tensor<64x48xf32>
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> tensor<64x48xf32> {
    %3 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) init(read) acc(f32) -> tensor<64x48xf32>
    %4 = arith.addf %x, %3 : tensor<64x48xf32>
    scf.yield %4 : tensor<64x48xf32>
  }
  return %0, %1, %2 : tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>
}

// On memrefs it reads and writes.
// CHECK-LABEL: func @effects(
func.func @effects(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // CHECK-COUNT-2: hone.matmul
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
  return
}

// CHECK-LABEL: func @inlined(
func.func @inlined(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // CHECK-NOT: call
  // CHECK: hone.matmul
  func.call @callee(%a, %b, %c) : (memref<64x32xf16>, memref<32x48xf16>, memref<64x48xf32>) -> ()
  return
}
func.func private @callee(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
  return
}
