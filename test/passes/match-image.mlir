// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=host})' %{remarks} -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match)' | FileCheck %s --check-prefix=NONE
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_80})' | FileCheck %s --check-prefix=NONE

// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_90a})' %{remarks} -o %t.gpu.mlir 2>%t.gpu.remarks
// RUN: FileCheck %s --check-prefix=GPU --input-file=%t.gpu.mlir
// RUN: FileCheck %s --check-prefix=LAW --input-file=%t.gpu.remarks

// A convolution is a matmul that reads windows of its image, where the arch has kernels for it.
// NONE-NOT: hone.matmul

// The copy engine reads windows of 16 bits.
// GPU-LABEL: func @hwcf(
// GPU: hone.matmul ins(%{{.*}} window(3x3),
// GPU-LABEL: func @block(
// GPU: hone.matmul ins(%{{.*}} window(3x3, step 2x1, low 1x0, high 0x2),
// GPU-LABEL: func @line(
// GPU: linalg.conv_1d_nwc_wcf
// LAW: Function=line | Remark="not matched: no kernel for sm_90a reads its windows: schedule_c2: expected a and b to be both f16 or both bf16, but got f32 and f32
// LAW-NOT: Function=nchw | Remark="not matched

#map = affine_map<(i, p, q, f) -> (i, p, q, f)>
#row = affine_map<(i, p, q, f) -> (f)>

// REMARK: Function=nchw | Remark="its images have channels last instead of first"
// REMARK: m = 392, n = 32, k = 576, a = f16:m[2*16384, 14*1024, 14*64] k[3*1024, 192*1]:16, b = f16:row:16
// CHECK-LABEL: func @hwcf(
// CHECK-SAME: %[[X:.*]]: tensor<2x16x16x64xf16>, %[[W:.*]]: tensor<3x3x64x32xf16>
// CHECK: %[[B:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0, 1, 2], [3]]
// CHECK: hone.matmul ins(%[[X]] window(3x3), %[[B]] : tensor<2x16x16x64xf16>, tensor<576x32xf16>) outs(%{{.*}} : tensor<392x32xf32>) init(read) acc(f32)
// CHECK-NOT: linalg
func.func @hwcf(%x: tensor<2x16x16x64xf16>, %w: tensor<3x3x64x32xf16>, %c: tensor<2x14x14x32xf32>) -> tensor<2x14x14x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x16x16x64xf16>, tensor<3x3x64x32xf16>) outs(%c : tensor<2x14x14x32xf32>) -> tensor<2x14x14x32xf32>
  return %0 : tensor<2x14x14x32xf32>
}

// Padding, bias, ReLU and a residual become zeros of the window, and the epilogue.

// CHECK-LABEL: func @block(
// CHECK-SAME: %[[X:.*]]: tensor<2x15x14x16xf16>, %[[W:.*]]: tensor<24x3x3x16xf16>
// CHECK: hone.matmul ins(%[[X]] window(3x3, step 2x1, low 1x0, high 0x2), col %{{.*}} : tensor<2x15x14x16xf16>, tensor<24x144xf16>)
// CHECK-SAME: init(zero) acc(f32) epilogue(%{{.*}}[n], %{{.*}}[m, n] : tensor<24xf16>, tensor<196x24xf16>)
// CHECK-NOT: tensor.pad
func.func @block(%x: tensor<2x15x14x16xf16>, %w: tensor<24x3x3x16xf16>, %bias: tensor<24xf16>, %r: tensor<2x7x14x24xf16>) -> tensor<2x7x14x24xf16> {
  %zero = arith.constant 0.0 : f16
  %zeros = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 0, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<2x15x14x16xf16> to tensor<2x16x16x16xf16>
  %e = tensor.empty() : tensor<2x7x14x24xf32>
  %c = linalg.fill ins(%zeros : f32) outs(%e : tensor<2x7x14x24xf32>) -> tensor<2x7x14x24xf32>
  %0 = linalg.conv_2d_nhwc_fhwc {strides = dense<[2, 1]> : tensor<2xi64>} ins(%p, %w : tensor<2x16x16x16xf16>, tensor<24x3x3x16xf16>) outs(%c : tensor<2x7x14x24xf32>) -> tensor<2x7x14x24xf32>
  %d = tensor.empty() : tensor<2x7x14x24xf16>
  %1 = linalg.generic {indexing_maps = [#map, #row, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %bias, %r : tensor<2x7x14x24xf32>, tensor<24xf16>, tensor<2x7x14x24xf16>) outs(%d : tensor<2x7x14x24xf16>) {
  ^bb0(%v: f32, %b: f16, %s: f16, %o: f16):
    %bw = arith.extf %b : f16 to f32
    %sw = arith.extf %s : f16 to f32
    %2 = arith.addf %v, %bw : f32
    %3 = arith.addf %2, %sw : f32
    %4 = arith.maximumf %3, %zeros : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<2x7x14x24xf16>
  return %1 : tensor<2x7x14x24xf16>
}

// CHECK-LABEL: func @line(
// CHECK: hone.matmul ins(%{{.*}} window(3, dilation 2, low 2, high 2), %{{.*}} : tensor<4x30x8xf32>, tensor<24x16xf32>) outs(%{{.*}} : tensor<120x16xf32>)
func.func @line(%x: tensor<4x30x8xf32>, %w: tensor<3x8x16xf32>, %c: tensor<4x30x16xf32>) -> tensor<4x30x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 0] high[0, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<4x30x8xf32> to tensor<4x34x8xf32>
  %0 = linalg.conv_1d_nwc_wcf {dilations = dense<2> : tensor<1xi64>} ins(%p, %w : tensor<4x34x8xf32>, tensor<3x8x16xf32>) outs(%c : tensor<4x30x16xf32>) -> tensor<4x30x16xf32>
  return %0 : tensor<4x30x16xf32>
}

// A generic is read as the named ops are, and the number of images may be unknown.

// CHECK-LABEL: func @generic(
// CHECK: hone.matmul ins(%{{.*}} window(3x1, step 2x1), %{{.*}} : tensor<?x9x10x8xf32>, tensor<24x16xf32>) outs(%{{.*}} : tensor<?x16xf32>)
func.func @generic(%x: tensor<?x9x10x8xf32>, %w: tensor<3x8x16xf32>, %c: tensor<?x4x10x16xf32>) -> tensor<?x4x10x16xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, p, q, f, r, c) -> (i, p * 2 + r, q, c)>, affine_map<(i, p, q, f, r, c) -> (r, c, f)>, affine_map<(i, p, q, f, r, c) -> (i, p, q, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x9x10x8xf32>, tensor<3x8x16xf32>) outs(%c : tensor<?x4x10x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x4x10x16xf32>
  return %0 : tensor<?x4x10x16xf32>
}

// An image with its channels first; a filter in another order than its windows; a pad of other values, which stays.

// CHECK-LABEL: func @nchw(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x64x16x16xf16>) outs(%{{.*}} : tensor<2x16x16x64xf16>)
// CHECK: hone.matmul ins(%{{.*}} window(3x3), col
func.func @nchw(%x: tensor<2x64x16x16xf16>, %w: tensor<32x64x3x3xf16>, %c: tensor<2x32x14x14xf32>) -> tensor<2x32x14x14xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x64x16x16xf16>, tensor<32x64x3x3xf16>) outs(%c : tensor<2x32x14x14xf32>) -> tensor<2x32x14x14xf32>
  return %0 : tensor<2x32x14x14xf32>
}

// CHECK-LABEL: func @chw_filter(
// CHECK: linalg.transpose
// CHECK: hone.matmul ins(%{{.*}} window(3x3), col {{.*}} : tensor<1x8x8x4xf32>, tensor<16x36xf32>)
func.func @chw_filter(%x: tensor<1x8x8x4xf32>, %w: tensor<16x4x3x3xf32>, %c: tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, p, q, f, c, r, s) -> (i, p + r, q + s, c)>, affine_map<(i, p, q, f, c, r, s) -> (f, c, r, s)>, affine_map<(i, p, q, f, c, r, s) -> (i, p, q, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x8x8x4xf32>, tensor<16x4x3x3xf32>) outs(%c : tensor<1x6x6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x6x6x16xf32>
  return %0 : tensor<1x6x6x16xf32>
}

// Of a single image, pixels could be columns of a transposed product, but no kernel reads windows as columns: a
// transpose follows instead.

// CHECK-LABEL: func @one_image(
// CHECK: linalg.transpose
// CHECK: hone.matmul ins(%{{.*}} window(3x3), {{.*}} outs(%{{.*}} : tensor<196x32xf32>)
// CHECK: linalg.transpose
func.func @one_image(%x: tensor<1x64x16x16xf16>, %w: tensor<32x64x3x3xf16>, %c: tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x16x16xf16>, tensor<32x64x3x3xf16>) outs(%c : tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
  return %0 : tensor<1x32x14x14xf32>
}

// CHECK-LABEL: func @one_image_transposed(
// CHECK: hone.matmul ins(%{{.*}} window(3x3), {{.*}} outs(%{{.*}} : tensor<196x32xf32>)
// CHECK: linalg.transpose
func.func @one_image_transposed(%x: tensor<1x16x16x64xf16>, %w: tensor<32x3x3x64xf16>, %c: tensor<1x14x14x32xf32>, %y: tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32> {
  %0 = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x16x16x64xf16>, tensor<32x3x3x64xf16>) outs(%c : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x14x14x32xf32>) outs(%y : tensor<1x32x14x14xf32>) permutation = [0, 3, 1, 2]
  return %1 : tensor<1x32x14x14xf32>
}

// CHECK-LABEL: func @padded_with_ones(
// CHECK: tensor.pad
// CHECK: hone.matmul ins(%{{.*}} window(3), %{{.*}} : tensor<4x32x8xf32>, tensor<24x16xf32>)
func.func @padded_with_ones(%x: tensor<4x30x8xf32>, %w: tensor<3x8x16xf32>, %c: tensor<4x30x16xf32>) -> tensor<4x30x16xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %one : f32
  } : tensor<4x30x8xf32> to tensor<4x32x8xf32>
  %0 = linalg.conv_1d_nwc_wcf ins(%p, %w : tensor<4x32x8xf32>, tensor<3x8x16xf32>) outs(%c : tensor<4x30x16xf32>) -> tensor<4x30x16xf32>
  return %0 : tensor<4x30x16xf32>
}

// Images of unknown height, a depthwise convolution, and memory stay.

// CHECK-LABEL: func @unknown_height(
// CHECK: linalg.conv_1d_nwc_wcf
func.func @unknown_height(%x: tensor<2x?x8xf32>, %w: tensor<3x8x24xf32>, %c: tensor<2x?x24xf32>) -> tensor<2x?x24xf32> {
  %0 = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x?x8xf32>, tensor<3x8x24xf32>) outs(%c : tensor<2x?x24xf32>) -> tensor<2x?x24xf32>
  return %0 : tensor<2x?x24xf32>
}

// CHECK-LABEL: func @depthwise(
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc
func.func @depthwise(%x: tensor<2x8x8x16xf32>, %w: tensor<3x3x16xf32>, %c: tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<2x8x8x16xf32>, tensor<3x3x16xf32>) outs(%c : tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
  return %0 : tensor<2x6x6x16xf32>
}

// CHECK-LABEL: func @memory(
// CHECK: linalg.conv_1d_nwc_wcf
func.func @memory(%x: memref<2x10x8xf32>, %w: memref<3x8x24xf32>, %c: memref<2x8x24xf32>) {
  linalg.conv_1d_nwc_wcf ins(%x, %w : memref<2x10x8xf32>, memref<3x8x24xf32>) outs(%c : memref<2x8x24xf32>)
  return
}
