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

// A reduction over a window is an elementwise op that loads its elements, in the order of the loops: a sum starts
// from its constant, a product of two f16 is exact, a padding is a comparison, and the op after it fuses.
// CHECK-LABEL: func @windows(
// CHECK-SAME: %[[X:.*]]: tensor<2x9x16xf16>, %[[W:.*]]: tensor<2x16xf16>
// CHECK-DAG: %[[NONE:.*]] = arith.constant 5.000000e-01 : f16
// CHECK-DAG: %[[START:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[LOW:.*]] = arith.constant -1 : index
// CHECK-DAG: %[[END:.*]] = arith.constant 9 : index
// CHECK-NOT: tensor.pad
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]} outs(%{{.*}} : tensor<2x5x16xf16>)
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: %[[TWICE:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK: %[[AT:.*]] = arith.addi %[[TWICE]], %[[LOW]] : index
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[AT]], %[[END]] : index
// CHECK: %[[PLACE:.*]] = arith.select %[[INSIDE]], %[[AT]], %{{.*}} : index
// CHECK: %[[LOADED:.*]] = tensor.extract %[[X]][%{{.*}}, %[[PLACE]], %{{.*}}]
// CHECK: %[[OWN:.*]] = arith.select %[[INSIDE]], %[[LOADED]], %[[NONE]] : f16
// CHECK: tensor.extract %[[W]]
// CHECK: %[[FIRST:.*]] = math.fma %{{.*}}, %{{.*}}, %[[START]] : f32
// CHECK: tensor.extract %[[X]]
// CHECK: %[[SUM:.*]] = math.fma %{{.*}}, %{{.*}}, %[[FIRST]] : f32
// CHECK: arith.truncf %[[SUM]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @windows(%x: tensor<2x9x16xf16>, %w: tensor<2x16xf16>) -> tensor<2x5x16xf16> {
  %none = arith.constant 0.5 : f16
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %none : f16
  } : tensor<2x9x16xf16> to tensor<2x10x16xf16>
  %e = tensor.empty() : tensor<2x5x16xf32>
  %init = linalg.fill ins(%one : f32) outs(%e : tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
  %y = linalg.depthwise_conv_1d_nwc_wc {strides = dense<2> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
      ins(%p, %w : tensor<2x10x16xf16>, tensor<2x16xf16>) outs(%init : tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
  %er = tensor.empty() : tensor<2x5x16xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x5x16xf32>) outs(%er : tensor<2x5x16xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<2x5x16xf16>
  return %r : tensor<2x5x16xf16>
}

// A sum may start from a tensor, and products of bf16 may round.
// CHECK-LABEL: func @adds(
// CHECK-SAME: %[[C:[a-z0-9]*]]: tensor<2x8x16xf32>
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "parallel"]} ins(%[[C]] : tensor<2x8x16xf32>) outs(
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @adds(%x: tensor<2x9x16xbf16>, %w: tensor<2x16xbf16>, %c: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %y = linalg.depthwise_conv_1d_nwc_wc {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
      ins(%x, %w : tensor<2x9x16xbf16>, tensor<2x16xbf16>) outs(%c : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// Windows along lines, lines of an odd number, windows of many elements: loops.
// CHECK-LABEL: func @loops(
// CHECK-COUNT-3: "reduction"
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @loops(%a: tensor<2x16x9xf32>, %b: tensor<2x16x2xf32>, %c: tensor<2x16x8xf32>, %d: tensor<2x9x15xf32>,
    %e: tensor<2x15xf32>, %f: tensor<2x8x15xf32>, %g: tensor<2x99x16xf32>, %h: tensor<65x16xf32>, %i: tensor<2x35x16xf32>)
    -> (tensor<2x16x8xf32>, tensor<2x8x15xf32>, tensor<2x35x16xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, c, w, k) -> (n, c, w + k)>, affine_map<(n, c, w, k) -> (n, c, k)>, affine_map<(n, c, w, k) -> (n, c, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<2x16x9xf32>, tensor<2x16x2xf32>) outs(%c : tensor<2x16x8xf32>) {
  ^bb0(%x: f32, %w: f32, %out: f32):
    %3 = arith.mulf %x, %w : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x16x8xf32>
  %1 = linalg.depthwise_conv_1d_nwc_wc {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
      ins(%d, %e : tensor<2x9x15xf32>, tensor<2x15xf32>) outs(%f : tensor<2x8x15xf32>) -> tensor<2x8x15xf32>
  %2 = linalg.depthwise_conv_1d_nwc_wc {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
      ins(%g, %h : tensor<2x99x16xf32>, tensor<65x16xf32>) outs(%i : tensor<2x35x16xf32>) -> tensor<2x35x16xf32>
  return %0, %1, %2 : tensor<2x16x8xf32>, tensor<2x8x15xf32>, tensor<2x35x16xf32>
}
