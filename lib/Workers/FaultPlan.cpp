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
#include "llvm/Support/FileSystem.h"
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

llvm::Error hone::checkDevice(StringRef name) {
  auto [number, part] = name.split('/');
  int64_t value = 0;
  bool isPart = name.contains('/');
  bool isNumber = !number.getAsInteger(10, value) && value >= 0 &&
                  (!isPart || (!part.getAsInteger(10, value) && value >= 1));
  if (name == "host" || name.starts_with("rehearsal:") || isNumber)
    return llvm::Error::success();
  return llvm::createStringError(
      formatv("expected a device, but got '{0}'; use the number of a GPU, "
              "NUMBER/PROCESSORS for a part of it, or host",
              name));
}

llvm::Expected<WorkerOptions>
WorkerOptions::make(std::string program, std::vector<std::string> devices,
                    StringRef rehearsal) {
  WorkerOptions options;
  options.program = std::move(program);
  if (options.program.empty()) {
    if (llvm::Error error = findWorkerProgram().moveInto(options.program))
      return std::move(error);
  } else if (!llvm::sys::fs::can_execute(options.program)) {
    return llvm::createStringError(formatv(
        "expected the tool hone as the worker, but got '{0}', which is {1}",
        options.program,
        llvm::sys::fs::exists(options.program) ? "no program" : "no file"));
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

/// Kernels are compiled only for a `compile` fault, because none is launched.
std::string FaultPlan::at(int64_t number, bool isCompilation) const {
  for (const auto &[what, numbers] : planned)
    if (StringRef(what).starts_with("compile-") == isCompilation &&
        numbers.count(number))
      return what;
  bool skips = isCompilation && !planned.empty() && !planned.count("compile");
  return skips ? "compile-skip" : "";
}
