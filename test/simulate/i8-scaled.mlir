// An epilogue on sums of integers: a bias is added to them as an integer, then a scale for each row and one for each
// column make floats of them.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --schedule="%{schedule}"

// REDEFINE: %{schedule} = ws, tile = 128x128x128, stages = 4
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 32x64x128, consumers = 1x1, stages = 3
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, persistent = no, tile = 64x64x128, consumers = 1x1, stages = 4, splits = 2
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, streams = yes, tile = 64x64x128, consumers = 1x1, stages = 4
// RUN: %{simulate} | FileCheck %s
// RUN: sed 's/xf16/xbf16/g; s/to f16/to bf16/; s/yield %%t : f16/yield %%t : bf16/' %s > %t.bf16.mlir
// RUN: hone simulate %t.bf16.mlir --schedule="%{schedule}" | FileCheck %s

// CHECK: hone_ws_i8_{{b?}}f16
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
func.func @matmul(%a: memref<?x?xi8, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>, %c: memref<?x?xf16, strided<[?, 1]>>,
                  %bias: memref<?xi32>, %rows: memref<?xf32>, %cols: memref<?xf32>) {
  hone.matmul ins(%a, col %b : memref<?x?xi8, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(i32)
      epilogue(%bias[n], %rows[m], %cols[n] : memref<?xi32>, memref<?xf32>, memref<?xf32>) {
  ^bb0(%sum: i32, %v: i32, %r: f32, %s: f32):
    %x = arith.addi %sum, %v : i32
    %y = arith.sitofp %x : i32 to f32
    %z = arith.mulf %y, %r : f32
    %w = arith.mulf %z, %s : f32
    %t = arith.truncf %w : f32 to f16
    hone.yield %t : f16
  }
  return
}
