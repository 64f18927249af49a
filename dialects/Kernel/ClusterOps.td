//===- ClusterOps.td - Blocks and kernels that work together -*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What crosses the border of a block. Kernels of a stream may overlap: one that
// does not need its predecessor's results yet can already set itself up.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_CLUSTEROPS_TD
#define HONE_DIALECTS_KERNEL_CLUSTEROPS_TD

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
    It stands before the first access to global memory: the predecessor may write what
    this kernel reads, and may still read what this kernel writes.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // HONE_DIALECTS_KERNEL_CLUSTEROPS_TD
