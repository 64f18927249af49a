//===- Key.h - What must not be seen ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of an endpoint comes from a file or from the environment, never from
// a command line, where every user of the machine could read it. One thing is
// done with it: it goes into the header of a request to the endpoint that was
// named. It is in no error, remark, record or transcript; since a server may
// send it back, in whole or in part, everything that a server says goes through
// `redact` before anybody sees it.
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
  /// No key: many servers on one's own machine want none.
  Key() = default;
  static llvm::Expected<Key> make(llvm::StringRef text);
  /// The first line of a file.
  static llvm::Expected<Key> fromFile(const std::string &path);
  /// Of HONE_LLM_KEY, which is taken out of the environment: programs that are
  /// started later need not know it. No key where it is not set.
  static llvm::Expected<Key> fromEnvironment();

  bool isEmpty() const { return text.empty(); }
  /// "Authorization: Bearer ...": for the one who sends it.
  std::string header() const;
  /// `said` with `[key]` for the key and for longer parts of it.
  std::string redact(llvm::StringRef said) const;

private:
  std::string text;
  /// Every part of `kPart` characters.
  std::unordered_set<std::string> parts;
};

} // namespace hone

#endif // HONE_CHAT_KEY_H
