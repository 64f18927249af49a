// One program under many schedules: splits, streams, packs, clusters, both sides, other
// chips; and a plan that picks by an extent known at launch.
//
// DEFINE: %{arch} = sm_90a
// DEFINE: %{run} = hone run %s --arch=%{arch} --stand-in --json --function=product --dims=70 --schedule
// RUN: %{run}="mma_sync, tile = 32x32x64, warps = 2x2, splits = 4" | FileCheck %s
// RUN: %{run}="mma_sync, tile = 64x64x64, warps = 2x2, slices = 2" | FileCheck %s
// RUN: %{run}="ws, tile = 128x64x64" | FileCheck %s
// RUN: %{run}="ws, tile = 128x64x64, streams = yes" | FileCheck %s
// RUN: %{run}="ws, tile = 128x64x64, pack = a" | FileCheck %s
// RUN: %{run}="ws, tile = 128x64x64, pack = ab" | FileCheck %s
// RUN: %{run}="ws, tile = 128x64x64, persistent = no, splits = 2" | FileCheck %s
// RUN: %{run}="ws, tile = 128x64x64, cluster = 2x1" | FileCheck %s
// RUN: %{run}="ws, side = b, tile = 128x64x64" | FileCheck %s
// RUN: %{run}="ws, tile = 128x64x64, consumers = 1x1, teams = 2" | FileCheck %s
// REDEFINE: %{arch} = sm_80
// RUN: %{run}="mma_sync, tile = 64x64x32, warps = 2x2, stages = 3" | FileCheck %s

// DEFINE: %{pick} = hone run %s --arch=sm_90a --stand-in --json --pipeline=ranges=3 --function=product
// RUN: %{pick} --dims=1 | FileCheck %s
// RUN: %{pick} --dims=300 | FileCheck %s
// CHECK: "wrong": 0

func.func @product(%a: tensor<?x160xf16>, %b: tensor<160x72xf16>, %v: tensor<72xf32>) -> tensor<?x72xf16> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x160xf16>
  %e = tensor.empty(%n) : tensor<?x72xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x72xf32>) -> tensor<?x72xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x160xf16>, tensor<160x72xf16>) outs(%i : tensor<?x72xf32>) -> tensor<?x72xf32>
  %eh = tensor.empty(%n) : tensor<?x72xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<?x72xf32>, tensor<72xf32>) outs(%eh : tensor<?x72xf16>) {
  ^bb0(%x: f32, %y: f32, %o: f16):
    %0 = arith.addf %x, %y : f32
    %zero = arith.constant 0.0 : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<?x72xf16>
  return %r : tensor<?x72xf16>
}
