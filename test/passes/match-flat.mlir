// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_90a},canonicalize)' | FileCheck %s

// A batch of sequences and heads that the program made for its product is two batches, where
// that saves ops that move elements.

#heads = affine_map<(b, h, m, d) -> (b, m, h, d)>
#id = affine_map<(b, h, m, d) -> (b, h, m, d)>

// Scores of attention, from parts of one matrix.
// CHECK-LABEL: func @scores(
// CHECK-NOT: linalg.transpose
// CHECK-NOT: linalg.generic
// CHECK: %[[Q:.*]] = tensor.expand_shape {{.*}} into tensor<2x16x4x32xf16>
// CHECK: %[[K:.*]] = tensor.expand_shape {{.*}} into tensor<2x16x4x32xf16>
// CHECK: hone.matmul ins(%[[Q]][b, m, h, k], %[[K]][b, n, h, k] : tensor<2x16x4x32xf16>, tensor<2x16x4x32xf16>) outs(%{{.*}} : tensor<2x4x16x16xf32>)
func.func @scores(%qk: tensor<2x16x256xf16>) -> tensor<8x16x16xf32> {
  %q = tensor.extract_slice %qk[0, 0, 0] [2, 16, 128] [1, 1, 1] : tensor<2x16x256xf16> to tensor<2x16x128xf16>
  %k = tensor.extract_slice %qk[0, 0, 128] [2, 16, 128] [1, 1, 1] : tensor<2x16x256xf16> to tensor<2x16x128xf16>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xf16> into tensor<2x16x4x32xf16>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 16, 4, 32] : tensor<2x16x128xf16> into tensor<2x16x4x32xf16>
  %qe = tensor.empty() : tensor<2x4x16x32xf16>
  %qt = linalg.generic {indexing_maps = [#heads, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%qh : tensor<2x16x4x32xf16>) outs(%qe : tensor<2x4x16x32xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<2x4x16x32xf16>
  %ke = tensor.empty() : tensor<2x4x32x16xf16>
  %kt = linalg.transpose ins(%kh : tensor<2x16x4x32xf16>) outs(%ke : tensor<2x4x32x16xf16>) permutation = [0, 2, 3, 1]
  %qf = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<2x4x16x32xf16> into tensor<8x16x32xf16>
  %kf = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<2x4x32x16xf16> into tensor<8x32x16xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  %s = linalg.batch_matmul ins(%qf, %kf : tensor<8x16x32xf16>, tensor<8x32x16xf16>) outs(%f : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  return %s : tensor<8x16x16xf32>
}

// A shape with more than two batches keeps one.
// CHECK-LABEL: func @three(
// CHECK: linalg.transpose
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<24x16x32xf16>, tensor<24x32x16xf16>)
func.func @three(%q: tensor<2x16x3x8x4x32xf16>, %k: tensor<24x32x16xf16>) -> tensor<24x16x16xf32> {
  %qs = tensor.extract_slice %q[0, 0, 0, 0, 0, 0] [2, 16, 3, 1, 4, 32] [1, 1, 1, 1, 1, 1] : tensor<2x16x3x8x4x32xf16> to tensor<2x16x3x4x32xf16>
  %qe = tensor.empty() : tensor<4x2x3x16x32xf16>
  %qt = linalg.transpose ins(%qs : tensor<2x16x3x4x32xf16>) outs(%qe : tensor<4x2x3x16x32xf16>) permutation = [3, 0, 2, 1, 4]
  %qf = tensor.collapse_shape %qt [[0, 1, 2], [3], [4]] : tensor<4x2x3x16x32xf16> into tensor<24x16x32xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x16x16xf32>) -> tensor<24x16x16xf32>
  %s = linalg.batch_matmul ins(%qf, %k : tensor<24x16x32xf16>, tensor<24x32x16xf16>) outs(%f : tensor<24x16x16xf32>) -> tensor<24x16x16xf32>
  return %s : tensor<24x16x16xf32>
}

// An op that no kernel takes is left as it was.
// CHECK-LABEL: func @left(
// CHECK: linalg.transpose
// CHECK: tensor.collapse_shape
// CHECK: linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<8x16x32xf64>, tensor<8x32x16xf64>)
func.func @left(%q: tensor<2x16x4x32xf64>, %k: tensor<8x32x16xf64>, %c: tensor<8x16x16xf64>) -> tensor<8x16x16xf64> {
  %qe = tensor.empty() : tensor<2x4x16x32xf64>
  %qt = linalg.transpose ins(%q : tensor<2x16x4x32xf64>) outs(%qe : tensor<2x4x16x32xf64>) permutation = [0, 2, 1, 3]
  %qf = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<2x4x16x32xf64> into tensor<8x16x32xf64>
  %s = linalg.batch_matmul ins(%qf, %k : tensor<8x16x32xf64>, tensor<8x32x16xf64>) outs(%c : tensor<8x16x16xf64>) -> tensor<8x16x16xf64>
  return %s : tensor<8x16x16xf64>
}
