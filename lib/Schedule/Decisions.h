//===- Decisions.h - Walks over the decisions of a kind ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_DECISIONS_H
#define HONE_LIB_SCHEDULE_DECISIONS_H

#include "hone/Schedule/Kind.h"
#include "llvm/ADT/STLExtras.h"

namespace hone::detail {

inline llvm::ArrayRef<Choice> choicesOf(const Decision &decision) {
  return llvm::ArrayRef<Choice>(decision.choices).take_front(decision.size());
}

/// Whether a decision with these numbers has its usual value.
inline bool isUsual(const Decision &decision, llvm::ArrayRef<int64_t> numbers) {
  return llvm::equal(numbers, choicesOf(decision),
                     [](int64_t number, const Choice &choice) {
                       return number == choice.usual;
                     });
}

/// Calls `each` with every decision and the index of its first number.
template <typename Function>
void forEachDecision(const Kind &kind, Function &&each) {
  size_t at = 0;
  for (const Decision &decision : kind.decisions) {
    each(decision, at);
    at += decision.size();
  }
}

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_DECISIONS_H
