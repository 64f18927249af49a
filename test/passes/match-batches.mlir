// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match)' | FileCheck %s
// RUN: hone-opt %s --hone-match --verify-roundtrip | FileCheck %s

// Batches with strides of their own: dimensions name the layout, and no element moves.

// A sequence lies between batch and head.
// CHECK-LABEL: func @scores(
// CHECK-SAME: %[[Q:.*]]: tensor<2x20x3x16xf16>, %[[K:.*]]: tensor<2x24x3x16xf16>, %[[C:.*]]: tensor<2x3x20x24xf32>
func.func @scores(%q: tensor<2x20x3x16xf16>, %k: tensor<2x24x3x16xf16>, %c: tensor<2x3x20x24xf32>) -> tensor<2x3x20x24xf32> {
  // CHECK-NEXT: %[[D:.*]] = hone.matmul ins(%[[Q]][b, m, h, k], %[[K]][b, n, h, k] : {{.*}}) outs(%[[C]] : {{.*}}) init(read) acc(f32) ->
  // CHECK-NEXT: return %[[D]]
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
    ins(%q, %k : tensor<2x20x3x16xf16>, tensor<2x24x3x16xf16>) outs(%c : tensor<2x3x20x24xf32>) -> tensor<2x3x20x24xf32>
  return %0 : tensor<2x3x20x24xf32>
}

// The result is written where the next product reads it.
// CHECK-LABEL: func @values(
// CHECK-SAME: %[[P:.*]]: tensor<?x3x?x?xf16>, %[[V:.*]]: tensor<?x?x3x16xf16>, %[[C:.*]]: tensor<?x?x3x16xf32>
func.func @values(%p: tensor<?x3x?x?xf16>, %v: tensor<?x?x3x16xf16>, %c: tensor<?x?x3x16xf32>) -> tensor<?x?x3x16xf32> {
  // CHECK-NEXT: hone.matmul ins(%[[P]], %[[V]][b, k, h, n] : {{.*}}) outs(%[[C]][b, m, h, n] : {{.*}}) init(read)
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, j)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, i, h, d)>]
    ins(%p, %v : tensor<?x3x?x?xf16>, tensor<?x?x3x16xf16>) outs(%c : tensor<?x?x3x16xf32>) -> tensor<?x?x3x16xf32>
  return %0 : tensor<?x?x3x16xf32>
}

// Batches that are neighbours everywhere are one.
// CHECK-LABEL: func @neighbours(
func.func @neighbours(%a: tensor<2x3x20x16xf16>, %b: tensor<2x3x16x24xf16>, %c: tensor<2x3x20x24xf32>) -> tensor<2x3x20x24xf32> {
  // CHECK: hone.matmul ins({{.*}} : tensor<6x20x16xf16>, tensor<6x16x24xf16>) outs({{.*}} : tensor<6x20x24xf32>)
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, d, j)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
    ins(%a, %b : tensor<2x3x20x16xf16>, tensor<2x3x16x24xf16>) outs(%c : tensor<2x3x20x24xf32>) -> tensor<2x3x20x24xf32>
  return %0 : tensor<2x3x20x24xf32>
}

// One batch in the middle; and rows that are not neighbours, for which one B
// serves all.
// CHECK-LABEL: func @one_in_the_middle(
// CHECK-SAME: %[[A:.*]]: tensor<20x4x16xf16>, %[[B:.*]]: tensor<24x4x16xf16>, %[[C:.*]]: tensor<20x4x24xf32>
func.func @one_in_the_middle(%a: tensor<20x4x16xf16>, %b: tensor<24x4x16xf16>, %c: tensor<20x4x24xf32>) -> tensor<20x4x24xf32> {
  // CHECK-NEXT: hone.matmul ins(%[[A]][m, b, k], %[[B]][n, b, k] : {{.*}}) outs(%[[C]][m, b, n] :
  %0 = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (n, b, k)>, affine_map<(b, m, n, k) -> (m, b, n)>]
    ins(%a, %b : tensor<20x4x16xf16>, tensor<24x4x16xf16>) outs(%c : tensor<20x4x24xf32>) -> tensor<20x4x24xf32>
  return %0 : tensor<20x4x24xf32>
}

// CHECK-LABEL: func @rows_apart(
// CHECK-SAME: %[[A:.*]]: tensor<2x20x3x16xf16>, %[[B:.*]]: tensor<16x24xf16>, %[[C:.*]]: tensor<3x20x2x24xf32>
func.func @rows_apart(%a: tensor<2x20x3x16xf16>, %b: tensor<16x24xf16>, %c: tensor<3x20x2x24xf32>) -> tensor<3x20x2x24xf32> {
  // CHECK-NEXT: hone.matmul ins(%[[A]][h, m, b, k], %[[B]] : {{.*}}) outs(%[[C]][b, m, h, n] :
  %0 = linalg.contract indexing_maps = [affine_map<(x, i, y, n, k) -> (x, i, y, k)>, affine_map<(x, i, y, n, k) -> (k, n)>, affine_map<(x, i, y, n, k) -> (y, i, x, n)>]
    ins(%a, %b : tensor<2x20x3x16xf16>, tensor<16x24xf16>) outs(%c : tensor<3x20x2x24xf32>) -> tensor<3x20x2x24xf32>
  return %0 : tensor<3x20x2x24xf32>
}

// Several queries share keys and values: where they are neighbours they are rows,
// where they are not a third batch.
// CHECK-LABEL: func @grouped_rows(
func.func @grouped_rows(%q: tensor<2x3x4x20x16xf16>, %k: tensor<2x24x3x16xf16>, %c: tensor<2x3x4x20x24xf32>) -> tensor<2x3x4x20x24xf32> {
  // CHECK: hone.matmul ins(%{{.*}}, %{{.*}}[b, n, h, k] : tensor<2x3x80x16xf16>, tensor<2x24x3x16xf16>) outs(%{{.*}} : tensor<2x3x80x24xf32>)
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, g, i, j, d) -> (b, h, g, i, d)>, affine_map<(b, h, g, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, g, i, j, d) -> (b, h, g, i, j)>]
    ins(%q, %k : tensor<2x3x4x20x16xf16>, tensor<2x24x3x16xf16>) outs(%c : tensor<2x3x4x20x24xf32>) -> tensor<2x3x4x20x24xf32>
  return %0 : tensor<2x3x4x20x24xf32>
}

// CHECK-LABEL: func @grouped_batch(
func.func @grouped_batch(%q: tensor<2x20x3x4x16xf16>, %k: tensor<2x24x3x16xf16>, %c: tensor<2x3x4x20x24xf32>) -> tensor<2x3x4x20x24xf32> {
  // CHECK: hone.matmul ins(%{{.*}}[b, m, h, i, k], %{{.*}}[b, n, h, k] : tensor<2x20x3x4x16xf16>, tensor<2x24x3x16xf16>) outs(%{{.*}} : tensor<2x3x4x20x24xf32>)
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, g, i, j, d) -> (b, i, h, g, d)>, affine_map<(b, h, g, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, g, i, j, d) -> (b, h, g, i, j)>]
    ins(%q, %k : tensor<2x20x3x4x16xf16>, tensor<2x24x3x16xf16>) outs(%c : tensor<2x3x4x20x24xf32>) -> tensor<2x3x4x20x24xf32>
  return %0 : tensor<2x3x4x20x24xf32>
}

// A batch of one element is none.
// CHECK-LABEL: func @one_sequence(
func.func @one_sequence(%q: tensor<1x20x3x16xf16>, %k: tensor<1x24x3x16xf16>, %c: tensor<1x3x20x24xf32>) -> tensor<1x3x20x24xf32> {
  // CHECK: hone.matmul ins(%{{.*}}[m, b, k], %{{.*}}[n, b, k] : tensor<20x3x16xf16>, tensor<24x3x16xf16>) outs(%{{.*}} : tensor<3x20x24xf32>)
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
    ins(%q, %k : tensor<1x20x3x16xf16>, tensor<1x24x3x16xf16>) outs(%c : tensor<1x3x20x24xf32>) -> tensor<1x3x20x24xf32>
  return %0 : tensor<1x3x20x24xf32>
}

// An epilogue reads its operands for each batch.
// CHECK-LABEL: func @bias_of_a_head(
func.func @bias_of_a_head(%q: tensor<2x20x3x16xf16>, %k: tensor<2x24x3x16xf16>, %v: tensor<3x24xf32>) -> tensor<2x3x20x24xf32> {
  // CHECK: hone.matmul ins(%{{.*}}[b, m, h, k], %{{.*}}[b, n, h, k] : {{.*}}) init(zero) acc(f32) epilogue(%{{.*}}[h, n] : tensor<3x24xf32>)
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x20x24xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x20x24xf32>) -> tensor<2x3x20x24xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
    ins(%q, %k : tensor<2x20x3x16xf16>, tensor<2x24x3x16xf16>) outs(%c : tensor<2x3x20x24xf32>) -> tensor<2x3x20x24xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %v : tensor<2x3x20x24xf32>, tensor<3x24xf32>) outs(%e : tensor<2x3x20x24xf32>) {
  ^bb0(%s: f32, %x: f32, %out: f32):
    %2 = arith.addf %s, %x : f32
    linalg.yield %2 : f32
  } -> tensor<2x3x20x24xf32>
  return %1 : tensor<2x3x20x24xf32>
}

// Memory is taken batches first; rows that are not neighbours there are a batch.
// CHECK-LABEL: func @in_memory(
func.func @in_memory(%q: memref<2x20x3x16xf16>, %k: memref<2x24x3x16xf16>, %c: memref<2x3x20x24xf32>) {
  // CHECK: %[[Q:.*]] = memref.transpose %{{.*}} (d0, d1, d2, d3) -> (d0, d2, d1, d3) : {{.*}} to memref<2x3x20x16xf16, strided<[960, 16, 48, 1]>>
  // CHECK: %[[K:.*]] = memref.transpose %{{.*}} (d0, d1, d2, d3) -> (d0, d2, d1, d3)
  // CHECK: hone.matmul ins(%[[Q]], col %[[K]] : {{.*}}) outs(%{{.*}} : memref<2x3x20x24xf32>)
  linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
    ins(%q, %k : memref<2x20x3x16xf16>, memref<2x24x3x16xf16>) outs(%c : memref<2x3x20x24xf32>)
  return
}

// CHECK-LABEL: func @not_collapsible(
func.func @not_collapsible(%a: memref<4x16x32xf16>, %b: memref<32x48xf16>, %c: memref<4x16x48xf32, strided<[?, 48, 1]>>) {
  // CHECK-NEXT: hone.matmul ins(%{{.*}}, %{{.*}} : memref<4x16x32xf16>, memref<32x48xf16>) outs(%{{.*}} : memref<4x16x48xf32, strided<[?, 48, 1]>>)
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : memref<4x16x32xf16>, memref<32x48xf16>) outs(%c : memref<4x16x48xf32, strided<[?, 48, 1]>>)
  return
}
