//===- OptionChecks.cpp - Checks of option values -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OptionChecks.h. Each uses the parser that the command uses later.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/OptionChecks.h"
#include "hone/Bench/ProblemChoice.h"
#include "hone/Bench/Share.h"
#include "hone/Chat/Http.h"
#include "hone/Plugin/Route.h"
#include "hone/Schedule/Arch.h"
#include "hone/Schedule/Ranges.h"
#include "hone/Simulate/Limits.h"
#include "hone/Workers/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

Error hone::checkArch(StringRef text) {
  bool isFound = text == "native" || Arch::isFile(text);
  return isFound ? Error::success() : Arch::lookup(text).takeError();
}

Error hone::checkGpuArch(StringRef text) {
  if (text == "host")
    return llvm::createStringError(
        "expected a GPU, but got 'host'; kernels of a CPU have no kernel IR");
  return checkArch(text);
}

Error hone::checkSchedule(StringRef text) {
  return text.empty() ? Error::success()
                      : parseRangedSchedule(text).takeError();
}

Error hone::checkSchedules(StringRef text) {
  for (StringRef one : llvm::split(text, ';'))
    if (Error error = checkSchedule(one.trim()))
      return error;
  return Error::success();
}

Error hone::checkPipeline(StringRef text) {
  PipelineOptions options;
  PipelineChoice choice;
  choice.pipeline = text.str();
  if (Error error = setOptions(choice, options))
    return error;
  return checkNumbers(options.numbers);
}

Error hone::checkNumbers(StringRef text) {
  return Numbers::parse(text).takeError();
}

Error hone::checkNumbersList(StringRef text) {
  return text.empty() ? Error::success() : parseNumbersList(text).takeError();
}

Error hone::checkProblem(StringRef text) {
  return text.empty() ? Error::success() : Problem::parse(text).takeError();
}

Error hone::checkDevices(StringRef text) {
  for (StringRef device : llvm::split(text, ','))
    if (Error error = checkDevice(device))
      return error;
  return Error::success();
}

Error hone::checkRehearsal(StringRef text) {
  return text.empty() ? Error::success() : FaultPlan::parse(text).takeError();
}

Error hone::checkSimulatedShape(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  int64_t m = 0, n = 0, k = 0;
  if (parts.size() != 3 || parts[0].getAsInteger(10, m) ||
      parts[1].getAsInteger(10, n) || parts[2].getAsInteger(10, k))
    return llvm::createStringError(formatv(
        "expected a shape like 128x256x512 (M x N x K), but got '{0}'", text));
  if (std::optional<std::string> fault = simulate::faultOfSizes(m, n, k))
    return llvm::createStringError(formatv("--shape={0}: {1}", text, *fault));
  return Error::success();
}

Error hone::checkPart(StringRef text) { return Share::parse(text).takeError(); }

Error hone::checkUrl(StringRef text) {
  std::optional<std::string> fault = faultOfUrl(text);
  return fault ? llvm::createStringError(*fault) : Error::success();
}
