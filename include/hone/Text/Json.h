//===- Json.h - JSON that nobody vouches for --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's parser calls itself once for every level of brackets and makes some
// forty bytes of every comma, so a line of text can end the process that reads
// it. What comes from a file or from another process is read by this:
//
//   Expected<json::Value> value = parseUntrustedJson(line);
//
// which looks at the brackets first. Everything Hone writes is far below the
// limits.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_JSON_H
#define HONE_TEXT_JSON_H

#include "llvm/Support/JSON.h"

namespace hone {

/// The most that brackets may be nested.
constexpr unsigned kDeepestJson = 32;
/// The most values in one text.
constexpr size_t kMostJsonValues = size_t(1) << 20;

/// Parses one JSON value, or says why not: in a time that grows with the text,
/// and on a bounded stack.
llvm::Expected<llvm::json::Value> parseUntrustedJson(llvm::StringRef text);

} // namespace hone

#endif // HONE_TEXT_JSON_H
