//===- WorkspaceOps.td - Blocks that share tiles through memory -*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers that are not in one cluster can also share a tile, through global
// memory: the launch's workspace. Every worker leaves the sums of its run of the
// steps of K there and counts itself; when all have, each finishes some lines of
// the tile with the sums of all, in the order of K.
//
//   worker w, with steps 0 .. 9              worker w + 1, with steps 10 .. 15
//   --------------------------------------   -------------------------------------
//   sums.put %acc to slot t + w              sums.put %acc to slot t + w + 1
//   group.barrier; count.arrive %counts[t]   group.barrier; count.arrive %counts[t]
//   count.await %counts[t] for 2             count.await %counts[t] for 2
//   group.barrier                            group.barrier
//   sums.total slots t + w to t + w + 2      sums.total slots t + w to t + w + 2
//   epilogue, store: lines 0 .. 63           epilogue, store: lines 64 .. 127
//   count.leave %counts[t] of 2              count.leave %counts[t] of 2
//
// A worker waits only after it has done all its products and counted itself.
// The workers that it waits for do the same, so that no order in which blocks
// start can deadlock, as long as all of them fit the GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_WORKSPACEOPS_TD
#define HONE_DIALECTS_KERNEL_WORKSPACEOPS_TD

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

def Kernel_SumsType : Kernel_Type<"Sums", "sums"> {
  let summary = "slots of sums, f32 or i32, in global memory";
  let description = [{
    Tiles of `rows` x `cols` sums, one after the other, without padding.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols);
  let assemblyFormat = "`<` $rows `x` $cols `>`";
  let genVerifyDecl = 1;
}

def Kernel_SumsOp : Kernel_NamedOp<"sums", "sums", [Pure]> {
  let summary = "slots of sums at a byte offset in the workspace";
  let description = [{
    ```mlir
    %sums = kernel.sums %ws at 8192 : !kernel.sums<128 x 256>
    ```
  }];
  let arguments = (ins Kernel_BufferType:$workspace, I64Attr:$offset);
  let results = (outs Kernel_SumsType:$sums);
  let assemblyFormat = "$workspace `at` $offset attr-dict `:` type($workspace) `->` type($sums)";
  let hasVerifier = 1;
}

def Kernel_SumsPutOp : Kernel_Op<"sums.put"> {
  let summary = "accumulators are written to a slot of sums";
  let description = [{
    Writes them to [`line`, `column`] of the slot. Other blocks may read them after this
    group has met at a barrier and then counted itself.

    ```mlir
    kernel.sums.put %acc to %sums[%slot] at %line, %column : ...
    ```
  }];
  let arguments = (ins Kernel_AccType:$acc, Kernel_SumsType:$sums, I32:$slot, I32:$line,
                       I32:$column);
  let assemblyFormat = [{
    $acc `to` $sums `[` $slot `]` `at` $line `,` $column attr-dict `:` type($acc) `to` type($sums)
  }];
  let hasVerifier = 1;
}

def Kernel_SumsTotalOp : Kernel_NamedOp<"sums.total", "total"> {
  let summary = "lines of several slots are read and added";
  let description = [{
    Reads the result's lines, from `line` on, of the slots from `first` to before
    `end`, at least one, and adds them in that order: the result does not depend on
    the order of arrival. It is distributed in runs.

    ```mlir
    %total = kernel.sums.total %sums[%first to %end] at %line
        : !kernel.sums<128 x 256> -> !kernel.acc<8 x 256 x f32, warps = 4 x 1, run = 8>
    ```
  }];
  let arguments = (ins Kernel_SumsType:$sums, I32:$first, I32:$end, I32:$line);
  let results = (outs Kernel_AccType:$acc);
  let assemblyFormat = [{
    $sums `[` $first `to` $end `]` `at` $line attr-dict `:` type($sums) `->` type($acc)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

def Kernel_CountersType : Kernel_Type<"Counters", "counters"> {
  let summary = "counters in global memory, zero when a kernel starts and when it ends";
  let assemblyFormat = "";
}

def Kernel_CountersOp : Kernel_NamedOp<"counters", "counters", [Pure]> {
  let summary = "counters at the start of the workspace";
  let arguments = (ins Kernel_BufferType:$workspace);
  let results = (outs Kernel_CountersType:$counters);
  let assemblyFormat = "$workspace attr-dict `:` type($workspace) `->` type($counters)";
}

def Kernel_CountArriveOp : Kernel_Op<"count.arrive"> {
  let summary = "this group has written its sums";
  let description = [{
    The group's first thread counts. A thread that awaits the count sees all earlier
    writes of that thread, and those of other threads before a barrier at which the two
    met.
  }];
  let arguments = (ins Kernel_CountersType:$counters, I32:$index);
  let assemblyFormat = "$counters `[` $index `]` attr-dict `:` type($counters)";
}

def Kernel_CountAwaitOp : Kernel_Op<"count.await"> {
  let summary = "the group's first thread waits until `count` groups have counted";
  let description = "The others learn about it through a barrier.";
  let arguments = (ins Kernel_CountersType:$counters, I32:$index, I32:$count);
  let assemblyFormat = "$counters `[` $index `]` `for` $count attr-dict `:` type($counters)";
}

def Kernel_CountLeaveOp : Kernel_Op<"count.leave"> {
  let summary = "this group no longer needs the counter";
  let description = [{
    The last of `count` groups to leave, after all have arrived, clears the counter for
    the next kernel.
  }];
  let arguments = (ins Kernel_CountersType:$counters, I32:$index, I32:$count);
  let assemblyFormat = "$counters `[` $index `]` `of` $count attr-dict `:` type($counters)";
}

#endif // HONE_DIALECTS_KERNEL_WORKSPACEOPS_TD
