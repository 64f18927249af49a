// A block with one tile writes the slots of its first chunks without a wait, and those of later
// ones after their stores. With the rewrite every chunk waits.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, tile = 128x256x64, persistent = no
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x256x64, persistent = no, rewrites = [staging(guarded)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=GUARDED
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x256x64
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=GUARDED
// REDEFINE: %{schedule} = ws, tile = 128x256x64, rewrites = [staging(guarded)]
// RUN: not %{kernel} 2>&1 | FileCheck %s --check-prefix=PERSISTENT

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK: kernel.mma.wait 0
// CHECK-NOT: kernel.store.wait
// CHECK-NOT: kernel.group.barrier
// CHECK: kernel.stage %{{.*}} to %[[RING:.*]][%c0_i32]
// CHECK-NEXT: kernel.proxy.fence
// CHECK-NEXT: kernel.group.barrier
// CHECK: kernel.store.commit
// CHECK-NOT: kernel.store.wait
// CHECK-NOT: kernel.group.barrier
// CHECK: kernel.stage %{{.*}} to %[[RING]][%c1_i32]
// CHECK: kernel.store.commit
// CHECK: kernel.store.wait 1
// CHECK-NEXT: kernel.group.barrier
// CHECK: kernel.stage %{{.*}} to %[[RING]][%c0_i32]

// GUARDED: kernel.mma.wait 0
// GUARDED: kernel.store.wait 1
// GUARDED-NEXT: kernel.group.barrier
// GUARDED: kernel.stage %{{.*}} to %[[RING:.*]][%c0_i32]
// GUARDED: kernel.store.wait 1
// GUARDED-NEXT: kernel.group.barrier
// GUARDED: kernel.stage %{{.*}} to %[[RING]][%c1_i32]

// PERSISTENT: error: {{.*}}schedule_c4: expected 'staging' to be free with the other decisions, but got guarded
