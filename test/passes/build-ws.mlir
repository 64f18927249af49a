// The kernels of ws for sm_90a: the ops of each, and its plan.

// DEFINE: %{schedule} =
// DEFINE: %{build} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel --canonicalize

// REDEFINE: %{schedule} = ws_coop, tile = 128x256x64, stages = 4, cluster = 2x1
// RUN: %{build} | FileCheck %s --check-prefix=COOP
// REDEFINE: %{schedule} = ws_pingpong, tile = 128x128x64, stages = 5
// RUN: %{build} | FileCheck %s --check-prefix=PINGPONG
// REDEFINE: %{schedule} = small, tile = 64x64x128, stages = 4
// RUN: %{build} | FileCheck %s --check-prefix=SMALL
// REDEFINE: %{schedule} = cluster_splitk, tile = 128x64x64, consumers = 2x1, stages = 6, splits = 4
// RUN: %{build} | FileCheck %s --check-prefix=SPLIT
// REDEFINE: %{schedule} = streamk, tile = 128x256x64, stages = 4, cluster = 2x1, parts = 3
// RUN: %{build} | FileCheck %s --check-prefix=STREAM
// REDEFINE: %{schedule} = swap_ab, tile = 16x128x128, consumers = 1x2, stages = 4, splits = 2
// RUN: %{build} | FileCheck %s --check-prefix=SWAP
// REDEFINE: %{schedule} = ws, tile = 128x152x64, stages = 4, cluster = 4x2
// RUN: %{build} | FileCheck %s --check-prefix=GRID
// REDEFINE: %{schedule} = cluster_splitk, tile = 64x64x64, stages = 4, cluster = 1x2, splits = 3
// RUN: not %{build} 2>&1 | FileCheck %s --check-prefix=UNEVEN
// REDEFINE: %{schedule} = cluster_splitk, tile = 64x64x64, stages = 4, cluster = 1x2, splits = 4
// RUN: %{build} | FileCheck %s --check-prefix=BOTH

func.func @nt(%a: memref<4096x1024xf16>, %b: memref<8192x1024xf16>, %c: memref<4096x8192xf16>) {
  hone.matmul ins(%a, col %b : memref<4096x1024xf16>, memref<8192x1024xf16>) outs(%c : memref<4096x8192xf16>) init(zero) acc(f32)
  return
}

// A pair of blocks shares B: each loads half of its lines, and waits for the
// consumers of both. Nothing is left to ask at run time but alignment, and
// everything is proven: there is no second kernel.
// COOP: gpu.module @hone_sm_90a
// COOP-SAME: "alternative a % 16 == 0 && lda % 8 == 0 && b % 16 == 0 && ldb % 8 == 0 && c % 16 == 0 && ldc % 8 == 0 && k > 0 && lda > 0 && ldb > 0 && ldc >= n && n % 8 == 0"
// COOP-SAME: "grid min(resident(66, 66), ceildiv(m, 256) * ceildiv(n, 256)) * 2 ; 1 ; 1", "block 384 ; 1 ; 1", "cluster 2 ; 1 ; 1", "shared 229440", "attribute programmatic"
// COOP-SAME: "param tensormap a : f16 dims (k, m) strides (lda * 2) box (64, 128) swizzle 128"
// COOP-SAME: "param tensormap b : f16 dims (k, n) strides (ldb * 2) box (64, 128) swizzle 128"
// COOP-SAME: "param tensormap c : f16 dims (n, m) strides (ldc * 2) box (64, 64) swizzle 128"
// COOP-NOT: alternative
// COOP: nvvm.cluster_dim = array<i32: 2, 1, 1>
// COOP: kernel.depend.release
// COOP-NEXT: kernel.map.prefetch
// COOP-NEXT: kernel.map.prefetch
// COOP-NEXT: kernel.map.prefetch
// COOP: %[[A:.*]] = kernel.ring at 0 : <4 of 128 x 64 x f16>
// COOP: %[[B:.*]] = kernel.ring at 65536 : <4 of 256 x 64 x f16>
// COOP: %[[C:.*]] = kernel.ring at 196608 : <2 of 128 x 64 x f16>
// COOP: %[[FULL:.*]] = kernel.barriers at 229376 : <4 of 1>
// COOP: %[[EMPTY:.*]] = kernel.barriers at 229408 : <4 of 4>
// COOP: kernel.barriers.init %[[FULL]], %[[EMPTY]]
// COOP-NEXT: kernel.cluster.sync
// COOP: %[[RANK:.*]] = kernel.cluster.rank
// COOP: kernel.role "producer" warps 4 registers 40 one_thread
// COOP-NEXT: kernel.depend.wait
// COOP: kernel.await %[[EMPTY]]
// COOP-NEXT: kernel.expect %[[FULL]][%{{.*}}] bytes 49152
// COOP-NEXT: kernel.load %{{.*}} to %[[A]][%{{.*}}] signals %[[FULL]] :
// COOP-NEXT: kernel.load %{{.*}} to %[[B]][%{{.*}}] signals %[[FULL]] part %[[RANK]] of 2
// COOP: kernel.role "consumer" warps 8 registers 232
// COOP: scf.for
// COOP: scf.for
// COOP-NEXT: %[[LATER:.*]] = arith.cmpi ne
// COOP: kernel.await %[[FULL]]
// COOP-NEXT: kernel.mma.fence
// COOP-NEXT: kernel.mma.async %[[A]][%{{.*}}] rows %{{.*}}, %[[B]][%{{.*}}] cols %{{.*}} step 0 to %{{.*}} if %[[LATER]]
// COOP-COUNT-3: kernel.mma.async
// COOP-NEXT: kernel.mma.commit
// COOP-NEXT: kernel.mma.wait 1
// COOP-NEXT: scf.if %[[LATER]]
// COOP-NEXT: kernel.arrive %[[EMPTY]][%{{.*}}] everywhere 2
// COOP: kernel.mma.wait 0
// COOP-NEXT: kernel.arrive %[[EMPTY]][%{{.*}}] everywhere 2
// Four chunks of 64 columns, in two slots.
// COOP-COUNT-4: kernel.store.async %[[C]]
// COOP: kernel.store.wait 0
// COOP: kernel.cluster.sync
// COOP-NEXT: gpu.return

// Two bands of 64 rows a consumer; a turn each.
// PINGPONG: "grid min(resident(132, 132), ceildiv(m, 128) * ceildiv(n, 128)) ; 1 ; 1", "block 384 ; 1 ; 1"
// PINGPONG: %[[FULL:.*]] = kernel.barriers at {{.*}} : <5 of 1>
// PINGPONG: %[[EMPTY:.*]] = kernel.barriers at {{.*}} : <5 of 1>
// PINGPONG: %[[ORDER:.*]] = kernel.barriers at {{.*}} : <2 of 1>
// PINGPONG: kernel.barriers.init %[[FULL]], %[[EMPTY]], %[[ORDER]]
// PINGPONG-NEXT: kernel.barrier{{$}}
// PINGPONG: kernel.role "consumer" warps 8
// PINGPONG-NEXT: ^bb0(%[[TEAM:.*]]: i32):
// PINGPONG: kernel.await %[[ORDER]][%[[TEAM]]]
// PINGPONG: kernel.mma.fence
// PINGPONG-COUNT-8: kernel.mma.async
// PINGPONG-NEXT: kernel.mma.commit
// PINGPONG: %[[OTHER:.*]] = arith.xori %[[TEAM]]
// PINGPONG: kernel.arrive %[[ORDER]][%[[OTHER]]]
// PINGPONG: kernel.mma.wait 0

// One tile a block, the producer after the consumer, no budgets.
// SMALL: "grid ceildiv(m, 64) * ceildiv(n, 64) ; 1 ; 1", "block 160 ; 1 ; 1"
// SMALL: kernel.role "consumer" warps 4 {
// SMALL: kernel.mma.fence
// SMALL-COUNT-8: kernel.mma.async
// SMALL-NEXT: kernel.mma.commit
// SMALL: kernel.role "producer" warps 1 one_thread {
// SMALL: gpu.return

// Sums lie where the slots were; each consumer of the cluster finishes an eighth
// of the lines.
// SPLIT: "grid ceildiv(m, 128) * ceildiv(n, 64) * 4 ; 1 ; 1", "block 288 ; 1 ; 1", "cluster 4 ; 1 ; 1"
// SPLIT-SAME: "param ptr c"
// SPLIT: %[[RANK:.*]] = kernel.cluster.rank
// SPLIT: kernel.role "consumer" warps 8 {
// SPLIT: %[[SUM:.*]] = kernel.mma.wait 0
// SPLIT: kernel.role.barrier
// SPLIT-NEXT: %[[PARTIAL:.*]] = kernel.partial at 0 : <128 x 64>
// SPLIT-NEXT: kernel.partial.put %[[SUM]] to %[[PARTIAL]][%{{.*}}, %{{.*}}] : <64 x 64 x f32, warps = 4 x 1> to <128 x 64>
// SPLIT-NEXT: kernel.cluster.sync
// SPLIT-NEXT: %[[FIRST:.*]] = arith.muli %[[RANK]], %c2_i32
// SPLIT-NEXT: %[[NUMBER:.*]] = arith.addi %[[FIRST]], %{{.*}}
// SPLIT-NEXT: %[[LINE:.*]] = arith.muli %[[NUMBER]], %c16_i32
// SPLIT: kernel.partial.sum %{{.*}}[%[[LINE]]] of 4 x 1 : <128 x 64> -> <16 x 64 x f32, warps = 4 x 1, run = 8>
// SPLIT-NEXT: kernel.cluster.arrive
// SPLIT: kernel.store
// SPLIT-NEXT: kernel.cluster.wait
// SPLIT-NOT: kernel.store.async
// SPLIT: kernel.role "producer"

// Workers are pairs of blocks. Sums of cut tiles are left in memory and
// counted, and finished when there is no product left.
// STREAM: "workspace 8192 + min(66, ceildiv(m, 256) * ceildiv(n, 256) * parts) * 786432 zero"
// STREAM-SAME: "grid min(resident(66, 66), ceildiv(m, 256) * ceildiv(n, 256) * parts) * 2 ; 1 ; 1"
// STREAM-SAME: "param ptr ws"
// STREAM: %[[COUNTERS:.*]] = kernel.counters
// STREAM: %[[SUMS:.*]] = kernel.sums %{{.*}} at 8192 : <f32> -> <128 x 256>
// STREAM: %[[WORKER:.*]], %[[WORKERS:.*]] = kernel.worker of 2
// STREAM: arith.remui %{{.*}}, %[[WORKERS]]
// STREAM: kernel.role "producer"
// STREAM: scf.for
// STREAM: scf.for
// STREAM: kernel.load
// STREAM: kernel.role "consumer"
// STREAM: %[[WHOLE:.*]] = arith.cmpi eq
// STREAM: %[[ACC:.*]] = kernel.mma.wait 0
// STREAM: scf.if %[[WHOLE]] {
// STREAM: kernel.store.async
// STREAM: } else {
// STREAM: kernel.sums.put %[[ACC]] to %[[SUMS]][%{{.*}}] at %{{.*}}, %{{.*}} : <64 x 256 x f32, warps = 4 x 1> to <128 x 256>
// STREAM-NEXT: kernel.group.barrier
// STREAM: kernel.count.arrive %[[COUNTERS]][%[[INDEX:.*]]] :
// STREAM: scf.for
// STREAM: kernel.count.await %[[COUNTERS]][%[[TILE:.*]]] for %[[GROUPS:.*]] :
// STREAM-NEXT: kernel.group.barrier
// STREAM: scf.for %[[PIECE:.*]] = %{{.*}} to %c32_i32 step %[[GROUPS]]
// STREAM: %[[LINE:.*]] = arith.muli %[[PIECE]], %c4_i32
// STREAM: kernel.sums.total %[[SUMS]][%{{.*}} to %{{.*}}] at %[[LINE]] : <128 x 256> -> <4 x 256 x f32, warps = 4 x 1, run = 8>
// STREAM: kernel.store
// STREAM: kernel.group.barrier
// STREAM-NEXT: kernel.count.leave %[[COUNTERS]][%[[TILE]]] of %[[GROUPS]]

// B gives the 64 rows of a product, A its 16 columns; the sums are turned on
// their way through shared memory.
// SWAP: "grid ceildiv(n, 128) * ceildiv(m, 16) * 2 ; 1 ; 1"
// SWAP-SAME: "param tensormap a : f16 dims (k, m) strides (lda * 2) box (64, 16) swizzle 128"
// SWAP-SAME: "param tensormap b : f16 dims (k, n) strides (ldb * 2) box (64, 128) swizzle 128"
// SWAP: %[[LEFT:.*]] = kernel.ring at 0 : <4 of 128 x 128 x f16>
// SWAP: %[[RIGHT:.*]] = kernel.ring at 131072 : <4 of 16 x 128 x f16>
// SWAP: kernel.role "consumer" warps 8
// SWAP: kernel.mma.async %[[LEFT]][%{{.*}}] rows %{{.*}}, %[[RIGHT]]
// SWAP: %[[SUM:.*]] = kernel.mma.wait 0
// SWAP: kernel.role.barrier
// SWAP: kernel.partial.put %[[SUM]] to %{{.*}}[%{{.*}}, %{{.*}}] transposed : <64 x 16 x f32, warps = 4 x 1> to <16 x 128>
// SWAP-NEXT: kernel.cluster.sync
// SWAP: kernel.partial.sum %{{.*}} of 2 x 1 : <16 x 128> -> <4 x 128 x f32, warps = 4 x 1, run = 4>
// SWAP: kernel.load %{{.*}} to %[[LEFT]]
// SWAP-NEXT: kernel.load %{{.*}} to %[[RIGHT]]

// Eight blocks, four below each other and two side by side. Each awaits
// arrivals from all blocks of its column and its row, from itself once. 152
// columns are 38 lines for each of four, which may start at any line.
// GRID: "grid min(resident(15, 16), ceildiv(m, 512) * ceildiv(n, 304)) * 8 ; 1 ; 1"
// GRID-SAME: "cluster 8 ; 1 ; 1"
// GRID-SAME: "param tensormap a : f16 dims (k, m) strides (lda * 2) box (64, 64) swizzle 128"
// GRID-SAME: "param tensormap b : f16 dims (k, n) strides (ldb * 2) box (64, 38) swizzle 128"
// GRID: %[[FULL:.*]] = kernel.barriers at {{.*}} : <4 of 1>
// GRID: %[[EMPTY:.*]] = kernel.barriers at {{.*}} : <4 of 10>
// GRID: %[[RANK:.*]] = kernel.cluster.rank
// GRID-DAG: %[[M:.*]] = arith.remui %[[RANK]], %c4_i32
// GRID-DAG: %[[N:.*]] = arith.divui %[[RANK]], %c4_i32
// GRID-DAG: %[[FIRST:.*]] = arith.subi %[[RANK]], %[[M]]
// GRID-DAG: %[[COLUMN:.*]] = arith.shli %c15_i32, %[[FIRST]]
// GRID-DAG: %[[ABOVE:.*]] = arith.muli %[[N]], %c4_i32
// GRID-DAG: %[[LEFT:.*]] = arith.subi %[[RANK]], %[[ABOVE]]
// GRID-DAG: %[[ROW:.*]] = arith.shli %c17_i32, %[[LEFT]]
// GRID-DAG: %[[PEERS:.*]] = arith.ori %[[COLUMN]], %[[ROW]]
// GRID: kernel.load %{{.*}} signals %[[FULL]] part %[[N]] of 2 blocks %[[ROW]]
// GRID-NEXT: kernel.load %{{.*}} signals %[[FULL]] part %[[M]] of 4 blocks %[[COLUMN]]
// GRID: kernel.arrive %[[EMPTY]][%{{.*}}] blocks %[[PEERS]]

// A third of 64 lines is not one.
// UNEVEN: error: 'hone.matmul' op schedule_c66: expected tile.m to be a multiple of 3, a line for each consumer of the cluster, but got 64; use 66

// Two tiles, and four blocks for each, whose ranks are two apart. After the sums
// have met, no block needs another's memory any more.
// BOTH: %[[RANK:.*]] = kernel.cluster.rank
// BOTH-DAG: %[[N:.*]] = arith.remui %[[RANK]], %c2_i32
// BOTH-DAG: %[[SHARE:.*]] = arith.divui %[[RANK]], %c2_i32
// BOTH: kernel.cluster.sync
// BOTH: %[[BEHIND:.*]] = arith.muli %[[SHARE]], %c2_i32
// BOTH: %[[PLACE:.*]] = arith.subi %[[RANK]], %[[BEHIND]]
// BOTH: kernel.partial.sum %{{.*}} of 4 x 1 from %[[PLACE]] by 2
// BOTH: kernel.cluster.wait
// BOTH-NOT: kernel.cluster.sync
// BOTH: gpu.return
