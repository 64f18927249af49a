// Products after extensions, transposes, copies and slices, checked on the CPU with
// N(0,1) and with 0/1 inputs, where every sum is exact. Sums are long, so that the
// reference never meets one that happens to need no rounding in its order.

// RUN: hone run %s --arch=host --function=linear --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=heads --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=split --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=strided_conv --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=conv --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=shared --repeat=2 | FileCheck %s

// CHECK: function {{.*}} N(0,1) error {{.*}} wrong
// CHECK-NEXT: {{^[a-z_]+ +host +1 +0\.[0-9]+ +[0-9]+/[0-9]+ +0 }}

func.func @linear(%x: tensor<17x32xf16>, %w: tensor<24x32xf16>, %c: tensor<17x24xf32>) -> tensor<17x24xf32> {
  %e = tensor.empty() : tensor<32x24xf16>
  %t = linalg.transpose ins(%w : tensor<24x32xf16>) outs(%e : tensor<32x24xf16>) permutation = [1, 0]
  %a = arith.extf %x : tensor<17x32xf16> to tensor<17x32xf32>
  %b = arith.extf %t : tensor<32x24xf16> to tensor<32x24xf32>
  %d = linalg.matmul ins(%a, %b : tensor<17x32xf32>, tensor<32x24xf32>) outs(%c : tensor<17x24xf32>) -> tensor<17x24xf32>
  return %d : tensor<17x24xf32>
}

func.func @heads(%q: tensor<2x9x12xf16>, %b: tensor<6x4x8xf16>, %c: tensor<6x9x8xf32>) -> tensor<6x9x8xf32> {
  %wq = arith.extf %q : tensor<2x9x12xf16> to tensor<2x9x12xf32>
  %x = tensor.expand_shape %wq [[0], [1], [2, 3]] output_shape [2, 9, 3, 4] : tensor<2x9x12xf32> into tensor<2x9x3x4xf32>
  %e = tensor.empty() : tensor<2x3x9x4xf32>
  %t = linalg.transpose ins(%x : tensor<2x9x3x4xf32>) outs(%e : tensor<2x3x9x4xf32>) permutation = [0, 2, 1, 3]
  %ca = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x3x9x4xf32> into tensor<6x9x4xf32>
  %wb = arith.extf %b : tensor<6x4x8xf16> to tensor<6x4x8xf32>
  %d = linalg.batch_matmul ins(%ca, %wb : tensor<6x9x4xf32>, tensor<6x4x8xf32>) outs(%c : tensor<6x9x8xf32>) -> tensor<6x9x8xf32>
  return %d : tensor<6x9x8xf32>
}

func.func @split(%x: tensor<16x64xf16>, %s: tensor<16xf16>, %b: tensor<64x24xf16>, %c: tensor<16x24xf32>) -> tensor<16x24xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %s, %b : tensor<16x64xf16>, tensor<16xf16>, tensor<64x24xf16>) outs(%c : tensor<16x24xf32>) {
  ^bb0(%xe: f16, %se: f16, %be: f16, %ce: f32):
    %0 = arith.maximumf %xe, %se : f16
    %2 = arith.extf %0 : f16 to f32
    %3 = arith.extf %be : f16 to f32
    %4 = arith.mulf %2, %3 : f32
    %5 = arith.addf %4, %ce : f32
    linalg.yield %5 : f32
  } -> tensor<16x24xf32>
  return %d : tensor<16x24xf32>
}

func.func @strided_conv(%x: tensor<2x6x6x64xf16>, %w: tensor<1x1x64x16xf16>, %c: tensor<2x3x3x16xf32>) -> tensor<2x3x3x16xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x6x6x64xf16>, tensor<1x1x64x16xf16>) outs(%c : tensor<2x3x3x16xf32>) -> tensor<2x3x3x16xf32>
  return %0 : tensor<2x3x3x16xf32>
}

func.func @conv(%x: tensor<2x64x5x5xf16>, %w: tensor<16x64x1x1xf16>, %c: tensor<2x16x5x5xf32>) -> tensor<2x16x5x5xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x64x5x5xf16>, tensor<16x64x1x1xf16>) outs(%c : tensor<2x16x5x5xf32>) -> tensor<2x16x5x5xf32>
  return %0 : tensor<2x16x5x5xf32>
}

func.func @shared(%a: tensor<4x9x8xf16>, %b: tensor<16x8xf16>, %c: tensor<4x9x16xf32>) -> tensor<4x9x16xf32> {
  %e = tensor.empty() : tensor<4x16x8xf16>
  %r = linalg.broadcast ins(%b : tensor<16x8xf16>) outs(%e : tensor<4x16x8xf16>) dimensions = [0]
  %et = tensor.empty() : tensor<4x8x16xf16>
  %t = linalg.transpose ins(%r : tensor<4x16x8xf16>) outs(%et : tensor<4x8x16xf16>) permutation = [0, 2, 1]
  %d = linalg.batch_matmul ins(%a, %t : tensor<4x9x8xf16>, tensor<4x8x16xf16>) outs(%c : tensor<4x9x16xf32>) -> tensor<4x9x16xf32>
  return %d : tensor<4x9x16xf32>
}
