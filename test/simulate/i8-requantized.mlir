// Results of i8: sums are scaled for each column, moved by a zero point, rounded, clamped and made integers again. One
// byte an element: threads store lines that start anywhere, the engine lines of multiples of 16.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --schedule="%{schedule}"

// REDEFINE: %{schedule} = ws, tile = 128x128x128, stages = 4
// RUN: %{simulate} | FileCheck %s
// A chunk of three units of 16 columns, whose lines are not permuted.
// REDEFINE: %{schedule} = ws, tile = 64x48x128, consumers = 1x1, stages = 3
// RUN: %{simulate} | FileCheck %s
// Columns of the accumulators are lines of 64 bytes.
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x128, consumers = 1x1, stages = 3
// RUN: %{simulate} | FileCheck %s
// Sums that meet in shared memory, and in global memory.
// REDEFINE: %{schedule} = ws, persistent = no, tile = 64x64x128, consumers = 1x1, stages = 4, splits = 2
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, streams = yes, tile = 64x64x128, consumers = 1x1, stages = 4
// RUN: %{simulate} | FileCheck %s
// Lines that start at any byte.
// REDEFINE: %{schedule} = ws, tile = 128x64x128, stages = 4, store = threads
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, side = b, persistent = no, tile = 24x64x128, consumers = 1x1, stages = 3, store = threads, pack = ab
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = ws, persistent = no, tile = 64x64x128, consumers = 1x1, stages = 4, splits = 2, store = threads
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = mma_sync, tile = 64x64x64, warps = 2x2, stages = 3
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = mma_sync, tile = 32x64x32, warps = 2x2, stages = 3, slices = 2, run = 8
// RUN: %{simulate} | FileCheck %s
// f16 in, i8 out.
// REDEFINE: %{schedule} = ws, tile = 128x64x64, stages = 4
// RUN: sed -e '/ins(/s/xi8/xf16/g; s/%%\([ab]\): memref<?x?xi8/%%\1: memref<?x?xf16/g; s/acc(i32)/acc(f32)/' \
// RUN:   -e 's/%%sum: i32/%%x: f32/; /arith.sitofp/d' %s > %t.f16.mlir
// RUN: hone simulate %t.f16.mlir --schedule="%{schedule}" | FileCheck %s --check-prefix=HALF

// A result that is rounded otherwise is another one.
// REDEFINE: %{schedule} = ws, tile = 128x128x128, stages = 4
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// RUN: sed 's/math.roundeven/math.floor/' %t.mlir > %t.floor.mlir
// RUN: not hone simulate %t.floor.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: hone_{{ws|mma_sync}}_i8_i8
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
// HALF: hone_ws_f16_i8
// HALF: right (clocks, values
// HALF-NOT: wrong
// WRONG: computes {{.*}}, but expected
func.func @matmul(%a: memref<?x?xi8, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>, %c: memref<?x?xi8, strided<[?, 1]>>,
                  %scales: memref<?xf32>) {
  hone.matmul ins(%a, col %b : memref<?x?xi8, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xi8, strided<[?, 1]>>) init(zero) acc(i32)
      epilogue(%scales[n] : memref<?xf32>) {
  ^bb0(%sum: i32, %scale: f32):
    %small = arith.constant 0.01 : f32
    %zero = arith.constant 3.0 : f32
    %least = arith.constant -128.0 : f32
    %most = arith.constant 127.0 : f32
    %x = arith.sitofp %sum : i32 to f32
    %y = arith.mulf %x, %scale : f32
    %s = arith.mulf %y, %small : f32
    %z = arith.addf %s, %zero : f32
    %r = math.roundeven %z : f32
    %l = arith.maximumf %r, %least : f32
    %u = arith.minimumf %l, %most : f32
    %q = arith.fptosi %u : f32 to i8
    hone.yield %q : i8
  }
  return
}
