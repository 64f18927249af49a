// Depthwise convolutions and others without a kernel of their own are kernels of the rest, run from their LLVM IR, and
// agree with the reference; on the host, too.
//
// DEFINE: %{gpu} = hone run %s --arch=sm_90a --stand-in --rest=gpu --json --function
// DEFINE: %{host} = hone run %s --json --repeat=1 --function
// RUN: %{gpu}=nhwc | FileCheck %s
// RUN: %{gpu}=nchw | FileCheck %s
// RUN: %{gpu}=nwc | FileCheck %s
// RUN: %{gpu}=first_layer | FileCheck %s
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
