// Both chunks of a tile are staged between two barriers, and stored as one group. A residual
// that the engine brings has barriers of its own for each chunk.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [stores(joined)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t

// A chunk alone has none to be stored with (law 89).
// REDEFINE: %{schedule} = ws, tile = 128x64x64, consumers = 2x1, rewrites = [stores(joined)]
// RUN: not %{kernel} -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: schedule_c89: expected slots for two chunks of a consumer's tile or more where stores are joined, but got one; use a larger tile or smaller chunks, or leave stores(joined) out

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK: kernel.epilogue
// CHECK: kernel.store.wait 0
// CHECK-NEXT: kernel.group.barrier
// CHECK: kernel.stage %{{.*}} to %[[RING:.*]][%c0_i32]
// CHECK: kernel.epilogue
// CHECK-NOT: kernel.store.wait
// CHECK-NOT: kernel.group.barrier
// CHECK: kernel.stage %{{.*}} to %[[RING]][%c1_i32]
// CHECK-NEXT: kernel.proxy.fence
// CHECK-NEXT: kernel.group.barrier
// CHECK-NEXT: kernel.store.async %[[RING]][%c0_i32]
// CHECK-NEXT: kernel.store.async %[[RING]][%c1_i32]
// CHECK-NEXT: kernel.store.commit
// CHECK-NEXT: scf.yield
