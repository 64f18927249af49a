// Right kernels whose trials have to be chosen with care: each is proven.

// More parts than a device has workers: the grid of one tile has as many blocks as any other.
// RUN: hone-opt %s --hone-select-schedule="arch=h100 schedule='streamk, tile = 64x64x64, consumers = 1x1, stages = 3, cluster = 2x4, parts = 48'" --hone-build-kernel=fallback=false --canonicalize --hone-verify-kernel -o /dev/null

// Products in flight and loops of two steps: the loop over the rest has even steps alone.
// RUN: hone-opt %s --hone-select-schedule="arch=h100 schedule='small, tile = 64x64x64, consumers = 1x1, stages = 5, rewrites = [flight(2), unroll(2)]'" --hone-build-kernel=fallback=false --canonicalize --hone-verify-kernel -o /dev/null

// A packed operand whose tile is lower than a run is long: one worker has two runs.
// RUN: hone-opt %s --hone-select-schedule="arch=h100 schedule='ws, side = b, tile = 16x128x64, consumers = 1x2, teams = 1, persistent = no, cluster = 1x1, splits = 1, streams = no, stages = 4, group = 8, pack = a, edge = within'" --hone-build-kernel=fallback=false --canonicalize --hone-verify-kernel -o /dev/null

func.func @f(%a: memref<512x256xf16>, %b: memref<256x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x256xf16>, memref<256x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32)
  return
}
