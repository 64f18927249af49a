// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-fuse-rest)' | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-fuse-rest{arch=host})' | FileCheck %s --check-prefix=HOST

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// An extension that two ops read is computed by both; an unused sum is removed, and
// each sum has a zero of its own.
// CHECK-LABEL: func @norm(
// CHECK-SAME: %[[X:.*]]: tensor<8x64xf16>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[X]] : tensor<8x64xf16>)
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK: %[[SQUARES:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[X]] : tensor<8x64xf16>)
// CHECK: arith.extf
// CHECK: arith.mulf
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}"parallel"]} ins(%[[X]], %[[SUM]], %[[SQUARES]] :
// CHECK: arith.truncf
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
// HOST-LABEL: func @norm(
// HOST: linalg.elementwise
// HOST-NOT: linalg.generic {{.*}}ins(%arg0 : tensor<8x64xf16>) outs(%{{.*}} : tensor<8xf32>)
func.func @norm(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %er = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %sum:2 = linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%wide : tensor<8x64xf32>) outs(%init, %init : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32, %unread: f32):
    %0 = arith.addf %in, %out : f32
    %1 = arith.maximumf %in, %unread : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  %square = linalg.elementwise kind=#linalg.elementwise_kind<mul>
      ins(%wide, %wide : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %squares = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%square : tensor<8x64xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %ey = tensor.empty() : tensor<8x64xf16>
  %y = linalg.generic {indexing_maps = [#id, #rows, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%wide, %sum#0, %squares : tensor<8x64xf32>, tensor<8xf32>, tensor<8xf32>) outs(%ey : tensor<8x64xf16>) {
  ^bb0(%in: f32, %s: f32, %q: f32, %out: f16):
    %0 = arith.subf %in, %s : f32
    %1 = arith.divf %0, %q : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}

// A contraction would compute each exponential eight times.
// CHECK-LABEL: func @contracted(
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic {{.*}}"reduction"]}
// CHECK-NOT: math.exp
// CHECK: return
func.func @contracted(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %0 = linalg.exp ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x16xf32>, tensor<16x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// A returned value is in memory; an op that reads it, too, does not compute it again.
// CHECK-LABEL: func @stored(
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[E]] :
// CHECK-NOT: math.exp
// CHECK: return %[[E]], %[[N]]
func.func @stored(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %e = tensor.empty() : tensor<4x16xf32>
  %0 = linalg.exp ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = linalg.negf ins(%0 : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}
