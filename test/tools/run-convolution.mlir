// A convolution is compared as sharply as a matmul, whatever type the program sums in: the
// reference adds its products like those of one where hone-match takes it.

// RUN: split-file %s %t
// RUN: hone run %t/right.mlir --arch=host --repeat=1 --json --function=patches | FileCheck %s --check-prefixes=RIGHT,ONE
// RUN: hone run %t/right.mlir --arch=host --repeat=1 --json --function=windows | FileCheck %s --check-prefixes=RIGHT,ONE
// RUN: hone run %t/right.mlir --arch=sm_90a --stand-in --repeat=1 --json --function=patches | FileCheck %s --check-prefixes=RIGHT,ONE
// RUN: hone run %t/right.mlir --arch=sm_90a --stand-in --repeat=1 --json --function=lines | FileCheck %s --check-prefixes=RIGHT,ONE
// ONE: "matmuls": 1
// RIGHT: "not comparable": 0
// RIGHT: "wrong": 0{{$}}

// One element of 128 is missing in each sum.
// RUN: not hone run %t/wrong.mlir --reference=%t/right.mlir --arch=host --repeat=1 --function=patches 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: expected {{.*}} of result 0, but got

//--- right.mlir
func.func @patches(%x: tensor<2x12x20x8xbf16>, %w: tensor<4x4x8x24xbf16>) -> tensor<2x3x5x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x3x5x24xbf16>
  %c = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x3x5x24xbf16>) -> tensor<2x3x5x24xbf16>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<4> : tensor<2xi64>} ins(%x, %w : tensor<2x12x20x8xbf16>, tensor<4x4x8x24xbf16>) outs(%c : tensor<2x3x5x24xbf16>) -> tensor<2x3x5x24xbf16>
  return %0 : tensor<2x3x5x24xbf16>
}

func.func @windows(%x: tensor<2x9x11x8xf32>, %w: tensor<3x3x8x24xf32>) -> tensor<2x4x9x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x9x24xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x9x24xf32>) -> tensor<2x4x9x24xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>} ins(%x, %w : tensor<2x9x11x8xf32>, tensor<3x3x8x24xf32>) outs(%c : tensor<2x4x9x24xf32>) -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// The copy engine reads a line of a window as 40 channels, of pixels 16 elements apart.
func.func @lines(%x: tensor<2x30x31x8xf16>, %w: tensor<24x3x5x8xf16>) -> tensor<2x14x14x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x14x14x24xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<2x14x14x24xf32>) -> tensor<2x14x14x24xf32>
  %0 = linalg.conv_2d_nhwc_fhwc {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x30x31x8xf16>, tensor<24x3x5x8xf16>) outs(%c : tensor<2x14x14x24xf32>) -> tensor<2x14x14x24xf32>
  return %0 : tensor<2x14x14x24xf32>
}

//--- wrong.mlir
func.func @patches(%x: tensor<2x12x20x8xbf16>, %w: tensor<4x4x8x24xbf16>) -> tensor<2x3x5x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x3x5x24xbf16>
  %c = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x3x5x24xbf16>) -> tensor<2x3x5x24xbf16>
  %ew = tensor.empty() : tensor<4x4x8x24xbf16>
  %less = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<4x4x8x24xbf16>) outs(%ew : tensor<4x4x8x24xbf16>) {
  ^bb0(%v: bf16, %o: bf16):
    %c0 = arith.constant 0 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %ij = arith.addi %i, %j : index
    %ijk = arith.addi %ij, %k : index
    %isFirst = arith.cmpi eq, %ijk, %c0 : index
    %r = arith.select %isFirst, %zero, %v : bf16
    linalg.yield %r : bf16
  } -> tensor<4x4x8x24xbf16>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<4> : tensor<2xi64>} ins(%x, %less : tensor<2x12x20x8xbf16>, tensor<4x4x8x24xbf16>) outs(%c : tensor<2x3x5x24xbf16>) -> tensor<2x3x5x24xbf16>
  return %0 : tensor<2x3x5x24xbf16>
}
