//===- MachineFile.cpp - Parser of machine files --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `source` is required and printed last, so that a truncated file lacks it.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/MachineFile.h"
#include "../Isas.h"
#include "../Text.h"
#include "MachineKeys.h"
#include "hone/Text/File.h"
#include "hone/Text/Number.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// The keys
//===----------------------------------------------------------------------===//

void hone::forEachRate(Arch &arch,
                       llvm::function_ref<void(StringRef, double &)> each) {
  for (const Real &rate : kRates)
    each(rate.key, arch.*rate.member);
  for (const Rate &rate : kMeasured)
    each(rate.key, arch.measured.*rate.member);
}

static std::vector<StringRef> neededKeys() {
  std::vector<StringRef> keys(std::begin(kNeeded), std::end(kNeeded));
  for (const Whole &limit : kLimits)
    keys.push_back(limit.key);
  for (const Real &rate : kRates)
    keys.push_back(rate.key);
  return keys;
}

static std::vector<StringRef> allKeys() {
  std::vector<StringRef> keys = neededKeys();
  keys.insert(keys.end(), std::begin(kOptional), std::end(kOptional));
  for (const Rate &rate : kMeasured)
    keys.push_back(rate.key);
  return keys;
}

bool hone::isMachineName(StringRef name) {
  constexpr size_t kMaxLength = 64;
  auto [whole, count] = name.split('/');
  auto isInName = [](char c) {
    return llvm::isDigit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '_' ||
           c == '-';
  };
  bool isPart = whole.size() < name.size();
  bool isTaken = Arch::isFile(name) || whole == "host" || whole == "native" ||
                 whole.starts_with("sm_");
  return !whole.empty() && !isTaken && name.size() <= kMaxLength &&
         llvm::isAlnum(whole.front()) && llvm::all_of(whole, isInName) &&
         (!isPart || parseNatural(count));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Error expected(StringRef what, StringRef text) {
  return failure("to be " + what + ", but got " + quoted(text));
}

static std::string bounds(double min, double max) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.10g", min) << " to " << llvm::format("%.10g", max);
  return text;
}

static Error readWhole(StringRef text, int64_t min, int64_t max,
                       int64_t &value) {
  std::optional<int64_t> number = parseNatural(text);
  if (!number || *number < min || *number > max)
    return expected("a whole number of " + bounds(min, max), text);
  value = *number;
  return Error::success();
}

static Error readReal(StringRef text, double min, double max, double &value) {
  std::optional<double> number = realNumber(text);
  // A NaN is not within the bounds.
  if (!number || !(*number >= min && *number <= max))
    return expected("a number of " + bounds(min, max), text);
  value = *number;
  return Error::success();
}

static Error readName(StringRef text, Arch &arch) {
  if (!isMachineName(text))
    return expected("small letters, digits, '.', '_' or '-', and no other name "
                    "of an arch",
                    text);
  arch.name = arch.chip = text.str();
  return Error::success();
}

/// A name that a driver reports.
static Error readWords(StringRef text, std::string &words) {
  constexpr size_t kMaxLength = 100;
  if (text.empty() || text.size() > kMaxLength ||
      !llvm::all_of(text, llvm::isPrint))
    return expected("1 to 100 printable characters", text);
  words = text.str();
  return Error::success();
}

static Error readSource(StringRef text, Arch &arch) {
  arch.isMeasured = text == kMeasuredWord;
  return text == kPublished || arch.isMeasured
             ? Error::success()
             : expected("published or measured", text);
}

static Error readClusters(StringRef text, Arch &arch) {
  llvm::SmallVector<StringRef> words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (words.size() != arch.clusters.size())
    return expected("four numbers, of clusters of 2, 4, 8 and 16 blocks", text);
  for (auto [word, count] : llvm::zip_equal(words, arch.clusters))
    if (Error error = readWhole(word, 0, 1024, count))
      return error;
  if (!llvm::is_sorted(llvm::reverse(arch.clusters)))
    return expected("no more clusters than of half the size", text);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace {
class MachineParser {
public:
  explicit MachineParser(StringRef file) : file(file) {}
  Expected<std::vector<Arch>> parse(StringRef text);

private:
  Error parseLine(StringRef line);
  Error assign(StringRef key, StringRef value);
  /// Checks the machine whose last line was read.
  Error finish();
  Error fault(const Twine &message) const {
    return failure("machine file " + quoted(file) + ", line " + Twine(number) +
                   ": " + message);
  }

  StringRef file;
  const std::vector<StringRef> keys = allKeys();
  unsigned number = 0; ///< of the line
  bool isOpen = false;
  std::string capability;
  std::set<StringRef> seen;
  Arch arch;
  std::vector<Arch> machines;
};
} // namespace

Error MachineParser::assign(StringRef key, StringRef value) {
  if (key == "name")
    return readName(value, arch);
  if (key == "device")
    return readWords(value, arch.device);
  if (key == "driver")
    return readWords(value, arch.driver);
  if (key == "source")
    return readSource(value, arch);
  if (key == "clusters")
    return readClusters(value, arch);
  if (key == "isa")
    return setIsa(arch, value)
               ? Error::success()
               : failure("to be one of " + oneOf(isaNames(), value));
  if (key == "capability")
    return capability = value.str(), Error::success();
  if (key == kCacheBytes.key)
    return readWhole(value, kCacheBytes.min, kCacheBytes.max, arch.cacheBytes);
  for (const Whole &limit : kLimits)
    if (key == limit.key)
      return readWhole(value, limit.min, limit.max, arch.*limit.member);
  for (const Real &rate : kRates)
    if (key == rate.key)
      return readReal(value, rate.min, rate.max, arch.*rate.member);
  for (const Rate &rate : kMeasured)
    if (key == rate.key)
      return readReal(value, rate.min, rate.max, arch.measured.*rate.member);
  llvm_unreachable("every key of allKeys is handled");
}

Error MachineParser::finish() {
  for (StringRef key : neededKeys())
    if (!seen.count(key))
      return fault("expected '" + key + " = ...' before the end of a machine");
  auto expectThat = [&](bool holds, const Twine &message) {
    return holds ? Error::success() : fault("expected " + message);
  };
  if (Error error = expectThat(capability == std::to_string(arch.capability),
                               "'capability' to be " + Twine(arch.capability) +
                                   ", that of " + arch.isa + ", but got " +
                                   quoted(capability)))
    return error;
  if (Error error = expectThat(
          arch.sharedPerBlock <= arch.sharedPerProcessor,
          "'shared_per_block' to be 'shared_per_processor' or less, but got " +
              Twine(arch.sharedPerBlock)))
    return error;
  for (auto [i, count] : llvm::enumerate(arch.clusters))
    if (Error error = expectThat(
            count << (i + 1) <= arch.processors,
            "'clusters' of " + Twine(2 << i) + " blocks to be " +
                Twine(arch.processors >> (i + 1)) +
                " or fewer on so many processors, but got " + Twine(count)))
      return error;
  StringRef part = StringRef(arch.chip).split('/').second;
  if (Error error =
          expectThat(part.empty() || part == std::to_string(arch.processors),
                     "'processors' to be " + part +
                         ", as in the name, but got " + Twine(arch.processors)))
    return error;
  machines.push_back(std::exchange(arch, Arch()));
  seen.clear();
  return Error::success();
}

Error MachineParser::parseLine(StringRef line) {
  line = line.split('#').first.trim();
  if (line.empty())
    return Error::success();
  if (line == kHeader) {
    bool hadOne = std::exchange(isOpen, true);
    return hadOne ? finish() : Error::success();
  }
  if (!isOpen)
    return fault("expected '" + kHeader + "', but got " + quoted(line));
  auto [name, text] = line.split('=');
  StringRef key = name.trim(), value = text.trim();
  if (!line.contains('='))
    return fault("expected 'key = value', but got " + quoted(line));
  if (!llvm::is_contained(keys, key))
    return fault("expected a key, one of " + oneOf(keys, key));
  if (!seen.insert(key).second)
    return fault("expected one '" + key + "', but got two");
  if (Error error = assign(key, value))
    return fault("expected '" + key + "' " + llvm::toString(std::move(error)));
  return Error::success();
}

Expected<std::vector<Arch>> MachineParser::parse(StringRef text) {
  bool isWhole = text.empty() || text.back() == '\n';
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    ++number;
    if (Error error = parseLine(line))
      return std::move(error);
  }
  if (!isOpen)
    return fault("expected '" + kHeader + "', but got the end of the file");
  if (Error error = finish())
    return std::move(error);
  if (!isWhole)
    return fault("expected a line break at the end; the file is truncated");
  return std::move(machines);
}

Expected<std::vector<Arch>> hone::parseMachines(StringRef text,
                                                StringRef file) {
  return MachineParser(file).parse(text);
}

Expected<Arch> hone::parseMachine(StringRef text, StringRef file) {
  Expected<std::vector<Arch>> machines = parseMachines(text, file);
  if (!machines)
    return machines.takeError();
  if (machines->size() != 1)
    return failure("machine file " + quoted(file) +
                   ": expected one machine, but got " +
                   Twine(machines->size()));
  return std::move(machines->front());
}

Expected<Arch> hone::readMachine(StringRef path) {
  auto file = readFile(path, {"a machine file", kMaxMachineBytes});
  if (!file)
    return file.takeError();
  return parseMachine((*file)->getBuffer(), path);
}
