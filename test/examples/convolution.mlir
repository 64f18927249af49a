// A convolution of 3x3 with padding, for docs/Accesses.md: images and channels last, filters
// as 3x3 x channels x filters, bias and ReLU.

// RUN: hone simulate %s --arch=sm_90a | FileCheck %s
// CHECK: right
// RUN: hone-opt %s --hone-pipeline=arch=sm_90a | FileCheck %s --check-prefix=PTX
// PTX-NOT: linalg.conv
// PTX: cp.async.bulk.tensor.4d.shared::cluster.global.im2col

#image = affine_map<(i, p, q, f) -> (i, p, q, f)>
#channels = affine_map<(i, p, q, f) -> (f)>

func.func @convolution(%x: tensor<8x28x28x64xf16>, %w: tensor<3x3x64x96xf16>, %bias: tensor<96xf16>) -> tensor<8x28x28x96xf16> {
  %none = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<8x28x28x64xf16> to tensor<8x30x30x64xf16>
  %empty = tensor.empty() : tensor<8x28x28x96xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x28x28x96xf32>) -> tensor<8x28x28x96xf32>
  %sums = linalg.conv_2d_nhwc_hwcf ins(%padded, %w : tensor<8x30x30x64xf16>, tensor<3x3x64x96xf16>)
    outs(%init : tensor<8x28x28x96xf32>) -> tensor<8x28x28x96xf32>
  %result = tensor.empty() : tensor<8x28x28x96xf16>
  %0 = linalg.generic {indexing_maps = [#image, #channels, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums, %bias : tensor<8x28x28x96xf32>, tensor<96xf16>) outs(%result : tensor<8x28x28x96xf16>) {
  ^bb0(%sum: f32, %b: f16, %o: f16):
    %wide = arith.extf %b : f16 to f32
    %1 = arith.addf %sum, %wide : f32
    %2 = arith.maximumf %1, %zero : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<8x28x28x96xf16>
  return %0 : tensor<8x28x28x96xf16>
}
