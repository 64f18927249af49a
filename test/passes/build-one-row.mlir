// RUN: mlir-opt %plugin %s -split-input-file --pass-pipeline='builtin.module(hone-select-schedule{arch=sm_90a},hone-build-kernel,canonicalize,cse)' | FileCheck %s

// A matrix of one line has no distance from line to line. The host passes one
// that the copy engine can work with, so the plan needs one alternative.

// CHECK-NOT: gpu.module @hone_sm_90a_fallback
// CHECK: gpu.module @hone_sm_90a

// 1027 floats are not a multiple of 16 bytes, 1028 are.
// CHECK-LABEL: func.func @one_row(
// CHECK: %[[LDC:.*]] = arith.constant 1028 : i64
// CHECK: kernel.launch {{.*}} ldc = %[[LDC]]
func.func @one_row(%a: memref<1x2048xf16>, %b: memref<1027x2048xf16>, %c: memref<1x1027xf32>) {
  hone.matmul ins(%a, col %b : memref<1x2048xf16>, memref<1027x2048xf16>) outs(%c : memref<1x1027xf32>) init(zero) acc(f32)
  return
}

// Of one column, B's only line runs along k, whatever its type says.
// CHECK-LABEL: func.func @one_column(
// CHECK: %[[LDB:.*]] = arith.constant 776 : i64
// CHECK: kernel.launch {{.*}} ldb = %[[LDB]]
func.func @one_column(%a: memref<96x776xbf16>, %b: memref<776x1xbf16>, %c: memref<96x1xf32>) {
  hone.matmul ins(%a, %b : memref<96x776xbf16>, memref<776x1xbf16>) outs(%c : memref<96x1xf32>) init(zero) acc(f32)
  return
}

// An odd K lies in one row of A.
// CHECK-LABEL: func.func @odd_depth(
// CHECK: %[[LDA:.*]] = arith.constant 1032 : i64
// CHECK: kernel.launch {{.*}} lda = %[[LDA]]
func.func @odd_depth(%a: memref<1x1031xf16>, %b: memref<1031x64xf16>, %c: memref<1x64xf32>) {
  hone.matmul ins(%a, %b : memref<1x1031xf16>, memref<1031x64xf16>) outs(%c : memref<1x64xf32>) init(zero) acc(f32)
  return
}

// One batch has no distance from batch to batch.
// CHECK-LABEL: func.func @one_batch(
// CHECK: kernel.launch {{.*}} sc = %[[SC:[^,)]*]]
func.func @one_batch(%a: memref<1x1x512xf16>, %b: memref<1x512x136xf16>, %c: memref<1x1x136xf16>) {
  hone.matmul ins(%a, %b : memref<1x1x512xf16>, memref<1x512x136xf16>) outs(%c : memref<1x1x136xf16>) init(zero) acc(f32)
  return
}

// -----

// The host rounds up extents known at launch; B may have any number of columns.
// CHECK: gpu.module @hone_sm_90a_fallback
// CHECK-LABEL: func.func @open_columns(
// CHECK: %[[N:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<1x?xf32>
// CHECK: %[[COUNT:.*]] = arith.divui %[[N]], %[[UNIT:.*]] : index
// CHECK: %[[BELOW:.*]] = arith.muli %[[COUNT]], %[[UNIT]] : index
// CHECK: %[[ABOVE:.*]] = arith.addi %[[BELOW]], %[[UNIT]] : index
// CHECK: %[[LDC:.*]] = arith.index_cast %[[ABOVE]] : index to i64
// CHECK: kernel.launch {{.*}} ldc = %[[LDC]]
func.func @open_columns(%a: memref<1x256xf16>, %b: memref<?x256xf16>, %c: memref<1x?xf32>) {
  hone.matmul ins(%a, col %b : memref<1x256xf16>, memref<?x256xf16>) outs(%c : memref<1x?xf32>) init(zero) acc(f32)
  return
}
