// Kernels for integers: tensor cores add up in i32, and results are equal to the reference.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --schedule="%{schedule}"

// REDEFINE: %{schedule} = ws, tile = 128x128x128, stages = 4
// RUN: %{simulate} | FileCheck %s
// Two bands, and two lines of 128 bytes of a slot.
// REDEFINE: %{schedule} = ws, tile = 256x64x256, stages = 2, cluster = 2x1
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, tile = 128x112x128, consumers = 1x1, teams = 2, stages = 3
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x128, consumers = 1x1, stages = 3
// RUN: %{simulate} | FileCheck %s
// Sums that meet, in shared memory and in global memory, are integers there, too.
// REDEFINE: %{schedule} = ws, persistent = no, tile = 64x64x128, consumers = 1x1, stages = 4, splits = 2
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, streams = yes, tile = 64x64x128, consumers = 1x1, stages = 4
// RUN: %{simulate} | FileCheck %s
// The kernel that packs transposes operands of another order; threads store lines that start anywhere.
// REDEFINE: %{schedule} = ws, tile = 128x64x128, stages = 4, store = threads, pack = ab
// RUN: sed 's/ins(%%a, col %%b/ins(col %%a, %%b/' %s > %t.tn.mlir
// RUN: hone simulate %t.tn.mlir --schedule="%{schedule}" | FileCheck %s
// Warps of their own read four bytes of k a register, of lines that start anywhere, too.
// REDEFINE: %{schedule} = mma_sync, tile = 64x64x64, warps = 2x2, stages = 3
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = mma_sync, tile = 32x64x32, warps = 2x2, stages = 3, slices = 2, run = 8
// RUN: %{simulate} | FileCheck %s
// The old values of C are added as integers.
// REDEFINE: %{schedule} = ws, tile = 128x128x128, stages = 4
// RUN: sed 's/init(zero)/init(read)/' %s > %t.read.mlir
// RUN: hone simulate %t.read.mlir --schedule="%{schedule}" | FileCheck %s

// A sum that starts with old values, or a sum without a wait, is found.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// RUN: sed 's/step 0 to \(%[^ ]*\) if %[^ ]* :/step 0 to \1 :/' %t.mlir > %t.kept.mlir
// RUN: not hone simulate %t.kept.mlir 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/kernel.mma.wait 0 for/kernel.mma.wait 1 for/' %t.mlir > %t.early.mlir
// RUN: not hone simulate %t.early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY

// CHECK: hone_{{ws|mma_sync}}_i8_i32
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// KEPT: uses accumulators that were never written
// EARLY: uses accumulators whose products may still be under way
func.func @matmul(%a: memref<?x?xi8, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>,
                  %c: memref<?x?xi32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xi8, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xi32, strided<[?, 1]>>) init(zero) acc(i32)
  return
}
