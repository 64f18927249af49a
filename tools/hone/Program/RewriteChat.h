//===- RewriteChat.h - Kernels from a language model ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model gets a kernel, and writes another one. Its answer is untrusted text,
// and is treated like a file from an unknown source:
//
//   question -> answer -> read, placed, proven -> checked, timed -> kept
//      ^                        | reason               | time
//      +------------------------+----------------------+
//
// The messages of the parser, the verifier or the proof are part of the next
// question, with the kernel that they are about. So the model gets the same
// messages as a person. With a clock, the next question also has the kernel's
// time, next to those of the original and of the fastest so far. The dialogue
// then goes on; without a clock it ends at the first proven kernel. A repeated
// answer is neither proven nor timed again.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_PROGRAM_REWRITECHAT_H
#define HONE_TOOLS_PROGRAM_REWRITECHAT_H

#include "hone/Chat/Chat.h"
#include "tools/hone/Program/KernelClock.h"

namespace hone {

/// Requests another kernel to replace the one in `path`, `attempts` times at
/// most, and reports the result of each. Returns the first proven kernel, or
/// with a clock the fastest one. An error if none is proven.
llvm::Expected<WholeKernelFile> askForKernel(mlir::MLIRContext &context,
                                             Chat &chat, llvm::StringRef path,
                                             const Arch &arch, int64_t attempts,
                                             KernelClock *clock);

} // namespace hone

#endif // HONE_TOOLS_PROGRAM_REWRITECHAT_H
