//===- RewriteChat.h - A language model writes a kernel ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model gets a kernel as it is, and writes another one. What comes back is
// untrusted text, and is treated as a file of somebody's would be:
//
//   question -> answer -> read, placed, proven -> checked, timed -> kept
//      ^                        | why not              | how long
//      +------------------------+----------------------+
//
// What the parser, the verifier or the proof says is part of the next question,
// with the kernel that it is about. So a model that makes a mistake hears of it
// in the words that a person would get. Where there is a clock it hears how
// long its kernel takes beside the one that it began with and the fastest so
// far, which every question has, and goes on; else the first that is proven is
// the last. What was answered before is neither proven nor timed again.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_REWRITECHAT_H
#define HONE_TOOLS_REWRITECHAT_H

#include "KernelClock.h"
#include "hone/Chat/Chat.h"

namespace hone {

/// Asks for another kernel in the place of the one in `path`, at most
/// `attempts` times; says what becomes of each. Without a clock the first that
/// is proven, else the fastest of those that are. An error where none is.
llvm::Expected<WholeKernelFile> askForKernel(mlir::MLIRContext &context,
                                             Chat &chat, llvm::StringRef path,
                                             const Arch &arch, int64_t attempts,
                                             KernelClock *clock);

} // namespace hone

#endif // HONE_TOOLS_REWRITECHAT_H
