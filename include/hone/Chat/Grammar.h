//===- Grammar.h - What an answer may look like -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A language model is asked for schedules and answers with JSON:
//
//   {"plan": "wider tiles, so that fewer operands are loaded",
//    "schedules": [
//      {"kind": "mma_sync", "tile": "128x128x64", "warps": "2x4", ...},
//      ...]}
//
// A schedule has its kind and each of the kind's decisions, in the order of the
// table: a word or a joint decision ("128x128x64") as a string, one number as a
// number, and `null` for what leaves nothing to decide beside the others.
//
// Servers that can constrain an answer take its form as a JSON schema or as a
// grammar in GBNF (llama.cpp). Both are made of the table of kinds, as is the
// text that explains it, so a decision that is added to a row is in all of
// them. Neither knows the laws; what is decoded under them still has to be
// checked (Answer.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_GRAMMAR_H
#define HONE_CHAT_GRAMMAR_H

#include "hone/Schedule/Schedule.h"

namespace hone {

/// The kinds that can run `problem` on `arch`: nothing else is worth a word.
std::vector<const Kind *> kindsFor(const Problem &problem, const Arch &arch,
                                   Kinds kinds = allKinds());

/// The form of an answer with 1 to `most` schedules of `kinds`, of which there
/// is one at least. As a JSON schema, and as a grammar whose start is `root`.
std::string jsonSchema(Kinds kinds, size_t most);
std::string gbnf(Kinds kinds, size_t most);

/// The same in words: every decision with its values and what it means.
std::string describeDecisions(Kinds kinds);
/// The laws of `kinds`, one a line.
std::string describeLaws(Kinds kinds);

/// A schedule as an answer spells it.
std::string toAnswerText(const Schedule &schedule);

} // namespace hone

#endif // HONE_CHAT_GRAMMAR_H
