//===- Key.cpp - Redaction of keys ----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Key.h. Errors here describe the fault of a key without its text.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Key.h"
#include "hone/Text/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdlib>
#include <vector>

using namespace hone;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

/// Servers print parts of a key to identify it. Shorter parts, and shorter
/// keys, are common words ("none", "sk-proj"), which must stay in answers.
static constexpr size_t kPart = 8;
static constexpr size_t kLongest = 4096;
static constexpr const char *kVariable = "HONE_LLM_KEY";

Expected<Key> Key::make(StringRef given) {
  StringRef trimmed = given.trim();
  if (trimmed.size() < kPart || trimmed.size() > kLongest)
    return llvm::createStringError(
        formatv("expected a key of {0} to {1} characters, but got {2}; leave "
                "it out if the endpoint needs none",
                kPart, kLongest, trimmed.size()));
  // A line break would turn the rest of the key into a header.
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
  constexpr uint64_t kMaxBytes = 64 * kKiB;
  auto file = readFile(path, {"a file with a key", kMaxBytes});
  if (!file)
    return file.takeError();
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

namespace {
/// A decoded character, and its range in the text.
struct Glyph {
  char character;
  size_t begin, end;
};
} // namespace

/// The character at `at`, which may be an escape: `\\u0073`, after one
/// backslash per level of quotation, `\\x73` or `%73`.
static Glyph glyphAt(StringRef said, size_t at) {
  constexpr size_t kMaxQuotes = 32;
  size_t end = at;
  while (end < said.size() && end < at + kMaxQuotes && said[end] == '\\')
    ++end;
  size_t digits = 0;
  if (end > at && said.substr(end).starts_with_insensitive("u"))
    digits = 4;
  else if ((end > at && said.substr(end).starts_with_insensitive("x")) ||
           (end == at && said[at] == '%'))
    digits = 2;
  unsigned code = 0;
  StringRef number = said.substr(end + 1, digits);
  constexpr unsigned kFirst = 0x20, kLast = 0x7e;
  if (digits && number.size() == digits && !number.getAsInteger(16, code) &&
      code >= kFirst && code <= kLast)
    return {char(code), at, end + 1 + digits};
  return {said[at], at, at + 1};
}

/// The text with its escapes decoded.
static std::vector<Glyph> decoded(StringRef said) {
  std::vector<Glyph> glyphs;
  glyphs.reserve(said.size());
  for (size_t at = 0; at < said.size(); at = glyphs.back().end)
    glyphs.push_back(glyphAt(said, at));
  return glyphs;
}

/// Parts of one piece begin at most `kPart` characters apart. A key written
/// with escapes is found as well, because a later reader may decode the text.
std::string Key::redact(StringRef said) const {
  if (text.empty())
    return said.str();
  std::vector<Glyph> glyphs = decoded(said);
  std::string plain;
  for (const Glyph &glyph : glyphs)
    plain += glyph.character;
  auto isPart = [&](size_t at) {
    StringRef here = StringRef(plain).substr(at, kPart);
    return here.size() == kPart && parts.count(here.str()) != 0;
  };
  std::string result;
  for (size_t at = 0; at < glyphs.size();) {
    if (!isPart(at)) {
      result += said.slice(glyphs[at].begin, glyphs[at].end);
      ++at;
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
