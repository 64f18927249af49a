// Depthwise convolutions and others without a kernel of their own are kernels of the rest, run from their LLVM IR, and
// agree with the reference; on the host, too.
//
// DEFINE: %{gpu} = hone run %s --arch=sm_90a --stand-in --rest=gpu --json --function
// DEFINE: %{host} = hone run %s --json --repeat=1 --function
// RUN: %{gpu}=nhwc | FileCheck %s
// RUN: %{gpu}=nchw | FileCheck %s
// RUN: %{gpu}=nwc | FileCheck %s
// RUN: %{gpu}=first_layer | FileCheck %s
// RUN: %{gpu}=tiles | FileCheck %s
// RUN: %{gpu}=pool | FileCheck %s
// RUN: %{host}=nhwc | FileCheck %s
// RUN: %{host}=nchw | FileCheck %s
// CHECK: "wrong": 0

func.func @nhwc(%x: tensor<2x9x9x16xf16>, %w: tensor<3x3x16xf16>) -> tensor<2x5x5x16xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<2x9x9x16xf16> to tensor<2x11x11x16xf16>
  %e = tensor.empty() : tensor<2x5x5x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x5x16xf32>) -> tensor<2x5x5x16xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%p, %w : tensor<2x11x11x16xf16>, tensor<3x3x16xf16>) outs(%i : tensor<2x5x5x16xf32>) -> tensor<2x5x5x16xf32>
  return %0 : tensor<2x5x5x16xf32>
}

func.func @nchw(%x: tensor<2x8x12x14xf32>, %w: tensor<8x7x7xf32>) -> tensor<2x8x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x6x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x6x8xf32>) -> tensor<2x8x6x8xf32>
  %0 = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<2x8x12x14xf32>, tensor<8x7x7xf32>) outs(%i : tensor<2x8x6x8xf32>) -> tensor<2x8x6x8xf32>
  return %0 : tensor<2x8x6x8xf32>
}

func.func @nwc(%x: tensor<3x20x24xf16>, %w: tensor<5x24xf16>) -> tensor<3x12x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x12x24xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3x12x24xf32>) -> tensor<3x12x24xf32>
  %0 = linalg.depthwise_conv_1d_nwc_wc {strides = dense<1> : vector<1xi64>, dilations = dense<2> : vector<1xi64>} ins(%x, %w : tensor<3x20x24xf16>, tensor<5x24xf16>) outs(%i : tensor<3x12x24xf32>) -> tensor<3x12x24xf32>
  return %0 : tensor<3x12x24xf32>
}

func.func @first_layer(%x: tensor<2x3x16x16xf16>, %w: tensor<8x3x3x3xf16>) -> tensor<2x8x14x14xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x14x14xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x14x14xf32>) -> tensor<2x8x14x14xf32>
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%x, %w : tensor<2x3x16x16xf16>, tensor<8x3x3x3xf16>) outs(%i : tensor<2x8x14x14xf32>) -> tensor<2x8x14x14xf32>
  return %0 : tensor<2x8x14x14xf32>
}

// Threads take squares of lines, and blocks slices of channels.
func.func @tiles(%x: tensor<4x60x66x160xf16>, %w: tensor<3x3x160xf16>, %bias: tensor<160xf16>) -> tensor<4x60x66x160xf16> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 2, 0, 0] high[0, 0, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<4x60x66x160xf16> to tensor<4x62x68x160xf16>
  %e = tensor.empty() : tensor<4x60x66x160xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x60x66x160xf32>) -> tensor<4x60x66x160xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%p, %w : tensor<4x62x68x160xf16>, tensor<3x3x160xf16>) outs(%i : tensor<4x60x66x160xf32>) -> tensor<4x60x66x160xf32>
  %o = tensor.empty() : tensor<4x60x66x160xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %bias : tensor<4x60x66x160xf32>, tensor<160xf16>) outs(%o : tensor<4x60x66x160xf16>) {
  ^bb0(%sum: f32, %b: f16, %out: f16):
    %2 = arith.extf %b : f16 to f32
    %3 = arith.addf %sum, %2 : f32
    %4 = arith.maximumf %3, %zero : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<4x60x66x160xf16>
  return %1 : tensor<4x60x66x160xf16>
}

// Outside of the image is another value than zero.
func.func @pool(%x: tensor<2x33x9x24xf32>) -> tensor<2x17x5x24xf32> {
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %low : f32
  } : tensor<2x33x9x24xf32> to tensor<2x35x11x24xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x17x5x24xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<2x17x5x24xf32>) -> tensor<2x17x5x24xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>} ins(%p, %window : tensor<2x35x11x24xf32>, tensor<3x3xf32>) outs(%i : tensor<2x17x5x24xf32>) -> tensor<2x17x5x24xf32>
  return %0 : tensor<2x17x5x24xf32>
}
