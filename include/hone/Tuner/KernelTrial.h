//===- KernelTrial.h - Changed kernels, read and proven ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of a change from a language model, which is treated like a file from
// an unknown source:
//
//   change -> text -> read, placed -> proven, on all cores -> waits
//                  \ why           \ why
//
// A reason has the messages of the patch, the parser, the verifier or the
// proof, each with the line of the kernel that it is about.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_KERNELTRIAL_H
#define HONE_TUNER_KERNELTRIAL_H

#include "hone/Tuner/KernelAnswer.h"
#include "hone/Tuner/Population.h"

namespace hone {

struct KernelTrial {
  size_t island = 0;
  std::string change; ///< as an answer spells it
  MemberPtr member;   ///< if it was read
  std::string why;    ///< why it is not proven; empty if it is
};

/// A kernel's text after a change.
llvm::Expected<std::string> changedText(mlir::MLIRContext &context,
                                        llvm::StringRef parent,
                                        const KernelChange &change);

/// The rewrites of the menu that apply to a kernel: "flight(0)", ..., by the
/// menu's order.
std::vector<std::string> rewritesOf(mlir::MLIRContext &context,
                                    llvm::StringRef kernel);

/// Reads the text of a kernel that replaces the one in the file `path`.
void readTrial(mlir::MLIRContext &context, llvm::StringRef path,
               const Arch &arch, llvm::StringRef text, KernelTrial &trial);

/// Proves kernels that were read, on all cores. `problem` has the K of the run
/// whose waits are counted.
void proveTrials(llvm::ArrayRef<KernelTrial *> trials, const Arch &arch,
                 const Problem &problem);

} // namespace hone

#endif // HONE_TUNER_KERNELTRIAL_H
