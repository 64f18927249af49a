//===- Grammar.h - The form of an answer ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A language model answers a question with schedules as JSON:
//
//   {"plan": "wider tiles, so that fewer operands are loaded",
//    "schedules": [
//      "mma_sync, tile = 128x128x64, stages = 3",
//      "ws, tile = 128x192x64, persistent = no, rewrites = [unroll(peel)]"]}
//
// A schedule is the usual text, with the decisions that differ from the kind's
// usual ones, in the order of the table. So it takes some twenty tokens instead
// of a hundred and fifty.
//
// Servers that can constrain an answer accept its form as a JSON schema or as a
// grammar in GBNF (llama.cpp). The table of kinds generates both, so they include
// a decision that is added to a row. They do not include the laws; answers still
// have to be checked (Answer.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_GRAMMAR_H
#define HONE_CHAT_GRAMMAR_H

#include "hone/Schedule/Schedule.h"

namespace hone {

/// The kinds that can run `problem` on `arch`; a question contains no others.
std::vector<const Kind *> kindsFor(const Problem &problem, const Arch &arch,
                                   Kinds kinds = allKinds());

/// The form of an answer with 1 to `max` schedules of `kinds`, which must not
/// be empty: as a JSON schema, and as a grammar whose start is `root`.
std::string jsonSchema(Kinds kinds, size_t max);
std::string gbnf(Kinds kinds, size_t max);

/// A schedule as an answer spells it.
std::string toAnswerText(const Schedule &schedule);

} // namespace hone

#endif // HONE_CHAT_GRAMMAR_H
