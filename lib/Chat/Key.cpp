//===- Key.cpp - What must not be seen ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Key.h. Errors here say what is wrong with a key, and nothing of it.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Key.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>

using namespace hone;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

/// Servers print parts of a key to say which one they mean. Shorter parts, and
/// shorter keys, are common words ("none", "sk-proj"), which can not be taken
/// out of answers.
static constexpr size_t kPart = 8;
static constexpr size_t kLongest = 4096;
static constexpr const char *kVariable = "HONE_LLM_KEY";

Expected<Key> Key::make(StringRef given) {
  StringRef trimmed = given.trim();
  if (trimmed.size() < kPart || trimmed.size() > kLongest)
    return llvm::createStringError(formatv(
        "expected a key of {0} to {1} characters, but got {2}; leave it "
        "out where the endpoint wants none",
        kPart, kLongest, trimmed.size()));
  // A line break would make a header of whatever is behind it.
  for (char character : trimmed)
    if (!llvm::isPrint(character) || character == ' ')
      return llvm::createStringError(
          "expected a key of printable characters without spaces, but got "
          "another one");
  Key key;
  key.text = trimmed.str();
  for (size_t at = 0; at + kPart <= key.text.size(); ++at)
    key.parts.insert(key.text.substr(at, kPart));
  return key;
}

Expected<Key> Key::fromFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return llvm::createStringError(
        formatv("expected a file with a key, but got '{0}': {1}", path,
                file.getError().message()));
  Expected<Key> key = make((*file)->getBuffer().split('\n').first);
  if (!key)
    return llvm::createStringError(
        formatv("'{0}': {1}", path, llvm::toString(key.takeError())));
  return key;
}

Expected<Key> Key::fromEnvironment() {
  const char *set = std::getenv(kVariable);
  if (!set || !*set)
    return Key();
  std::string text = set;
  ::unsetenv(kVariable);
  Expected<Key> key = make(text);
  if (!key)
    return llvm::createStringError(
        formatv("{0}: {1}", kVariable, llvm::toString(key.takeError())));
  return key;
}

std::string Key::header() const { return "Authorization: Bearer " + text; }

/// A part begins at most `kPart` characters behind the last one, or it is not
/// of the same piece.
std::string Key::redact(StringRef said) const {
  if (text.empty())
    return said.str();
  auto isPart = [&](size_t at) {
    StringRef here = said.substr(at, kPart);
    return here.size() == kPart && parts.count(here.str()) != 0;
  };
  std::string result;
  for (size_t at = 0; at < said.size();) {
    if (!isPart(at)) {
      result += said[at++];
      continue;
    }
    size_t end = at + kPart;
    for (size_t next = at + 1; next <= end; ++next)
      if (isPart(next))
        end = next + kPart;
    result += "[key]";
    at = end;
  }
  return result;
}
