//===- Text.h - Parsing of untrusted text -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the parsers of plans and expressions share. The runtime
// has no LLVM in it, so they use the standard library. For any input, an error
// is one short line of printable characters.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_TEXT_H
#define HONE_LIB_RUNTIME_TEXT_H

#include <string>
#include <string_view>

namespace hone::detail {

/// The first line of a plan, and its earlier version: see LaunchPlan.h.
constexpr std::string_view kPlanVersion = "hone-plan 2",
                           kFirstPlanVersion = "hone-plan 1";
/// The prefix of the names of the rest's kernels.
constexpr std::string_view kRestEntry = "hone_rest_";

// Unlike <cctype>, these do not depend on the locale.
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

/// The leading letters, digits and `_` of `text`.
inline std::string_view firstWord(std::string_view text) {
  size_t size = 0;
  while (size < text.size() && (isLetter(text[size]) || isDigit(text[size])))
    ++size;
  return text.substr(0, size);
}

/// `text` in quotes for an error, truncated and printable; or "nothing".
inline std::string quoted(std::string_view text) {
  constexpr size_t longest = 60;
  if (text.empty())
    return "nothing";
  std::string result = "'";
  for (char c : text.substr(0, longest))
    result += c >= ' ' && c <= '~' ? c : '.';
  return result + (text.size() > longest ? "...'" : "'");
}

/// The form of all errors of these parsers.
inline std::string expected(std::string_view what, std::string_view got) {
  return "expected " + std::string(what) + ", but got " + quoted(got);
}

} // namespace hone::detail

#endif // HONE_LIB_RUNTIME_TEXT_H
