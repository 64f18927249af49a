//===- Key.h - The secret key of an endpoint --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of an endpoint comes from a file or from the environment, never from
// a command line, where every user of the machine could read it. It is only
// used in the header of a request to the configured endpoint. It is in no
// error, remark, record or transcript. Because a server may send it back, in
// whole or in part, all text from a server goes through `redact` before it is
// used.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_KEY_H
#define HONE_CHAT_KEY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <unordered_set>

namespace hone {

class Key {
public:
  /// No key: many servers on the same machine need none.
  Key() = default;
  static llvm::Expected<Key> make(llvm::StringRef text);
  /// The first line of a file.
  static llvm::Expected<Key> fromFile(const std::string &path);
  /// From HONE_LLM_KEY, which is removed from the environment, so that programs
  /// that are started later do not receive it. No key if it is not set.
  static llvm::Expected<Key> fromEnvironment();

  bool isEmpty() const { return text.empty(); }
  /// "Authorization: Bearer ...", for the request only.
  std::string header() const;
  /// `said` with `[key]` instead of the key and of longer parts of it.
  std::string redact(llvm::StringRef said) const;

private:
  std::string text;
  /// Every part of `kPart` characters.
  std::unordered_set<std::string> parts;
};

} // namespace hone

#endif // HONE_CHAT_KEY_H
