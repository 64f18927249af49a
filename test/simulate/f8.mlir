// Kernels for 8 bits: threads add the tensor cores' sums of 128 products, for one band of 64 rows at a time.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --schedule="%{schedule}"

// REDEFINE: %{schedule} = ws, tile = 128x128x128, stages = 4
// RUN: %{simulate} | FileCheck %s
// Two bands, and two blocks of a slot.
// REDEFINE: %{schedule} = ws, tile = 256x64x256, stages = 2, cluster = 2x1
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, tile = 128x64x128, consumers = 1x1, teams = 2, stages = 3
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x128, consumers = 1x1, stages = 3
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, persistent = no, tile = 64x64x128, consumers = 1x1, stages = 4, splits = 2
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, streams = yes, tile = 64x64x128, consumers = 1x1, stages = 4
// RUN: %{simulate} | FileCheck %s
// RUN: sed 's/f8E4M3FN/f8E5M2/g; s/xf32/xbf16/g' %s > %t.other.mlir
// RUN: hone simulate %t.other.mlir --schedule="%{schedule}" | FileCheck %s

// Both kinds of floats: A and B change places where B is on the side of the rows, and are packed.
// RUN: sed 's/\(%b: memref<?x?x\|col %b : [^>]*>>, memref<?x?x\)f8E4M3FN/\1f8E5M2/' %s > %t.mixed.mlir
// RUN: hone simulate %t.mixed.mlir --schedule="%{schedule}" | FileCheck %s
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x128, consumers = 1x1, stages = 3
// RUN: hone simulate %t.mixed.mlir --schedule="%{schedule}" | FileCheck %s
// REDEFINE: %{schedule} = ws, tile = 128x64x128, stages = 3, store = threads, pack = ab
// RUN: hone simulate %t.mixed.mlir --schedule="%{schedule}" | FileCheck %s

// From registers, where there is no wgmma: lines along k and others, each step apart.
// REDEFINE: %{schedule} = mma_sync, tile = 64x64x64, warps = 2x2, stages = 3
// RUN: hone simulate %t.mixed.mlir --arch=l40s --schedule="%{schedule}" | FileCheck %s
// RUN: sed 's/col %b/%b/; s/(%a, %b/(col %a, %b/' %s > %t.across.mlir
// RUN: hone simulate %t.across.mlir --arch=l40s --schedule="%{schedule}" | FileCheck %s

// Sums that are short from end to end: threads add none, and products of two slots are in flight.
// RUN: sed 's/products(blocks)/products(short)/' %s > %t.short.mlir
// REDEFINE: %{schedule} = ws, tile = 128x256x128, stages = 4
// RUN: hone simulate %t.short.mlir --schedule="%{schedule}" | FileCheck %s
// REDEFINE: %{schedule} = ws, tile = 128x64x256, consumers = 1x1, teams = 2, stages = 3, rewrites = [flight(0), products(by_step)]
// RUN: hone simulate %t.short.mlir --schedule="%{schedule}" | FileCheck %s

// A sum that loses a block, or a sum without a wait, is found.
// REDEFINE: %{schedule} = ws, tile = 128x128x128, stages = 4
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// RUN: sed 's/kernel.acc.add %\([^,]*\), %[^ ]* :/kernel.acc.add %\1, %\1 :/' %t.mlir > %t.lost.mlir
// RUN: not hone simulate %t.lost.mlir 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: sed 's/kernel.mma.wait 0 for/kernel.mma.wait 1 for/' %t.mlir > %t.early.mlir
// RUN: not hone simulate %t.early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY

// CHECK: hone_{{ws|mma_sync}}_f8E{{[45].*}}_{{f32|bf16}}_{{nt|tn}}_
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// LOST: computes {{.*}} but expected
// EARLY: uses accumulators whose products may still be under way
func.func @matmul(%a: memref<?x?xf8E4M3FN, strided<[?, 1]>>, %b: memref<?x?xf8E4M3FN, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf8E4M3FN, strided<[?, 1]>>, memref<?x?xf8E4M3FN, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(blocks)
  return
}
