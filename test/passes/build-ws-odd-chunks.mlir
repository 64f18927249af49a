// Chunks whose number no number of slots divides have two slots, if the block has room for the second one.

// DEFINE: %{schedule} =
// DEFINE: %{build} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, side = b, tile = 152x192x64, consumers = 1x3, stages = 4, persistent = no, chunk = 32
// RUN: %{build} -o %t && FileCheck %s --input-file=%t --check-prefix=ONE
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, side = b, tile = 152x192x64, consumers = 1x3, stages = 4, chunk = 32
// RUN: %{build} -o %t && FileCheck %s --input-file=%t --check-prefix=MANY
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, side = b, tile = 152x192x64, consumers = 1x3, stages = 4, chunk = 32, store = threads
// RUN: %{build} -o %t && FileCheck %s --input-file=%t --check-prefix=THREADS
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, side = b, tile = 136x192x64, consumers = 1x3, stages = 5, persistent = no, chunk = 32
// RUN: %{build} | FileCheck %s --check-prefix=FULL

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// The first two chunks of a block's only tile wait for nothing.
// ONE: kernel.ring at {{[0-9]+}} : <2 of 96 x 64 x f16>
// ONE-NOT: kernel.store.wait
// ONE: kernel.stage {{.*}}[%c0_i32]
// ONE-NOT: kernel.store.wait
// ONE: kernel.stage {{.*}}[%c1_i32]
// ONE: kernel.store.wait 1
// ONE: kernel.stage {{.*}}[%c0_i32]
// ONE: kernel.store.wait 1
// ONE: kernel.stage {{.*}}[%c1_i32]
// ONE: kernel.store.wait 1
// ONE: kernel.stage {{.*}}[%c0_i32]
// ONE-NOT: kernel.stage

// The last chunk of the tile before has the slot of the first one.
// MANY: kernel.store.wait 0
// MANY-NEXT: kernel.group.barrier
// MANY: kernel.stage {{.*}}[%c0_i32]
// MANY-NOT: kernel.store.wait
// MANY: kernel.stage {{.*}}[%c1_i32]
// MANY: kernel.store.wait 1

// THREADS: kernel.epilogue
// THREADS: kernel.group.barrier
// THREADS: kernel.stage {{.*}}[%c0_i32]
// THREADS: kernel.store.lines
// THREADS: kernel.stage {{.*}}[%c1_i32]

// FULL: kernel.ring at {{[0-9]+}} : <1 of 96 x 64 x f16>
// FULL: kernel.store.wait 0
