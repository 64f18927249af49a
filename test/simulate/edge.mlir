// Tiles that stand back, so that they end with the matrix: elements that two of them have are stored twice,
// with the same numbers. Along the extent of lines they stay where they are.

// DEFINE: %{schedule} =
// DEFINE: %{nt} = sed 's/(%a, %b/(%a, col %b/'
// DEFINE: %{tt} = sed 's/(%a, %b/(col %a, col %b/'
// DEFINE: %{simulate} = hone simulate - --schedule="%{schedule}" | FileCheck %s

// REDEFINE: %{schedule} = ws, tile = 128x96x64, teams = 2, consumers = 1x1, stages = 3, edge = within
// RUN: %{nt} %s | %{simulate}
// REDEFINE: %{schedule} = ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 3, cluster = 2x2, edge = within
// RUN: cat %s | %{simulate}
// RUN: %{nt} %s | %{simulate}
// RUN: %{tt} %s | %{simulate}
// REDEFINE: %{schedule} = ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 3, splits = 2, edge = within
// RUN: %{nt} %s | %{simulate}
// REDEFINE: %{schedule} = ws, side = b, tile = 24x64x64, consumers = 1x1, persistent = no, stages = 3, store = threads, pack = ab, edge = within
// RUN: cat %s | %{simulate}
// RUN: %{nt} %s | %{simulate}

// A producer that does not stand back, or a second store that is not marked as one, is found.
// REDEFINE: %{schedule} = ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 3, edge = within
// RUN: %{nt} %s | hone-opt --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// RUN: sed '/kernel.role "producer"/,/kernel.await/s/arith.minui/arith.maxui/' %t.mlir > %t.other.mlir
// RUN: not hone simulate %t.other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/hone.stands_back, //' %t.mlir > %t.again.mlir
// RUN: not hone simulate %t.again.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN

// CHECK: hone_{{pack|ws}}
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// OTHER: stores other numbers where tiles that stand back have stored before
// AGAIN: stores part of the result again
func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
              outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
