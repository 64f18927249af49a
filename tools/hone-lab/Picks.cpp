//===- Picks.cpp - hone-lab picks -----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests whether repeated tuning makes the same choices. The choices of several
// databases for a problem run in one final, so that they differ in the choice
// alone and not in the time of measurement.
//
//===----------------------------------------------------------------------===//

#include "Finals.h"
#include "Lab.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Database/Database.h"
#include "hone/Matmul/WholeKernelFile.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Tuner/TuneReport.h"
#include "hone/Workers/Workers.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <map>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
/// The databases' choices for one problem; each schedule once.
struct Picks {
  Problem problem;
  std::vector<std::string> byDatabase;
  std::vector<Schedule> distinct;
  /// By distinct schedule, after the measurement.
  std::vector<Measurement> results;
  double slowest = 1; ///< of those that run, over the fastest

  bool agree() const { return distinct.size() == 1; }
};

struct PicksOptions {
  std::string databases, devices, worker, rehearse;
  int64_t rounds = 15;
  bool json = false;
};
} // namespace

/// Adds the choices of one database.
static Error addPicks(const std::string &path, StringRef arch, Origin origin,
                      std::map<std::string, Picks> &all) {
  auto database = Database::open(path, Access::read);
  if (!database)
    return database.takeError();
  Filter filter;
  filter.arch = arch.str();
  filter.bestOnly = true;
  filter.origin = origin;
  return database->forEach(filter, [&](const Record &record) {
    Picks &picks = all[record.problem.str()];
    picks.problem = record.problem;
    std::string text = toString(record.schedule);
    if (!llvm::is_contained(picks.byDatabase, text))
      picks.distinct.push_back(record.schedule);
    picks.byDatabase.push_back(text);
  });
}

static size_t countPicks(const std::map<std::string, Picks> &all) {
  size_t count = 0;
  for (const auto &[text, picks] : all)
    count += picks.byDatabase.size();
  return count;
}

/// The problems for which every database has a choice. Adds to `partial` the
/// number of the others.
static llvm::Expected<std::vector<Picks>>
readPicks(llvm::ArrayRef<StringRef> databases, StringRef arch, Origin origin,
          size_t &partial) {
  std::map<std::string, Picks> all;
  std::string counts;
  for (StringRef path : databases) {
    size_t before = countPicks(all);
    if (Error error = addPicks(path.str(), arch, origin, all))
      return std::move(error);
    counts += formatv("{0}{1} of {2}", counts.empty() ? "" : ", ",
                      countPicks(all) - before, path);
  }
  std::vector<Picks> shared;
  for (auto &[text, picks] : all)
    if (picks.byDatabase.size() == databases.size())
      shared.push_back(std::move(picks));
  partial += all.size() - shared.size();
  if (shared.empty())
    return llvm::createStringError(
        formatv("expected a problem with a {0} result on {1} in every "
                "database, but got none; with one are {2}",
                toString(origin), arch, counts));
  return shared;
}

/// A choice without a measurement may be one that an assembler refuses.
static Error take(Picks &picks, llvm::ArrayRef<Measurement> results) {
  picks.results = results.vec();
  double fastest = INFINITY, slowest = 0;
  for (auto [schedule, result] : llvm::zip_equal(picks.distinct, results)) {
    if (!result.isOk()) {
      llvm::errs() << formatv("{0}, {1}: {2}: {3}\n", shortName(picks.problem),
                              toString(schedule), toString(result.status),
                              result.reason);
      continue;
    }
    fastest = std::min(fastest, result.times.median);
    slowest = std::max(slowest, result.times.median);
  }
  if (slowest > 0)
    picks.slowest = slowest / fastest;
  return Error::success();
}

static Error measure(Workers &workers, llvm::MutableArrayRef<Picks> all) {
  std::vector<Question> finals;
  for (auto [i, picks] : llvm::enumerate(all))
    if (!picks.agree())
      finals.push_back(
          {/*number=*/i + 1, picks.problem, picks.distinct, /*best=*/0});
  return runFinals(workers, finals,
                   [&](uint64_t number, llvm::ArrayRef<Measurement> results) {
                     return take(all[number - 1], results);
                   });
}

/// Times of the choices; one choice needs none.
static std::string timesText(const Picks &picks) {
  std::vector<std::string> times;
  for (const Measurement &each : picks.results)
    times.push_back(each.isOk()
                        ? formatv("{0:F3}", each.times.median * 1e6).str()
                        : toString(each.status).str());
  return picks.agree() ? "one choice" : llvm::join(times, " ");
}

static void print(llvm::ArrayRef<Picks> all, size_t partial, bool json) {
  Table table({"problem", "picks", "slowest over fastest", "us", "schedules"});
  double logs = 0, worst = 1;
  size_t agreed = 0;
  for (const Picks &picks : all) {
    std::vector<std::string> schedules;
    for (const Schedule &each : picks.distinct)
      schedules.push_back(toString(each));
    table.addRow({shortName(picks.problem),
                  std::to_string(picks.distinct.size()),
                  formatv("{0:F4}", picks.slowest), timesText(picks),
                  llvm::join(schedules, "; ")});
    logs += std::log(picks.slowest);
    worst = std::max(worst, picks.slowest);
    agreed += picks.agree();
  }
  if (json) {
    llvm::outs() << formatv("{0:2}\n", table.toJson());
    return;
  }
  table.print(llvm::outs());
  llvm::outs() << formatv(
      "\n{0} of {1} problems with one choice, which is not timed; slowest over "
      "fastest choice: geometric mean {2:F4}, largest {3:F4}\n",
      agreed, all.size(), std::exp(logs / all.size()), worst);
  if (partial)
    llvm::outs() << formatv(
        "{0} problem{1} left out, without a choice in every database\n",
        partial, partial == 1 ? "" : "s");
}

static Error run(const PicksOptions &options) {
  llvm::SmallVector<StringRef> databases;
  StringRef(options.databases).split(databases, ',');
  auto settings = workersOf(options.worker, options.devices, options.rehearse,
                            options.rounds);
  if (!settings)
    return settings.takeError();
  settings->kernelText = kernelTextsIn({databases.begin(), databases.end()});
  auto workers = Workers::start(std::move(*settings));
  if (!workers)
    return workers.takeError();
  size_t partial = 0;
  auto picks = readPicks(databases, (*workers)->arch().chip,
                         (*workers)->origin(), partial);
  if (!picks)
    return picks.takeError();
  if (Error error = measure(**workers, *picks))
    return error;
  print(*picks, partial, options.json);
  return Error::success();
}

int hone::labPicks(llvm::ArrayRef<StringRef> args) {
  PicksOptions options;
  OptionList list("hone-lab picks --db=FILE,FILE,... [options]",
                  "Times the choices of several databases for the same "
                  "problems, in turns.\n"
                  "Example: for i in 1 2; do\n"
                  "  hone tune --shape=64,64,64,nt --arch=h200 "
                  "--rehearse=smooth --trials=4 --seed=$i --db=$i.db\n"
                  "done; hone-lab picks --db=1.db,2.db --rehearse=smooth");
  list.add("db", "FILE,...", options.databases, "databases of hone tune");
  list.add("device", "N,...", options.devices, "numbers of GPUs", checkDevices);
  list.add("rounds", "N", options.rounds, "turns");
  list.add("worker", "FILE", options.worker,
           "the program hone that runs the workers");
  list.add("rehearse", "PLAN", options.rehearse, "no GPU, as in hone tune",
           checkRehearsal);
  list.add("json", options.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  if (!StringRef(options.databases).contains(','))
    return reportError(
        llvm::createStringError("expected two databases or more, but got '" +
                                options.databases + "'; use --db=FILE,FILE"),
        kExitUsage);
  if (Error error = run(options))
    return reportError(std::move(error));
  return kExitSuccess;
}
