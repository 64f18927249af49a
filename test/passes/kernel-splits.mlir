// RUN: hone-opt %s --hone-build-kernel --canonicalize | FileCheck %s --check-prefix=BUILD
// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel | FileCheck %s --check-prefix=LOWER
// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit -o %t
// RUN: %check_ptx --print < %t | FileCheck %s --check-prefix=PTX

// Eight blocks of a cluster share a tile, each with a run of K's steps. Each writes
// its sums to its own shared memory and adds up an eighth of the lines of all.

// BUILD: gpu.module @hone_sm_90a
// BUILD-SAME: "grid ceildiv(m, 64) * ceildiv(n, 64) * 8 ; 1 ; 1", "block 128 ; 1 ; 1", "cluster 8 ; 1 ; 1", "shared 65536"
// BUILD: gpu.func
// BUILD-SAME: nvvm.cluster_dim = array<i32: 8, 1, 1>
// BUILD: %[[WORKER:.*]], %{{.*}} = kernel.worker of 8
// BUILD: kernel.tile %[[WORKER]] of
// BUILD: %[[RANK:.*]] = kernel.cluster.rank
// BUILD: %[[EACH:.*]] = arith.ceildivui %{{.*}}, %c8_i32
// BUILD: arith.muli %[[RANK]], %[[EACH]]
// BUILD: kernel.matrix
// BUILD: %[[SUMS:.*]]:5 = scf.for
// BUILD: scf.yield
// BUILD: kernel.barrier
// BUILD-NEXT: %[[PARTIAL:.*]] = kernel.partial at 0 : <64 x 64>
// BUILD-NEXT: kernel.partial.put %[[SUMS]]#0 to %[[PARTIAL]]
// BUILD-NEXT: kernel.cluster.sync
// BUILD-NEXT: %[[LINE:.*]] = arith.muli %[[RANK]], %c8_i32
// BUILD: %[[SHARE:.*]] = kernel.partial.sum %{{.*}}[%[[LINE]]] of 8 x 1 : <64 x 64> -> <8 x 64 x f32, warps = 4 x 1, run = 4>
// BUILD-NEXT: kernel.cluster.arrive
// BUILD: %[[TILE:.*]] = kernel.epilogue %[[SHARE]]
// BUILD: kernel.store %[[TILE]] to
// BUILD-NEXT: kernel.cluster.wait
// BUILD-NEXT: gpu.return

// LOWER: llvm.func
// LOWER-SAME: nvvm.cluster_dim = array<i32: 8, 1, 1>
// LOWER: nvvm.read.ptx.sreg.cluster.ctarank
// LOWER-COUNT-16: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
// LOWER: nvvm.cluster.arrive
// LOWER: nvvm.cluster.wait
// LOWER-COUNT-8: nvvm.mapa
// LOWER-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<7> -> vector<4xf32>
// LOWER: nvvm.cluster.arrive
// LOWER: llvm.store %{{.*}} : vector<4xf16>, !llvm.ptr<1>
// LOWER: nvvm.cluster.wait

// PTX: .reqnctapercluster 8, 1, 1
// PTX-COUNT-16: st.shared.v2.b32
// PTX: barrier.cluster.arrive
// PTX-COUNT-8: ld.shared::cluster.v4.b32
// PTX: barrier.cluster.arrive
// PTX: st.global.v2.b32
// PTX: barrier.cluster.wait



func.func @splits(%a: memref<64x4096xf16>, %b: memref<128x4096xf16>, %c: memref<64x128xf16>) {
  hone.matmul ins(%a, col %b : memref<64x4096xf16>, memref<128x4096xf16>) outs(%c : memref<64x128xf16>) init(zero) acc(f32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 64x64x64, warps = 2x2, stages = 4, splits = 8>)
  return
}
