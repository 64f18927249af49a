//===- RewriteChat.h - Kernels from a language model ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model gets two kernels of a population (Population.h) and answers with
// changes of them (KernelAnswer.h), in rounds:
//
//   a question for each island -> answers -> changed, read, proven (KernelTrial.h)
//      ^                                        | reasons       | most promising
//      +------------- migration <---------------+---- one final (KernelClock.h)
//
// | event                            | consequence                            |
// |----------------------------------|----------------------------------------|
// | a candidate cannot be read or    | the island's next question has the     |
// | proven, spills, was tried before | reason                                 |
// | an answer is cut off, or without | the same                               |
// | candidates                       |                                        |
// | a question is not answered       | a remark; the round has the others     |
// | no question of a round is        | the run ends with the fastest so far,  |
// | answered                         | or with an error                       |
// | no clock                         | the run ends with the first round that |
// |                                  | has a proven kernel                    |
//
// With a clock, the rewrites of the menu are the first round: they are times
// for the first question, and rivals.
//
// A question's topic has the problem, the kernel, the round and the island, so
// that a later run finds its answer, though times differ. An answer names its
// parents by kernels, which such a run has proven again.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_REWRITECHAT_H
#define HONE_TUNER_REWRITECHAT_H

#include "hone/Chat/Chat.h"
#include "hone/Tuner/KernelClock.h"

namespace hone {

struct KernelChatOptions {
  int64_t rounds = 13, islands = 4;
  int64_t timed = 24; ///< kernels, of all rounds
  int64_t seed = 1;   ///< of the second kernel of each question
};

/// Requests kernels to replace the one in `path`, and reports the progress of
/// each round. Returns the proven kernel with the fewest ticks, or with a clock
/// the fastest one. An error if none is proven.
llvm::Expected<WholeKernelFile> askForKernel(mlir::MLIRContext &context,
                                             Chat &chat, llvm::StringRef path,
                                             const Arch &arch,
                                             const KernelChatOptions &options,
                                             KernelClock *clock);

} // namespace hone

#endif // HONE_TUNER_REWRITECHAT_H
