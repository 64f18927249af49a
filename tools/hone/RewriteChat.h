//===- RewriteChat.h - A language model writes a kernel ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model gets a kernel as it is, and writes another one. What comes back is
// untrusted text, and is treated as a file of somebody's would be:
//
//   question -> answer -> read, placed, proven -> kept
//      ^                        | why not
//      +------------------------+
//
// What the parser, the verifier or the proof says is part of the next question,
// with the kernel that it is about. So a model that makes a mistake hears of it
// in the words that a person would get.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_REWRITECHAT_H
#define HONE_TOOLS_REWRITECHAT_H

#include "hone/Chat/Chat.h"
#include "hone/Evaluate/WholeKernelFile.h"

namespace hone {

/// Asks for another kernel in the place of the one in `path` until one is proven,
/// at most `attempts` times; says what becomes of each. An error where none is.
llvm::Expected<WholeKernelFile> askForKernel(mlir::MLIRContext &context,
                                             Chat &chat, llvm::StringRef path,
                                             const Arch &arch,
                                             int64_t attempts);

} // namespace hone

#endif // HONE_TOOLS_REWRITECHAT_H
