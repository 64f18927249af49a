// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_90a})' | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=sm_80})' | FileCheck %s --check-prefixes=CHECK,COPY
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{arch=host})' | FileCheck %s --check-prefixes=CHECK,COPY

// A convolution of 1x1 that skips pixels: the copy engine reads them as windows, other kernels read
// a copy of them.

// CHECK-LABEL: func @skipping(
// GPU-NOT: tensor.extract_slice
// GPU: hone.matmul ins(%{{.*}} window(1x1, step 2x2), %{{.*}} : tensor<2x8x8x64xf16>, tensor<64x32xf16>)
// COPY: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 4, 4, 64] [1, 2, 2, 1]
// COPY: hone.matmul ins(%{{.*}} : tensor<32x64xf16>, tensor<64x32xf16>)
func.func @skipping(%x: tensor<2x8x8x64xf16>, %w: tensor<1x1x64x32xf16>, %c: tensor<2x4x4x32xf32>) -> tensor<2x4x4x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x8x8x64xf16>, tensor<1x1x64x32xf16>) outs(%c : tensor<2x4x4x32xf32>) -> tensor<2x4x4x32xf32>
  return %0 : tensor<2x4x4x32xf32>
}

// It reads channels of whole 16 bytes alone.

// CHECK-LABEL: func @odd(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 2, 2, 12] [1, 9, 9, 1]
// CHECK: hone.matmul
func.func @odd(%x: tensor<2x18x18x12xf16>, %w: tensor<1x1x12x32xf16>, %c: tensor<2x2x2x32xf32>) -> tensor<2x2x2x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<9> : tensor<2xi64>} ins(%x, %w : tensor<2x18x18x12xf16>, tensor<1x1x12x32xf16>) outs(%c : tensor<2x2x2x32xf32>) -> tensor<2x2x2x32xf32>
  return %0 : tensor<2x2x2x32xf32>
}

// Of an unknown number of images, the engine reads the windows as they are stated.

// CHECK-LABEL: func @unknown(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [%{{.*}}, 2, 2, 64] [1, 9, 9, 1]
// CHECK: hone.matmul
func.func @unknown(%x: tensor<?x18x18x64xf16>, %w: tensor<1x1x64x32xf16>, %c: tensor<?x2x2x32xf32>) -> tensor<?x2x2x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<9> : tensor<2xi64>} ins(%x, %w : tensor<?x18x18x64xf16>, tensor<1x1x64x32xf16>) outs(%c : tensor<?x2x2x32xf32>) -> tensor<?x2x2x32xf32>
  return %0 : tensor<?x2x2x32xf32>
}

// The last window starts too far after the image.

// CHECK-LABEL: func @far(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [%{{.*}}, 104, 8, 64] [1, 4, 1, 1]
// CHECK: hone.matmul
func.func @far(%x: tensor<?x16x8x64xf16>, %w: tensor<1x1x64x32xf16>, %c: tensor<?x104x8x32xf32>) -> tensor<?x104x8x32xf32> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 400, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<?x16x8x64xf16> to tensor<?x416x8x64xf16>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[4, 1]> : tensor<2xi64>} ins(%p, %w : tensor<?x416x8x64xf16>, tensor<1x1x64x32xf16>) outs(%c : tensor<?x104x8x32xf32>) -> tensor<?x104x8x32xf32>
  return %0 : tensor<?x104x8x32xf32>
}

// CHECK-LABEL: func @thin(
// GPU: linalg.conv_2d_nhwc_hwcf
func.func @thin(%x: tensor<?x16x16x4xf16>, %w: tensor<3x2x4x32xf16>, %c: tensor<?x14x15x32xf32>) -> tensor<?x14x15x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x16x16x4xf16>, tensor<3x2x4x32xf16>) outs(%c : tensor<?x14x15x32xf32>) -> tensor<?x14x15x32xf32>
  return %0 : tensor<?x14x15x32xf32>
}

// Windows that lie side by side are not a matrix in place, so they would be copied, too. Lines of 12 bytes are: the
// copy engine reads multiples of 16 bytes.

// GPU-LABEL: func @patches(
// GPU-NOT: tensor.expand_shape
// GPU: hone.matmul ins(%{{.*}} window(2x2, step 2x2), %{{.*}} : tensor<2x8x8x64xf16>, tensor<256x32xf16>)
// COPY-LABEL: func @patches(
// COPY: tensor.expand_shape %{{.*}} output_shape [2, 4, 2, 4, 2, 64]
// COPY: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<32x256xf16>, tensor<256x32xf16>)
func.func @patches(%x: tensor<2x8x8x64xf16>, %w: tensor<2x2x64x32xf16>, %c: tensor<2x4x4x32xf32>) -> tensor<2x4x4x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x8x8x64xf16>, tensor<2x2x64x32xf16>) outs(%c : tensor<2x4x4x32xf32>) -> tensor<2x4x4x32xf32>
  return %0 : tensor<2x4x4x32xf32>
}

// GPU-LABEL: func @few_channels(
// GPU: tensor.expand_shape %{{.*}} output_shape [2, 4, 2, 4, 2, 3]
// GPU: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<32x12xf16>, tensor<12x32xf16>)
func.func @few_channels(%x: tensor<2x8x8x3xf16>, %w: tensor<2x2x3x32xf16>, %c: tensor<2x4x4x32xf32>) -> tensor<2x4x4x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x8x8x3xf16>, tensor<2x2x3x32xf16>) outs(%c : tensor<2x4x4x32xf32>) -> tensor<2x4x4x32xf32>
  return %0 : tensor<2x4x4x32xf32>
}

// Along one side they are one.

// GPU-LABEL: func @lines(
// GPU: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<8x128xf16>, tensor<128x32xf16>)
func.func @lines(%x: tensor<2x8x64xf16>, %w: tensor<2x64x32xf16>, %c: tensor<2x4x32xf32>) -> tensor<2x4x32xf32> {
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<2x8x64xf16>, tensor<2x64x32xf16>) outs(%c : tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
  return %0 : tensor<2x4x32xf32>
}
