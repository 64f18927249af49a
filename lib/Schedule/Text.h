//===- Text.h - Parsing of untrusted text -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems and schedules arrive as text from files, command lines and models.
// Their parsers share these functions. They do not trust their input: for any
// input, an error is one short line of printable characters.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_TEXT_H
#define HONE_LIB_SCHEDULE_TEXT_H

#include "hone/Text/Suggest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hone::detail {

/// The range of all numbers, whatever a kind's laws require. The upper bound
/// keeps every product in a law within 64 bits.
constexpr int64_t kSmallestNumber = 1;
constexpr int64_t kLargestNumber = 1 << 20;

inline llvm::Error failure(const llvm::Twine &message) {
  return llvm::createStringError(message.str());
}

/// `text` in quotes for an error, cut short and made printable.
inline std::string quoted(llvm::StringRef text) {
  constexpr size_t kLongest = 60;
  std::string result = "'";
  for (char character : text.take_front(kLongest))
    result += llvm::isPrint(character) ? character : '.';
  return result + (text.size() > kLongest ? "...'" : "'");
}

/// An extent as problems print it: `?` if it is unknown.
std::string printExtent(int64_t extent);

/// `names` separated by commas, for "expected ... to be one of".
template <typename Range>
std::string listed(const Range &names) {
  return llvm::join(names, ", ");
}

/// The names, the unknown text and, where one is close, the name that may be
/// meant: for "expected ... one of " + oneOf(names, text).
inline std::string oneOf(llvm::ArrayRef<llvm::StringRef> names,
                         llvm::StringRef text) {
  return listed(names) + ", but got " + quoted(text) + didYouMean(text, names);
}

/// The value of a decimal integer without a sign. It saturates, so that a
/// number of a thousand digits is reported as "too large" and not as "not a
/// number".
inline std::optional<int64_t> parseNatural(llvm::StringRef text) {
  if (text.empty() || !llvm::all_of(text, llvm::isDigit))
    return std::nullopt;
  int64_t value;
  return text.getAsInteger(10, value) ? INT64_MAX : value;
}

/// `name = value`; a part without `=` has an empty value and `assigned` false.
struct Assignment {
  llvm::StringRef name, value;
  bool assigned;
};

/// Splits at the commas that are outside of double quotes and brackets. Never
/// fails: an unclosed quote or bracket ends with the text, and the value's own
/// parser reports it.
inline llvm::SmallVector<llvm::StringRef> splitAtCommas(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> result;
  bool inQuotes = false;
  size_t begin = 0, depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char character = i < text.size() ? text[i] : ',';
    if (character == '"')
      inQuotes = !inQuotes;
    if (!inQuotes && character == '[')
      ++depth;
    if (!inQuotes && character == ']' && depth > 0)
      --depth;
    if (i < text.size() && (character != ',' || inQuotes || depth > 0))
      continue;
    result.push_back(text.slice(begin, i));
    begin = i + 1;
  }
  return result;
}

inline llvm::SmallVector<Assignment> splitAssignments(llvm::StringRef text) {
  llvm::SmallVector<Assignment> result;
  for (llvm::StringRef part : splitAtCommas(text)) {
    auto [name, value] = part.split('=');
    result.push_back({name.trim(), value.trim(), part.contains('=')});
  }
  return result;
}

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_TEXT_H
