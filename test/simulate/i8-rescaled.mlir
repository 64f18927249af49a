// Integers all the way from sums to bytes, as upstream lowers tosa.rescale: a product in i64, half of the divisor,
// a shift, a zero point and a clamp. The operand of i8 is a residual; K is long enough for sums above 2^24.

// DEFINE: %{schedule} =
// DEFINE: %{simulate} = hone simulate %s --schedule="%{schedule}"

// REDEFINE: %{schedule} = ws, tile = 64x64x128, consumers = 1x1, stages = 4
// RUN: %{simulate} | FileCheck %s
// REDEFINE: %{schedule} = mma_sync, tile = 32x32x32, warps = 2x2, stages = 3
// RUN: %{simulate} | FileCheck %s

// CHECK: hone_{{ws|mma_sync}}_i8_i8
// CHECK-NOT: wrong
// CHECK: right (clocks, values
// CHECK-NOT: wrong
func.func @matmul(%a: memref<?x?xi8, strided<[?, 1]>>, %b: memref<?x?xi8, strided<[?, 1]>>, %c: memref<?x?xi8, strided<[?, 1]>>,
                  %factors: memref<?xi32>, %old: memref<?x?xi8, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xi8, strided<[?, 1]>>, memref<?x?xi8, strided<[?, 1]>>)
              outs(%c : memref<?x?xi8, strided<[?, 1]>>) init(zero) acc(i32)
      epilogue(%factors[n], %old[m, n] : memref<?xi32>, memref<?x?xi8, strided<[?, 1]>>) {
  ^bb0(%sum: i32, %factor: i32, %byte: i8):
    %thousands = arith.constant 12345 : i32
    %half = arith.constant 2147483648 : i64
    %shift = arith.constant 32 : i64
    %none = arith.constant 0 : i32
    %most = arith.constant 127 : i32
    %least = arith.constant -128 : i32
    %wide = arith.muli %sum, %thousands : i32
    %x = arith.extsi %wide : i32 to i64
    %y = arith.extsi %factor : i32 to i64
    %p = arith.muli %x, %y : i64
    %isPositive = arith.cmpi sge, %sum, %none : i32
    %h = arith.addi %p, %half : i64
    %d = arith.select %isPositive, %h, %p : i64
    %s = arith.shrsi %d, %shift : i64
    %t = arith.trunci %s : i64 to i32
    %o = arith.extsi %byte : i8 to i32
    %z = arith.addi %t, %o : i32
    %l = arith.maxsi %z, %least : i32
    %u = arith.minsi %l, %most : i32
    %q = arith.trunci %u : i32 to i8
    hone.yield %q : i8
  }
  return
}
