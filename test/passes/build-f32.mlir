// Kernels for matrices of f32: a step of k has 8 elements where it has 16 of the narrower ones, and lines
// are as long in bytes.

// DEFINE: %{schedule} =
// DEFINE: %{build} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel --canonicalize

// REDEFINE: %{schedule} = ws, tile = 128x256x32, stages = 4
// RUN: %{build} | FileCheck %s --check-prefix=WS
// REDEFINE: %{schedule} = mma_sync, tile = 64x64x16, warps = 2x2, stages = 3
// RUN: %{build} | FileCheck %s --check-prefix=ONE
// RUN: sed s/tf32/tf32x3/ %s | hone-opt --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel --canonicalize | FileCheck %s --check-prefix=PARTS

// A schedule for aligned operands has a sibling that multiplies in the same way.
// WS: gpu.func @hone_mma_sync_tf32_f32_nt
// WS: kernel.mma {{.*}} : <"a", {{[0-9]+}} x f32
// WS: "alternative a % 16 == 0 && lda % 4 == 0 && b % 16 == 0 && ldb % 4 == 0 && c % 16 == 0 && ldc % 4 == 0
// WS-SAME: "param tensormap a : tf32 dims (k, m) strides (lda * 4) box (32, 128) swizzle 128"
// WS-SAME: "param tensormap b : tf32 dims (k, n) strides (ldb * 4) box (32, 256) swizzle 128"
// WS-SAME: "alternative
// WS-SAME: "launch hone_mma_sync_tf32_f32_nt
// WS: %[[A:.*]] = kernel.ring at 0 : <4 of 128 x 32 x f32>
// WS: %[[B:.*]] = kernel.ring at 65536 : <4 of 256 x 32 x f32>
// WS: kernel.expect {{.*}} bytes 49152
// Four steps of 8, for each of a consumer's 64 rows.
// WS: kernel.mma.async %[[A]][%{{.*}}] rows %{{.*}}, %[[B]][%{{.*}}] cols %{{.*}} step 0 to
// WS-NEXT: kernel.mma.async {{.*}} step 1 to
// WS-NEXT: kernel.mma.async {{.*}} step 2 to
// WS-NEXT: kernel.mma.async {{.*}} step 3 to
// WS-NEXT: kernel.mma.commit

// ONE: "shared 24576"
// ONE: kernel.ring at 0 : <3 of 64 x 16 x f32>
// ONE: kernel.read {{.*}} step 0 : <3 of 64 x 16 x f32> -> <"a", 64 x f32, warps = 2 x 2>
// ONE: kernel.mma %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : <"a", 64 x f32
// ONE-COUNT-1: kernel.mma %
// ONE-NOT: kernel.mma %
// ONE: kernel.store

// PARTS-COUNT-2: kernel.mma %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} split :
// PARTS-NOT: kernel.mma %
// PARTS: kernel.store
func.func @nt(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>, %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(tf32)
  return
}
