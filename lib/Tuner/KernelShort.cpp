//===- KernelShort.cpp - Kernels in few words -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelShort.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelShort.h"
#include "hone/Text/Replace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The type whose bracket is the first of `text`, with its brackets; empty if
/// that is another bracket.
static StringRef typeAt(StringRef text) {
  size_t end = text.find_first_of("<>\n", 1);
  bool isType = end != StringRef::npos && text[end] == '>' && end > 1 &&
                llvm::isDigit(text[1]);
  return isType ? text.take_front(end + 1) : "";
}

Shorthand::Shorthand(StringRef kernel) {
  constexpr size_t kShortest = 10, kLetters = 26;
  std::map<StringRef, size_t> counts;
  for (size_t at = kernel.find('<'); at != StringRef::npos;
       at = kernel.find('<', at + 1))
    if (StringRef type = typeAt(kernel.drop_front(at));
        type.size() >= kShortest && ++counts[type] == 2 &&
        types.size() < kLetters)
      types.push_back(type.str());
}

static std::string letterOf(size_t number) {
  return {'<', char('A' + number), '>'};
}

std::string Shorthand::legend() const {
  std::string text;
  for (auto [number, type] : llvm::enumerate(types))
    text += formatv("{0}: {1}\n", letterOf(number), type);
  return text;
}

std::string Shorthand::shorten(StringRef text) const {
  std::string result = text.str();
  for (auto [number, type] : llvm::enumerate(types))
    replaceAll(result, type, letterOf(number));
  return result;
}

std::string Shorthand::restore(StringRef text) const {
  std::string result = text.str();
  for (auto [number, type] : llvm::enumerate(types))
    replaceAll(result, letterOf(number), type);
  return result;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The number of a line `%c4_i32 = arith.constant 4 : i32`; else empty.
static StringRef constantOf(StringRef line) {
  StringRef rest = line.trim();
  if (!rest.consume_front("%c"))
    return "";
  StringRef number = rest.take_while(llvm::isDigit);
  std::string whole =
      formatv("%c{0}_i32 = arith.constant {0} : i32", number).str();
  return line.trim() == whole ? number : "";
}

std::string Shorthand::kernel(StringRef text) const {
  std::string result;
  llvm::SmallVector<StringRef> lines, numbers;
  text.split(lines, '\n');
  for (StringRef line : lines)
    if (StringRef number = constantOf(line); !number.empty())
      numbers.push_back(number);
  for (StringRef line : lines) {
    if (!constantOf(line).empty()) {
      if (!numbers.empty())
        result += formatv(" // %cN_i32 = arith.constant N : i32 for N = {0}\n",
                          llvm::join(numbers, ", "));
      numbers.clear();
      continue;
    }
    StringRef bare = line.ltrim();
    result += std::string((line.size() - bare.size()) / 2, ' ') +
              shorten(bare) + "\n";
  }
  return StringRef(result).rtrim().str();
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

using Lines = llvm::SmallVector<StringRef, 0>;

/// Lengths of the longest common subsequences of the ends of two texts.
static std::vector<std::vector<unsigned>> commonEnds(const Lines &before,
                                                     const Lines &after) {
  std::vector<std::vector<unsigned>> common(
      before.size() + 1, std::vector<unsigned>(after.size() + 1));
  for (size_t i = before.size(); i-- > 0;)
    for (size_t j = after.size(); j-- > 0;)
      common[i][j] = before[i] == after[j]
                         ? common[i + 1][j + 1] + 1
                         : std::max(common[i + 1][j], common[i][j + 1]);
  return common;
}

std::string hone::lineDifferences(StringRef before, StringRef after) {
  constexpr size_t kMaxCells = 4 << 20;
  Lines from, to;
  before.split(from, '\n');
  after.split(to, '\n');
  if (from.size() * to.size() > kMaxCells)
    return "";
  auto common = commonEnds(from, to);
  std::string text;
  StringRef last; // a common line that is not written yet
  bool isOpen = false;
  size_t i = 0, j = 0;
  auto add = [&](char sign, StringRef line) {
    if (!isOpen)
      text += formatv(" {0}\n", last);
    isOpen = true;
    text += formatv("{0}{1}\n", sign, line);
  };
  while (i < from.size() || j < to.size()) {
    if (i < from.size() && j < to.size() && from[i] == to[j]) {
      if (isOpen)
        text += formatv(" {0}\n", from[i]);
      isOpen = false;
      last = from[i];
      ++i, ++j;
    } else if (j == to.size() ||
               (i < from.size() && common[i + 1][j] >= common[i][j + 1])) {
      add('-', from[i++]);
    } else {
      add('+', to[j++]);
    }
  }
  return text.size() * 2 < after.size() ? text : "";
}
