// Kernels whose numbers are right, and whose sums have another order for some rows, columns or
// sizes, or for all: a finding only where numbers are invariant.

// DEFINE: %{build} = hone-opt %s --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{verify} = hone-opt --hone-verify-kernel -o /dev/null
// DEFINE: %{turned} = sed -f %S/Inputs/turn.sed %t.right.mlir

// The kernel as it is built.
// RUN: %{build} > %t.right.mlir
// RUN: %{verify} %t.right.mlir
// RUN: hone simulate %t.right.mlir | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-5: right (clocks, values)
// RIGHT: all of them: right (order of additions): k16 in order

// Odd rows of tiles walk K from its end.
// RUN: %{turned} | sed s/OF/%%tileM/ > %t.rows.mlir
// RUN: not %{verify} %t.rows.mlir 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: 'gpu.func' adds k16 x {{[0-9]+}} for element (0, 0), but k16 {{.*}}from {{.*}} for element (64, 0) of batch 0 [order; block 0]
// RUN: sed 's/, numbers = invariant//' %t.rows.mlir > %t.rows-deterministic.mlir
// RUN: %{verify} %t.rows-deterministic.mlir
// RUN: hone simulate %t.rows-deterministic.mlir --shape=100x64x200 | FileCheck %s --check-prefix=VALUES
// VALUES: right (clocks, values)
// RUN: not hone simulate %t.rows-deterministic.mlir --shape=100x64x200 --sums 2>&1 | FileCheck %s --check-prefix=SUMS
// SUMS: adds k16 x 13 for element (0, 0), but k16 from 192, {{.*}} for element (64, 0) of batch 0 [order; block 0]
// SUMS: m = 100, n = 64, k = 200: right (clocks, values)
// SUMS: m = 100, n = 64, k = 200: wrong (order of additions)

// Odd columns of tiles do.
// RUN: %{turned} | sed 's/andi OF, %%c1_i32/addi %%tileN, %%c0_i32/' > %t.columns.mlir
// RUN: not %{verify} %t.columns.mlir 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: error: 'gpu.func' adds k16 {{.*}} for element (0, 0), but k16 {{.*}} for element (0, 64) of batch 0 [order; block 0]

// An odd number of rows of tiles turns all of them: every row has the same order, at one size.
// RUN: %{turned} | sed s/OF/%%0/ > %t.sizes.mlir
// RUN: not %{verify} %t.sizes.mlir 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: 'gpu.func' adds k16 {{.*}}; expected k16 in order, where numbers are invariant [order; block 0]

// The second instruction of a step comes first, at every size.
// RUN: sed 's/step 0 to/step first to/; s/step 1 to/step 0 to/; s/step first to/step 1 to/' %t.right.mlir > %t.steps.mlir
// RUN: not %{verify} %t.steps.mlir 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: error: 'gpu.func' adds k16 from 16, k16, k16 x 2 from 32, for each 64; expected k16 in order, where numbers are invariant [order; block 0]

func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>, %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
              outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32) numbers(invariant) arch(#hone.arch<sm_90a>)
              schedule(#hone.schedule<ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 2>)
  return
}
