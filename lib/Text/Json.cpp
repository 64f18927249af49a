//===- Json.cpp - Bracket limits for untrusted JSON -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Json.h. LLVM's parser decides whether the text is JSON; up to the first
// error, this scan finds the same brackets and strings.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Json.h"
#include "llvm/ADT/Twine.h"

using namespace hone;
using llvm::Error;
using llvm::StringRef;
namespace json = llvm::json;

size_t hone::endOfJsonString(StringRef text, size_t begin) {
  for (size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return text.size();
}

static Error checkSize(StringRef text) {
  unsigned depth = 0;
  size_t values = 1;
  for (size_t at = 0; at < text.size();) {
    char character = text[at];
    if (character == '"') {
      at = endOfJsonString(text, at);
      continue;
    }
    ++at;
    if (character == '[' || character == '{') {
      ++depth;
      ++values;
    } else if ((character == ']' || character == '}') && depth > 0) {
      --depth;
    } else if (character == ',') {
      ++values;
    }
    if (depth > kDeepestJson)
      return llvm::createStringError(
          "expected JSON of at most " + llvm::Twine(kDeepestJson) +
          " levels of brackets, but got more at byte " + llvm::Twine(at));
    if (values > kMaxJsonValues)
      return llvm::createStringError("expected JSON of at most " +
                                     llvm::Twine(kMaxJsonValues) +
                                     " values, but got more");
  }
  return Error::success();
}

llvm::Expected<json::Value> hone::parseUntrustedJson(StringRef text) {
  if (Error error = checkSize(text))
    return std::move(error);
  return json::parse(text);
}
