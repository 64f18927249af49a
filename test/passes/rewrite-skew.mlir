// All groups but the first wait until two more slots are full, before their first step only.
// Where a tile has fewer steps it is the last one's. The launch starts no worker without a tile.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [skew(2)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, persistent = no, rewrites = [skew(2)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=ONE
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, stages = 2, rewrites = [skew(2)]
// RUN: not %{kernel} 2>&1 | FileCheck %s --check-prefix=STAGES

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK: kernel.role "consumer"
// CHECK-NEXT: ^bb0(%[[GROUP:.*]]: i32):
// CHECK: %[[IS_OTHER:.*]] = arith.cmpi ne, %[[GROUP]], %c0_i32
// CHECK-NEXT: scf.if %[[IS_OTHER]] {
// CHECK-NEXT: %[[LAST:.*]] = arith.subi %[[STEPS:.*]], %c1_i32
// CHECK-NEXT: %[[SLOT:.*]] = arith.minui %[[LAST]], %c2_i32
// CHECK-NEXT: kernel.await %[[FULL:.*]][%[[SLOT]]] phase %c0_i32
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[STEPS]]
// CHECK: kernel.await %[[FULL]]

// ONE: kernel.role "consumer"
// ONE: %[[WAITS:.*]] = arith.cmpi ne, %{{.*}}, %c0_i32
// ONE-NEXT: scf.if %[[WAITS]] {
// ONE: kernel.await

// STAGES: error: {{.*}}schedule_c82: expected stages to be above a skew of 2 slots, but got 2; use 3
