//===- MemoryPasses.td - Passes on buffers, in order ---------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MEMORY_MEMORYPASSES_TD
#define HONE_PASSES_MEMORY_MEMORYPASSES_TD

include "passes/PassClasses.td"

def CarryBuffers : ModulePass<"hone-carry-buffers"> {
  let summary = "let two buffers take turns as the state of a loop";
  let description = [{
    A buffer of known size that an `scf.for` allocates in each iteration and hands on to
    the next one becomes one of two that are allocated in front of the loop. No
    iteration allocates, frees or copies its state. Where an earlier state is still in
    use, the loop is left alone.

    Run it before deallocation, and again before `bufferization.dealloc` is lowered: a
    condition of ownership that a loop carries and that is always false is removed. If
    the arch is the host, the pass does nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let options = [
    ArchOption<"to run on">];
}

def PlaceBuffers : ModulePass<"hone-place-buffers"> {
  let summary = "decide which memory each buffer is in, and insert the copies";
  let description = [{
    After bufferization, places every buffer of a function where its users are: on
    the host, on the device, or where both can access it.

    - An allocation that a `hone.matmul` uses becomes a `gpu.alloc`, its
      deallocation a `gpu.dealloc`; if host code touches it too, it is
      `host_shared`, with a remark. One that only host code touches stays.
    - Arguments, and results of calls, are where the boundary says. A buffer that the
      other side only reads is copied for it, once; one that the other side changes is
      replaced by shared memory and copied back. An argument of the host with gaps is
      gathered into memory without gaps, and scattered from there.
    - Kernels read a constant of the module in a copy that is loaded once
      (`hone.constant`).
    - A contiguous `memref.copy` to or from the device becomes a `gpu.memcpy`.

    The boundary is recorded on each function as `hone.memory`: arguments and
    results are on the device by default; with `arguments=host` they are on the host
    in public functions, which then copy in and out. An argument that a function
    changes must not overlap another. The caller owns results and frees them.

    The pass inserts no waits: `hone-insert-waits` comes next. If the arch is the host,
    the pass does nothing.
  }];
  let dependentDialects = ["::hone::HoneDialect", "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    ArchOption<"to place buffers for">,
    Option<"arguments", "arguments", "::hone::MemorySide",
           /*default=*/"::hone::MemorySide::device",
           "the memory of arguments and results of public functions",
           "::hone::memorySideValues()">];
}

def InsertWaits : ModulePass<"hone-insert-waits"> {
  let summary = "insert waits before host code that uses memory of pending device work";
  let description = [{
    Kernels and copies of the device are started where they stand, and finish some
    time later. Host code that reads memory that one may still write, or writes or frees
    memory that one may still use, gets a `hone.wait` in front, with a remark. Host code
    of several ops, such as a loop, waits once in front of all of it. Freeing
    memory that both sides use waits by itself.

    Functions whose boundary is the host (`hone.memory`) wait before they return.
    Others do not: a caller that reads a result on the host waits. If the arch is the
    host, the pass does nothing.
  }];
  let dependentDialects = ["::hone::HoneDialect"];
  let options = [
    ArchOption<"that matmuls run on">];
}

def PoolBuffers : ModulePass<"hone-pool-buffers"> {
  let summary = "make the buffers of a function parts of one allocation";
  let description = [{
    Allocations that only the device uses (`gpu.alloc`, not shared with the host), that
    are freed in the block that they are made in, and whose sizes the function's
    arguments determine become `memref.view`s of one pool. Two that are never in use at
    the same time may have the same place.

    With `workspace=allocated`, the pool is allocated when the function begins, and freed
    when it returns; a single buffer is left as it is. With `workspace=argument` the pool
    of a public function is an argument after all others, marked `hone.workspace`, of
    the type `memref<BYTESxi8>`, or `memref<?xi8>` where the size depends on arguments;
    `@NAME_workspace` takes the function's other arguments and gives the size as an `i64`.
    The pool of a private function of static size is part of its callers'.

    Run it after `hone-insert-waits`, which would take a pool for one buffer. If the
    arch is the host, the pass does nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"];
  let options = [
    ArchOption<"to run on">,
    Option<"workspace", "workspace", "::hone::Workspace",
           /*default=*/"::hone::Workspace::allocated",
           "where a function has its buffers", "::hone::workspaceValues()">];
}

#endif // HONE_PASSES_MEMORY_MEMORYPASSES_TD
