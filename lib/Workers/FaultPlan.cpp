//===- FaultPlan.cpp - Planned faults for tests ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Workers.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Workers/Workers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

static constexpr StringRef kOfCandidates[] = {
    "crash",  "kill",  "hang",  "garbage", "beat",
    "memory", "error", "wrong", "nan",     "fast"};
static constexpr StringRef kOfCompilations[] = {"compile-crash", "compile-hang",
                                                "compile-memory"};

llvm::Expected<FaultPlan> FaultPlan::parse(StringRef text) {
  FaultPlan plan;
  for (StringRef part : llvm::split(text, ',')) {
    auto [what, numberText] = part.split(':');
    int64_t number = 0;
    bool isPlain = part == "smooth" || part == "compile";
    if (!isPlain && ((!llvm::is_contained(kOfCandidates, what) &&
                      !llvm::is_contained(kOfCompilations, what)) ||
                     numberText.getAsInteger(10, number) || number < 1))
      return llvm::createStringError(formatv(
          "expected a rehearsal, but got '{0}'; use smooth, compile, or e.g. "
          "crash:3,hang:5 of {1:$[, ]}, {2:$[, ]}",
          part,
          llvm::make_range(std::begin(kOfCandidates), std::end(kOfCandidates)),
          llvm::make_range(std::begin(kOfCompilations),
                           std::end(kOfCompilations))));
    plan.planned[what.str()].insert(number);
  }
  return plan;
}

llvm::Expected<WorkerOptions>
WorkerOptions::make(std::string program, std::vector<std::string> devices,
                    StringRef rehearsal) {
  WorkerOptions options;
  options.program = std::move(program);
  if (options.program.empty()) {
    if (llvm::Error error = findWorkerProgram().moveInto(options.program))
      return std::move(error);
  }
  options.devices = std::move(devices);
  if (options.devices.empty())
    options.devices = {rehearsal.empty() ? "0" : "rehearsal:h200"};
  if (rehearsal.empty())
    return options;
  if (llvm::Error error = FaultPlan::parse(rehearsal).moveInto(options.faults))
    return std::move(error);
  return options;
}

/// Without a `compile` fault kernels are not compiled, as none is launched.
std::string FaultPlan::at(int64_t number, bool isCompilation) const {
  for (const auto &[what, numbers] : planned)
    if (StringRef(what).starts_with("compile-") == isCompilation &&
        numbers.count(number))
      return what;
  bool skips = isCompilation && !planned.empty() && !planned.count("compile");
  return skips ? "compile-skip" : "";
}
