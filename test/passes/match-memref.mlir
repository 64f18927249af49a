// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match)' | FileCheck %s
// RUN: hone-opt %s --hone-match | FileCheck %s

// On memrefs the op is taken with the zeros of its C at most, and dimensions are taken
// in any order.

// CHECK-LABEL: func @alone(
// CHECK-SAME: %[[A:.*]]: memref<64x32xf16>, %[[B:.*]]: memref<32x48xf16>, %[[C:.*]]: memref<64x48xf32>
func.func @alone(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // CHECK-NOT: linalg.fill
  // CHECK: hone.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}}) init(zero) acc(f32){{$}}
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// C is stored in columns: the product is that of the transposed matrices.
// CHECK-LABEL: func @result_in_columns(
// CHECK-SAME: %[[A:.*]]: memref<64x32xf16>, %[[B:.*]]: memref<32x48xf16>, %[[C:.*]]: memref<64x48xf32, strided<[1, 64]>>
func.func @result_in_columns(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32, strided<[1, 64]>>) {
  // CHECK: %[[CT:.*]] = memref.transpose %[[C]] (d0, d1) -> (d1, d0)
  // CHECK: hone.matmul ins(col %[[B]], col %[[A]] : {{.*}}) outs(%[[CT]] : memref<48x64xf32, strided<[64, 1]>>)
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32, strided<[1, 64]>>)
  return
}

// So is A: the order that the op says is the order in memory.
// CHECK-LABEL: func @inputs_in_columns(
func.func @inputs_in_columns(%a: memref<64x32xf16, strided<[1, 64]>>, %b: memref<32x1xf16>, %c: memref<64x1xf32>) {
  // CHECK: %[[AT:.*]] = memref.transpose %{{.*}} (d0, d1) -> (d1, d0) : {{.*}} to memref<32x64xf16, strided<[64, 1]>>
  // CHECK: hone.matmul ins(%{{.*}}, %[[AT]] : memref<1x32xf16, strided<[1, 1]>>, memref<32x64xf16, strided<[64, 1]>>) outs(%{{.*}} : memref<1x64xf32, strided<[1, 1]>>)
  linalg.matmul ins(%a, %b : memref<64x32xf16, strided<[1, 64]>>, memref<32x1xf16>) outs(%c : memref<64x1xf32>)
  return
}

// CHECK-LABEL: func @batch_in_the_middle(
func.func @batch_in_the_middle(%a: memref<64x4x32xf16>, %b: memref<48x4x32xf16>, %c: memref<64x4x48xf32>) {
  // CHECK: hone.matmul ins(%{{.*}}, col %{{.*}} : memref<4x64x32xf16, strided<[32, 128, 1]>>, memref<4x48x32xf16, strided<[32, 128, 1]>>) outs(%{{.*}} : memref<4x64x48xf32, strided<[48, 192, 1]>>)
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (n, b, k)>, affine_map<(b, m, n, k) -> (m, b, n)>]
    ins(%a, %b : memref<64x4x32xf16>, memref<48x4x32xf16>) outs(%c : memref<64x4x48xf32>)
  return
}

// CHECK-LABEL: func @collapse(
func.func @collapse(%a: memref<4x16x32xf16>, %b: memref<32x48xf16>, %c: memref<4x16x48xf32, strided<[1024, 64, 1]>>) {
  // CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : memref<4x16x32xf16> into memref<64x32xf16>
  // CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : {{.*}} into memref<64x48xf32, strided<[64, 1]>>
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : memref<4x16x32xf16>, memref<32x48xf16>) outs(%c : memref<4x16x48xf32, strided<[1024, 64, 1]>>)
  return
}

// CHECK-LABEL: func @matvec(
func.func @matvec(%a: memref<?x?xf16, strided<[?, 1], offset: ?>>, %b: memref<?xf16>, %c: memref<?xf32>) {
  // CHECK: hone.matmul ins(%{{.*}}, col %{{.*}} : memref<1x?xf16{{.*}}>, memref<?x?xf16, strided<[?, 1], offset: ?>>) outs(%{{.*}} : memref<1x?xf32
  linalg.matvec ins(%a, %b : memref<?x?xf16, strided<[?, 1], offset: ?>>, memref<?xf16>) outs(%c : memref<?xf32>)
  return
}
