// With invariant numbers a row of a ragged product has one order of sums, whatever the ends, the group and the place of
// the row, and whether an index reads it. Rows without products have none.

// DEFINE: %{invariant} = sed 's/init(zero) acc(f32)/& numbers(invariant)/'
// RUN: %{invariant} %S/../examples/ragged.mlir > %t.mlir
// RUN: hone simulate %t.mlir --arch=sm_90a | FileCheck %s
// RUN: hone simulate %t.mlir --arch=sm_80 | FileCheck %s
// RUN: hone simulate %t.mlir --arch=sm_90a --schedule="ws, tile = 64x64x64, consumers = 1x1" | FileCheck %s
// RUN: not hone simulate %t.mlir --arch=sm_90a --schedule="mma_sync, tile = 64x64x32, splits = 2" 2>&1 | FileCheck %s --check-prefix=SPLITS
// CHECK: all of them: right (order of additions): k16 in order
// SPLITS: schedule_c28

// DEFINE: %{build} = hone-opt %s --hone-build-kernel=fallback=false --canonicalize
// RUN: %{build} > %t.right.mlir
// RUN: hone simulate %t.right.mlir | FileCheck %s

// Groups with odd numbers walk K from its end: their values are right, their order is another one.
// RUN: sed -f %S/Inputs/turn-segments.sed %t.right.mlir > %t.turned.mlir
// RUN: not hone simulate %t.turned.mlir 2>&1 | FileCheck %s --check-prefix=TURNED
// RUN: sed 's/, numbers = invariant//' %t.turned.mlir | hone simulate - | FileCheck %s --check-prefix=VALUES
// TURNED: error: 'gpu.func' adds k16 {{.*}} for element ({{[0-9]+}}, 0), but k16 {{.*}} for element ({{[0-9]+}}, 0) of batch 0 [order; block 0]
// VALUES: right (clocks, values)
// VALUES-NOT: wrong

#strided = strided<[?, 1]>
func.func @rows(%a: memref<?x?xf16, #strided>, %b: memref<?x?x?xf16, strided<[?, ?, 1]>>, %c: memref<?x?xf16, #strided>, %ends: memref<?xi32>, %index: memref<?xi32>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, #strided>, memref<?x?x?xf16, strided<[?, ?, 1]>>) outs(%c : memref<?x?xf16, #strided>) ragged(%ends : memref<?xi32>) gather(%index : memref<?xi32>) init(zero) acc(f32) numbers(invariant)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 32x32x32, warps = 1x2, stages = 2>)
  return
}
