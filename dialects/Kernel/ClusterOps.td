//===- ClusterOps.td - Blocks and kernels that work together -*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that cross the border of a block. Kernels of a stream may overlap: one
// that does not need its predecessor's results yet can already start up. And
// the blocks of a cluster may share a tile, each with a run of the steps of K:
// every block leaves its partial sums in its own shared memory, then finishes
// an equal share of the lines with the sums of all blocks.
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
  let summary = "a tile of sums, f32 or i32, in shared memory";
  let description = [{
    `rows` x `cols` sums on their way from one distribution over threads to another
    (PartialMap.h). It has the same address in every block of a cluster.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols);
  let assemblyFormat = "`<` $rows `x` $cols `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getBytes() const;
  }];
}

def Kernel_PartialOp : Kernel_NamedOp<"partial", "partial", [Pure]> {
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
    visible to the block's other threads after a barrier, and to the cluster's other
    blocks after a `kernel.cluster.sync`. With `transposed` the accumulators' columns
    become lines of the partial sums.

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

def Kernel_PartialSumOp : Kernel_NamedOp<"partial.sum", "share"> {
  let summary = "sums of several blocks of the cluster are read and added";
  let description = [{
    Each of `blocks` blocks has `parts` tiles of sums, one below the other. Reads the
    result's lines of all of them, from `line` of a tile on, and adds them in the order of
    the blocks' ranks and then of the parts: the result does not depend on the order of
    arrival. It is distributed in runs.

    The blocks are the cluster's first, or with `from` F `by` S those of ranks F, F + S, ...

    ```mlir
    %share = kernel.partial.sum %partial[%line] of 8 x 2
        : !kernel.partial<128 x 128> -> !kernel.acc<8 x 128 x f32, warps = 4 x 1, run = 8>
    ```
  }];
  let arguments = (ins Kernel_PartialType:$partial, I32:$line, I32Attr:$blocks, I32Attr:$parts,
                       Optional<I32>:$first, DefaultValuedAttr<I32Attr, "1">:$stride);
  let results = (outs Kernel_AccType:$acc);
  let assemblyFormat = [{
    $partial `[` $line `]` `of` $blocks `x` $parts (`from` $first^ `by` $stride)? attr-dict `:`
    type($partial) `->` type($acc)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The two halves of kernel.cluster.sync
//===----------------------------------------------------------------------===//

def Kernel_ClusterArriveOp : Kernel_Op<"cluster.arrive"> {
  let summary = "this thread has arrived; its earlier accesses are done for the cluster";
  let assemblyFormat = "attr-dict";
}

def Kernel_ClusterWaitOp : Kernel_Op<"cluster.wait"> {
  let summary = "every thread of the cluster has arrived";
  let description = [{
    A block must not end before others have read its shared memory: they arrive after
    reading, and the block waits at its end.
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Kernels that overlap
//===----------------------------------------------------------------------===//

def Kernel_DependReleaseOp : Kernel_Op<"depend.release"> {
  let summary = "kernels that depend on this one may be scheduled";
  let description = [{
    Once every block has executed this (or has ended), the blocks of the next kernel on
    the stream may use free processors, if its launch asks for it (`attribute
    programmatic` of the plan). It does not make this kernel's writes visible: a kernel
    that needs those executes `kernel.depend.wait`.
  }];
  let assemblyFormat = "attr-dict";
}

def Kernel_DependWaitOp : Kernel_Op<"depend.wait"> {
  let summary = "the preceding kernel is done, and its writes are visible";
  let description = [{
    A kernel whose launch is programmatic may start before its predecessor has ended. The
    wait must come before the first access to global memory (law depend_c1): the predecessor
    may write memory that this kernel reads, and may still read memory that this kernel
    writes. And every block must execute it before it ends (depend_c2), because it waits for
    the direct predecessor alone. docs/KernelIR.md has the laws.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // HONE_DIALECTS_KERNEL_CLUSTEROPS_TD
