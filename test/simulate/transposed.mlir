// The kernel that packs transposes operands that tensor cores cannot: operands of 4 bytes and of one, in every
// layout, in lines that start anywhere; of factors in two parts both are transposed.

// DEFINE: %{schedule} =
// DEFINE: %{tn} = sed 's/(%a, %b/(col %a, %b/'
// DEFINE: %{tt} = sed 's/(%a, %b/(col %a, col %b/'
// DEFINE: %{nt} = sed 's/(%a, %b/(%a, col %b/'
// DEFINE: %{simulate} = hone simulate - --schedule="%{schedule}" | FileCheck %s

// REDEFINE: %{schedule} = ws, tile = 128x64x32, stages = 4, store = threads, pack = ab
// RUN: cat %s | %{simulate}
// RUN: %{tn} %s | %{simulate}
// RUN: %{tt} %s | %{simulate}
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x32, consumers = 1x1, stages = 3, pack = ab
// RUN: %{tt} %s | %{simulate}
// REDEFINE: %{schedule} = ws, tile = 64x64x64, consumers = 1x1, stages = 3, cluster = 2x2, pack = b
// RUN: sed 's/tf32x3/tf32/' %s | %{simulate}
// REDEFINE: %{schedule} = ws, tile = 64x64x64, consumers = 1x1, stages = 3, cluster = 2x2, pack = a
// RUN: %{tt} %s | sed 's/tf32x3/tf32/' | %{simulate}

// RUN: sed 's/f32/f8E5M2/g; s/tf8E5M2x3/blocks/; s/acc(f8E5M2)/acc(f32)/; s/%c: memref<?x?xf8E5M2/%c: memref<?x?xf32/; s/(%c : memref<?x?xf8E5M2/(%c : memref<?x?xf32/' %s > %t.bytes.mlir
// REDEFINE: %{schedule} = ws, tile = 64x64x128, consumers = 1x1, stages = 3, store = threads, pack = ab
// RUN: cat %t.bytes.mlir | %{simulate}
// RUN: %{tn} %t.bytes.mlir | %{simulate}
// RUN: %{tt} %t.bytes.mlir | %{simulate}
// RUN: %{nt} %t.bytes.mlir | %{simulate}

// One that reads another line, or leaves some out, is found.
// REDEFINE: %{schedule} = ws, tile = 64x64x32, consumers = 1x1, stages = 4, pack = ab
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// RUN: sed 's/kernel.transpose.lines run %[^ ]*/kernel.transpose.lines run %c64_i32/' %t.mlir > %t.wrong.mlir
// RUN: not hone simulate %t.wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: hone_{{pack.*turned|ws|pack_f8E5M2_f8E5M2}}
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// WRONG: copies
func.func @matmul(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(tf32x3)
  return
}
