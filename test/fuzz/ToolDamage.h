//===- ToolDamage.h - Damage that knows how a file is made ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flipped bit is found by the first check of a reader. To come further, a
// damaged file has to be well formed otherwise: JSON with a value that is
// another one, a table with a field too many, weights whose checksum is right,
// a database that SQLite reads but whose rows make no sense.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_FUZZ_TOOLDAMAGE_H
#define HONE_TEST_FUZZ_TOOLDAMAGE_H

#include "Fuzz.h"

namespace hone::fuzz {

/// One of a text's numbers is another one, at an end of a range.
std::string withOtherNumber(llvm::StringRef text, Random &random);
/// The same wherever this number stands, so that types go on to agree.
std::string withOtherNumberEverywhere(llvm::StringRef text, Random &random);
/// Words or numbers of a text, at times both.
std::string withOtherText(llvm::StringRef text, Random &random);
/// The same within the launch plans alone.
std::string withOtherPlan(llvm::StringRef text, Random &random);

/// A few bits flipped, a piece gone, doubled or overwritten.
std::string withOtherBytes(llvm::StringRef bytes, Random &random);

/// Lines that are gone, doubled, exchanged, cut, very long, or hold a NUL.
std::string withOtherLines(llvm::StringRef text, Random &random);
/// The same, or fields between `separator` that are gone, doubled, exchanged or
/// no sensible number.
std::string withOtherFields(llvm::StringRef text, char separator,
                            Random &random);
/// Lines of JSON, in which a value is another, gone, doubled or elsewhere.
std::string withOtherJson(llvm::StringRef lines, Random &random);

/// A line of JSON with 32-bit floats behind it, as policies are kept. The
/// checksum is right in half of the cases.
std::string withOtherWeights(llvm::StringRef bytes, Random &random);
/// Frames of the worker protocol; lengths are right in most cases.
std::string withOtherFrames(llvm::StringRef bytes, Random &random);
/// A database whose rows, tables or numbers SQL has changed.
std::string withOtherRows(llvm::StringRef bytes, Random &random);

/// Words of a command line, one on each line.
std::string withOtherWords(llvm::StringRef text, Random &random);
/// What a value of a command line can be.
std::string drawWord(Random &random);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_TOOLDAMAGE_H
