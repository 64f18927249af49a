//===- CardedFile.h - A line of JSON, and bytes behind it -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of networks and of trees have in common: a first line that
// says how much follows, for whom it is, and how it came about; and numbers as
// little-endian floats. All of it is untrusted input.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_CARDEDFILE_H
#define HONE_LIB_POLICY_CARDEDFILE_H

#include "hone/Text/File.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <string>
#include <vector>

namespace hone::detail {

/// The largest file of weights or trees, a hundred times what is shipped.
constexpr uint64_t kMaxPolicyBytes = 256 * kMiB;

using Card = std::map<std::string, std::string>;

/// One sort of them.
struct CardedFile {
  llvm::StringLiteral noun; ///< for errors: "weights"
  llvm::StringLiteral magic;
  int64_t version;

  llvm::Error malformed(const llvm::formatv_object_base &what) const;

  /// The first line, if it is of this sort and version.
  llvm::Expected<llvm::json::Object> readHead(llvm::StringRef line) const;
  /// A whole number that is no absurd one.
  llvm::Expected<int64_t> readSize(const llvm::json::Value *value,
                                   llvm::StringRef name, int64_t least,
                                   int64_t most) const;
  /// One or more, each once.
  llvm::Expected<std::vector<std::string>>
  readNames(const llvm::json::Object &head) const;
};

llvm::json::Object objectOf(const Card &card);
Card readCard(const llvm::json::Object &head);

/// What a first line says of the bytes, so that altered ones are noticed.
std::string checkOf(llvm::StringRef bytes);

constexpr size_t kNumberBytes = 4;
void appendNumber(std::string &bytes, float number);
/// Takes it from the front of `bytes`, which has enough.
float takeNumber(llvm::StringRef &bytes);

template <typename RangeT>
llvm::json::Array arrayOf(const RangeT &values) {
  llvm::json::Array array;
  for (const auto &value : values)
    array.push_back(value);
  return array;
}

} // namespace hone::detail

#endif // HONE_LIB_POLICY_CARDEDFILE_H
