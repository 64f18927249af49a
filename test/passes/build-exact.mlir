// Threads compute exact products of f32: steps of 4 elements of k, from slots whose lines run along k. The copy
// transposes operands of another order.

// DEFINE: %{schedule} = mma_sync, tile = 64x64x16, warps = 2x2, stages = 3
// DEFINE: %{build} = hone-opt --hone-select-schedule="arch=sm_80 schedule='%{schedule}'" --hone-build-kernel --canonicalize

// RUN: %{build} %s | FileCheck %s
// RUN: sed 's/ins(%a, col %b/ins(col %a, %b/' %s | %{build} | FileCheck %s --check-prefix=ACROSS
// RUN: hone-opt %s --hone-select-schedule="arch=h200" | FileCheck %s --check-prefix=DEFAULT
// RUN: not hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 128x128x32'" 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: "shared 24576"
// CHECK: gpu.func @hone_mma_sync_f32_f32_nt
// CHECK: %[[A:.*]] = kernel.ring at 0 : <3 of 64 x 16 x f32>
// CHECK: %[[B:.*]] = kernel.ring at 12288 : <3 of 64 x 16 x f32>
// CHECK-NOT: transposed
// CHECK: %[[FA:.*]] = kernel.read %[[A]][%{{.*}}] step 0 : <3 of 64 x 16 x f32> -> <"a", 64 x f32, warps = 2 x 2, depth = 4>
// CHECK: %[[FB:.*]] = kernel.read %[[B]][%{{.*}}] step 0 : <3 of 64 x 16 x f32> -> <"b", 64 x f32, warps = 2 x 2, depth = 4>
// CHECK: scf.for
// CHECK: kernel.read {{.*}} step 1
// CHECK: kernel.fma %{{.*}}, %{{.*}}, %{{.*}} : <"a", 64 x f32, warps = 2 x 2, depth = 4>, <"b", 64 x f32, warps = 2 x 2, depth = 4>, <64 x 64 x f32
// CHECK: kernel.read {{.*}} step 3
// CHECK: kernel.copy.wait 1
// CHECK-NEXT: kernel.barrier
// CHECK: kernel.read {{.*}} step 0
// CHECK: kernel.fma
// CHECK-NOT: kernel.mma
// CHECK: kernel.store

// Rows of the slots are A's columns in memory and B's rows.
// ACROSS: gpu.func @hone_mma_sync_f32_f32_tn
// ACROSS: kernel.ring at 0 : <3 of 64 x 16 x f32>
// ACROSS: kernel.copy %[[A:.*]][%[[K:.*]], %[[ROW:.*]]] to %{{.*}} transposed : <f32, align = 16> to <3 of 64 x 16 x f32>
// ACROSS: kernel.copy %[[B:.*]][%[[K]], %[[COL:.*]]] to %{{.*}} transposed : <f32, align = 16> to <3 of 64 x 16 x f32>
// ACROSS-NOT: step {{[0-9]}} transposed
// ACROSS: kernel.store

// DEFAULT: schedule(#hone.schedule<mma_sync, tile = 128x128x16, warps = 2x4

// REFUSED: schedule_c2: expected a and b to be both f16 or both bf16, but got f32 and f32; use one of these types for both, or products = tf32x3 or tf32, or mma_sync
func.func @matmul(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>, %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
