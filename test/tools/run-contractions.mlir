// Contractions whose rows, columns and batches alternate, compared with f64 by the
// command: factors are copied, and results are written in another order.

// DEFINE: %{run} = hone run %s --arch=sm_90a --stand-in --rest=gpu --json --function
// RUN: %{run}=alternate | FileCheck %s
// RUN: %{run}=rounded | FileCheck %s
// RUN: %{run}=exchanged | FileCheck %s
// CHECK: "matmuls": 1,
// CHECK: "wrong": 0

func.func @alternate(%a: tensor<5x2x4x3x7xf16>, %b: tensor<5x3x6x2x5x3xf16>, %z: tensor<6x3x7x5x2x4xf32>) -> tensor<6x3x7x5x2x4xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(c, e, b, d, h, a, f, g) -> (f, h, a, g, b)>, affine_map<(c, e, b, d, h, a, f, g) -> (f, g, c, h, d, e)>, affine_map<(c, e, b, d, h, a, f, g) -> (c, e, b, d, h, a)>]
    ins(%a, %b : tensor<5x2x4x3x7xf16>, tensor<5x3x6x2x5x3xf16>) outs(%z : tensor<6x3x7x5x2x4xf32>) -> tensor<6x3x7x5x2x4xf32>
  return %0 : tensor<6x3x7x5x2x4xf32>
}

// The sums, with a bias, are rounded before they are moved.
func.func @rounded(%a: tensor<16x16x16xf16>, %b: tensor<16x160x8xf16>, %bias: tensor<16xf32>) -> tensor<16x160x16x8xf16> {
  %e = tensor.empty() : tensor<16x160x16x8xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x160x16x8xf32>) -> tensor<16x160x16x8xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(a, c, b, d, k) -> (a, b, k)>, affine_map<(a, c, b, d, k) -> (k, c, d)>, affine_map<(a, c, b, d, k) -> (a, c, b, d)>]
    ins(%a, %b : tensor<16x16x16xf16>, tensor<16x160x8xf16>) outs(%z : tensor<16x160x16x8xf32>) -> tensor<16x160x16x8xf32>
  %o = tensor.empty() : tensor<16x160x16x8xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, c, b, d) -> (a, c, b, d)>, affine_map<(a, c, b, d) -> (b)>, affine_map<(a, c, b, d) -> (a, c, b, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %bias : tensor<16x160x16x8xf32>, tensor<16xf32>) outs(%o : tensor<16x160x16x8xf16>) {
  ^bb0(%x: f32, %v: f32, %y: f16):
    %s = arith.addf %x, %v : f32
    %r = arith.truncf %s : f32 to f16
    linalg.yield %r : f16
  } -> tensor<16x160x16x8xf16>
  return %1 : tensor<16x160x16x8xf16>
}

func.func @exchanged(%a: tensor<640x32xbf16>, %b: tensor<5x200x32xbf16>, %c: tensor<640x200x5xf32>) -> tensor<640x200x5xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(m, d, c, k) -> (m, k)>, affine_map<(m, d, c, k) -> (c, d, k)>, affine_map<(m, d, c, k) -> (m, d, c)>]
    ins(%a, %b : tensor<640x32xbf16>, tensor<5x200x32xbf16>) outs(%c : tensor<640x200x5xf32>) -> tensor<640x200x5xf32>
  return %0 : tensor<640x200x5xf32>
}
