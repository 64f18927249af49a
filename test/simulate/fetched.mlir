// Rows of the tensor cores that consumers fetch into registers: transposed on the way, or split, for every form
// that may; and the faults that are possible there are found.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate - --schedule="%{schedule}" | FileCheck %s
// DEFINE: %{tt} = sed 's/(%a, %b/(col %a, col %b/'

// REDEFINE: %{schedule} = ws, side = b, tile = 128x128x32, consumers = 1x2, stages = 4, cluster = 2x1
// RUN: cat %s | %{simulate}
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x96, consumers = 1x1, stages = 3
// RUN: cat %s | %{simulate}
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 32x128x32, consumers = 1x2, stages = 4, cluster = 1x2, splits = 2
// RUN: cat %s | %{simulate}
// REDEFINE: %{schedule} = ws, side = b, tile = 64x256x32, consumers = 1x2, stages = 3
// RUN: cat %s | %{simulate}
// REDEFINE: %{schedule} = ws, tile = 128x64x32, stages = 4, streams = yes, parts = 2
// RUN: %{tt} %s | %{simulate}
// REDEFINE: %{schedule} = ws, tile = 64x64x32, consumers = 1x1, teams = 2, stages = 5, store = threads, rewrites = [prefetch(2)]
// RUN: %{tt} %s | %{simulate}

// REDEFINE: %{schedule} = ws, side = b, tile = 64x128x64, consumers = 1x2, stages = 3, pack = a
// RUN: sed 's/tf32/tf32x3/' %s | %{simulate}
// RUN: sed 's/tf32/tf32x3/; s/(%a, %b/(%a, col %b/' %s | %{simulate}
// REDEFINE: %{schedule} = ws, tile = 128x64x32, stages = 4, streams = yes, parts = 2, cluster = 2x1, pack = b
// RUN: %{tt} %s | sed 's/tf32/tf32x3/' | %{simulate}
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 16x64x32, consumers = 1x1, stages = 6, splits = 2, pack = a
// RUN: sed 's/tf32/tf32x3/; s/(%a, %b/(col %a, %b/' %s | %{simulate}

// Registers that a product may still read are filled again, and a slot given back.
// REDEFINE: %{schedule} = ws, side = b, tile = 64x128x32, consumers = 1x2, stages = 4
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// RUN: hone simulate %t.mlir | FileCheck %s
// RUN: sed 's/kernel.mma.wait 0/kernel.mma.wait 1/' %t.mlir > %t.early.mlir
// RUN: not hone simulate %t.early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// No fence lies between the threads' reads and the product.
// RUN: sed '/kernel.mma.fence/d' %t.mlir > %t.unfenced.mlir
// RUN: not hone simulate %t.unfenced.mlir 2>&1 | FileCheck %s --check-prefix=UNFENCED
// Both consumers read the rows of the first, and rows that no slot has.
// RUN: sed 's/\(kernel.read .*\) rows %[^ ]*/\1 rows %c0_i32/' %t.mlir > %t.same.mlir
// RUN: not hone simulate %t.same.mlir 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: sed 's/\(kernel.read .*\) rows %[^ ]*/\1 rows %c32_i32/' %t.mlir > %t.behind.mlir
// RUN: not hone simulate %t.behind.mlir 2>&1 | FileCheck %s --check-prefix=SAME
// A plan whose map does not round belongs to another kernel.
// RUN: sed 's/tensormap b : tf32/tensormap b : f32/' %t.mlir > %t.cut.mlir
// RUN: not hone simulate %t.cut.mlir 2>&1 | FileCheck %s --check-prefix=CUT

// CHECK: hone_{{ws_tf32(x3)?_f32|pack_f32}}
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// EARLY: fills registers that a product under way may still read; expected a kernel.mma.wait for its group
// UNFENCED: takes rows that threads have read since the last kernel.mma.fence
// SAME: computes {{.*}} but expected
// CUT: of f32 in the plan, but of tf32 in the kernel
func.func @matmul(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(tf32)
  return
}
