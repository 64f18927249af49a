//===- KernelClock.cpp - Times of whole kernels ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RewriteChat.h.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Program/RewriteChat.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

Expected<std::unique_ptr<KernelClock>> KernelClock::start(Problem problem,
                                                          StringRef device,
                                                          StringRef rehearse,
                                                          StringRef worker) {
  std::vector<std::string> devices;
  if (!device.empty())
    devices.push_back(device.str());
  auto settings =
      WorkerOptions::make(worker.str(), std::move(devices), rehearse);
  if (!settings)
    return settings.takeError();
  auto clock = std::make_unique<KernelClock>();
  clock->problem = std::move(problem);
  settings->kernelText = [&texts = clock->texts](StringRef name) {
    auto at = texts.find(name.str());
    return at == texts.end() ? std::string() : at->second;
  };
  if (llvm::Error error =
          Workers::start(std::move(*settings)).moveInto(clock->workers))
    return std::move(error);
  return clock;
}

/// The recorded reason why a candidate has no time.
static std::string refusalOf(const Record &record) {
  return formatv("{0}: {1}", toString(record.status), record.reason).str();
}

/// A search that tries only these schedules.
Expected<SearchResult> KernelClock::search(std::vector<Schedule> schedules,
                                           Database *database,
                                           const SearchHooks &hooks) {
  auto results =
      Search(*workers, database,
             contestOf({{problem.str(), std::move(schedules)}}), hooks)
          .run({problem});
  if (!results)
    return results.takeError();
  return std::move(results->front());
}

/// The last record of each schedule is the final's.
Expected<KernelClock::Heard>
KernelClock::final(std::vector<Schedule> schedules) {
  Heard heard;
  SearchHooks hooks;
  hooks.heard = [&](const Record &record) {
    heard[toString(record.schedule)] = record;
  };
  auto result = search(schedules, /*database=*/nullptr, hooks);
  if (!result)
    return result.takeError();
  for (const Schedule &schedule : schedules)
    if (!heard.count(toString(schedule)))
      return llvm::createStringError(
          "expected times, but the search ended before it had them");
  return heard;
}

Expected<KernelTimes> KernelClock::time(const WholeKernelFile &file,
                                        const WholeKernelFile *rival) {
  texts[file.kernel.name] = file.kernel.text;
  std::vector<Schedule> schedules = {file.base, file.schedule};
  if (rival)
    schedules.push_back(rival->schedule);
  auto heard = final(schedules);
  if (!heard)
    return heard.takeError();
  const Record &kernel = heard->at(toString(file.schedule)),
               &base = heard->at(toString(file.base));
  KernelTimes times;
  if (!kernel.isOk()) {
    times.refusal = refusalOf(kernel);
    return times;
  }
  if (!base.isOk())
    return llvm::createStringError(
        "expected a time of the schedule that the kernel began as, but got " +
        refusalOf(base));
  times.kernel = kernel.times.median;
  times.base = base.times.median;
  // If the rival fails now, it has no time.
  if (rival)
    if (const Record &before = heard->at(toString(rival->schedule));
        before.isOk())
      times.rival = before.times.median;
  return times;
}

Expected<Schedule> KernelClock::keep(const WholeKernelFile &file,
                                     const std::string &path) {
  auto database = Database::open(path, Access::write);
  if (!database)
    return database.takeError();
  if (llvm::Error error = database->add({}, file.kernel))
    return std::move(error);
  auto result = search({file.base, file.schedule}, &*database, {});
  if (!result)
    return result.takeError();
  if (!result->chosen)
    return llvm::createStringError(
        "expected a choice, but the search ended without one");
  return *result->chosen;
}
