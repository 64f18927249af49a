// A team's threads meet when their turn has come, and hand it over without another meeting.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws_pingpong, tile = 64x128x64, stages = 4, rewrites = [handover(early)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [handover(early)]
// RUN: not %{kernel} 2>&1 | FileCheck %s --check-prefix=TEAMS

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK: kernel.role "consumer"
// CHECK: kernel.await %[[ORDER:.*]][%{{.*}}] phase
// CHECK-NEXT: kernel.group.barrier
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NOT: kernel.group.barrier
// CHECK: kernel.arrive %[[ORDER]]
// CHECK-NEXT: kernel.mma.wait 0

// TEAMS: error: {{.*}}schedule_c4: expected 'handover' to be late with the other decisions, but got early
