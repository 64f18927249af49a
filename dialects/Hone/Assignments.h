//===- Assignments.h - Assignments in attributes, as text -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parsers of include/hone/Schedule get a value as text, made of its tokens.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_ASSIGNMENTS_H
#define HONE_DIALECTS_HONE_ASSIGNMENTS_H

#include "dialects/Hone/Hone.h"

namespace hone {

/// `name = value` with the value's tokens joined, and the locations of both.
struct AttrAssignment {
  llvm::StringRef name;
  std::string value;
  llvm::SMLoc nameLoc, valueLoc;
};

/// Reports errors, and then fails.
mlir::ParseResult parseAssignment(mlir::AsmParser &parser,
                                  AttrAssignment &assignment);
/// True if an integer with more digits than any valid number starts at `loc`.
/// MLIR's parser would take quadratic time, or more. The text ends with a 0, so
/// reading ahead is safe.
bool startsLongInteger(llvm::SMLoc loc);
/// Ends a parse with the message of an engine's error.
mlir::Attribute failParse(mlir::AsmParser &parser, llvm::SMLoc loc,
                          llvm::Error error);

} // namespace hone

#endif // HONE_DIALECTS_HONE_ASSIGNMENTS_H
