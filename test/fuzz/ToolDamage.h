//===- ToolDamage.h - Damage that keeps a file well formed ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first check of a reader finds a flipped bit. To test later checks, a
// damaged file has to be well formed otherwise: JSON with a changed value, a
// table with an extra field, weights with a correct checksum, a database that
// SQLite reads but whose rows are invalid.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_FUZZ_TOOLDAMAGE_H
#define HONE_TEST_FUZZ_TOOLDAMAGE_H

#include "Fuzz.h"

namespace hone::fuzz {

/// Replaces one number of a text by one at an end of a range.
std::string withOtherNumber(llvm::StringRef text, Random &random);
/// Replaces the number wherever it occurs, so that types still agree.
std::string withOtherNumberEverywhere(llvm::StringRef text, Random &random);
/// Replaces words or numbers of a text, at times both.
std::string withOtherText(llvm::StringRef text, Random &random);
/// The same, within the launch plans only.
std::string withOtherPlan(llvm::StringRef text, Random &random);

/// Flips a few bits, or deletes, doubles or overwrites a piece.
std::string withOtherBytes(llvm::StringRef bytes, Random &random);

/// Deletes, doubles, exchanges, cuts or lengthens lines, or inserts a NUL.
std::string withOtherLines(llvm::StringRef text, Random &random);
/// The same, or deletes, doubles or exchanges fields between `separator`, or
/// gives them an invalid number.
std::string withOtherFields(llvm::StringRef text, char separator,
                            Random &random);
/// Changes, deletes, doubles or moves a value in lines of JSON.
std::string withOtherJson(llvm::StringRef lines, Random &random);

/// A line of JSON followed by 32-bit floats: the file format of policies. The
/// checksum is right in half of the cases.
std::string withOtherWeights(llvm::StringRef bytes, Random &random);
/// Frames of the worker protocol; most have the right length.
std::string withOtherFrames(llvm::StringRef bytes, Random &random);
/// A database whose rows, tables or numbers SQL has changed.
std::string withOtherRows(llvm::StringRef bytes, Random &random);

/// Words of a command line, one on each line.
std::string withOtherWords(llvm::StringRef text, Random &random);
/// A value for an option of a command line.
std::string drawWord(Random &random);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_TOOLDAMAGE_H
