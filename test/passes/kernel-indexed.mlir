// RUN: hone-opt %s --hone-build-kernel --canonicalize --split-input-file | FileCheck %s
// RUN: hone-opt %s --hone-build-kernel --hone-lower-kernel --split-input-file | FileCheck %s --check-prefix=LOWERED

// Rows of A are copied through the index, up to the end of the group, from an A of rows of
// its own number.

// CHECK-LABEL: gpu.func @hone_mma_sync_
// CHECK-SAME: %[[ENDS:[a-z0-9]*]]: !kernel.buffer<i32>, %[[GROUPS:[a-z0-9]*]]: i32, %{{.*}}: i64, %[[INDEX:[a-z0-9]*]]: !kernel.buffer<i64>, %[[ROWS:[a-z0-9]*]]: i32)
// CHECK: %{{.*}}, %[[START:.*]], %[[END:.*]], %[[DEPTH:.*]], %{{.*}}, %{{.*}} = kernel.segment
// CHECK: %[[FIRST:.*]] = arith.addi %[[START]], %
// CHECK: %[[A:.*]] = kernel.matrix %{{.*}} at %{{.*}}[%[[ROWS]], %[[DEPTH]]]
// CHECK: kernel.copy %[[A]][%[[FIRST]], %{{.*}}] through %[[INDEX]][%[[END]]] : !kernel.buffer<i64> to
// CHECK: kernel.copy %{{.*}}[%{{.*}}, %{{.*}}] to

// The number of a line is loaded if the index has one, and compared without signs.
// LOWERED-LABEL: llvm.func @hone_mma_sync_
// LOWERED: %[[LINE:.*]] = llvm.inline_asm {{.*}}setp.ne.u32 p, $2, 0; mov.b64 $0, -1; @p ld.global.b64 $0, [$1]
// LOWERED: %[[IS:.*]] = llvm.icmp "ult" %[[LINE]], %
// LOWERED: llvm.select %[[IS]], %[[LINE]], %
// LOWERED: nvvm.cp.async.shared.global
// Its sibling for operands at any place:
// LOWERED-LABEL: llvm.func @hone_mma_sync_

func.func @gather(%a: memref<30x64xf16>, %b: memref<8x64x96xf16>, %c: memref<512x96xf32>, %ends: memref<8xi32>, %rows: memref<512xi64>) {
  hone.matmul ins(%a, %b : memref<30x64xf16>, memref<8x64x96xf16>) outs(%c : memref<512x96xf32>) ragged(%ends : memref<8xi32>) gather(%rows : memref<512xi64>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 64x64x32, warps = 2x2, stages = 3>)
  return
}

// -----

// A batch of a ragged sum has the steps of its segment. Where K runs along lines, it begins
// at any element of them.

// CHECK-LABEL: gpu.func @hone_mma_sync_
// CHECK: %{{.*}}, %{{.*}}, %[[BATCH:.*]] = kernel.tile of
// CHECK: %[[FIRST:.*]], %[[END:.*]] = kernel.segment.bounds %[[BATCH]] of %{{.*}}[%{{.*}}] rows %
// CHECK: %[[LENGTH:.*]] = arith.subi %[[END]], %[[FIRST]]
// CHECK: %[[STEPS:.*]] = arith.ceildivui %[[LENGTH]],
// CHECK: kernel.matrix %{{.*}} at %{{.*}}[%{{.*}}, %[[END]]] {{.*}}align = 2>
// CHECK: kernel.matrix %{{.*}} at %{{.*}}[%[[END]], %{{.*}}] {{.*}}align = 16>
// LOWERED-LABEL: llvm.func @hone_mma_sync_
// LOWERED: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// LOWERED-NEXT: llvm.intr.smax
// LOWERED-NEXT: llvm.intr.smin
func.func @sum(%x: memref<64x512xf16>, %dy: memref<512x96xf16>, %c: memref<8x64x96xf32>, %ends: memref<8xi32>) {
  hone.matmul ins(%x, %dy : memref<64x512xf16>, memref<512x96xf16>) outs(%c : memref<8x64x96xf32>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 64x64x32, warps = 2x2, stages = 3>)
  return
}

// -----

// On the host, a copy of the rows; and segments of K in a loop.
// CHECK-LABEL: func.func @host(
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<512x64xf32>
// CHECK: %[[RAW:.*]] = memref.load %arg3[%[[I:.*]]]
// CHECK: %[[LINE:.*]] = arith.index_cast %[[RAW]] : i32 to index
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[LINE]], %
// CHECK: scf.if %[[IS]] {
// CHECK: memref.load %arg0[%[[LINE]], %
// CHECK: memref.dealloc %[[ROWS]]
func.func @host(%a: memref<30x64xf32>, %b: memref<64x96xf32>, %c: memref<512x96xf32>, %rows: memref<512xi32>) {
  hone.matmul ins(%a, %b : memref<30x64xf32>, memref<64x96xf32>) outs(%c : memref<512x96xf32>) gather(%rows : memref<512xi32>) init(zero) acc(f32)
    arch(#hone.arch<host>) schedule(#hone.schedule<host, tile = 8x16x16, micro = 4x8>)
  return
}

// -----

// CHECK-LABEL: func.func @host_sum(
// CHECK: %{{.*}} = scf.for %[[G:.*]] = %{{.*}} iter_args(%[[START:.*]] = %{{.*}}) -> (index) {
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: %[[COUNT:.*]] = arith.subi %[[END]], %[[START]]
// CHECK-DAG: memref.subview %arg0[%[[START]], 0] [%[[COUNT]], 64]
// CHECK-DAG: memref.subview %arg1[%[[START]], 0] [%[[COUNT]], 96]
// CHECK-DAG: memref.subview %arg2[%[[G]], 0, 0] [1, 64, 96]
func.func @host_sum(%x: memref<512x64xf32>, %dy: memref<512x96xf32>, %c: memref<8x64x96xf32>, %ends: memref<8xi32>) {
  hone.matmul ins(col %x, %dy : memref<512x64xf32>, memref<512x96xf32>) outs(%c : memref<8x64x96xf32>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
    arch(#hone.arch<host>) schedule(#hone.schedule<host, tile = 8x16x16, micro = 4x8>)
  return
}
