// RUN: hone-opt %s --hone-build-kernel --canonicalize --split-input-file | FileCheck %s
// RUN: hone-opt %s --hone-build-kernel --hone-lower-kernel --split-input-file | FileCheck %s --check-prefix=LOWERED

// A block's tile has rows of one group. The matrices end with these rows, and rows of no
// group have no k. Where rows of A are adjacent, they begin at any element.

// CHECK-LABEL: gpu.func @hone_mma_sync_f16_f32_tn_
// CHECK-SAME: (%[[A:.*]]: !kernel.buffer<f16>, %[[B:.*]]: !kernel.buffer<f16>, %[[C:.*]]: !kernel.buffer<f32>, %[[M:[a-z0-9]*]]: i32, %[[N:[a-z0-9]*]]: i32, %[[K:[a-z0-9]*]]: i32, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %[[ENDS:.*]]: !kernel.buffer<i32>, %[[GROUPS:.*]]: i32, %[[STEP:.*]]: i64)
// CHECK: %[[COLUMNS:.*]] = arith.ceildivui %[[N]], %
// CHECK: %[[INDEX:.*]], %{{.*}} = kernel.worker
// CHECK: %[[GROUP:.*]], %[[START:.*]], %[[END:.*]], %[[DEPTH:.*]], %[[NUMBER:.*]], %[[TILES:.*]] = kernel.segment %[[INDEX]] of %[[ENDS]][%[[GROUPS]]] rows %[[M]] depth %[[K]] by 64 columns %[[COLUMNS]]
// CHECK: %[[TILE:.*]], %{{.*}}, %{{.*}} = kernel.tile %[[NUMBER]] of %[[TILES]], %[[COLUMNS]]
// CHECK: %[[ROW:.*]] = arith.muli %[[TILE]], %
// CHECK: %[[FIRST:.*]] = arith.addi %[[START]], %[[ROW]]
// CHECK: arith.ceildivui %[[DEPTH]],
// CHECK: kernel.matrix %[[A]] at %{{.*}}[%[[DEPTH]], %[[END]]] {{.*}}align = 2>
// CHECK: kernel.matrix %[[B]] at %{{.*}}[%[[DEPTH]], %[[N]]] {{.*}}align = 16>
// CHECK: kernel.matrix %[[C]] at %{{.*}}[%[[END]], %[[N]]]
// CHECK: kernel.store %{{.*}} to %{{.*}}[%[[FIRST]], %

// LOWERED: "grid (ceildiv(m, 64) + groups) * ceildiv(n, 64) ; 1 ; 1"
// A loop over the ends, eight at a time, which are clamped in order, and one over the last.
// LOWERED-LABEL: llvm.func @hone_mma_sync_f16_f32_tn_
// LOWERED-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// LOWERED-NEXT: llvm.intr.smax
// LOWERED-NEXT: llvm.intr.smin
// LOWERED-COUNT-7: llvm.intr.smax
// LOWERED: llvm.icmp "uge"
// LOWERED: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// LOWERED-NEXT: llvm.intr.smax

func.func @columns(%a: memref<64x512xf16>, %b: memref<8x64x96xf16>, %c: memref<512x96xf32>, %ends: memref<8xi32>) {
  hone.matmul ins(col %a, %b : memref<64x512xf16>, memref<8x64x96xf16>) outs(%c : memref<512x96xf32>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 64x64x32, warps = 2x2, stages = 3>)
  return
}

// -----

// On the host, a loop over the groups, and the rows of none without k.
// CHECK-LABEL: func.func @host(
// CHECK: %[[LAST:.*]] = scf.for %[[G:.*]] = %{{.*}} iter_args(%[[START:.*]] = %{{.*}}) -> (index) {
// CHECK: %[[RAW:.*]] = memref.load %arg3[%[[G]]]
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[RAW]] : i32 to index
// CHECK: %[[LATER:.*]] = arith.maxsi %[[INDEX]], %[[START]]
// CHECK: %[[END:.*]] = arith.minsi %[[LATER]], %
// CHECK: %[[ROWS:.*]] = arith.subi %[[END]], %[[START]]
// CHECK-DAG: memref.subview %arg0[%[[START]], 0] [%[[ROWS]], 64]
// CHECK-DAG: memref.subview %arg1[%[[G]], 0, 0] [1, 64, 96]
// CHECK-DAG: memref.subview %arg2[%[[START]], 0] [%[[ROWS]], 96]
// CHECK: call @[[KERNEL:[a-z0-9_]*]](
// CHECK: scf.yield %[[END]]
// CHECK: memref.subview %arg0[%[[LAST]], 0] [%{{.*}}, 0]
// CHECK: call @[[KERNEL]](
func.func @host(%a: memref<512x64xf32>, %b: memref<8x64x96xf32>, %c: memref<512x96xf32>, %ends: memref<8xi32>) {
  hone.matmul ins(%a, %b : memref<512x64xf32>, memref<8x64x96xf32>) outs(%c : memref<512x96xf32>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
    arch(#hone.arch<host>) schedule(#hone.schedule<host, tile = 8x16x16, micro = 4x8>)
  return
}

// -----

// Blocks take the tiles that have rows. A consumer whose rows are after the group gives the
// slots back. The engine stores rows that are all of the group, and threads the others.

// CHECK-LABEL: gpu.func @hone_ws_f16_f16_nn_
// CHECK: %[[TOTAL:.*]] = arith.muli %{{.*}}, %[[COLUMNS:.*]] : i32
// CHECK: kernel.role "producer"
// CHECK: kernel.depend.wait
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[BEYOND:.*]], %{{.*}} = kernel.segment %[[TOTAL]]
// CHECK: %[[USED:.*]] = arith.subi %[[TOTAL]], %[[BEYOND]]
// A tile's search begins at the segment of the one before it.
// CHECK: scf.for %[[TILE:.*]] = %{{.*}} to %[[USED]] {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[AT:.*]] = %c0_i32, %[[ROW:.*]] = %c0_i32, %[[PAST:.*]] = %c0_i32)
// CHECK: %[[G:.*]], %[[FIRST:.*]], %{{.*}}, %{{.*}}, %[[NUMBER:.*]], %{{.*}} = kernel.segment %[[TILE]] {{.*}} by 128 columns %[[COLUMNS]] after %[[AT]], %[[ROW]], %[[PAST]]
// CHECK: %[[BEFORE:.*]] = arith.subi %[[TILE]], %[[NUMBER]]
// CHECK-NEXT: scf.yield %{{.*}}, %{{.*}}, %[[G]], %[[FIRST]], %[[BEFORE]]
// CHECK: kernel.role "consumer"
// CHECK: kernel.depend.wait
// CHECK: %{{.*}}, %{{.*}}, %[[END:.*]], %{{.*}}, %{{.*}}, %{{.*}} = kernel.segment %arg{{[0-9]+}} of
// CHECK: %[[HAS:.*]] = arith.cmpi ult, %{{.*}}, %[[END]]
// CHECK: scf.if %[[HAS]]
// CHECK: kernel.mma.async
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c64_i32
// CHECK-NEXT: %[[WHOLE:.*]] = arith.cmpi ule, %[[LAST]], %[[END]]
// CHECK-NEXT: scf.if %[[WHOLE]] {
// CHECK-NEXT: kernel.store.async
// CHECK-NEXT: } else {
// CHECK-NEXT: kernel.store.lines
// CHECK-NEXT: }
// CHECK-NEXT: kernel.store.commit
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK-NEXT: kernel.await
// CHECK-NEXT: kernel.group.barrier
// CHECK-NEXT: kernel.arrive

func.func @roles(%a: memref<512x64xf16>, %b: memref<8x64x96xf16>, %c: memref<512x96xf16>, %ends: memref<8xi32>) {
  hone.matmul ins(%a, %b : memref<512x64xf16>, memref<8x64x96xf16>) outs(%c : memref<512x96xf16>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
    arch(#hone.arch<sm_90a>) schedule(#hone.schedule<ws, tile = 128x64x64, consumers = 2x1, stages = 3>)
  return
}
