// Weights of 8 bits become f16 or bf16 on their way to the tensor cores: the kernel that packs B reads bytes.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --schedule="%{schedule}"

// REDEFINE: %{schedule} = ws, tile = 128x128x64, stages = 4, pack = b
// RUN: %{simulate} | FileCheck %s
// A is copied, too, and lines start anywhere.
// REDEFINE: %{schedule} = ws, tile = 128x64x64, stages = 4, store = threads, pack = ab
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x128, consumers = 1x1, stages = 3, pack = b
// RUN: %{simulate} | FileCheck %s
// In columns, which tensor cores transpose.
// RUN: sed 's/col %b/%b/' %s > %t.rows.mlir
// REDEFINE: %{schedule} = ws, tile = 128x128x64, stages = 4, pack = b
// RUN: hone simulate %t.rows.mlir --schedule="%{schedule}" | FileCheck %s
// RUN: sed 's/xi8/xf8E4M3FN/g; s/xf16/xbf16/g' %s > %t.floats.mlir
// RUN: hone simulate %t.floats.mlir --schedule="%{schedule}" | FileCheck %s
// RUN: sed 's/xi8/xf8E5M2/g' %s > %t.others.mlir
// RUN: hone simulate %t.others.mlir --schedule="%{schedule}" | FileCheck %s

// Or they stay bytes until lanes read them from the slots, whichever way they lie.
// REDEFINE: %{schedule} = mma_sync, tile = 64x64x64, warps = 2x2, stages = 3
// RUN: %{simulate} | FileCheck %s
// RUN: hone simulate %t.floats.mlir --schedule="%{schedule}" | FileCheck %s
// REDEFINE: %{schedule} = mma_sync, tile = 16x64x128, warps = 1x4, stages = 4, slices = 2
// RUN: hone simulate %t.rows.mlir --schedule="%{schedule}" | FileCheck %s
// RUN: hone simulate %t.others.mlir --schedule="%{schedule}" | FileCheck %s

// CHECK: hone_{{ws|mma_sync}}_{{b?}}f16_{{i8|f8E4M3FN|f8E5M2}}_f32_
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
