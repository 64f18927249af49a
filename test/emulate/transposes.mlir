// Copies with their dimensions in another order, of drawn extents and types: threads
// take squares of 16 bytes of both lines, or narrower ones. Run from their LLVM IR,
// and compared with the host's loops.
//
// DEFINE: %{run} = hone run %s --arch=sm_90a --stand-in --rest=gpu --json --function
// RUN: %{run}=copies_0 | FileCheck %s
// RUN: %{run}=copies_1 | FileCheck %s
// RUN: %{run}=copies_2 | FileCheck %s
// RUN: %{run}=copies_3 | FileCheck %s
// RUN: %{run}=copies_4 | FileCheck %s
// RUN: %{run}=copies_5 | FileCheck %s
// RUN: %{run}=scales | FileCheck %s
// CHECK: "wrong": 0

func.func @copies_0(%x: tensor<1056x2088xf16>) -> tensor<2088x1056xf16> {
  %e = tensor.empty() : tensor<2088x1056xf16>
  %0 = linalg.transpose ins(%x : tensor<1056x2088xf16>) outs(%e : tensor<2088x1056xf16>) permutation = [1, 0]
  return %0 : tensor<2088x1056xf16>
}

func.func @copies_1(%x: tensor<5x504x488xf32>) -> tensor<488x5x504xf32> {
  %e = tensor.empty() : tensor<488x5x504xf32>
  %0 = linalg.transpose ins(%x : tensor<5x504x488xf32>) outs(%e : tensor<488x5x504xf32>) permutation = [2, 0, 1]
  return %0 : tensor<488x5x504xf32>
}

func.func @copies_2(%x: tensor<24x7x88x80xi8>) -> tensor<80x7x24x88xi8> {
  %e = tensor.empty() : tensor<80x7x24x88xi8>
  %0 = linalg.transpose ins(%x : tensor<24x7x88x80xi8>) outs(%e : tensor<80x7x24x88xi8>) permutation = [3, 1, 0, 2]
  return %0 : tensor<80x7x24x88xi8>
}

func.func @copies_3(%x: tensor<3x26x34x9x33xbf16>) -> tensor<33x3x9x26x34xbf16> {
  %e = tensor.empty() : tensor<33x3x9x26x34xbf16>
  %0 = linalg.transpose ins(%x : tensor<3x26x34x9x33xbf16>) outs(%e : tensor<33x3x9x26x34xbf16>) permutation = [4, 0, 3, 1, 2]
  return %0 : tensor<33x3x9x26x34xbf16>
}

func.func @copies_4(%x: tensor<9x33x17x250xf16>) -> tensor<33x250x9x17xf16> {
  %e = tensor.empty() : tensor<33x250x9x17xf16>
  %0 = linalg.transpose ins(%x : tensor<9x33x17x250xf16>) outs(%e : tensor<33x250x9x17xf16>) permutation = [1, 3, 0, 2]
  return %0 : tensor<33x250x9x17xf16>
}

func.func @copies_5(%x: tensor<6x101x36x52xf32>) -> tensor<52x6x36x101xf32> {
  %e = tensor.empty() : tensor<52x6x36x101xf32>
  %0 = linalg.transpose ins(%x : tensor<6x101x36x52xf32>) outs(%e : tensor<52x6x36x101xf32>) permutation = [3, 0, 2, 1]
  return %0 : tensor<52x6x36x101xf32>
}

// A conversion, a bias and a factor in the order of the result.
func.func @scales(%x: tensor<8x232x640xf32>, %b: tensor<232xf32>, %f: tensor<8x640x232xf16>) -> tensor<8x640x232xf16> {
  %e = tensor.empty() : tensor<8x640x232xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k, j)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %b, %f : tensor<8x232x640xf32>, tensor<232xf32>, tensor<8x640x232xf16>) outs(%e : tensor<8x640x232xf16>) {
  ^bb0(%u: f32, %v: f32, %w: f16, %o: f16):
    %1 = arith.addf %u, %v : f32
    %2 = arith.truncf %1 : f32 to f16
    %3 = arith.mulf %2, %w : f16
    linalg.yield %3 : f16
  } -> tensor<8x640x232xf16>
  return %0 : tensor<8x640x232xf16>
}
