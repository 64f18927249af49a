// A kernel that reads rows of A through an index is proven for any indices, and one that
// makes a mistake is not: without the index, with that of the next row, with a matrix that
// admits numbers of no row, with an index beyond its end. So is a ragged sum, and not one
// that begins its segment at the first row of all, or ends it at the last.

// RUN: hone-opt %s --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// RUN: hone simulate %t.mlir | FileCheck %s

// RUN: sed 's/ through %%[a-z0-9_]*\[%%[a-z0-9_]*\] : !kernel.buffer<i64>//' %t.mlir > %t.1.mlir
// RUN: not hone simulate %t.1.mlir 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: sed 's/^ *%%[0-9]* = arith.addi %%first, %%[0-9]* : i32/&\n %%late = arith.addi %%first, %%c1_i32 : i32/; s/matrix\[%%[0-9]*, \(.*\) through/matrix[%%late, \1 through/' %t.mlir > %t.2.mlir
// RUN: not hone simulate %t.2.mlir 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: sed 's/\(%%matrix = kernel.matrix .*\)\[%%[a-z0-9_]*, %%depthOfTile\]/%%all = arith.constant 2147483647 : i32\n \1[%%all, %%depthOfTile]/' %t.mlir > %t.3.mlir
// RUN: not hone simulate %t.3.mlir 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: sed 's/\(%%matrix = kernel.matrix .*, %%depthOfTile\]\)/%%all = arith.constant 2147483647 : i32\n \1/; s/\(through %%[a-z0-9_]*\)\[%%end\]/\1[%%all]/' %t.mlir > %t.4.mlir
// RUN: not hone simulate %t.4.mlir 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: sed 's/%%first\(, %%end = kernel.segment.bounds .*\)/%%start\1\n %%first = arith.minui %%start, %%c0_i32 : i32/' %t.mlir > %t.5.mlir
// RUN: not hone simulate %t.5.mlir 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: sed 's/\(%%first, %%\)end\( = kernel.segment.bounds .* rows \)\(%%[a-z0-9]*\)\(.*\)/\1stop\2\3\4\n %%end = arith.addi \3, %%c0_i32 : i32/' %t.mlir > %t.6.mlir
// RUN: not hone simulate %t.6.mlir 2>&1 | FileCheck %s --check-prefix=VALUE

// CHECK: right (clocks, values)
// CHECK-NOT: wrong
// CHECK-NOT: not checked
// CHECK: hone_mma_sync_f16_f32_tn
// CHECK: right (clocks, values)
// CHECK-NOT: wrong

// VALUE: 'gpu.func' computes {{.*}} [value;
// LINE: 'kernel.copy' copies a line that the index has, but the operand has not: the matrix is larger than the operand [bounds;
// INDEX: 'kernel.copy' reads numbers of lines outside of the index of A's rows [bounds;

func.func @gather(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?x?xf16, strided<[?, ?, 1]>>, %c: memref<?x?xf32, strided<[?, 1]>>, %ends: memref<?xi32>, %rows: memref<?xi64>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?x?xf16, strided<[?, ?, 1]>>)
    outs(%c : memref<?x?xf32, strided<[?, 1]>>) ragged(%ends : memref<?xi32>) gather(%rows : memref<?xi64>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 32x32x32, warps = 2x2, stages = 3>)
  return
}

func.func @sum(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>, %c: memref<?x?x?xf32, strided<[?, ?, 1]>>, %ends: memref<?xi32>) {
  hone.matmul ins(col %a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
    outs(%c : memref<?x?x?xf32, strided<[?, ?, 1]>>) ragged(%ends : memref<?xi32>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 32x32x32, warps = 2x2, stages = 3>)
  return
}
