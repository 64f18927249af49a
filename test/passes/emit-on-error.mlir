// Emitted host code after a launch, copy, wait or allocation that failed.

// DEFINE: %{emit} = hone-opt %s --split-input-file --hone-build-kernel --canonicalize --hone-lower-kernel
// RUN: %{emit} --hone-emit > %t.abort
// RUN: FileCheck %s --check-prefix=ABORT --input-file=%t.abort
// RUN: %{emit} --hone-emit=on-error=return > %t.return
// RUN: FileCheck %s --check-prefix=RETURN --input-file=%t.return
// RUN: %{emit} --hone-emit=on-error=handler | FileCheck %s --check-prefix=HANDLER
// RUN: %{emit} --hone-emit=host=gpu | FileCheck %s --check-prefix=GPU
// RUN: %{emit} --hone-emit='host=gpu on-error=return' > %t.gpu
// RUN: FileCheck %s --check-prefix=GPU-RETURN --input-file=%t.gpu
// RUN: not hone-opt %s --hone-emit=on-error=ignore 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Stock tools read all of it.
// RUN: mlir-opt %t.abort --split-input-file -o /dev/null
// RUN: mlir-opt %t.return --split-input-file -o /dev/null
// RUN: mlir-opt %t.gpu --split-input-file -o /dev/null

// UNKNOWN: 'ignore'
// HANDLER-NOT: honeRequire
// HANDLER-NOT: honeFailureMark
// HANDLER-NOT: cf.cond_br

// ABORT-LABEL: module @launch
// ABORT: llvm.mlir.global internal constant @[[WHERE:.*]]("honeLaunch of plan 'hone_mma_sync_f16_f16_nn_{{[0-9a-f]*}}' in 'matmul'\00")
// ABORT: %[[STATUS:.*]] = llvm.call @honeLaunch(
// ABORT-NEXT: %[[TEXT:.*]] = llvm.mlir.addressof @[[WHERE]]
// ABORT-NEXT: llvm.call @honeRequire(%[[STATUS]], %[[TEXT]]) : (i32, !llvm.ptr) -> ()
// ABORT-NEXT: return

// RETURN-LABEL: module @launch
// RETURN-NOT: honeRequire
// RETURN: %[[STATUS:.*]] = llvm.call @honeLaunch(
// RETURN-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
// RETURN-NEXT: %[[GOOD:.*]] = arith.cmpi eq, %[[STATUS]], %[[ZERO]]
// RETURN-NEXT: cf.cond_br %[[GOOD]], ^[[NEXT:.*]], ^[[EXIT:.*]]
// RETURN-NEXT: ^[[NEXT]]:
// RETURN-NEXT: return
// RETURN-NEXT: ^[[EXIT]]:
// RETURN-NEXT: return

// A launch through the gpu dialect has no status.
// GPU-LABEL: module @launch
// GPU: "gpu.launch_func of kernel 'hone_mma_sync_f16_f16_nn_{{[0-9a-f]*}}' in 'matmul'\00"
// GPU: scf.if
// GPU: %[[MARK:.*]] = llvm.call @honeFailureMark() : () -> i64
// GPU-NEXT: gpu.launch_func
// GPU-NEXT: %[[STATUS:.*]] = llvm.call @honeStatusSince(%[[MARK]]) : (i64) -> i32
// GPU: llvm.call @honeRequire(%[[STATUS]],
// GPU-NEXT: }

// The branch around it is one of blocks, if it can be left.
// GPU-RETURN-LABEL: module @launch
// GPU-RETURN-NOT: scf.if
// GPU-RETURN: %[[STATUS:.*]] = llvm.call @honeStatusSince(
// GPU-RETURN: %[[GOOD:.*]] = arith.cmpi eq, %[[STATUS]]
// GPU-RETURN: cf.cond_br %[[GOOD]],

module @launch {
func.func @matmul(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>) {
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
}

// -----

// Every op of the gpu dialect is checked; one that gives out the stream cannot
// fail.

// ABORT-LABEL: module @memory
// ABORT: func.func @copies
// ABORT: gpu.wait async
// ABORT-NEXT: %[[MARK:.*]] = llvm.call @honeFailureMark()
// ABORT-NEXT: gpu.alloc async
// ABORT-NEXT: %[[STATUS:.*]] = llvm.call @honeStatusSince(%[[MARK]])
// ABORT: llvm.call @honeRequire(%[[STATUS]],
// ABORT: %[[STATUS:.*]] = llvm.call @honeCopy(
// ABORT: llvm.call @honeRequire(%[[STATUS]],
// ABORT: %[[STATUS:.*]] = llvm.call @honeSynchronize()
// ABORT: llvm.call @honeRequire(%[[STATUS]],
// ABORT: llvm.call @honeFailureMark()
// ABORT-NEXT: gpu.dealloc async
// ABORT-NEXT: llvm.call @honeStatusSince(
// ABORT: llvm.call @honeRequire(

// When a call fails, all allocations are freed, and a null memref is returned.

// RETURN-LABEL: module @memory
// RETURN: func.func @copies
// RETURN: %[[NEAR:.*]] = memref.alloca() : memref<memref<?xf32>>
// RETURN: %[[NONE:.*]] = builtin.unrealized_conversion_cast
// RETURN-NEXT: memref.store %[[NONE]], %[[NEAR]][]
// RETURN: %[[FAR:.*]] = memref.alloca() : memref<memref<?xf32>>
// RETURN: memref.store %{{.*}}, %[[FAR]][]
// RETURN: %[[MEMORY:.*]] = memref.alloc(
// RETURN-NEXT: memref.store %[[MEMORY]], %[[NEAR]][]
// RETURN: %[[MEMORY:.*]], %{{.*}} = gpu.alloc async
// RETURN: cf.cond_br
// RETURN-NEXT: ^{{.*}}:
// RETURN-NEXT: memref.store %[[MEMORY]], %[[FAR]][]
// RETURN: llvm.call @honeCopy(
// RETURN: cf.cond_br
// RETURN: llvm.call @honeSynchronize()
// RETURN: cf.cond_br
// RETURN: memref.store %{{.*}}, %[[NEAR]][]
// RETURN-NEXT: memref.dealloc
// RETURN: return %[[MEMORY]]
// RETURN-NEXT: ^
// RETURN-NEXT: llvm.call @honeSynchronize()
// RETURN: %[[HELD:.*]] = memref.load %[[FAR]][]
// RETURN: gpu.dealloc async [%{{.*}}] %[[HELD]]
// RETURN: %[[HELD:.*]] = memref.load %[[NEAR]][]
// RETURN-NEXT: memref.dealloc %[[HELD]]
// RETURN: %[[NONE:.*]] = builtin.unrealized_conversion_cast
// RETURN-NEXT: return %[[NONE]]

// Nothing is launched here, so no function of libhone_rt is called.
// GPU-LABEL: module @memory
// GPU-NOT: llvm.call
// GPU: gpu.dealloc
// GPU-NOT: llvm.call
// GPU-LABEL: module @loops

module @memory {
func.func @copies(%to: memref<?xf32>, %n: index) -> memref<?xf32> {
  %near = memref.alloc(%n) : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%near : memref<?xf32>)
  %far = gpu.alloc(%n) : memref<?xf32>
  gpu.memcpy %to, %near : memref<?xf32>, memref<?xf32>
  hone.wait
  memref.dealloc %near : memref<?xf32>
  return %far : memref<?xf32>
}
func.func @frees(%far: memref<16xf32>) {
  gpu.dealloc %far : memref<16xf32>
  return
}
}

// -----

// Loops around a launch stay where the program ends at a failure, and become
// blocks where it goes on. Others stay.

// ABORT-LABEL: module @loops
// ABORT: scf.parallel
// ABORT: %[[STATUS:.*]] = llvm.call @honeLaunch(
// ABORT: llvm.call @honeRequire(%[[STATUS]],
// ABORT-NEXT: scf.reduce
// ABORT: scf.while
// ABORT: %[[STATUS:.*]] = llvm.call @honeLaunch(
// ABORT: llvm.call @honeRequire(%[[STATUS]],
// ABORT: affine.for
// ABORT: %[[STATUS:.*]] = llvm.call @honeLaunch(
// ABORT: llvm.call @honeRequire(%[[STATUS]],
// ABORT-NEXT: }
// ABORT: scf.for

// One array of arguments for each launch, outside of all loops.
// RETURN-LABEL: module @loops
// RETURN: func.func @matmul
// RETURN-COUNT-3: llvm.alloca
// RETURN-NOT: scf.parallel
// RETURN-NOT: llvm.alloca
// RETURN: llvm.call @honeLaunch(
// RETURN: cf.cond_br %{{.*}}, ^{{.*}}, ^[[EXIT:bb[0-9]*]]
// RETURN-NOT: scf
// RETURN: llvm.call @honeLaunch(
// RETURN: cf.cond_br %{{.*}}, ^{{.*}}, ^[[EXIT]]
// RETURN-NOT: scf
// RETURN: llvm.call @honeLaunch(
// RETURN: cf.cond_br %{{.*}}, ^{{.*}}, ^[[EXIT]]
// RETURN: scf.for
// RETURN: return
// RETURN-NEXT: ^[[EXIT]]:
// RETURN-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// RETURN-NEXT: return %[[ZERO]]

module @loops {
func.func @matmul(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
      arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  }
  %last = scf.while (%i = %c0) : (index) -> index {
    hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
      arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  affine.for %i = 0 to %n {
    hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
      arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  }
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %last) -> index {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  return %sum : index
}
}

// -----

// A function that calls one which may return early looks at how it went. One
// that cannot fail stays as it is.

// ABORT-LABEL: module @calls
// ABORT: func.func @outer
// ABORT-NEXT: call @inner
// ABORT-NEXT: return

// RETURN-LABEL: module @calls
// RETURN: func.func @outer
// RETURN-NEXT: %[[MARK:.*]] = llvm.call @honeFailureMark()
// RETURN-NEXT: call @inner
// RETURN-NEXT: %[[STATUS:.*]] = llvm.call @honeStatusSince(%[[MARK]])
// RETURN: %[[GOOD:.*]] = arith.cmpi eq, %[[STATUS]]
// RETURN-NEXT: cf.cond_br %[[GOOD]]
// RETURN: func.func @apart
// RETURN-NEXT: return

module @calls {
func.func private @inner(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>) {
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, group = 4>)
  return
}
func.func @outer(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf16>) {
  call @inner(%a, %b, %c) : (memref<9x7xf16>, memref<7x5xf16>, memref<9x5xf16>) -> ()
  return
}
func.func @apart(%x: f32) -> f32 {
  return %x : f32
}
}
