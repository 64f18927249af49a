//===- Text.h - Reading text that nobody vouches for ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few pieces that the parsers of plans and expressions share. The runtime
// has no LLVM in it, so they are made of the standard library. Whatever comes
// in, an error is one short line of printable characters.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_TEXT_H
#define HONE_LIB_RUNTIME_TEXT_H

#include <string>
#include <string_view>

namespace hone::detail {

/// The first line of a plan, and what it was before: see LaunchPlan.h.
constexpr std::string_view kPlanVersion = "hone-plan 2",
                           kFirstPlanVersion = "hone-plan 1";
/// How names of the rest's kernels start.
constexpr std::string_view kRestEntry = "hone_rest_";

// <cctype> asks the locale; these do not.
inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back()))
    text.remove_suffix(1);
  return text;
}

/// The letters, digits and `_` that `text` starts with.
inline std::string_view firstWord(std::string_view text) {
  size_t size = 0;
  while (size < text.size() && (isLetter(text[size]) || isDigit(text[size])))
    ++size;
  return text.substr(0, size);
}

/// `text` in quotes for an error, cut short and made printable; or "nothing".
inline std::string quoted(std::string_view text) {
  constexpr size_t longest = 60;
  if (text.empty())
    return "nothing";
  std::string result = "'";
  for (char c : text.substr(0, longest))
    result += c >= ' ' && c <= '~' ? c : '.';
  return result + (text.size() > longest ? "...'" : "'");
}

/// The error that every parser here gives.
inline std::string expected(std::string_view what, std::string_view got) {
  return "expected " + std::string(what) + ", but got " + quoted(got);
}

} // namespace hone::detail

#endif // HONE_LIB_RUNTIME_TEXT_H
