//===- Mutate.cpp - Damage to a valid text --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Mutate.h.
//
//===----------------------------------------------------------------------===//

#include "Mutate.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone::fuzz;
using llvm::StringRef;

/// Words, numbers, blanks and single characters, in order.
static std::vector<std::string> split(StringRef text) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    auto isWord = [](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '.';
    };
    size_t size = text.take_while(isWord).size();
    size = std::max<size_t>(size, 1);
    tokens.push_back(text.take_front(size).str());
    text = text.drop_front(size);
  }
  return tokens;
}

static std::string drawToken(Random &random) {
  return random.pick({"0",
                      "-1",
                      "1",
                      "3",
                      "17",
                      "1024",
                      "65537",
                      "4294967296",
                      "9223372036854775807",
                      "-9223372036854775808",
                      "99999999999999999999999",
                      "?",
                      "x",
                      "f16",
                      "bf16",
                      "f32",
                      "f64",
                      "index",
                      "i1",
                      "i32",
                      "vector<2xf16>",
                      "\"\"",
                      "\"a\"",
                      "\"b\"",
                      "row",
                      "col",
                      "zero",
                      "read",
                      "none",
                      "[]",
                      "{}",
                      "()",
                      "<",
                      ">",
                      "%0",
                      "%arg0",
                      "@x",
                      "!kernel.acc<16 x 16 x f32, warps = 1 x 1>",
                      "#hone.arch<host>",
                      "#hone.arch<sm_80>",
                      "#hone.arch<h200>",
                      "hone.tuned",
                      "{us = 1.0}",
                      "0.0",
                      "-1.5",
                      "1.0e400",
                      "unit",
                      "transposed"});
}

/// Applies one damage at one place.
static void damage(Random &random, std::vector<std::string> &tokens) {
  size_t at = random.below(tokens.size());
  switch (random.below(7)) {
  case 0:
    tokens.erase(tokens.begin() + at);
    break;
  case 1:
    tokens.insert(tokens.begin() + at, tokens[at]);
    break;
  case 2:
    std::swap(tokens[at], tokens[random.below(tokens.size())]);
    break;
  case 3: { // Part of the text is gone.
    size_t end = std::min<size_t>(tokens.size(), at + 1 + random.below(12));
    tokens.erase(tokens.begin() + at, tokens.begin() + end);
    break;
  }
  case 4: { // A flipped bit.
    std::string &token = tokens[at];
    token[random.below(token.size())] ^= char(1 << random.below(7));
    break;
  }
  default: // A number or a word from another place.
    for (size_t i = 0; i < tokens.size() && !llvm::isAlnum(tokens[at][0]); ++i)
      at = (at + 1) % tokens.size();
    tokens[at] = drawToken(random);
  }
}

std::string hone::fuzz::damaged(StringRef text, Random &random) {
  std::vector<std::string> tokens = split(text);
  for (int64_t count = 1 + random.below(3); count > 0 && tokens.size() > 1;
       --count)
    damage(random, tokens);
  return llvm::join(tokens, "");
}
