//===- KernelClock.cpp - Times of whole kernels ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelClock.h.
//
//===----------------------------------------------------------------------===//

#include "KernelClock.h"
#include "hone/Search/Search.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

Expected<std::unique_ptr<KernelClock>>
KernelClock::start(StringRef device, StringRef rehearse, StringRef worker) {
  std::vector<std::string> devices;
  if (!device.empty())
    devices.push_back(device.str());
  auto settings =
      WorkerOptions::make(worker.str(), std::move(devices), rehearse);
  if (!settings)
    return settings.takeError();
  auto clock = std::make_unique<KernelClock>();
  settings->kernelText = [&texts = clock->texts](StringRef name) {
    auto at = texts.find(name.str());
    return at == texts.end() ? std::string() : at->second;
  };
  auto started = Workers::start(std::move(*settings));
  if (!started)
    return started.takeError();
  clock->workers = std::move(*started);
  return clock;
}

/// What a search writes down of a candidate that has no time.
static std::string refusalOf(const Record &record) {
  return formatv("{0}: {1}", toString(record.status), record.reason).str();
}

Expected<KernelTimes> KernelClock::time(const WholeKernelFile &file) {
  if (!file.problem.isStatic())
    return llvm::createStringError(
        formatv("expected a kernel of a problem with extents to time it, but "
                "got {0}",
                file.problem.str()));
  texts[file.kernel.name] = file.kernel.text;
  SearchOptions search;
  search.policy = "default";
  search.trials = 0;
  search.wanted = {file.base, file.schedule};
  // The last word on each is the final's.
  std::map<std::string, Record> heard;
  SearchHooks hooks;
  hooks.heard = [&](const Record &record) {
    heard[toString(record.schedule)] = record;
  };
  auto results =
      Search(*workers, /*database=*/nullptr, search, hooks).run({file.problem});
  if (!results)
    return results.takeError();
  auto kernel = heard.find(toString(file.schedule)),
       base = heard.find(toString(file.base));
  if (kernel == heard.end() || base == heard.end())
    return llvm::createStringError(
        "expected times, but the search ended before it had them");
  KernelTimes times;
  if (!kernel->second.isOk()) {
    times.refusal = refusalOf(kernel->second);
    return times;
  }
  if (!base->second.isOk())
    return llvm::createStringError(
        "expected a time of the schedule that the kernel began as, but got " +
        refusalOf(base->second));
  times.kernel = kernel->second.times.median;
  times.base = base->second.times.median;
  return times;
}
