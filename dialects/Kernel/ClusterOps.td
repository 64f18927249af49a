//===- ClusterOps.td - Blocks and kernels that work together -*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What crosses the border of a block. Kernels of a stream may overlap: one that
// does not need its predecessor's results yet can already set itself up. And the
// blocks of a cluster may share a tile, each with a run of K's steps: every one
// leaves its partial sums in its own shared memory, then finishes an equal part of
// the lines with everybody's sums.
//
//   block 0                      block 1
//   --------------------------   --------------------------
//   partial.put: lines 0 .. 31   partial.put: lines 0 .. 31
//   cluster.sync                 cluster.sync
//   partial.sum: lines 0 .. 15   partial.sum: lines 16 .. 31   (of both blocks)
//   cluster.arrive               cluster.arrive
//   epilogue, store              epilogue, store
//   cluster.wait                 cluster.wait
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_CLUSTEROPS_TD
#define HONE_DIALECTS_KERNEL_CLUSTEROPS_TD

//===----------------------------------------------------------------------===//
// Partial sums
//===----------------------------------------------------------------------===//

def Kernel_PartialType : Kernel_Type<"Partial", "partial"> {
  let summary = "a tile of f32 sums in shared memory";
  let description = [{
    `rows` x `cols` sums on their way from one distribution over threads to another
    (PartialMap.h). Every block of a cluster has it at the same place.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols);
  let assemblyFormat = "`<` $rows `x` $cols `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getBytes() const;
  }];
}

def Kernel_PartialOp : Kernel_Op<"partial", [Kernel_NamesResults, Pure]> {
  let summary = "a tile of sums at a place in shared memory";
  let description = [{
    ```mlir
    %partial = kernel.partial at 0 : !kernel.partial<64 x 128>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs Kernel_PartialType:$partial);
  let assemblyFormat = "`at` $offset attr-dict `:` type($partial)";
  let hasVerifier = 1;
}

def Kernel_PartialPutOp : Kernel_Op<"partial.put"> {
  let summary = "sums in registers are written to this block's shared memory";
  let description = [{
    Writes the accumulators to [`line`, `column`] of the block's partial sums. They are
    there for the block's other threads after a barrier, for the cluster's other blocks
    after a `kernel.cluster.sync`. With `transposed` the accumulators' columns become
    lines of the partial sums.

    ```mlir
    kernel.partial.put %acc to %partial[%line, %column]
        : !kernel.acc<64 x 128 x f32, warps = 2 x 2> to !kernel.partial<64 x 128>
    ```
  }];
  let arguments = (ins Kernel_AccType:$acc, Kernel_PartialType:$partial, I32:$line, I32:$column,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    $acc `to` $partial `[` $line `,` $column `]` (`transposed` $transposed^)? attr-dict `:`
    type($acc) `to` type($partial)
  }];
  let hasVerifier = 1;
}

def Kernel_PartialSumOp : Kernel_Op<"partial.sum", [Kernel_NamesResults]> {
  let summary = "the sums of all blocks of the cluster are read and added";
  let description = [{
    Each of the cluster's `blocks` blocks has `parts` tiles of sums, one below the other.
    Reads the result's lines, from `line` of a tile on, of all of them, and adds them in
    the order of the blocks' ranks and then of the parts: the result is the same whenever
    who arrives. It is spread in runs.

    ```mlir
    %share = kernel.partial.sum %partial[%line] of 8 x 2
        : !kernel.partial<128 x 128> -> !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8>
    ```
  }];
  let arguments = (ins Kernel_PartialType:$partial, I32:$line, I32Attr:$blocks, I32Attr:$parts);
  let results = (outs Kernel_AccType:$acc);
  let assemblyFormat = [{
    $partial `[` $line `]` `of` $blocks `x` $parts attr-dict `:` type($partial) `->` type($acc)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The two halves of kernel.cluster.sync
//===----------------------------------------------------------------------===//

def Kernel_ClusterArriveOp : Kernel_Op<"cluster.arrive"> {
  let summary = "this thread is here, and what it did so far is done for the cluster";
  let assemblyFormat = "attr-dict";
}

def Kernel_ClusterWaitOp : Kernel_Op<"cluster.wait"> {
  let summary = "every thread of the cluster has arrived";
  let description = [{
    A block whose shared memory others read does not end before they have: they arrive
    when they have read, and it waits at its end.
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Kernels that overlap
//===----------------------------------------------------------------------===//

def Kernel_DependReleaseOp : Kernel_Op<"depend.release"> {
  let summary = "kernels that depend on this one may be scheduled";
  let description = [{
    Once every block is here (or gone), the blocks of the next kernel on the stream may
    take what processors are free, if its launch asks for it (`attribute programmatic`
    of the plan). It says nothing about this kernel's writes: whoever needs those waits
    with `kernel.depend.wait`. So it may stand as early as one likes.
  }];
  let assemblyFormat = "attr-dict";
}

def Kernel_DependWaitOp : Kernel_Op<"depend.wait"> {
  let summary = "the kernels this one depends on are done, and their writes visible";
  let description = [{
    A kernel whose launch is programmatic may start before its predecessor has ended.
    It stands before the first access to global memory (law depend_c1): the predecessor
    may write what this kernel reads, and may still read what this kernel writes. And
    every block executes it before it ends (depend_c2), since it waits for the direct
    predecessor alone. docs/KernelIR.md has the laws.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // HONE_DIALECTS_KERNEL_CLUSTEROPS_TD
