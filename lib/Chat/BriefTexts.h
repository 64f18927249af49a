//===- BriefTexts.h - Short texts of decisions and laws ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_CHAT_BRIEFTEXTS_H
#define HONE_LIB_CHAT_BRIEFTEXTS_H

#include "hone/Schedule/Problem.h"
#include "llvm/ADT/ArrayRef.h"

namespace hone::detail {

struct BriefDecision {
  llvm::StringLiteral kind, name, text;
  /// Whether a value other than the usual may pay; null: always.
  bool (*mayPay)(const Problem &) = nullptr;
};

/// Laws of one group share a line, which begins with its name. An empty text
/// leaves out a law that another one implies. In a text, $S is the shared
/// memory of a block, $A and $B the bytes of an element, $D
/// those of two lines of 64 of C; $M and $N name the
/// sides of a tile that number the lines of A and of B.
struct BriefLaw {
  llvm::StringLiteral kind;
  int number;
  llvm::StringLiteral group, text;
  bool isOf16Bits = false; ///< false for other elements of A and B
};

llvm::ArrayRef<BriefDecision> briefDecisions();
llvm::ArrayRef<BriefLaw> briefLaws();
/// The letters of the laws of a kind: "m, n, k: tile; x, y: consumers".
llvm::StringRef briefLetters(llvm::StringRef kind);

} // namespace hone::detail

#endif // HONE_LIB_CHAT_BRIEFTEXTS_H
