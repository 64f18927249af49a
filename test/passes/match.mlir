// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match)' | FileCheck %s
// RUN: hone-opt %s --hone-match | FileCheck %s

// The spellings of a product of two matrices, and the one that comes out.

// CHECK-LABEL: func @matmul(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<32x48xf16>, %[[C:.*]]: tensor<64x48xf32>
func.func @matmul(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK-NEXT: %[[D:.*]] = hone.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}}) init(read) acc(f32) -> tensor<64x48xf32>
  // CHECK-NEXT: return %[[D]]
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// CHECK-LABEL: func @dynamic(
func.func @dynamic(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK-NEXT: hone.matmul ins({{.*}} : tensor<?x?xbf16>, tensor<?x?xbf16>)
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func @transposed_inputs(
// CHECK-SAME: %[[A:.*]]: tensor<32x64xf16>, %[[B:.*]]: tensor<48x32xf16>,
func.func @transposed_inputs(%a: tensor<32x64xf16>, %b: tensor<48x32xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK: hone.matmul ins(col %[[A]], col %[[B]] :
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<32x64xf16>, tensor<48x32xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// C^T = B^T * A^T: the inputs change places.
// CHECK-LABEL: func @transposed_result(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<32x48xf16>, %[[C:.*]]: tensor<48x64xf32>
func.func @transposed_result(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<48x64xf32>) -> tensor<48x64xf32> {
  // CHECK: hone.matmul ins(col %[[B]], col %[[A]] : {{.*}}) outs(%[[C]] :
  %0 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>]
    ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %0 : tensor<48x64xf32>
}

// CHECK-LABEL: func @generic(
func.func @generic(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK-NEXT: hone.matmul
  %0 = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %0 = arith.extf %y : f16 to f32
    %1 = arith.extf %x : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %2, %z : f32
    linalg.yield %3 : f32
  } -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// CHECK-LABEL: func @batch_matmul(
func.func @batch_matmul(%a: tensor<?x64x32xf16>, %b: tensor<?x32x48xf16>, %c: tensor<?x64x48xf32>) -> tensor<?x64x48xf32> {
  // CHECK-NEXT: hone.matmul ins({{.*}} : tensor<?x64x32xf16>, tensor<?x32x48xf16>) outs({{.*}} : tensor<?x64x48xf32>)
  %0 = linalg.batch_matmul ins(%a, %b : tensor<?x64x32xf16>, tensor<?x32x48xf16>) outs(%c : tensor<?x64x48xf32>) -> tensor<?x64x48xf32>
  return %0 : tensor<?x64x48xf32>
}

// A batch of one is none.
// CHECK-LABEL: func @batch_of_one(
// CHECK-SAME: %[[A:.*]]: tensor<1x64x32xf16>, %[[B:.*]]: tensor<1x32x48xf16>, %[[C:.*]]: tensor<1x64x48xf32>
func.func @batch_of_one(%a: tensor<1x64x32xf16>, %b: tensor<1x32x48xf16>, %c: tensor<1x64x48xf32>) -> tensor<1x64x48xf32> {
  // CHECK-DAG: %[[A2:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2]]
  // CHECK-DAG: %[[B2:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2]]
  // CHECK-DAG: %[[C2:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0, 1], [2]]
  // CHECK: %[[D:.*]] = hone.matmul ins(%[[A2]], %[[B2]] : {{.*}}) outs(%[[C2]] : tensor<64x48xf32>)
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[D]] {{\[\[}}0, 1], [2]] output_shape [1, 64, 48]
  // CHECK: return %[[E]]
  %0 = linalg.batch_matmul ins(%a, %b : tensor<1x64x32xf16>, tensor<1x32x48xf16>) outs(%c : tensor<1x64x48xf32>) -> tensor<1x64x48xf32>
  return %0 : tensor<1x64x48xf32>
}

// One B for the whole batch: the batch is more rows.
// CHECK-LABEL: func @shared_b(
// CHECK-SAME: %[[A:.*]]: tensor<?x64x32xf16>, %[[B:.*]]: tensor<32x48xf16>, %[[C:.*]]: tensor<?x64x48xf32>
func.func @shared_b(%a: tensor<?x64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<?x64x48xf32>) -> tensor<?x64x48xf32> {
  // CHECK: %[[A2:.*]] = tensor.collapse_shape %[[A]]
  // CHECK: hone.matmul ins(%[[A2]], %[[B]] : tensor<?x32xf16>, tensor<32x48xf16>)
  // CHECK: %[[BATCH:.*]] = tensor.dim %[[C]], %{{.*}}
  // CHECK: tensor.expand_shape {{.*}} output_shape [%[[BATCH]], 64, 48]
  %0 = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : tensor<?x64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<?x64x48xf32>) -> tensor<?x64x48xf32>
  return %0 : tensor<?x64x48xf32>
}

// The rows of this batch are not adjacent, so it stays one that shares B.
// CHECK-LABEL: func @shared_b_of_columns(
// CHECK-SAME: %[[A:.*]]: tensor<?x32x64xf16>, %[[B:.*]]: tensor<32x48xf16>
func.func @shared_b_of_columns(%a: tensor<?x32x64xf16>, %b: tensor<32x48xf16>, %c: tensor<?x64x48xf32>) -> tensor<?x64x48xf32> {
  // CHECK-NEXT: hone.matmul ins(col %[[A]], %[[B]] : tensor<?x32x64xf16>, tensor<32x48xf16>) outs(%{{.*}} : tensor<?x64x48xf32>)
  %0 = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, k, m)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : tensor<?x32x64xf16>, tensor<32x48xf16>) outs(%c : tensor<?x64x48xf32>) -> tensor<?x64x48xf32>
  return %0 : tensor<?x64x48xf32>
}

// Two summed dimensions, and two of rows.
// CHECK-LABEL: func @several_dimensions(
func.func @several_dimensions(%a: tensor<4x16x2x16xf16>, %b: tensor<2x16x48xf16>, %c: tensor<4x16x48xf32>) -> tensor<4x16x48xf32> {
  // CHECK: hone.matmul ins({{.*}} : tensor<64x32xf16>, tensor<32x48xf16>) outs({{.*}} : tensor<64x48xf32>)
  %0 = linalg.contract indexing_maps = [affine_map<(i, j, n, k, l) -> (i, j, k, l)>, affine_map<(i, j, n, k, l) -> (k, l, n)>, affine_map<(i, j, n, k, l) -> (i, j, n)>]
    ins(%a, %b : tensor<4x16x2x16xf16>, tensor<2x16x48xf16>) outs(%c : tensor<4x16x48xf32>) -> tensor<4x16x48xf32>
  return %0 : tensor<4x16x48xf32>
}

// A vector is a row (m = 1), whichever side it is on.
// CHECK-LABEL: func @vecmat(
// CHECK-SAME: %[[A:.*]]: tensor<32xf16>, %[[B:.*]]: tensor<32x48xf16>, %[[C:.*]]: tensor<48xf32>
func.func @vecmat(%a: tensor<32xf16>, %b: tensor<32x48xf16>, %c: tensor<48xf32>) -> tensor<48xf32> {
  // CHECK: %[[A2:.*]] = tensor.expand_shape %[[A]] {{\[\[}}0, 1]] output_shape [1, 32]
  // CHECK: %[[C2:.*]] = tensor.expand_shape %[[C]] {{\[\[}}0, 1]] output_shape [1, 48]
  // CHECK: %[[D:.*]] = hone.matmul ins(%[[A2]], %[[B]] : {{.*}}) outs(%[[C2]] :
  // CHECK: tensor.collapse_shape %[[D]] {{\[\[}}0, 1]]
  %0 = linalg.vecmat ins(%a, %b : tensor<32xf16>, tensor<32x48xf16>) outs(%c : tensor<48xf32>) -> tensor<48xf32>
  return %0 : tensor<48xf32>
}

// CHECK-LABEL: func @matvec(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<32xf16>
func.func @matvec(%a: tensor<64x32xf16>, %b: tensor<32xf16>, %c: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: %[[B2:.*]] = tensor.expand_shape %[[B]] {{\[\[}}0, 1]] output_shape [1, 32]
  // CHECK: hone.matmul ins(%[[B2]], col %[[A]] : {{.*}}) outs({{.*}} : tensor<1x64xf32>)
  %0 = linalg.matvec ins(%a, %b : tensor<64x32xf16>, tensor<32xf16>) outs(%c : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: func @one_column(
func.func @one_column(%a: tensor<64x32xf16>, %b: tensor<32x1xf16>, %c: tensor<64x1xf32>) -> tensor<64x1xf32> {
  // CHECK: hone.matmul ins(%{{.*}}, col %{{.*}} : tensor<1x32xf16>, tensor<64x32xf16>) outs({{.*}} : tensor<1x64xf32>)
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x1xf16>) outs(%c : tensor<64x1xf32>) -> tensor<64x1xf32>
  return %0 : tensor<64x1xf32>
}

// CHECK-LABEL: func @one_row(
func.func @one_row(%a: tensor<1x32xf16>, %b: tensor<32x48xf16>, %c: tensor<1x48xf32>) -> tensor<1x48xf32> {
  // CHECK-NEXT: hone.matmul
  // CHECK-NEXT: return
  %0 = linalg.matmul ins(%a, %b : tensor<1x32xf16>, tensor<32x48xf16>) outs(%c : tensor<1x48xf32>) -> tensor<1x48xf32>
  return %0 : tensor<1x48xf32>
}

// The long side of an outer product is contiguous.
// CHECK-LABEL: func @outer(
func.func @outer(%a: tensor<64x1xf16>, %b: tensor<1x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK: hone.matmul ins(col %{{.*}}, %{{.*}} : tensor<1x64xf16>, tensor<1x48xf16>)
  %0 = linalg.matmul ins(%a, %b : tensor<64x1xf16>, tensor<1x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// CHECK-LABEL: func @dot(
func.func @dot(%a: tensor<32xf16>, %b: tensor<32xf16>, %c: tensor<f32>) -> tensor<f32> {
  // CHECK: %[[D:.*]] = hone.matmul ins(%{{.*}}, col %{{.*}} : tensor<1x32xf16>, tensor<1x32xf16>) outs({{.*}} : tensor<1x1xf32>)
  // CHECK: tensor.collapse_shape %[[D]] [] : tensor<1x1xf32> into tensor<f32>
  %0 = linalg.dot ins(%a, %b : tensor<32xf16>, tensor<32xf16>) outs(%c : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func @batch_matvec(
func.func @batch_matvec(%a: tensor<4x64x32xf16>, %b: tensor<4x32xf16>, %c: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // CHECK: hone.matmul ins(%{{.*}}, col %{{.*}} : tensor<4x1x32xf16>, tensor<4x64x32xf16>) outs({{.*}} : tensor<4x1x64xf32>)
  %0 = linalg.batch_matvec ins(%a, %b : tensor<4x64x32xf16>, tensor<4x32xf16>) outs(%c : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// CHECK-LABEL: func @batch_vecmat(
func.func @batch_vecmat(%a: tensor<4x32xf16>, %b: tensor<4x32x48xf16>, %c: tensor<4x48xf32>) -> tensor<4x48xf32> {
  // CHECK: hone.matmul ins({{.*}} : tensor<4x1x32xf16>, tensor<4x32x48xf16>) outs({{.*}} : tensor<4x1x48xf32>)
  %0 = linalg.batch_vecmat ins(%a, %b : tensor<4x32xf16>, tensor<4x32x48xf16>) outs(%c : tensor<4x48xf32>) -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

// A schedule that a person pinned goes along.
// CHECK-LABEL: func @pinned(
func.func @pinned(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK-NEXT: hone.matmul {{.*}} schedule(#hone.schedule<mma_sync, {{.*}}stages = 3, {{.*}}>) -> tensor<64x48xf32>
  %0 = linalg.matmul {hone.schedule = #hone.schedule<mma_sync, stages = 3>} ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// Code of the GPU's own is left alone.
// CHECK-LABEL: gpu.module @kernels
gpu.module @kernels {
  func.func @device(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
    // CHECK: linalg.matmul
    linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
    return
  }
}
