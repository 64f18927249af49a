// A matrix that is added to the sums: the copy engine brings it while these are
// computed, to the slots from which it stores C.

// DEFINE: %{schedule} =
// DEFINE: %{build} = hone-opt %s --split-input-file --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize

// REDEFINE: %{schedule} = ws, tile = 128x256x64, stages = 3
// RUN: %{build} | FileCheck %s --check-prefix=FEW
// REDEFINE: %{schedule} = ws, tile = 128x256x64, stages = 2, staged = all
// RUN: %{build} | FileCheck %s --check-prefix=ALL
// REDEFINE: %{schedule} = ws, tile = 128x256x64, stages = 3, residual = threads
// RUN: %{build} | FileCheck %s --check-prefix=THREADS
// REDEFINE: %{schedule} = ws, streams = yes, tile = 128x128x64, stages = 3, parts = 3
// RUN: %{build} | FileCheck %s --check-prefix=STREAM
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x64, consumers = 1x1, stages = 4, chunk = 16
// RUN: %{build} | FileCheck %s --check-prefix=SWAP

func.func @residual(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>, %e: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
    epilogue(%e[m, n] : memref<1024x1024xf16>) {
    ^bb0(%s: f32, %v: f16):
      %0 = arith.extf %v : f16 to f32
      %1 = arith.addf %s, %0 : f32
      %2 = arith.truncf %1 : f32 to f16
      hone.yield %2 : f16
    }
  return
}

// Four chunks of each of two consumers, which have two slots each. The launch
// asks what the engine needs of the residual, too.
// FEW: "alternative {{.*}} && ldc >= n && n % 8 == 0 && e0 % 16 == 0 && e0m % 8 == 0 && e0m > 0"
// FEW-SAME: "param tensormap c : f16 dims (n, m) strides (ldc * 2) box (64, 64) swizzle 128", "param tensormap e0 : f16 dims (n, m) strides (e0m * 2) box (64, 64) swizzle 128", "param i32 m"
// FEW: %[[RING:.*]] = kernel.ring at 147456 : <4 of 64 x 64 x f16>
// FEW: %[[ARRIVED:.*]] = kernel.barriers at {{.*}} : <4 of 1>
// FEW: kernel.role "consumer"
// FEW-NEXT: ^bb0(%[[GROUP:.*]]: i32):

// The first two start after the first products, when the preceding tile has
// been stored.
// FEW: scf.for
// FEW: kernel.mma.wait 1
// FEW: scf.if
// FEW: kernel.store.wait 0
// FEW: kernel.expect %[[ARRIVED]][%[[FIRST:.*]]] bytes 8192
// FEW-NEXT: kernel.load %[[E:.*]][%{{.*}}, %{{.*}}] to %[[RING]][%[[FIRST]]] signals %[[ARRIVED]]
// FEW: kernel.expect %[[ARRIVED]][%[[SECOND:.*]]] bytes 8192
// FEW-NEXT: kernel.load %[[E]][%{{.*}}, %{{.*}}] to %[[RING]][%[[SECOND]]] signals %[[ARRIVED]]
// FEW-NOT: kernel.load
// FEW: kernel.mma.wait 0

// Each chunk is read, added to, and written where it was loaded; its slot then
// gets the chunk after the next. Two rounds for each tile: all start with phase 0.
// FEW: %[[SLOT:.*]] = arith.muli %[[GROUP]], %c2_i32
// FEW: kernel.await %[[ARRIVED]][%[[SLOT]]] phase %c0_i32
// FEW-NEXT: %[[OLD:.*]] = kernel.unstage %[[RING]][%[[SLOT]]] at %c0_i32 : <4 of 64 x 64 x f16> -> <64 x 64 x f16, warps = 4 x 1>
// FEW-NEXT: %[[TILE:.*]] = kernel.epilogue {{.*}} with(%[[OLD]] : !kernel.acc<64 x 64 x f16, warps = 4 x 1>)
// FEW: kernel.group.barrier
// FEW-NEXT: kernel.stage %[[TILE]] to %[[RING]][%[[SLOT]]] at %c0_i32
// FEW-NEXT: kernel.proxy.fence
// FEW-NEXT: kernel.group.barrier
// FEW: kernel.store.async %[[RING]][%[[SLOT]]] from %c0_i32
// FEW-NEXT: kernel.store.commit
// FEW-NEXT: kernel.store.wait 0
// FEW: kernel.load
// FEW: kernel.await %[[ARRIVED]][%{{.*}}] phase %c0_i32
// FEW: kernel.load
// FEW: kernel.await %[[ARRIVED]][%{{.*}}] phase %c1_i32
// FEW-NOT: kernel.load
// FEW: gpu.return

// A slot for each chunk: nothing is loaded when the sums are there. One round
// for each tile: the phase flips.
// ALL: kernel.ring at 98304 : <8 of 64 x 64 x f16>
// ALL: kernel.role "consumer"
// ALL: scf.for {{.*}} iter_args({{.*}}%[[PHASE:[^,]*]] = %c0_i32)
// ALL: kernel.store.wait 0
// ALL-COUNT-4: kernel.load
// ALL: kernel.mma.wait 0
// ALL-NOT: kernel.load
// ALL-NOT: kernel.store.wait
// ALL: kernel.await %{{.*}}[%{{.*}}] phase %[[PHASE]]
// ALL-NOT: kernel.load
// ALL-NOT: kernel.store.wait
// ALL: arith.xori %[[PHASE]], %c1_i32
// ALL: scf.yield
// ALL: kernel.store.wait 0

// THREADS: "param tensormap c : f16 dims (n, m) strides (ldc * 2) box (64, 64) swizzle 128", "param ptr e0"
// THREADS: kernel.operand
// THREADS-NOT: kernel.unstage

// Of a tile that is cut between workers, threads read their addends.
// STREAM: "param tensormap e0
// STREAM-SAME: "param ptr e0"
// STREAM: kernel.role "consumer"
// STREAM: kernel.mma.wait 1
// STREAM: scf.if
// STREAM: kernel.load
// STREAM: kernel.unstage
// STREAM: kernel.sums.total
// STREAM: kernel.epilogue {{.*}} with(%{{.*}} : !kernel.operand<f16, "mn">)

// Lines of the residual are columns of the product. A block of one tile has
// stored nothing before.
// SWAP: "param tensormap e0 : f16 dims (n, m) strides (e0m * 2) box (64, 8) swizzle 128"
// SWAP: kernel.role "consumer"
// SWAP-NOT: kernel.store.wait
// SWAP: kernel.load
// SWAP: kernel.unstage %{{.*}}[%{{.*}}] at %c0_i32 transposed

// -----

// C's old values are a residual of their own, and need no other map.
func.func @accumulate(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %c: memref<1024x1024xf32>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xbf16>, memref<1024x1024xbf16>) outs(%c : memref<1024x1024xf32>) init(read) acc(f32)
  return
}

// FEW: "alternative {{.*}} && ldc >= n && n % 4 == 0"
// FEW-SAME: "param tensormap c : f32 dims (n, m) strides (ldc * 4) box (32, 64) swizzle 128", "param i32 m"
// FEW: kernel.unstage {{.*}} -> <64 x 32 x f32, warps = 4 x 1>
// THREADS: "param tensormap c {{.*}}", "param ptr c", "param i32 m"
// THREADS-NOT: kernel.unstage

// -----

// Threads read lines that the engine cannot: those that start at odd multiples
// of 8 bytes, another type, columns that lie apart, one line for all.
func.func @odd(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>,
               %lines: memref<1024x1024xf16, strided<[1028, 1]>>, %type: memref<1024x1024xf32>,
               %apart: memref<1024x1024xf16, strided<[1, 1024]>>, %one: memref<1024x1024xf16, strided<[0, 1]>>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
    epilogue(%lines[m, n], %type[m, n], %apart[m, n], %one[m, n]
             : memref<1024x1024xf16, strided<[1028, 1]>>, memref<1024x1024xf32>,
               memref<1024x1024xf16, strided<[1, 1024]>>, memref<1024x1024xf16, strided<[0, 1]>>) {
    ^bb0(%s: f32, %v: f16, %w: f32, %x: f16, %y: f16):
      %0 = arith.extf %v : f16 to f32
      %1 = arith.addf %s, %0 : f32
      %2 = arith.addf %1, %w : f32
      %3 = arith.truncf %2 : f32 to f16
      %4 = arith.addf %3, %x : f16
      %5 = arith.addf %4, %y : f16
      hone.yield %5 : f16
    }
  return
}

// FEW: gpu.func
// FEW-NOT: kernel.unstage
// FEW: gpu.return
