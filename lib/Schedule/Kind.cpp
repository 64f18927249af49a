//===- Kind.cpp - Table of kinds ------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows, and the functions that all rows share.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Kind.h"
#include "Text.h"
#include "hone/Schedule/Host.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "hone/Schedule/WholeKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::StringRef;

/// One line per kind.
Kinds hone::allKinds() {
  static const Kind *const table[] = {
      &WarpSpecialized::kind(),
      &MmaSync::kind(),
      &Host::kind(),
  };
  return table;
}

//===----------------------------------------------------------------------===//
// Choices and decisions
//===----------------------------------------------------------------------===//

bool Choice::has(int64_t value) const {
  if (value < min || value > max)
    return false;
  if (step)
    return step == 1 || (value - min) % step == 0;
  return value % min == 0 && llvm::isPowerOf2_64(value / min);
}

int64_t Choice::count() const {
  return 1 + (step ? (max - min) / step : llvm::Log2_64(max / min));
}

int64_t Choice::at(int64_t index) const {
  return step ? min + index * step : min << index;
}

/// Bits of a number within a name. Numbers count from 1, as everywhere.
static constexpr unsigned kNameBits = 20, kNameDigits = kNameBits / 4;

static std::string printName(llvm::ArrayRef<int64_t> numbers) {
  std::string name;
  for (int64_t number : numbers)
    name += llvm::utohexstr(number - 1, /*LowerCase=*/true, kNameDigits);
  return llvm::StringRef(name).find_first_not_of('0') == StringRef::npos
             ? "none"
             : "k" + name;
}

static llvm::Error parseName(const Decision &decision, StringRef text,
                             llvm::MutableArrayRef<int64_t> numbers) {
  bool isNone = text == "none";
  if (!isNone && !isKernelName(text))
    return failure("expected '" + decision.name +
                   "' to be the name of a kernel, k and 15 hexadecimal digits, "
                   "but got " +
                   quoted(text));
  for (auto [i, number] : llvm::enumerate(numbers)) {
    number = 0;
    if (!isNone)
      text.substr(1 + i * kNameDigits, kNameDigits).getAsInteger(16, number);
    ++number;
  }
  return llvm::Error::success();
}

std::string Decision::print(llvm::ArrayRef<int64_t> numbers) const {
  if (namesWholeKernel(*this))
    return printName(numbers);
  std::string text;
  for (int64_t number : numbers) {
    if (!text.empty())
      text += 'x';
    bool isWord = number >= 1 && number <= int64_t(words.size());
    text += isWord ? words[number - 1].str() : std::to_string(number);
  }
  return text;
}

static llvm::Error parseWord(const Decision &decision, StringRef text,
                             int64_t &number) {
  auto at = llvm::find(decision.words, text);
  if (at == decision.words.end())
    return failure("expected '" + decision.name + "' to be one of " +
                   listed(decision.words) + ", but got " + quoted(text));
  number = 1 + (at - decision.words.begin());
  return llvm::Error::success();
}

llvm::Error Decision::parse(StringRef text,
                            llvm::MutableArrayRef<int64_t> numbers) const {
  if (namesWholeKernel(*this))
    return parseName(*this, text, numbers);
  if (!words.empty())
    return parseWord(*this, text, numbers.front());
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, 'x');
  bool wellFormed = parts.size() == numbers.size();
  llvm::SmallVector<int64_t, 3> read;
  for (size_t i = 0; wellFormed && i < parts.size(); ++i) {
    std::optional<int64_t> value = parseNatural(parts[i]);
    wellFormed = value && *value >= kSmallestNumber;
    if (wellFormed && *value > kLargestNumber)
      return failure("expected '" + name + "' to be at most " +
                     llvm::Twine(kLargestNumber) + ", but got " +
                     quoted(parts[i]));
    if (wellFormed)
      read.push_back(*value);
  }
  if (wellFormed) {
    llvm::copy(read, numbers.begin());
    return llvm::Error::success();
  }
  std::string form =
      numbers.size() == 1
          ? "a positive integer"
          : std::to_string(numbers.size()) + " positive integers joined by 'x'";
  return failure("expected '" + name + "' to be " + form + ", but got " +
                 quoted(text));
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

int64_t hone::launchRegisters(int64_t threads) {
  constexpr int64_t kPerProcessor = 65536, kGranule = 8, kMax = 255;
  // A block's warps are dealt to the four parts of a processor; the fullest
  // part counts.
  constexpr int64_t kTogether = 4 * 32;
  int64_t counted = llvm::alignTo(std::max<int64_t>(threads, 1), kTogether);
  return std::min(kPerProcessor / counted / kGranule * kGranule, kMax);
}

Occupancy hone::occupancy(int64_t threads, int64_t registers,
                          int64_t sharedBytes, const Arch &arch) {
  // The hardware reserves 1 KiB of shared memory per block.
  constexpr int64_t kReserved = 1024, kMaxBlocks = 32;
  Occupancy result = {kMaxBlocks, "blocks"};
  auto limit = [&](llvm::StringLiteral what, int64_t has, int64_t needs) {
    if (needs > 0 && has / needs < result.blocks)
      result = {has / needs, what};
  };
  limit("threads", arch.threadsPerProcessor, threads);
  limit("registers", arch.registersPerProcessor, registers);
  limit("shared memory", arch.sharedPerProcessor, sharedBytes + kReserved);
  return result;
}
