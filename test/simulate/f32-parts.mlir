// Three products of tf32 by the tensor cores that read shared memory: a first launch splits the factors, the
// second one multiplies their parts in three steps for each part of K. They are as accurate as sums of f32.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --schedule="%{schedule}"

// REDEFINE: %{schedule} = ws, tile = 128x128x32, stages = 4, pack = ab
// RUN: %{simulate} | FileCheck %s
// Two bands, two blocks of a slot, loads that are shared, and lines of C that start anywhere.
// REDEFINE: %{schedule} = ws, tile = 256x64x64, stages = 2, cluster = 2x1, store = threads, pack = ab
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, tile = 128x64x32, consumers = 1x1, teams = 2, stages = 5, pack = ab
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x96, consumers = 1x1, stages = 3, pack = ab
// RUN: %{simulate} | FileCheck %s
// The second team starts at a multiple of three steps, which is the first of three slots at every size.
// REDEFINE: %{schedule} = ws, tile = 64x32x32, consumers = 1x1, teams = 2, stages = 3, pack = ab, edge = within
// RUN: %{simulate} | FileCheck %s
// Runs of steps end between the parts of a part of K, too.
// REDEFINE: %{schedule} = ws, persistent = no, tile = 64x64x32, consumers = 1x1, stages = 4, splits = 2, pack = ab
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, streams = yes, tile = 64x64x32, consumers = 1x1, stages = 4, pack = ab
// RUN: %{simulate} | FileCheck %s

// An omitted or repeated product is found: a low part that is never read, one that is never written, and
// parts that change places.
// REDEFINE: %{schedule} = ws, tile = 128x64x32, stages = 4, pack = ab
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// RUN: hone simulate %t.mlir | FileCheck %s
// RUN: sed 's/arith.remui \(.*\), %c3_i32/arith.addi \1, %c3_i32/' %t.mlir > %t.high.mlir
// RUN: not hone simulate %t.high.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/\(kernel.copy.lines .*\) and %[^ ]* : \(.*\) and .*/\1 : \2/' %t.mlir > %t.whole.mlir
// RUN: not hone simulate %t.whole.mlir 2>&1 | FileCheck %s --check-prefix=UNFILLED
// RUN: sed 's/\(kernel.copy.lines .*\) to \(%[^ ]*\) and \(%[^ ]*\) :/\1 to \3 and \2 :/' %t.mlir > %t.swapped.mlir
// RUN: not hone simulate %t.swapped.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: hone_{{ws_tf32x3_f32|pack_f32_split_f32_split}}
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// WRONG: computes {{.*}} but expected
// UNFILLED: where no kernel before has copied all of it
func.func @matmul(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(tf32x3)
  return
}
