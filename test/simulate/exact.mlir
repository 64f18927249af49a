// Kernels of threads that multiply are right in every layout, with lines of 4 and of 16 bytes, and where K is cut.

// DEFINE: %{schedule} =
// DEFINE: %{matmul} = %s
// DEFINE: %{simulate} = hone simulate %{matmul} --schedule="%{schedule}" | FileCheck %s

// RUN: sed 's/ins(%a, col %b/ins(col %a, %b/' %s > %t.tn.mlir
// RUN: sed 's/ins(%a, col %b/ins(%a, %b/' %s > %t.nn.mlir
// RUN: sed 's/ins(%a, col %b/ins(col %a, col %b/' %s > %t.tt.mlir

// REDEFINE: %{schedule} = mma_sync, tile = 64x64x16, warps = 2x2, stages = 3
// RUN: %{simulate}
// REDEFINE: %{matmul} = %t.tn.mlir
// RUN: %{simulate}
// REDEFINE: %{matmul} = %t.nn.mlir
// REDEFINE: %{schedule} = mma_sync, tile = 32x64x32, warps = 2x2, stages = 2, slices = 2, splits = 2
// RUN: %{simulate}
// REDEFINE: %{matmul} = %t.tt.mlir
// REDEFINE: %{schedule} = mma_sync, tile = 128x32x16, warps = 1x2, stages = 4, run = 8
// RUN: %{simulate}

// A lane that takes the products of a neighbour's row is found out.
// REDEFINE: %{schedule} = mma_sync, tile = 64x64x16, warps = 2x2, stages = 3
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel --canonicalize | sed 's/step 3 :/step 2 :/' > %t.wrong.mlir
// RUN: not hone simulate %t.wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: hone_mma_sync_f32_f32
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// WRONG: computes {{.*}} but expected
func.func @matmul(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
