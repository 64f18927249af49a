//===- KernelInterfaces.td - Effects of kernel ops -----------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelInterfaces.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_KERNELINTERFACES_TD
#define HONE_DIALECTS_KERNEL_KERNELINTERFACES_TD

include "mlir/IR/OpBase.td"

def Kernel_EffectsOpInterface : OpInterface<"KernelEffectsOpInterface"> {
  let cppNamespace = "::hone::kernel";
  let description = [{
    States what an op reads, writes, arrives at, waits for and commits, and which threads
    execute it. A kernel op without this interface is not modelled.
  }];
  let methods = [
    InterfaceMethod<"The op's effects, in the order in which they start.",
                    "::hone::kernel::Effects", "getKernelEffects">
  ];
}

#endif // HONE_DIALECTS_KERNEL_KERNELINTERFACES_TD
