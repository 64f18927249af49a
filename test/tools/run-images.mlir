// `hone run` on the CPU of convolutions whose windows overlap or reach zeros: the reference
// computes the program as it was written.

// RUN: hone run %s --arch=host --function=padded --repeat=1 --json | FileCheck %s
// RUN: hone run %s --arch=host --function=asymmetric --repeat=1 --json | FileCheck %s
// RUN: hone run %s --arch=host --function=filter_last --repeat=1 --json | FileCheck %s
// RUN: hone run %s --arch=host --function=line --repeat=1 --json --dims=5,5 | FileCheck %s
// RUN: hone run %s --arch=host --function=wide --repeat=1 --json | FileCheck %s
// RUN: hone run %s --arch=host --function=two --repeat=1 --json | FileCheck %s

// The copy engine reads the windows of f16 and bf16.

// RUN: hone run %s --arch=sm_90a --stand-in --function=padded --repeat=1 --json | FileCheck %s
// RUN: hone run %s --arch=sm_90a --stand-in --function=filter_last --repeat=1 --json | FileCheck %s
// RUN: hone run %s --arch=sm_90a --stand-in --function=rows --dims=3,3 --repeat=1 --json | FileCheck %s
// RUN: hone run %s --arch=sm_90a --stand-in --function=halves --dims=3,3 --repeat=1 --json | FileCheck %s

// CHECK: "matmuls": {{[12]}}
// CHECK: "not comparable": 0
// CHECK: "wrong": 0{{$}}

#map = affine_map<(i, p, q, f) -> (i, p, q, f)>
#row = affine_map<(i, p, q, f) -> (f)>

func.func @padded(%x: tensor<2x9x7x8xf16>, %w: tensor<3x3x8x24xf16>, %bias: tensor<24xf16>) -> tensor<2x9x7x24xf16> {
  %none = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<2x9x7x8xf16> to tensor<2x11x9x8xf16>
  %e = tensor.empty() : tensor<2x9x7x24xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<2x9x7x24xf32>) -> tensor<2x9x7x24xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x11x9x8xf16>, tensor<3x3x8x24xf16>) outs(%c : tensor<2x9x7x24xf32>) -> tensor<2x9x7x24xf32>
  %d = tensor.empty() : tensor<2x9x7x24xf16>
  %1 = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %bias : tensor<2x9x7x24xf32>, tensor<24xf16>) outs(%d : tensor<2x9x7x24xf16>) {
  ^bb0(%v: f32, %b: f16, %o: f16):
    %bw = arith.extf %b : f16 to f32
    %2 = arith.addf %v, %bw : f32
    %3 = arith.maximumf %2, %zero : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<2x9x7x24xf16>
  return %1 : tensor<2x9x7x24xf16>
}

// Padding on some sides, windows 2 and 3 apart, and elements 2 apart.
func.func @asymmetric(%x: tensor<3x10x11x5xf32>, %w: tensor<3x2x5x17xf32>, %c: tensor<3x5x4x17xf32>) -> tensor<3x5x4x17xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 2, 0] high[0, 3, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<3x10x11x5xf32> to tensor<3x13x13x5xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<[2, 1]> : tensor<2xi64>} ins(%p, %w : tensor<3x13x13x5xf32>, tensor<3x2x5x17xf32>) outs(%c : tensor<3x5x4x17xf32>) -> tensor<3x5x4x17xf32>
  return %0 : tensor<3x5x4x17xf32>
}

func.func @filter_last(%x: tensor<1x8x9x16xbf16>, %w: tensor<40x3x3x16xbf16>) -> tensor<1x6x7x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x7x40xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x7x40xf32>) -> tensor<1x6x7x40xf32>
  %0 = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x8x9x16xbf16>, tensor<40x3x3x16xbf16>) outs(%c : tensor<1x6x7x40xf32>) -> tensor<1x6x7x40xf32>
  return %0 : tensor<1x6x7x40xf32>
}

func.func @line(%x: tensor<?x30x8xf32>, %w: tensor<5x8x16xf32>, %c: tensor<?x30x16xf32>) -> tensor<?x30x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 3, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x30x8xf32> to tensor<?x34x8xf32>
  %0 = linalg.conv_1d_nwc_wcf ins(%p, %w : tensor<?x34x8xf32>, tensor<5x8x16xf32>) outs(%c : tensor<?x30x16xf32>) -> tensor<?x30x16xf32>
  return %0 : tensor<?x30x16xf32>
}

// Windows that lie in the padding alone, and an image smaller than its window.
func.func @wide(%x: tensor<2x3x2x8xf32>, %w: tensor<5x5x8x9xf32>, %c: tensor<2x9x7x9xf32>) -> tensor<2x9x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 5, 5, 0] high[0, 5, 4, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x3x2x8xf32> to tensor<2x13x11x8xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x13x11x8xf32>, tensor<5x5x8x9xf32>) outs(%c : tensor<2x9x7x9xf32>) -> tensor<2x9x7x9xf32>
  return %0 : tensor<2x9x7x9xf32>
}

// Two of one form, whose windows differ in numbers alone.
func.func @two(%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x4x4xf32>, %c: tensor<2x8x8x4xf32>, %d: tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x8x8x4xf32> to tensor<2x10x10x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x10x10x4xf32>, tensor<3x3x4x4xf32>) outs(%c : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  %q = tensor.pad %0 low[0, 0, 0, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x8x8x4xf32> to tensor<2x9x9x4xf32>
  %1 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%q, %w : tensor<2x9x9x4xf32>, tensor<3x3x4x4xf32>) outs(%d : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  return %1 : tensor<2x4x4x4xf32>
}

// Rows of windows of an unknown number of images count on from each other.
func.func @rows(%x: tensor<?x8x10x8xf16>, %w: tensor<1x3x8x16xf16>, %c: tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x8x10x8xf16>, tensor<1x3x8x16xf16>) outs(%c : tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>
  return %0 : tensor<?x8x8x16xf32>
}

func.func @halves(%x: tensor<?x8x10x8xf16>, %w: tensor<1x3x8x16xf16>, %c: tensor<?x4x4x16xf32>) -> tensor<?x4x4x16xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<?x8x10x8xf16>, tensor<1x3x8x16xf16>) outs(%c : tensor<?x4x4x16xf32>) -> tensor<?x4x4x16xf32>
  return %0 : tensor<?x4x4x16xf32>
}
