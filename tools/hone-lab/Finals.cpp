//===- Finals.cpp - Finals between schedules ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Finals.h.
//
//===----------------------------------------------------------------------===//

#include "Finals.h"
#include "hone/Text/Progress.h"
#include "hone/Tuner/TuneReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace hone;

llvm::Expected<WorkerOptions> hone::workersOf(llvm::StringRef worker,
                                              llvm::StringRef devices,
                                              llvm::StringRef rehearse,
                                              int64_t rounds) {
  std::vector<std::string> names;
  for (llvm::StringRef device : llvm::split(devices, ','))
    if (!device.empty())
      names.push_back(device.str());
  auto options = WorkerOptions::make(worker.str(), std::move(names), rehearse);
  if (!options)
    return options.takeError();
  options->rounds = rounds;
  options->note = [](const std::string &text) { llvm::errs() << text << "\n"; };
  return options;
}

llvm::Error hone::runFinals(
    Workers &workers, llvm::ArrayRef<Question> finals,
    llvm::function_ref<llvm::Error(uint64_t, llvm::ArrayRef<Measurement>)>
        take) {
  std::map<uint64_t, const Problem *> open;
  for (const Question &final : finals) {
    open[final.number] = &final.problem;
    workers.ask(final);
  }
  Progress progress(open.size());
  while (!open.empty()) {
    auto reply = workers.next(/*seconds=*/1);
    if (!reply)
      return reply.takeError();
    if (!*reply)
      continue;
    auto at = open.find((*reply)->number);
    const Problem &problem = *at->second;
    open.erase(at);
    progress.step(shortName(problem));
    if (llvm::Error error = take((*reply)->number, (*reply)->measurements))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error hone::expectAllRan(const Problem &problem,
                               llvm::ArrayRef<Measurement> results,
                               llvm::StringRef what) {
  for (const Measurement &result : results)
    if (!result.isOk())
      return llvm::createStringError(
          llvm::formatv("cannot time {1} of '{0}': {2}, {3}", problem.str(),
                        what, toString(result.status), result.reason));
  return llvm::Error::success();
}
