//===- Json.h - Parsing untrusted JSON --------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's parser recurses once per level of brackets and allocates some forty
// bytes per comma, so a line of text can end the process that parses it. Input
// from a file or from another process is parsed by this function:
//
//   Expected<json::Value> value = parseUntrustedJson(line);
//
// which checks the brackets first. All JSON that Hone writes is far below the
// limits.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_JSON_H
#define HONE_TEXT_JSON_H

#include "llvm/Support/JSON.h"

namespace hone {

/// The deepest nesting of brackets.
constexpr unsigned kDeepestJson = 32;
/// The most values in one text.
constexpr size_t kMaxJsonValues = size_t(1) << 20;

/// Parses one JSON value in linear time and with a bounded stack.
llvm::Expected<llvm::json::Value> parseUntrustedJson(llvm::StringRef text);

/// The end of the string whose opening quote is at `begin`: after its closing
/// quote, or the end of the text.
size_t endOfJsonString(llvm::StringRef text, size_t begin);

} // namespace hone

#endif // HONE_TEXT_JSON_H
