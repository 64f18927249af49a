//===- MachinePrinter.cpp - Printer of machine files ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MachineFile.h.
//
//===----------------------------------------------------------------------===//

#include "MachineKeys.h"
#include "hone/Schedule/MachineFile.h"
#include "hone/Text/Number.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::StringRef;
using llvm::Twine;

/// Calls `see` with every key and its value, in the order of a file.
template <typename See>
static void visitMachine(const Arch &arch, See see) {
  auto seeWords = [&](StringRef key, StringRef words) {
    if (!words.empty())
      see(key, words);
  };
  see("name", StringRef(arch.chip));
  seeWords("device", arch.device);
  see("isa", StringRef(arch.isa));
  see("capability", int64_t(arch.capability));
  for (const Whole &limit : kLimits)
    see(limit.key, arch.*limit.member);
  if (arch.clusters.front() > 0)
    see("clusters", llvm::ArrayRef(arch.clusters));
  for (const Real &rate : kRates)
    see(rate.key, arch.*rate.member);
  see(kCacheBytes.key, arch.cacheBytes);
  for (const Rate &rate : kMeasured)
    if (double value = arch.measured.*rate.member; value > 0)
      see(rate.key, value);
  seeWords("driver", arch.driver);
  see("source", StringRef(arch.isMeasured ? kMeasuredWord : kPublished));
}

namespace {
struct TextPrinter {
  std::string &text;
  void put(StringRef key, const Twine &value) {
    text += (key + " = " + value + "\n").str();
  }
  void operator()(StringRef key, StringRef value) { put(key, value); }
  void operator()(StringRef key, int64_t value) { put(key, Twine(value)); }
  void operator()(StringRef key, double value) {
    put(key, shortestText(value));
  }
  void operator()(StringRef key, llvm::ArrayRef<int64_t> values) {
    put(key, llvm::join(llvm::map_range(values,
                                        [](int64_t value) {
                                          return std::to_string(value);
                                        }),
                        " "));
  }
};

struct JsonPrinter {
  llvm::json::Object &object;
  void operator()(StringRef key, StringRef value) { object[key] = value; }
  void operator()(StringRef key, int64_t value) { object[key] = value; }
  void operator()(StringRef key, double value) { object[key] = value; }
  void operator()(StringRef key, llvm::ArrayRef<int64_t> values) {
    object[key] = llvm::json::Array(values);
  }
};
} // namespace

std::string hone::printMachine(const Arch &arch) {
  std::string text = (kHeader + "\n").str();
  visitMachine(arch, TextPrinter{text});
  return text;
}

llvm::json::Object hone::machineToJson(const Arch &arch) {
  llvm::json::Object object;
  visitMachine(arch, JsonPrinter{object});
  return object;
}
