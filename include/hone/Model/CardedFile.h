//===- CardedFile.h - File with a JSON header and binary data ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of the files of networks and of trees: a first line of JSON
// with the length of the data, the chip and the origin; then the data as
// little-endian floats. All of it is untrusted input.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_CARDEDFILE_H
#define HONE_MODEL_CARDEDFILE_H

#include "hone/Text/File.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <string>
#include <vector>

namespace hone::detail {

/// The maximum size of a file of weights or trees, a hundred times the shipped
/// size.
constexpr uint64_t kMaxPolicyBytes = 256 * kMiB;

using Card = std::map<std::string, std::string>;

/// One type of such files.
struct CardedFile {
  llvm::StringLiteral noun; ///< for errors: "weights"
  llvm::StringLiteral magic;
  int64_t version;

  llvm::Error malformed(const llvm::formatv_object_base &what) const;

  /// Parses the first line; fails if its type or version differs.
  llvm::Expected<llvm::json::Object> readHead(llvm::StringRef line) const;
  /// Reads an integer between `min` and `max`.
  llvm::Expected<int64_t> readSize(const llvm::json::Value *value,
                                   llvm::StringRef name, int64_t min,
                                   int64_t max) const;
  /// Reads a list of one or more names without duplicates.
  llvm::Expected<std::vector<std::string>>
  readNames(const llvm::json::Object &head) const;
};

llvm::json::Object objectOf(const Card &card);
Card readCard(const llvm::json::Object &head);

/// The checksum of the data that the first line has, to detect altered bytes.
std::string checkOf(llvm::StringRef bytes);

constexpr size_t kNumberBytes = 4;
void appendNumber(std::string &bytes, float number);
/// Takes a number from the front of `bytes`, which must be long enough.
float takeNumber(llvm::StringRef &bytes);

/// Numbers that a half (IEEE binary16) has exactly take two bytes.
constexpr size_t kHalfBytes = 2;
/// The nearest finite half.
float roundedToHalf(float number);
void appendHalf(std::string &bytes, float number);
/// As `takeNumber`; NaN for a half that is not finite.
float takeHalf(llvm::StringRef &bytes);

template <typename RangeT>
llvm::json::Array arrayOf(const RangeT &values) {
  llvm::json::Array array;
  for (const auto &value : values)
    array.push_back(value);
  return array;
}

} // namespace hone::detail

#endif // HONE_MODEL_CARDEDFILE_H
