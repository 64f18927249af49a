// Legal kernels with questions that get one answer at every size, and with
// loops that have one round at the smallest sizes alone.

// RUN: hone-opt %s --hone-build-kernel=fallback=false --canonicalize --hone-verify-kernel -o /dev/null

// After iterations of two steps one step is left, in the first slot.
func.func @left(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>, %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(col %a, %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(tf32) arch(#hone.arch<h200>)
              schedule(#hone.schedule<ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 2, pack = ab, rewrites = [flight(0), unroll(2)]>)
  return
}

// Where the first step is written out, the loop has the second.
func.func @peeled(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>, %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(read) acc(f32) arch(#hone.arch<h200>)
              schedule(#hone.schedule<ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 2, rewrites = [unroll(peel)]>)
  return
}

// Two operands that are copied in one run each, by two workers.
func.func @copied(%a: memref<?x?xi8, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>, %c: memref<?x?xi32, strided<[?, 1]>>) {
  hone.matmul ins(col %a, %b : memref<?x?xi8, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xi32, strided<[?, 1]>>) init(zero) acc(i32) arch(#hone.arch<h200>)
              schedule(#hone.schedule<ws, tile = 128x256x128, consumers = 2x1, cluster = 1x2, stages = 2, store = threads, pack = ab>)
  return
}

// Sums of data in an epilogue, which wrap around as the problem's do.
func.func @added(%a: memref<?x?xi8, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>, %c: memref<?x?xi32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xi8, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xi32, strided<[?, 1]>>) init(read) acc(i32) arch(#hone.arch<h200>)
              schedule(#hone.schedule<mma_sync, tile = 32x32x32, warps = 2x2, stages = 2>)
  return
}
