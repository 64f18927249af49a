//===- KernelClock.cpp - Times of handwritten kernels ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelClock.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelClock.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

static constexpr int64_t kRounds = 15;

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
  // All kernels run in all turns: a fraction compares times of one clock.
  settings->rounds = kRounds;
  settings->stretch = 1;
  auto clock = std::make_unique<KernelClock>();
  clock->problem = std::move(problem);
  settings->kernelText = [&texts = clock->texts](StringRef name) {
    auto at = texts.find(name.str());
    return at == texts.end() ? std::string() : at->second;
  };
  if (Error error =
          Workers::start(std::move(*settings)).moveInto(clock->workers))
    return std::move(error);
  return clock;
}

/// A search that tries only these schedules, all of which enter its final.
Expected<SearchResult> KernelClock::search(std::vector<Schedule> schedules,
                                           Database *database,
                                           const SearchHooks &hooks) {
  SearchOptions options;
  options.finalists =
      std::max<int64_t>(options.finalists, int64_t(schedules.size()));
  auto results =
      Search(*workers, database,
             contestOf({{problem.str(), std::move(schedules)}}, options), hooks)
          .run({problem});
  if (!results)
    return results.takeError();
  return std::move(results->front());
}

Expected<std::vector<KernelTime>>
KernelClock::time(llvm::ArrayRef<const WholeKernelFile *> files) {
  std::vector<Schedule> schedules;
  for (const WholeKernelFile *file : files) {
    texts[file->kernel.name] = file->kernel.text;
    schedules.push_back(file->schedule);
  }
  schedules.push_back(files.front()->base);
  // The last record of each schedule is the final's.
  std::map<std::string, Record> received;
  SearchHooks hooks;
  hooks.received = [&](const Record &record) {
    received[toString(record.schedule)] = record;
  };
  auto result = search(schedules, /*database=*/nullptr, hooks);
  if (!result)
    return result.takeError();
  std::vector<KernelTime> times;
  for (const Schedule &schedule : schedules) {
    auto at = received.find(toString(schedule));
    if (at == received.end())
      return llvm::createStringError(
          "expected times, but the search ended before it had them");
    const Record &record = at->second;
    KernelTime &time = times.emplace_back();
    if (record.isOk())
      time.seconds = record.times.median;
    else
      time.refusal =
          formatv("{0}: {1}", toString(record.status), record.reason);
  }
  if (!times.back().refusal.empty())
    return llvm::createStringError(
        "expected a time of the schedule that the kernel began as, but got " +
        times.back().refusal);
  return times;
}

Expected<Schedule> KernelClock::keep(const WholeKernelFile &file,
                                     const std::string &path) {
  auto database = Database::open(path, Access::write);
  if (!database)
    return database.takeError();
  if (Error error = database->add({}, file.kernel))
    return std::move(error);
  auto result = search({file.base, file.schedule}, &*database, {});
  if (!result)
    return result.takeError();
  if (!result->chosen)
    return llvm::createStringError(
        "expected a choice, but the search ended without one");
  return *result->chosen;
}
