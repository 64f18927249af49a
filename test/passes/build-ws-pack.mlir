// Operands and results in lines that start anywhere: kernels that copy operands
// first, and kernels whose threads store.

// DEFINE: %{schedule} =
// DEFINE: %{build} = hone-opt %s --split-input-file --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize

// REDEFINE: %{schedule} = ws, tile = 128x256x64, stages = 3, store = threads, pack = ab
// RUN: %{build} | FileCheck %s --check-prefix=BOTH
// REDEFINE: %{schedule} = ws, tile = 128x160x64, stages = 3, store = threads
// RUN: %{build} | FileCheck %s --check-prefix=STORE
// REDEFINE: %{schedule} = ws, streams = yes, tile = 128x128x64, stages = 3, parts = 3, pack = b
// RUN: %{build} | FileCheck %s --check-prefix=STREAM
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 16x64x128, consumers = 1x1, stages = 4, splits = 2, store = threads, pack = a
// RUN: %{build} | FileCheck %s --check-prefix=SWAP

func.func @nt(%a: memref<1023x1021xf16>, %b: memref<1022x1021xf16>, %c: memref<1023x1022xf16>) {
  hone.matmul ins(%a, col %b : memref<1023x1021xf16>, memref<1022x1021xf16>) outs(%c : memref<1023x1022xf16>) init(zero) acc(f32)
  return
}

// Two launches. The second one reads the copies, by the extents of the
// operands. The guard asks for C's places, and for pieces to copy that 32 bits
// can count.
// BOTH: gpu.module @hone_sm_90a
// BOTH-SAME: "alternative k > 0 && ldc >= n && m * ceildiv(k, 8) < 2147483648 && n * ceildiv(k, 8) < 2147483648", "workspace ceildiv(m * ceildiv(k, 64), 2) * 256 + ceildiv(n * ceildiv(k, 64), 2) * 256",
// BOTH-SAME: "launch hone_pack_f16_f16", "grid min(528, ceildiv(m * ceildiv(k, 8), 1024) + ceildiv(n * ceildiv(k, 8), 1024)) ; 1 ; 1", "block 256 ; 1 ; 1", "attribute programmatic",
// BOTH-SAME: "param ptr a", "param ptr ws", "param i32 m", "param i32 k", "param i32 1", "param i32 1", "param i64 lda", "param i64 0", "param i64 0", "param i64 ceildiv(k, 64) * 64",
// BOTH-SAME: "param ptr b", "param ptr ws + ceildiv(m * ceildiv(k, 64), 2) * 256", "param i32 n", "param i32 k",
// BOTH-SAME: "launch hone_ws_f16_f16_nt_
// BOTH-SAME: "param tensormap ws : f16 dims (k, m) strides (ceildiv(k, 64) * 64 * 2) box (64, 128) swizzle 128"
// BOTH-SAME: "param tensormap ws + ceildiv(m * ceildiv(k, 64), 2) * 256 : f16 dims (k, n)
// BOTH-NOT: alternative

// The kernel that copies takes runs of pieces, of A and then of B.
// BOTH: gpu.func @hone_pack_f16_f16
// BOTH: kernel.depend.release
// BOTH: %[[WORKER:.*]], %[[WORKERS:.*]] = kernel.worker of 1
// BOTH-NEXT: kernel.depend.wait
// BOTH-NEXT: scf.for %[[NUMBER:.*]] = %[[WORKER]] to %{{.*}} step %[[WORKERS]]
// BOTH: scf.if
// BOTH: %[[FROM:.*]] = kernel.matrix {{.*}} -> <f16, align = 2>
// BOTH: %[[TO:.*]] = kernel.matrix {{.*}} -> <f16, align = 16>
// BOTH: kernel.copy.lines run %{{.*}} of %[[FROM]] to %[[TO]]
// BOTH: } else {
// BOTH: kernel.copy.lines

// Two slots: the barrier between writing and storing is enough.
// STORE-NOT: kernel.copy.lines
// STORE: kernel.role "consumer"
// STORE: kernel.stage %{{.*}} to %[[RING:.*]][%c0_i32]
// STORE-NEXT: kernel.group.barrier
// STORE-NEXT: kernel.store.lines 64 of %[[RING]][%c0_i32] from %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] : {{.*}} to <f16, align = 2>
// STORE-NOT: kernel.store.async
// STORE-NOT: kernel.store.wait

// The copy of B follows the sums in memory.
// STREAM: "workspace 8192 + min(132, ceildiv(m, 128) * ceildiv(n, 128) * parts) * 196608 + ceildiv(n * ceildiv(k, 64), 2) * 256 zero", "launch hone_pack_f16"
// STREAM-SAME: "param ptr b", "param ptr ws + 8192 + min(132, ceildiv(m, 128) * ceildiv(n, 128) * parts) * 196608"

// Threads store sums that meet one element each, by neighbours.
// SWAP: "launch hone_pack_f16"
// SWAP: kernel.partial.sum {{.*}} run = 1>
// SWAP: kernel.store %{{.*}} : <{{.*}} run = 1> to <f16, align = 2>
