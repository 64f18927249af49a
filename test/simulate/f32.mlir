// Kernels for f32 are right where tensor cores read the upper 19 bits of a factor, within the loss of
// that; in three products within the loss of f32 sums.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --schedule="%{schedule}"

// REDEFINE: %{schedule} = ws, tile = 128x128x32, stages = 4
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, tile = 128x64x64, stages = 3, cluster = 2x1
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x96, consumers = 1x1, stages = 3, splits = 1
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = mma_sync, tile = 64x64x16, warps = 2x2, stages = 3
// RUN: %{simulate} | FileCheck %s
// RUN: sed s/tf32/tf32x3/ %s > %t.parts.mlir
// RUN: hone simulate %t.parts.mlir --schedule="%{schedule}" | FileCheck %s
// RUN: sed 's/tf32/tf32x3/; s/ins(%a, col %b/ins(col %a, %b/' %s > %t.transposed.mlir
// RUN: hone simulate %t.transposed.mlir --schedule="%{schedule}" | FileCheck %s

// A product in one part breaks the promise of three.
// RUN: hone-opt %t.parts.mlir --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel --canonicalize | sed 's/ split / /' > %t.wrong.mlir
// RUN: not hone simulate %t.wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: hone_{{ws_tf32|mma_sync_tf32(x3)?}}_f32
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// WRONG: computes {{.*}} but expected
func.func @matmul(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(tf32)
  return
}
