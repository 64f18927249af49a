// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map})' --remark-policy=all --remark-format=emitRemark --remarks-filter=hone 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// CHECK-LABEL: func @in_place(
// CHECK-SAME: %[[A:.*]]: memref<64x32xf16>, %[[B:.*]]: memref<32x48xf16>, %[[C:.*]]: memref<64x48xf16>, %[[V:.*]]: memref<48xf16>
func.func @in_place(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>, %v: tensor<48xf16>) -> tensor<64x48xf16> {
  // CHECK-NEXT: hone.matmul ins(%[[A]], %[[B]] : memref<64x32xf16>, memref<32x48xf16>) outs(%[[C]] : memref<64x48xf16>) init(read) acc(f32) epilogue(%[[V]][n] : memref<48xf16>) {
  // CHECK: arith.mulf
  // CHECK: } schedule(#hone.schedule<mma_sync, {{.*}}>) {name = "x"}
  // CHECK-NEXT: return %[[C]]
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(read) acc(f32) epilogue(%v[n] : tensor<48xf16>) {
  ^bb0(%sum: f32, %x: f16):
    %1 = arith.truncf %sum : f32 to f16
    %2 = arith.mulf %1, %x : f16
    hone.yield %2 : f16
  } schedule(#hone.schedule<mma_sync>) {name = "x"} -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}

// A destination that is read is copied where it is needed afterwards; one that is
// not read is only allocated anew.
// CHECK-LABEL: func @conflict(
// CHECK-SAME: %[[A:.*]]: memref<64x32xf16>, %[[B:.*]]: memref<32x48xf16>, %[[C:.*]]: memref<64x48xf16>
func.func @conflict(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>) -> (tensor<64x48xf16>, tensor<64x48xf16>, tensor<64x48xf16>) {
  // CHECK: %[[READ:.*]] = memref.alloc
  // CHECK: memref.copy %[[C]], %[[READ]]
  // CHECK: hone.matmul {{.*}} outs(%[[READ]] : {{.*}}) init(read)
  // CHECK: %[[ZERO:.*]] = memref.alloc
  // CHECK-NOT: memref.copy
  // CHECK: hone.matmul {{.*}} outs(%[[ZERO]] : {{.*}}) init(zero)
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(read) acc(f32) -> tensor<64x48xf16>
  %1 = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
  return %0, %1, %c : tensor<64x48xf16>, tensor<64x48xf16>, tensor<64x48xf16>
}

// The result of one is an input of the next, in the same tensor: A is read while
// C is written, so they must be two buffers.
// CHECK-LABEL: func @same_tensor(
func.func @same_tensor(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // CHECK: %[[C:.*]] = memref.alloc
  // CHECK: hone.matmul ins(%[[A:.*]], %{{.*}} : {{.*}}) outs(%[[C]] :
  %0 = hone.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%a : tensor<64x64xf16>) init(zero) acc(f32) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

// Layouts that prove no contiguous rows.
// CHECK-LABEL: func @strided(
// REMARK: remark: [Missed] copied | Category:hone | Remark="works on a copy: memref<64x32xf16, strided<[64, 2]>> does not prove that rows are contiguous; use identity layouts at function boundaries"
// REMARK: remark: [Missed] copied | Category:hone | Remark="works on a copy: memref<64x48xf16, strided<[96, 2]>>
func.func @strided(%a: tensor<64x64xf16>, %b: tensor<32x48xf16>, %c: tensor<64x96xf16>) -> tensor<64x96xf16> {
  // CHECK: %[[SLICE_A:.*]] = memref.subview
  // CHECK: %[[SLICE_C:.*]] = memref.subview
  // CHECK: %[[COPY_A:.*]] = memref.alloc() {{.*}} : memref<64x32xf16>
  // CHECK: memref.copy %[[SLICE_A]], %[[COPY_A]]
  // CHECK: %[[COPY_C:.*]] = memref.alloc() {{.*}} : memref<64x48xf16>
  // CHECK: memref.copy %[[SLICE_C]], %[[COPY_C]]
  // CHECK: hone.matmul ins(%[[COPY_A]], {{.*}}) outs(%[[COPY_C]] :
  // CHECK: memref.copy %[[COPY_C]], %[[SLICE_C]]
  %0 = tensor.extract_slice %a[0, 0] [64, 32] [1, 2] : tensor<64x64xf16> to tensor<64x32xf16>
  %1 = tensor.extract_slice %c[0, 0] [64, 48] [1, 2] : tensor<64x96xf16> to tensor<64x48xf16>
  %2 = hone.matmul ins(%0, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%1 : tensor<64x48xf16>) init(read) acc(f32) -> tensor<64x48xf16>
  %3 = tensor.insert_slice %2 into %c[0, 0] [64, 48] [1, 2] : tensor<64x48xf16> into tensor<64x96xf16>
  return %3 : tensor<64x96xf16>
}

// Batches come first in memory, as views.
// CHECK-LABEL: func @batches_between(
// CHECK-SAME: %[[A:.*]]: memref<4x20x3x32xf16>, %[[B:.*]]: memref<4x32x3x48xf16>, %[[C:.*]]: memref<4x20x3x48xf16>
func.func @batches_between(%a: tensor<4x20x3x32xf16>, %b: tensor<4x32x3x48xf16>, %c: tensor<4x20x3x48xf16>) -> tensor<4x20x3x48xf16> {
  // CHECK: %[[A2:.*]] = memref.transpose %[[A]] (d0, d1, d2, d3) -> (d0, d2, d1, d3) : {{.*}} to memref<4x3x20x32xf16, strided<[1920, 32, 96, 1]>>
  // CHECK: %[[B2:.*]] = memref.transpose %[[B]]
  // CHECK: %[[C2:.*]] = memref.transpose %[[C]]
  // CHECK-NOT: memref.copy
  // CHECK: hone.matmul ins(%[[A2]], %[[B2]] : {{.*}}) outs(%[[C2]] :
  // CHECK-NEXT: return %[[C]]
  %0 = hone.matmul ins(%a[b, m, h, k], %b[b, k, h, n] : tensor<4x20x3x32xf16>, tensor<4x32x3x48xf16>) outs(%c[b, m, h, n] : tensor<4x20x3x48xf16>) init(zero) acc(f32) -> tensor<4x20x3x48xf16>
  return %0 : tensor<4x20x3x48xf16>
}

// Neither rows nor columns of A are neighbours here, nor are C's rows.
// CHECK-LABEL: func @batches_innermost(
// CHECK-SAME: %[[A:.*]]: memref<20x32x3xf16>, %{{.*}}: memref<32x48xf16>, %[[C:.*]]: memref<3x48x20xf16>
func.func @batches_innermost(%a: tensor<20x32x3xf16>, %b: tensor<32x48xf16>, %c: tensor<3x48x20xf16>) -> tensor<3x48x20xf16> {
  // CHECK: %[[VIEW:.*]] = memref.transpose %[[A]] (d0, d1, d2) -> (d2, d0, d1)
  // CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<3x20x32xf16>
  // CHECK: memref.copy %[[VIEW]], %[[COPY]]
  // CHECK: %[[VIEW_C:.*]] = memref.transpose %[[C]] (d0, d1, d2) -> (d0, d2, d1)
  // CHECK: %[[COPY_C:.*]] = memref.alloc() {{.*}} : memref<3x20x48xf16>
  // CHECK: hone.matmul ins(%[[COPY]], {{.*}}) outs(%[[COPY_C]] : memref<3x20x48xf16>) init(zero)
  // CHECK: memref.copy %[[COPY_C]], %[[VIEW_C]]
  %0 = hone.matmul ins(%a[m, k, b], %b : tensor<20x32x3xf16>, tensor<32x48xf16>) outs(%c[b, n, m] : tensor<3x48x20xf16>) init(zero) acc(f32) -> tensor<3x48x20xf16>
  return %0 : tensor<3x48x20xf16>
}

// CHECK-LABEL: func @windows(
// CHECK-SAME: %[[X:.*]]: memref<8x28x64xf16>
func.func @windows(%x: tensor<8x28x64xf16>, %y: tensor<8x28x128xf16>, %w: tensor<192x96xf16>, %c: tensor<224x96xf16>) -> tensor<224x96xf16> {
  // CHECK: hone.matmul ins(%[[X]] window(3, low 1, high 1), {{.*}} : memref<8x28x64xf16>, memref<192x96xf16>)
  %0 = hone.matmul ins(%x window(3, low 1, high 1), %w : tensor<8x28x64xf16>, tensor<192x96xf16>) outs(%c : tensor<224x96xf16>) init(read) acc(f32) -> tensor<224x96xf16>
  // Every other channel is copied; adjacent ones are read in place.
  // CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<8x28x64xf16>
  // CHECK: hone.matmul ins(%[[COPY]] window(3, low 1, high 1)
  %1 = tensor.extract_slice %y[0, 0, 0] [8, 28, 64] [1, 1, 2] : tensor<8x28x128xf16> to tensor<8x28x64xf16>
  %2 = hone.matmul ins(%1 window(3, low 1, high 1), %w : tensor<8x28x64xf16>, tensor<192x96xf16>) outs(%0 : tensor<224x96xf16>) init(read) acc(f32) -> tensor<224x96xf16>
  // CHECK: hone.matmul ins(%{{.*}} window(3, low 1, high 1), {{.*}} : memref<8x28x64xf16, strided<[3584, 128, 1], offset: 64>>
  %3 = tensor.extract_slice %y[0, 0, 64] [8, 28, 64] [1, 1, 1] : tensor<8x28x128xf16> to tensor<8x28x64xf16>
  %4 = hone.matmul ins(%3 window(3, low 1, high 1), %w : tensor<8x28x64xf16>, tensor<192x96xf16>) outs(%2 : tensor<224x96xf16>) init(read) acc(f32) -> tensor<224x96xf16>
  return %4 : tensor<224x96xf16>
}
