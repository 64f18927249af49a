//===- Brief.h - Kinds of schedules in few words ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A language model pays for each word of a question, so a question describes
// kinds for one problem on one machine:
//
//   # ws; the first value is usual
//   side a|b: operand of the tensor cores' 64 rows; b computes C transposed
//   stages 4, 2..16: slots of the ring
//   rewrites:
//   flight(0|2): groups of products in flight when a slot is given back; usual 1
//   laws; m, n, k: tile; x, y: consumers
//   side a: m % 64x = 0; m <= 512; n % 8y = 0; n <= 256y
//
// Left out are values, decisions and laws that no legal schedule, or no change
// of one, can have here. Texts are those of BriefTexts.cpp; a decision or a law
// without one has the text of the table of kinds.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_BRIEF_H
#define HONE_CHAT_BRIEF_H

#include "hone/Schedule/Schedule.h"

namespace hone {

/// The decisions of `kinds` that a schedule for `problem` can take, and the
/// laws that it can break.
std::string describeKinds(Kinds kinds, const Problem &problem,
                          const Arch &arch);

/// The meaning of a decision.
llvm::StringRef briefOf(const Kind &kind, const Decision &decision);

} // namespace hone

#endif // HONE_CHAT_BRIEF_H
