// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_90a})' %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=host})' | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_80})' | FileCheck %s --check-prefix=STAYS
// DEFINE: %{run} = hone run %s --json --repeat=1 --function
// RUN: %{run}=block | FileCheck %s --check-prefix=RIGHT
// RUN: %{run}=whisper | FileCheck %s --check-prefix=RIGHT
// RUN: %{run}=pools --dims=3 | FileCheck %s --check-prefix=RIGHT
// RUN: %{run}=weights | FileCheck %s --check-prefix=RIGHT

// Convolutions of images with channels first are written with channels last, between transposes, where kernels read
// their windows so. Another arch leaves them alone.
// STAYS-NOT: hone.matmul {{.*}} window
// RIGHT: "wrong": 0

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
#line = affine_map<(n, c, w) -> (n, c, w)>
#sums = affine_map<(n, c, h, w) -> (n, c)>

// A residual block: bias, pads, activations and the sum stay with channels last. One transpose is before them, one after them.

// REMARK-DAG: Function=block | Remark="its images have channels last instead of first"
// CHECK-LABEL: func.func @block(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x16x8x8xf16>, %[[W1:[a-z0-9]*]]: tensor<16x16x3x3xf16>
// CHECK-DAG: %[[LAST:.*]] = linalg.transpose ins(%[[X]] : tensor<2x16x8x8xf16>) outs(%{{.*}} : tensor<2x8x8x16xf16>) permutation = [0, 2, 3, 1]
// CHECK-DAG: %[[FILTER:.*]] = linalg.transpose ins(%[[W1]] : tensor<16x16x3x3xf16>) outs(%{{.*}} : tensor<16x3x3x16xf16>) permutation = [0, 2, 3, 1]
// CHECK: %[[ONE:.*]] = hone.matmul ins(%[[LAST]] window(3x3, low 1x1, high 1x1), col %{{.*}} : tensor<2x8x8x16xf16>, tensor<16x144xf16>)
// CHECK-SAME: epilogue(%{{.*}}[n] : tensor<16xf16>)
// CHECK-NOT: linalg.transpose ins({{.*}} : tensor<2x
// CHECK: %[[SUM:.*]] = tensor.collapse_shape %[[LAST]] {{\[}}[0, 1, 2], [3]]
// CHECK: hone.matmul ins(%{{.*}} window(3x3, low 1x1, high 1x1), col %{{[^)]*}})
// CHECK-SAME: epilogue(%[[SUM]][m, n] : tensor<128x16xf16>)
// CHECK-NOT: linalg.generic
// CHECK: %[[BACK:.*]] = linalg.transpose ins(%{{.*}} : tensor<2x8x8x16xf16>) outs(%{{.*}} : tensor<2x16x8x8xf16>) permutation = [0, 3, 1, 2]
// CHECK: return %[[BACK]]
func.func @block(%x: tensor<2x16x8x8xf16>, %w1: tensor<16x16x3x3xf16>, %b1: tensor<16xf16>, %w2: tensor<16x16x3x3xf16>) -> tensor<2x16x8x8xf16> {
  %z = arith.constant 0.0 : f16
  %p1 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f16
  } : tensor<2x16x8x8xf16> to tensor<2x16x10x10xf16>
  %e = tensor.empty() : tensor<2x16x8x8xf16>
  %i1 = linalg.broadcast ins(%b1 : tensor<16xf16>) outs(%e : tensor<2x16x8x8xf16>) dimensions = [0, 2, 3]
  %c1 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%p1, %w1 : tensor<2x16x10x10xf16>, tensor<16x16x3x3xf16>) outs(%i1 : tensor<2x16x8x8xf16>) -> tensor<2x16x8x8xf16>
  %r1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c1 : tensor<2x16x8x8xf16>) outs(%e : tensor<2x16x8x8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %m = arith.maximumf %a, %z : f16
    linalg.yield %m : f16
  } -> tensor<2x16x8x8xf16>
  %p2 = tensor.pad %r1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f16
  } : tensor<2x16x8x8xf16> to tensor<2x16x10x10xf16>
  %i2 = linalg.fill ins(%z : f16) outs(%e : tensor<2x16x8x8xf16>) -> tensor<2x16x8x8xf16>
  %c2 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%p2, %w2 : tensor<2x16x10x10xf16>, tensor<16x16x3x3xf16>) outs(%i2 : tensor<2x16x8x8xf16>) -> tensor<2x16x8x8xf16>
  %r2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c2, %x : tensor<2x16x8x8xf16>, tensor<2x16x8x8xf16>) outs(%e : tensor<2x16x8x8xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %s = arith.addf %a, %b : f16
    %m = arith.maximumf %s, %z : f16
    linalg.yield %m : f16
  } -> tensor<2x16x8x8xf16>
  return %r2 : tensor<2x16x8x8xf16>
}

// One dimension, steps of 2, and an op on whole tensors between two convolutions.

// CHECK-LABEL: func.func @whisper(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x8x30xf16>)
// CHECK: hone.matmul ins(%{{.*}} window(3, low 1, high 1), col
// CHECK: hone.matmul ins(%{{.*}} window(3, step 2, low 1, high 1), col
// CHECK-NOT: linalg.conv
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x15x16xf16>)
// CHECK-NOT: linalg.transpose ins(%{{.*}} : tensor<2x
// CHECK: return
func.func @whisper(%x: tensor<2x8x30xf16>, %w1: tensor<16x8x3xf16>, %w2: tensor<16x16x3xf16>) -> tensor<2x16x15xf16> {
  %z = arith.constant 0.0 : f16
  %p1 = tensor.pad %x low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f16
  } : tensor<2x8x30xf16> to tensor<2x8x32xf16>
  %e1 = tensor.empty() : tensor<2x16x30xf16>
  %i1 = linalg.fill ins(%z : f16) outs(%e1 : tensor<2x16x30xf16>) -> tensor<2x16x30xf16>
  %c1 = linalg.conv_1d_ncw_fcw ins(%p1, %w1 : tensor<2x8x32xf16>, tensor<16x8x3xf16>) outs(%i1 : tensor<2x16x30xf16>) -> tensor<2x16x30xf16>
  %t = math.tanh %c1 : tensor<2x16x30xf16>
  %p2 = tensor.pad %t low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f16
  } : tensor<2x16x30xf16> to tensor<2x16x32xf16>
  %e2 = tensor.empty() : tensor<2x16x15xf16>
  %i2 = linalg.fill ins(%z : f16) outs(%e2 : tensor<2x16x15xf16>) -> tensor<2x16x15xf16>
  %c2 = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>} ins(%p2, %w2 : tensor<2x16x32xf16>, tensor<16x16x3xf16>) outs(%i2 : tensor<2x16x15xf16>) -> tensor<2x16x15xf16>
  return %c2 : tensor<2x16x15xf16>
}

// An unknown number of images; a pool, a convolution of one element with steps, and sums over the pixels between the
// transposes: none follows.

// CHECK-LABEL: func.func @pools(
// CHECK-COUNT-1: linalg.transpose ins(%{{.*}} : tensor<?x16x10x10xf16>)
// CHECK: hone.matmul ins(%{{.*}} window(3x3), col
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x8x8x16xf16>, tensor<2x2xf16>) outs(%{{.*}} : tensor<?x4x4x16xf16>)
// CHECK: hone.matmul
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x2x2x32xf16>) outs(%{{.*}} : tensor<?x32xf16>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @pools(%x: tensor<?x16x10x10xf16>, %w1: tensor<16x16x3x3xf16>, %w2: tensor<32x16x1x1xf16>) -> tensor<?x32xf16> {
  %z = arith.constant 0.0 : f16
  %low = arith.constant 0xFC00 : f16
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16x10x10xf16>
  %e1 = tensor.empty(%n) : tensor<?x16x8x8xf16>
  %i1 = linalg.fill ins(%z : f16) outs(%e1 : tensor<?x16x8x8xf16>) -> tensor<?x16x8x8xf16>
  %c1 = linalg.conv_2d_nchw_fchw ins(%x, %w1 : tensor<?x16x10x10xf16>, tensor<16x16x3x3xf16>) outs(%i1 : tensor<?x16x8x8xf16>) -> tensor<?x16x8x8xf16>
  %e2 = tensor.empty(%n) : tensor<?x16x4x4xf16>
  %i2 = linalg.fill ins(%low : f16) outs(%e2 : tensor<?x16x4x4xf16>) -> tensor<?x16x4x4xf16>
  %s = tensor.empty() : tensor<2x2xf16>
  %m = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%c1, %s : tensor<?x16x8x8xf16>, tensor<2x2xf16>) outs(%i2 : tensor<?x16x4x4xf16>) -> tensor<?x16x4x4xf16>
  %e3 = tensor.empty(%n) : tensor<?x32x2x2xf16>
  %i3 = linalg.fill ins(%z : f16) outs(%e3 : tensor<?x32x2x2xf16>) -> tensor<?x32x2x2xf16>
  %c3 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%m, %w2 : tensor<?x16x4x4xf16>, tensor<32x16x1x1xf16>) outs(%i3 : tensor<?x32x2x2xf16>) -> tensor<?x32x2x2xf16>
  %e4 = tensor.empty(%n) : tensor<?x32xf16>
  %i4 = linalg.fill ins(%z : f16) outs(%e4 : tensor<?x32xf16>) -> tensor<?x32xf16>
  %r = linalg.generic {indexing_maps = [#id, #sums], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%c3 : tensor<?x32x2x2xf16>) outs(%i4 : tensor<?x32xf16>) {
  ^bb0(%a: f16, %o: f16):
    %v = arith.addf %a, %o : f16
    linalg.yield %v : f16
  } -> tensor<?x32xf16>
  return %r : tensor<?x32xf16>
}

// Constant filters are laid out once; a program's own transposes vanish, too.

// CHECK-LABEL: func.func @weights(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<1x6x6x8xf16>
// CHECK: arith.constant dense<{{.*}}> : tensor<8x3x3x8xf16>
// CHECK-NOT: linalg.transpose
// CHECK: hone.matmul ins(%[[X]] window(3x3), col
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @weights(%x: tensor<1x6x6x8xf16>) -> tensor<1x4x4x8xf16> {
  %z = arith.constant 0.0 : f16
  %w = arith.constant dense<"0x00B80040004000B800380040003C004000BC004000BC003C0038004000B800B8003C00400040003C003C00B800B800B80040003C00BC00BC00B8004000BC003800BC0038003C0040003C003C003C0040003C00B8003800BC00BC00B8003C00B80038003C0038003C0040003C0040003800400040003C004000B8003800BC0038004000B8003800400040004000BC00B800400038003800BC00BC003C003C00BC003800BC003C00B800BC0038003C003C00BC00BC0040004000BC003C0040003800400038004000B800BC003800BC00BC00BC0040004000BC00B8003C00380040003800B800BC00380038003800B8003C003C003C0040003C0040004000BC004000400038003C00B80038003C0038004000380040003800BC003C0040003800BC003C0040004000B800BC0038003C0038003800400038003C00BC004000BC00BC00380038003C003800400040003800B8003800B800380038004000380038003C00BC00BC004000B80038004000B8003800B8003800B8003C00BC00BC00400038003800B8003C00B800BC003800B80040003C003800B800BC00BC004000B80038004000B80038003800BC00400038004000B8003C003800400038003C0038003C0038003C0040003C00BC003C00B800B800BC003C00400040003C004000B800BC003C004000380040003800B800BC0040003800BC00B800BC00BC004000B8003C004000BC00BC003C00BC00B80040003800B800BC00400040003C00BC004000BC003800B800380040003C00BC003800B800B800BC004000BC00B800B8003800B800BC003C0040003C00BC003800B80038004000400040003C00BC003C003800BC00BC00B800BC00BC00BC00BC003C00BC00BC00400040003C003800B8003800BC0038003C003C004000380038003800B80038003C00BC00B8004000BC003C00BC004000B800BC0038003C00400040003C00BC0040003C00BC0038003C0038003C003C003C00BC00B800B800400038004000BC003C00B8003C00B800BC003800380040003800BC003C00BC0040003C00BC00380040004000BC004000BC003C00B800B8003C00BC004000BC004000BC003C00B800BC003800BC00BC00BC003C00380040003800BC00BC00400040004000B800BC004000BC004000BC00400038004000B800BC00B800B800B8003C0040003C003800380040003C00380040003C00BC003C004000B8003C00B8003C004000400040003C00B8003C00B800B800BC003C003C0040003C004000B800B8003800B800B800400040003800B800400038003C004000400040003800B8003800BC0038003C003C00B800B80040003800B80038003C00B8003C003C004000B8003C0040004000BC003C00BC003C00BC003C00B800B800BC00B8003800B800B8003800B800B8004000BC003800B800BC003800B8003C00BC00BC00BC00BC0038003800BC0038003C0040003800BC00BC00380038003C003C003C00BC00B80040003C003C00B80040003800BC003800BC003C00BC003C0040003800BC004000380038003C0038003800BC003800400040004000BC003C0040003800BC0038004000B800B800B80038003C00BC00BC004000B80038"> : tensor<8x8x3x3xf16>
  %e0 = tensor.empty() : tensor<1x8x6x6xf16>
  %first = linalg.transpose ins(%x : tensor<1x6x6x8xf16>) outs(%e0 : tensor<1x8x6x6xf16>) permutation = [0, 3, 1, 2]
  %e = tensor.empty() : tensor<1x8x4x4xf16>
  %i = linalg.fill ins(%z : f16) outs(%e : tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  %c = linalg.conv_2d_nchw_fchw ins(%first, %w : tensor<1x8x6x6xf16>, tensor<8x8x3x3xf16>) outs(%i : tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  %e2 = tensor.empty() : tensor<1x4x4x8xf16>
  %last = linalg.transpose ins(%c : tensor<1x8x4x4xf16>) outs(%e2 : tensor<1x4x4x8xf16>) permutation = [0, 2, 3, 1]
  return %last : tensor<1x4x4x8xf16>
}

// Alone, a convolution of one element is a product of the filter and each image: nothing is transposed. Depthwise
// ones are not products, and stay with them.

// CHECK-LABEL: func.func @mobile(
// CHECK-NOT: linalg.transpose
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<32x16xf16>, tensor<2x16x64xf16>) outs(%{{.*}} : tensor<2x32x64xf16>)
// CHECK: linalg.depthwise_conv_2d_nchw_chw
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @mobile(%x: tensor<2x16x8x8xf16>, %w: tensor<32x16x1x1xf16>, %d: tensor<32x3x3xf16>) -> tensor<2x32x6x6xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2x32x8x8xf16>
  %i = linalg.fill ins(%z : f16) outs(%e : tensor<2x32x8x8xf16>) -> tensor<2x32x8x8xf16>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x16x8x8xf16>, tensor<32x16x1x1xf16>) outs(%i : tensor<2x32x8x8xf16>) -> tensor<2x32x8x8xf16>
  %e2 = tensor.empty() : tensor<2x32x6x6xf16>
  %i2 = linalg.fill ins(%z : f16) outs(%e2 : tensor<2x32x6x6xf16>) -> tensor<2x32x6x6xf16>
  %r = linalg.depthwise_conv_2d_nchw_chw ins(%c, %d : tensor<2x32x8x8xf16>, tensor<32x3x3xf16>) outs(%i2 : tensor<2x32x6x6xf16>) -> tensor<2x32x6x6xf16>
  return %r : tensor<2x32x6x6xf16>
}
