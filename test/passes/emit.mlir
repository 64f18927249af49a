// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit --split-input-file | FileCheck %s --check-prefixes=CHECK,RUNTIME
// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit=host=gpu --split-input-file | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-build-kernel,canonicalize,hone-lower-kernel,hone-emit{host=runtime})' --split-input-file | FileCheck %s --check-prefixes=CHECK,RUNTIME

// The output can be read without the plugin.
// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit --split-input-file | mlir-opt --split-input-file | FileCheck %s --check-prefixes=CHECK,RUNTIME
// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit=host=gpu --split-input-file | mlir-opt --split-input-file | FileCheck %s --check-prefixes=CHECK,GPU

// The kernels themselves.
// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit --split-input-file | %check_ptx --print | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: module @odd

// The launch is a call with the plan as text. No attribute of Hone's is left.
// RUNTIME: llvm.func @honeLaunch(!llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> i32
// RUNTIME: llvm.mlir.global internal @[[SLOT:hone_mma_sync_f16_f16_nn_[0-9a-f]*_slot]]() {{.*}} : !llvm.ptr {
// RUNTIME-NEXT:   %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// RUNTIME-NEXT:   llvm.return %[[NULL]] : !llvm.ptr
// RUNTIME: llvm.mlir.global internal constant @[[PLAN:hone_mma_sync_f16_f16_nn_[0-9a-f]*_plan]]("hone-plan 2\0Aargs a b c m n k group lda ldb ldc\0Aalternative 1\0Alaunch hone_mma_sync_f16_f16_nn_{{[0-9a-f]*}}\0Agrid ceildiv(m, 16) * ceildiv(n, 16) ; 1 ; 1\0Ablock 32 ; 1 ; 1\0Ashared 2048\0Aparam ptr a\0A{{.*}}param i64 ldc\0A\00")

// GPU-NOT: llvm.mlir.global internal @
// GPU-NOT: _plan
// GPU-NOT: honeLaunch

// The kernels are PTX, and the plans are attributes of the same op.
// CHECK: gpu.binary @hone_sm_80
// CHECK-SAME: {hone.plans = {[[NAME:hone_mma_sync_f16_f16_nn_[0-9a-f]*]] = ["hone-plan 2", "args a b c m n k group lda ldb ldc", "alternative 1", "launch [[NAME]]",
// CHECK-SAME: [#gpu.object<#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">
// CHECK-SAME: assembly = "
// CHECK-NOT: gpu.module

// CHECK: func.func @matmul(%[[A:.*]]: memref<9x7xf16>, %[[B:.*]]: memref<7x5xf16>, %[[C:.*]]: memref<9x5xf16>)
// RUNTIME: %[[COUNT:.*]] = llvm.mlir.constant(10 : i64)
// RUNTIME-NEXT: %[[ARGS:.*]] = llvm.alloca %[[COUNT]] x i64
// RUNTIME: %[[PA:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// RUNTIME: %[[IA:.*]] = arith.index_cast %[[PA]] : index to i64
// RUNTIME: %[[AT0:.*]] = llvm.getelementptr %[[ARGS]][0] : (!llvm.ptr) -> !llvm.ptr, i64
// RUNTIME-NEXT: llvm.store %[[IA]], %[[AT0]] : i64, !llvm.ptr
// RUNTIME: %[[AT9:.*]] = llvm.getelementptr %[[ARGS]][9]
// RUNTIME-NEXT: llvm.store %{{.*}}, %[[AT9]]
// RUNTIME-DAG: %[[N:.*]] = llvm.mlir.constant(10 : i32) : i32
// RUNTIME-DAG: %[[S:.*]] = llvm.mlir.addressof @[[SLOT]]
// RUNTIME-DAG: %[[P:.*]] = llvm.mlir.addressof @[[PLAN]]
// RUNTIME: llvm.call @honeLaunch(%[[S]], %[[P]], %[[ARGS]], %[[N]])
// RUNTIME-SAME: problem = "m = 9, n = 5, k = 7, a = f16:row:2, b = f16:row:2, acc = f32, c = f16:2, init = zero"
// RUNTIME-SAME: schedule = "mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, slices = 1, splits = 1, run = 2, group = 4"

// The same plan, written out: the grid's expression, and the parameters in order.
// GPU: %[[PA:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// GPU: %[[IA:.*]] = arith.index_cast %[[PA]] : index to i64
// GPU: arith.ceildivsi
// GPU: arith.ceildivsi
// GPU: %[[TILES:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// GPU: %[[GRID:.*]] = arith.index_cast %[[TILES]] : i64 to index
// GPU: %[[PTR:.*]] = llvm.inttoptr %[[IA]] : i64 to !llvm.ptr
// GPU: scf.if
// GPU: gpu.launch_func @hone_sm_80::@[[NAME]] blocks in (%[[GRID]], %{{.*}}, %{{.*}}) threads in (%{{.*}}, %{{.*}}, %{{.*}}) dynamic_shared_memory_size %{{.*}} args(%[[PTR]] : !llvm.ptr, %{{.*}} : !llvm.ptr, %{{.*}} : !llvm.ptr, %{{.*}} : i32, %{{.*}} : i32, %{{.*}} : i32, %{{.*}} : i32, %{{.*}} : i64, %{{.*}} : i64, %{{.*}} : i64)
// CHECK-NOT: kernel.launch
// CHECK: return

// Nothing is aligned here, so chunks of 16 bytes go through registers.
// PTX: .version 8.0
// PTX: .target sm_80
// PTX: .extern .shared .align 1024 .b8 hone_shared[];
// PTX: .visible .entry hone_mma_sync_f16_f16_nn_
// PTX: .reqntid 32
// PTX: .minnctapersm 1
// PTX-DAG: ld.global.L2::256B.v4.b32
// PTX-DAG: st.shared.v4.b32
// PTX-DAG: cp.async.commit_group
// PTX-DAG: cp.async.wait_group
// PTX-DAG: bar.sync
// PTX-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// PTX-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-DAG: st.global.b16
// PTX-NOT: cp.async.cg
// PTX-NOT: .extern .func

module @odd {
func.func @matmul(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>) {
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
}

// -----

// Guards: the runtime tests them; in the gpu dialect they are an if.

// CHECK-LABEL: module @aligned
// CHECK: gpu.binary @hone_sm_90a
// CHECK: func.func @matmul
// RUNTIME: llvm.call @honeLaunch
// GPU: %[[REST:.*]] = arith.remsi
// GPU: arith.cmpi eq, %[[REST]],
// GPU: scf.if %{{.*}} {
// GPU:   gpu.launch_func @hone_sm_90a::@[[FAST:[a-z0-9_]*]] blocks
// GPU: } else {
// GPU-NOT: @[[FAST]]
// GPU:   gpu.launch_func @hone_sm_90a::@

// PTX: .target sm_90a
// PTX: .visible .entry hone_mma_sync_bf16_f32_nn_
// PTX-DAG: cp.async.cg.shared.global
// PTX-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX-DAG: st.global.v2.b32

module @aligned {
func.func @matmul(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %c: memref<64x64xf32>) {
  hone.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%c : memref<64x64xf32>) init(zero) acc(f32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
}

// -----

// One plan and one slot, however many launches use them, and one array outside of
// the loop for each, so that the stack does not grow.

// CHECK-LABEL: module @loop
// RUNTIME-COUNT-1: llvm.mlir.global internal constant @hone_mma_sync_
// RUNTIME-NOT: llvm.mlir.global internal constant @hone_mma_sync_
// CHECK: func.func @matmul
// RUNTIME-COUNT-2: llvm.alloca
// RUNTIME: scf.for
// RUNTIME-NOT: llvm.alloca
// RUNTIME: llvm.call @honeLaunch
// RUNTIME: llvm.call @honeLaunch
// GPU: scf.for
// GPU-COUNT-2: gpu.launch_func

module @loop {
func.func @matmul(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
      arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
    hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
      arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 8>)
  }
  return
}
}

// -----

// Iterations of a parallel loop have an array each.

// CHECK-LABEL: module @parallel
// RUNTIME: func.func @matmul
// RUNTIME-NOT: llvm.alloca
// RUNTIME: scf.parallel
// RUNTIME: llvm.alloca

module @parallel {
func.func @matmul(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
      arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  }
  return
}
}
