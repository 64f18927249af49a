//===- ToolDamage.cpp - Damage to texts, lines, fields and words ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ToolDamage.h. ToolDamageBinary.cpp has the files with a structure.
//
//===----------------------------------------------------------------------===//

#include "ToolDamage.h"
#include "Mutate.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using namespace hone::fuzz;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Numbers and words
//===----------------------------------------------------------------------===//

/// Positions of the numbers of a text, except those in names.
static std::vector<std::pair<size_t, size_t>> numbersOf(StringRef text) {
  std::vector<std::pair<size_t, size_t>> numbers;
  for (size_t at = 0; at < text.size();) {
    size_t size = text.substr(at).take_while(llvm::isDigit).size();
    bool isWord = at > 0 && (llvm::isAlpha(text[at - 1]) ||
                             text[at - 1] == '_' || text[at - 1] == '%');
    if (size && !isWord)
      numbers.emplace_back(at, size);
    at += std::max<size_t>(size, 1);
  }
  return numbers;
}

std::string fuzz::withOtherNumber(StringRef text, fuzz::Random &random) {
  std::vector<std::pair<size_t, size_t>> numbers = numbersOf(text);
  if (numbers.empty())
    return text.str();
  auto [at, size] = random.pickFrom(numbers);
  std::string other = random.pick(
      {"0", "-1", "1", "3", "2147483647", "-2147483648", "4294967295",
       "9223372036854775807", "-9223372036854775808"});
  return (text.take_front(at) + other + text.drop_front(at + size)).str();
}

std::string fuzz::withOtherNumberEverywhere(StringRef text,
                                            fuzz::Random &random) {
  std::vector<std::pair<size_t, size_t>> numbers = numbersOf(text);
  if (numbers.empty())
    return text.str();
  auto [place, length] = random.pickFrom(numbers);
  StringRef which = text.substr(place, length);
  StringRef other = random.pick({"0", "1", "2", "3", "7", "8", "15", "33", "65",
                                 "255", "1001", "4096", "65535", "1048577",
                                 "2147483647", "4294967296", "9007199254740993",
                                 "9223372036854775807", "?"});
  std::string result;
  size_t end = 0;
  for (auto [at, size] : numbers)
    if (text.substr(at, size) == which) {
      result += text.slice(end, at).str() + other.str();
      end = at + size;
    }
  return result + text.drop_front(end).str();
}

std::string fuzz::withOtherText(StringRef text, fuzz::Random &random) {
  std::string other = text.str();
  int64_t which = random.below(4);
  if (which == 3)
    return withOtherNumberEverywhere(other, random);
  if (which != 0)
    other = withOtherNumber(other, random);
  if (which != 1)
    other = damaged(other, random);
  return other;
}

std::string fuzz::withOtherPlan(StringRef text, fuzz::Random &random) {
  size_t begin = text.find("hone.plans = {"), end = text.find(">}", begin);
  if (begin == StringRef::npos || end == StringRef::npos)
    return withOtherText(text, random);
  return text.take_front(begin).str() +
         withOtherText(text.slice(begin, end), random) +
         text.drop_front(end).str();
}

//===----------------------------------------------------------------------===//
// Lines and fields
//===----------------------------------------------------------------------===//

static std::vector<std::string> partsOf(StringRef text, char separator) {
  std::vector<std::string> parts;
  for (StringRef part : llvm::split(text, separator))
    parts.push_back(part.str());
  return parts;
}

/// A list with one element deleted, doubled, exchanged or damaged.
static void damageList(std::vector<std::string> &list, fuzz::Random &random,
                       llvm::function_ref<void(std::string &)> damageOne) {
  size_t at = random.below(list.size());
  switch (random.below(7)) {
  case 0:
    if (list.size() > 1)
      list.erase(list.begin() + at);
    break;
  case 1:
    list.insert(list.begin() + at, list[at]);
    break;
  case 2:
    std::swap(list[at], list[random.below(list.size())]);
    break;
  default:
    damageOne(list[at]);
  }
}

static void damageLine(std::string &line, fuzz::Random &random) {
  constexpr int64_t kLong = 200000;
  size_t at = random.below(line.size() + 1);
  switch (random.below(6)) {
  case 0:
    line.resize(at);
    break;
  case 1:
    line.insert(at, 1, '\0');
    break;
  case 2: // very long
    line.insert(at, std::string(random.below(kLong),
                                random.pick({'1', ' ', ';', ',', 'x'})));
    break;
  case 3:
    line.insert(at, random.pick({"\r", "\xff\xfe", "\xef\xbb\xbf", "#", "\""}));
    break;
  default:
    line = withOtherText(line, random);
  }
}

std::string fuzz::withOtherLines(StringRef text, fuzz::Random &random) {
  std::vector<std::string> lines = partsOf(text, '\n');
  for (int64_t count = 1 + random.below(3); count > 0; --count)
    damageList(lines, random,
               [&](std::string &line) { damageLine(line, random); });
  return llvm::join(lines, "\n");
}

std::string fuzz::withOtherFields(StringRef text, char separator,
                                  fuzz::Random &random) {
  if (random.chance(30))
    return withOtherLines(text, random);
  std::vector<std::string> lines = partsOf(text, '\n');
  for (int64_t count = 1 + random.below(3); count > 0; --count) {
    std::string &line = lines[random.below(lines.size())];
    std::vector<std::string> fields = partsOf(line, separator);
    damageList(fields, random, [&](std::string &field) {
      field = random.chance(30)
                  ? withOtherText(field, random)
                  : random.pick({"nan", "-nan", "inf", "-1", "0", "-0.0",
                                 "1e-400", "1e400", "1e-30", "1e30", "", " ",
                                 "9223372036854775808", "2147483648", "0x10",
                                 "1.5.5", "\xff", "-", "true"});
    });
    line = llvm::join(fields, std::string(1, separator));
  }
  return llvm::join(lines, "\n");
}

//===----------------------------------------------------------------------===//
// Command lines
//===----------------------------------------------------------------------===//

std::string fuzz::drawWord(fuzz::Random &random) {
  return random.pick({"0",
                      "-1",
                      "1",
                      "7",
                      "x",
                      "",
                      "1x1x1",
                      "64,64,64",
                      "2147483647",
                      "2147483648",
                      "9223372036854775807",
                      "native",
                      "host",
                      "h200",
                      "sm_80",
                      "all",
                      "gpu",
                      "f16:f32",
                      "nn",
                      "/dev/zero",
                      "/dev/null",
                      "/",
                      "nowhere",
                      "1,2,3",
                      ",,,",
                      ";",
                      "=",
                      "\xff",
                      "ws, stages = 2147483647",
                      "ws",
                      "[flight(0)]",
                      "smooth",
                      "crash:1,hang:2",
                      "0:1:2",
                      "1e400",
                      "nan",
                      "http://",
                      "http://127.0.0.1:1/v1",
                      "4294967295x1x1"});
}

std::string fuzz::withOtherWords(StringRef text, fuzz::Random &random) {
  std::vector<std::string> words = partsOf(text, '\n');
  for (int64_t count = random.below(3); count > 0; --count)
    damageList(words, random, [&](std::string &word) {
      auto [name, value] = StringRef(word).split('=');
      std::string other = value.empty() || random.chance(60)
                              ? drawWord(random)
                              : withOtherText(value, random);
      word = random.chance(25) ? other : (name + "=" + other).str();
    });
  return llvm::join(words, "\n");
}
