// RUN: hone-opt %s --hone-build-kernel --canonicalize | FileCheck %s --check-prefix=BUILD
// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel | FileCheck %s --check-prefix=LOWER

// Two groups of four warps share a tile, each with a run of K's steps, slots and a
// barrier of its own. All threads of the block add their sums up.

// BUILD: "grid ceildiv(m, 32) * ceildiv(n, 64) ; 1 ; 1", "block 256 ; 1 ; 1", "shared 98304"
// BUILD: kernel.role "slice" warps 8 {
// BUILD: ^bb0(%[[GROUP:.*]]: i32):
// BUILD: kernel.ring at 0 : <8 of 32 x 64 x f16>
// BUILD: kernel.ring at 32768 : <8 of 64 x 64 x f16>
// BUILD: kernel.group.barrier
// BUILD: %[[SUMS:.*]]:5 = scf.for
// BUILD: kernel.group.barrier
// BUILD: kernel.barrier
// BUILD: kernel.partial.put %[[SUMS]]#0 to %{{.*}} : <32 x 64 x f32, warps = 2 x 2> to <64 x 64>
// BUILD: }
// BUILD: kernel.barrier
// BUILD: kernel.partial.sum %{{.*}} of 1 x 2 : <64 x 64> -> <32 x 64 x f32, warps = 8 x 1, run = 8>
// BUILD-NOT: cluster

// LOWER: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// LOWER-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// LOWER: llvm.store %{{.*}} : vector<8xf16>, !llvm.ptr<1>

func.func @slices(%a: memref<64x4096xf16>, %b: memref<128x4096xf16>, %c: memref<64x128xf16>) {
  hone.matmul ins(%a, col %b : memref<64x4096xf16>, memref<128x4096xf16>) outs(%c : memref<64x128xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 32x64x64, warps = 2x2, stages = 4, slices = 2>)
  return
}
