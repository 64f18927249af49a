// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_90a})' | FileCheck %s

// Ops that move or repeat elements before a product, and those of them that stay.

#id = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>

// CHECK-LABEL: func @transposed(
// CHECK-SAME: %[[A:.*]]: tensor<32x64xf16>, %[[B:.*]]: tensor<48x32xf16>,
// CHECK-NEXT: hone.matmul ins(col %[[A]], col %[[B]] :
func.func @transposed(%a: tensor<32x64xf16>, %b: tensor<48x32xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %ea = tensor.empty() : tensor<64x32xf16>
  %ta = linalg.transpose ins(%a : tensor<32x64xf16>) outs(%ea : tensor<64x32xf16>) permutation = [1, 0]
  %eb = tensor.empty() : tensor<32x48xf32>
  %tb = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<48x32xf16>) outs(%eb : tensor<32x48xf32>) {
  ^bb0(%x: f16, %y: f32):
    %0 = arith.extf %x : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<32x48xf32>
  %wa = arith.extf %ta : tensor<64x32xf16> to tensor<64x32xf32>
  %d = linalg.matmul ins(%wa, %tb : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// Twice is not at all.
// CHECK-LABEL: func @back_again(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>,
// CHECK-NEXT: hone.matmul ins(%[[A]], %{{.*}} :
func.func @back_again(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %e0 = tensor.empty() : tensor<32x64xf16>
  %0 = linalg.transpose ins(%a : tensor<64x32xf16>) outs(%e0 : tensor<32x64xf16>) permutation = [1, 0]
  %e1 = tensor.empty() : tensor<64x32xf16>
  %1 = linalg.transpose ins(%0 : tensor<32x64xf16>) outs(%e1 : tensor<64x32xf16>) permutation = [1, 0]
  %d = linalg.matmul ins(%1, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// CHECK-LABEL: func @batch_leads(
// CHECK-SAME: %[[A:.*]]: tensor<2x4x64x32xf16>, %[[B:.*]]: tensor<2x4x48x32xf16>,
// CHECK-DAG: %[[CA:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2], [3]]
// CHECK-DAG: %[[CB:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2], [3]]
// CHECK: hone.matmul ins(%[[CA]], col %[[CB]] : tensor<8x64x32xf16>, tensor<8x48x32xf16>)
func.func @batch_leads(%a: tensor<2x4x64x32xf16>, %b: tensor<2x4x48x32xf16>, %c: tensor<8x64x48xf32>) -> tensor<8x64x48xf32> {
  %e = tensor.empty() : tensor<2x4x32x48xf16>
  %t = linalg.transpose ins(%b : tensor<2x4x48x32xf16>) outs(%e : tensor<2x4x32x48xf16>) permutation = [0, 1, 3, 2]
  %ca = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<2x4x64x32xf16> into tensor<8x64x32xf16>
  %cb = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x4x32x48xf16> into tensor<8x32x48xf16>
  %d = linalg.batch_matmul ins(%ca, %cb : tensor<8x64x32xf16>, tensor<8x32x48xf16>) outs(%c : tensor<8x64x48xf32>) -> tensor<8x64x48xf32>
  return %d : tensor<8x64x48xf32>
}

// One matrix for a whole batch.
// CHECK-LABEL: func @repeated(
// CHECK-SAME: %[[A:.*]]: tensor<8x64x32xf16>, %[[B:.*]]: tensor<48x32xf16>,
// CHECK-NEXT: hone.matmul ins(%[[A]], col %[[B]] : tensor<8x64x32xf16>, tensor<48x32xf16>)
func.func @repeated(%a: tensor<8x64x32xf16>, %b: tensor<48x32xf16>, %c: tensor<8x64x48xf32>) -> tensor<8x64x48xf32> {
  %e = tensor.empty() : tensor<8x48x32xf16>
  %r = linalg.broadcast ins(%b : tensor<48x32xf16>) outs(%e : tensor<8x48x32xf16>) dimensions = [0]
  %et = tensor.empty() : tensor<8x32x48xf16>
  %t = linalg.transpose ins(%r : tensor<8x48x32xf16>) outs(%et : tensor<8x32x48xf16>) permutation = [0, 2, 1]
  %d = linalg.batch_matmul ins(%a, %t : tensor<8x64x32xf16>, tensor<8x32x48xf16>) outs(%c : tensor<8x64x48xf32>) -> tensor<8x64x48xf32>
  return %d : tensor<8x64x48xf32>
}

// A row that is repeated is not a matrix with one row.
// CHECK-LABEL: func @repeated_rows(
// CHECK: %[[R:.*]] = linalg.broadcast
// CHECK: hone.matmul ins(%{{.*}}, %[[R]] : tensor<64x32xf16>, tensor<32x48xf16>)
func.func @repeated_rows(%a: tensor<64x32xf16>, %b: tensor<48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<32x48xf16>
  %r = linalg.broadcast ins(%b : tensor<48xf16>) outs(%e : tensor<32x48xf16>) dimensions = [0]
  %d = linalg.matmul ins(%a, %r : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// If both are repeated, one is.
// CHECK-LABEL: func @both_repeated(
// CHECK-COUNT-1: linalg.broadcast
// CHECK: hone.matmul
func.func @both_repeated(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<8x64x48xf32>) -> tensor<8x64x48xf32> {
  %ea = tensor.empty() : tensor<8x64x32xf16>
  %ra = linalg.broadcast ins(%a : tensor<64x32xf16>) outs(%ea : tensor<8x64x32xf16>) dimensions = [0]
  %eb = tensor.empty() : tensor<8x32x48xf16>
  %rb = linalg.broadcast ins(%b : tensor<32x48xf16>) outs(%eb : tensor<8x32x48xf16>) dimensions = [0]
  %d = linalg.batch_matmul ins(%ra, %rb : tensor<8x64x32xf16>, tensor<8x32x48xf16>) outs(%c : tensor<8x64x48xf32>) -> tensor<8x64x48xf32>
  return %d : tensor<8x64x48xf32>
}

// Dimensions of one element come and go.
// CHECK-LABEL: func @units(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<1x48x1x32xf16>,
// CHECK-NEXT: %[[M:.*]] = tensor.collapse_shape %[[B]] {{.*}} into tensor<48x32xf16>
// CHECK-NOT: tensor.expand_shape %[[A]]
// CHECK: hone.matmul ins(%[[A]], col %[[M]] : tensor<64x32xf16>, tensor<48x32xf16>)
func.func @units(%a: tensor<64x32xf16>, %b: tensor<1x48x1x32xf16>, %c: tensor<1x64x48xf32>) -> tensor<1x64x48xf32> {
  %wa = arith.extf %a : tensor<64x32xf16> to tensor<64x32xf32>
  %xa = tensor.expand_shape %wa [[0, 1], [2]] output_shape [1, 64, 32] : tensor<64x32xf32> into tensor<1x64x32xf32>
  %cb = tensor.collapse_shape %b [[0, 1], [2, 3]] : tensor<1x48x1x32xf16> into tensor<48x32xf16>
  %e = tensor.empty() : tensor<32x48xf16>
  %tb = linalg.transpose ins(%cb : tensor<48x32xf16>) outs(%e : tensor<32x48xf16>) permutation = [1, 0]
  %wb = arith.extf %tb : tensor<32x48xf16> to tensor<32x48xf32>
  %xb = tensor.expand_shape %wb [[0, 1], [2]] output_shape [1, 32, 48] : tensor<32x48xf32> into tensor<1x32x48xf32>
  %d = linalg.batch_matmul ins(%xa, %xb : tensor<1x64x32xf32>, tensor<1x32x48xf32>) outs(%c : tensor<1x64x48xf32>) -> tensor<1x64x48xf32>
  return %d : tensor<1x64x48xf32>
}

// Two unknown extents, after a reshape that joins them.
// CHECK-LABEL: func @unknown_rows(
// CHECK-SAME: %[[A:.*]]: tensor<?x?x32xf16>,
// CHECK: %[[M:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2]] : tensor<?x?x32xf16> into tensor<?x32xf16>
// CHECK: hone.matmul ins(%[[M]], %{{.*}} : tensor<?x32xf16>, tensor<32x48xf16>)
func.func @unknown_rows(%a: tensor<?x?x32xf16>, %b: tensor<32x48xf16>, %c: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %wa = arith.extf %a : tensor<?x?x32xf16> to tensor<?x?x32xf32>
  %wb = arith.extf %b : tensor<32x48xf16> to tensor<32x48xf32>
  %ca = tensor.collapse_shape %wa [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %d = linalg.matmul ins(%ca, %wb : tensor<?x32xf32>, tensor<32x48xf32>) outs(%c : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %d : tensor<?x48xf32>
}

// The heads of attention, a second batch next to the sequences, are not transposed.
// CHECK-LABEL: func @heads(
// CHECK-SAME: %[[Q:.*]]: tensor<2x64x128xf16>,
// CHECK: %[[X:.*]] = tensor.expand_shape %[[Q]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 64, 4, 32]
// CHECK-NOT: linalg.transpose
// CHECK: hone.matmul ins(%[[X]][b, m, h, k], %{{.*}} : tensor<2x64x4x32xf16>, tensor<2x4x32x48xf16>)
func.func @heads(%q: tensor<2x64x128xf16>, %b: tensor<8x32x48xf16>, %c: tensor<8x64x48xf32>) -> tensor<8x64x48xf32> {
  %wq = arith.extf %q : tensor<2x64x128xf16> to tensor<2x64x128xf32>
  %x = tensor.expand_shape %wq [[0], [1], [2, 3]] output_shape [2, 64, 4, 32] : tensor<2x64x128xf32> into tensor<2x64x4x32xf32>
  %e = tensor.empty() : tensor<2x4x64x32xf32>
  %t = linalg.transpose ins(%x : tensor<2x64x4x32xf32>) outs(%e : tensor<2x4x64x32xf32>) permutation = [0, 2, 1, 3]
  %ca = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x4x64x32xf32> into tensor<8x64x32xf32>
  %wb = arith.extf %b : tensor<8x32x48xf16> to tensor<8x32x48xf32>
  %d = linalg.batch_matmul ins(%ca, %wb : tensor<8x64x32xf32>, tensor<8x32x48xf32>) outs(%c : tensor<8x64x48xf32>) -> tensor<8x64x48xf32>
  return %d : tensor<8x64x48xf32>
}

// A batch is innermost in the result: the product rounds it, and a transpose moves 16 bits of each element.
// CHECK-LABEL: func.func @rounded(
// CHECK: %[[C:.*]] = hone.matmul {{.*}}outs(%{{.*}} : tensor<8x64x48xf16>)
// CHECK-NOT: linalg.generic
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[C]] : tensor<8x64x48xf16>) outs({{.*}}) permutation = [1, 2, 0]
// CHECK-NOT: linalg
// CHECK: return %[[T]]
func.func @rounded(%a: tensor<8x64x32xf16>, %b: tensor<8x48x32xf16>) -> tensor<64x48x8xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48x8xf32>) -> tensor<64x48x8xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(m, n, h, k) -> (h, m, k)>, affine_map<(m, n, h, k) -> (h, n, k)>, affine_map<(m, n, h, k) -> (m, n, h)>]
      ins(%a, %b : tensor<8x64x32xf16>, tensor<8x48x32xf16>) outs(%init : tensor<64x48x8xf32>) -> tensor<64x48x8xf32>
  %er = tensor.empty() : tensor<64x48x8xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, h) -> (m, n, h)>, affine_map<(m, n, h) -> (m, n, h)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<64x48x8xf32>) outs(%er : tensor<64x48x8xf16>) {
  ^bb0(%in: f32, %out: f16):
    %2 = arith.truncf %in : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<64x48x8xf16>
  return %1 : tensor<64x48x8xf16>
}
