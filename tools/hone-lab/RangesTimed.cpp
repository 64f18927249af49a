//===- RangesTimed.cpp - hone-lab ranges, on a GPU ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A database has the choice for every M, each tuned by itself. A build that has
// some of them, those of the ladder or those of another database, makes a plan
// of a few kernels for `m = ?`. At every M the plan's choice and the choice for
// this M run in turns. Kernels take M at run time, so the timed kernel is the
// one that the plan launches. The plan's selection is host time,
// and is not included.
//
//===----------------------------------------------------------------------===//

#include "Finals.h"
#include "Ranges.h"
#include "hone/Command/Table.h"
#include "hone/Matmul/WholeKernelFile.h"
#include "hone/Tuner/TuneLadders.h"
#include "hone/Workers/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <map>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {

/// A database restricted to the ladder's values of M.
class LadderLookup : public Lookup {
public:
  LadderLookup(std::shared_ptr<Lookup> all, const std::string &chip,
               llvm::ArrayRef<int64_t> ladder)
      : all(std::move(all)) {
    for (const Problem &problem : this->all->problems(chip))
      if (llvm::is_contained(ladder, problem.m))
        known.push_back(problem);
  }
  std::optional<Found> find(const Problem &problem,
                            const std::string &chip) override {
    return llvm::is_contained(known, problem) ? all->find(problem, chip)
                                              : std::nullopt;
  }
  std::vector<Record> measured(const Problem &problem,
                               const std::string &chip) override {
    return llvm::is_contained(known, problem) ? all->measured(problem, chip)
                                              : std::vector<Record>();
  }
  const std::vector<Problem> &problems(const std::string &) override {
    return known;
  }
  std::optional<std::string> kernel(StringRef name) override {
    return all->kernel(name);
  }
  std::string name() const override { return all->name(); }

private:
  std::shared_ptr<Lookup> all;
  std::vector<Problem> known;
};

/// One M: the plan's choice, and the choice for this M.
struct Duel {
  Problem problem;
  size_t kernels = 0;
  bool isKnown = false; ///< to the plan
  Schedule picked, own;
  double pickedSeconds = 0, ownSeconds = 0;

  bool isSame() const { return picked == own; }
  /// The plan's speed over that of the own choice.
  double ratio() const { return isSame() ? 1 : ownSeconds / pickedSeconds; }
};

} // namespace

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// A rehearsal uses rehearsed records.
static Origin originAsked(const RangesOptions &options) {
  return options.rehearse.empty() ? Origin::measured : Origin::rehearsed;
}

/// The records that the build has.
static llvm::Expected<std::shared_ptr<Lookup>>
knownOf(const RangesOptions &options, std::shared_ptr<Lookup> all,
        const std::string &chip) {
  if (!options.known.empty())
    return openLookup(options.known, originAsked(options));
  return std::make_shared<LadderLookup>(all, chip, rangeLadder());
}

/// The plans of all families, at every M.
static std::vector<Duel> duelsOf(const RangesOptions &options,
                                 std::shared_ptr<Lookup> known,
                                 std::shared_ptr<Lookup> all,
                                 const Arch &arch) {
  RangeRule rule = options.rule;
  rule.max = *std::max_element(options.counts.begin(), options.counts.end());
  std::shared_ptr<RangedSource> source =
      makePlans(known, rule, options.modelOnly);
  std::map<std::string, std::optional<Answer>> plans;
  std::vector<Duel> duels;
  for (const Problem &problem : all->problems(arch.chip)) {
    Problem asked = problem;
    asked.m = kDynamic;
    auto [plan, isNew] = plans.try_emplace(asked.str());
    if (isNew)
      plan->second = source->ask(asked, arch);
    std::optional<Found> own = all->find(problem, arch.chip);
    if (!plan->second || !own)
      continue;
    RangedSchedule schedules = {plan->second->ranges, plan->second->schedule};
    duels.push_back({problem, schedules.ranges.size() + 1,
                     llvm::is_contained(known->problems(arch.chip), problem),
                     schedules.at(problem.m), own->record.schedule});
  }
  auto key = [](const Duel &duel) {
    const Problem &problem = duel.problem;
    return std::make_tuple(problem.n, problem.k, problem.m, problem.str());
  };
  llvm::sort(duels, [&](const Duel &one, const Duel &other) {
    return key(one) < key(other);
  });
  return duels;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static Error measure(Workers &workers, llvm::MutableArrayRef<Duel> duels) {
  std::vector<Question> finals;
  for (auto [i, duel] : llvm::enumerate(duels))
    if (!duel.isSame())
      finals.push_back({/*number=*/i + 1,
                        duel.problem,
                        {duel.picked, duel.own},
                        /*best=*/0});
  return runFinals(
      workers, finals,
      [&](uint64_t number, llvm::ArrayRef<Measurement> results) -> Error {
        Duel &duel = duels[number - 1];
        if (Error error = expectAllRan(duel.problem, results, "both schedules"))
          return error;
        duel.pickedSeconds = results[0].times.median;
        duel.ownSeconds = results[1].times.median;
        return Error::success();
      });
}

static Table tableOf(llvm::ArrayRef<Duel> duels) {
  Table table({"m", "n", "k", "layout", "known", "kernels", "picked_us",
               "own_us", "ratio", "picked", "own"});
  auto micro = [](double seconds) {
    return seconds > 0 ? formatv("{0:F3}", seconds * 1e6).str() : std::string();
  };
  for (const Duel &duel : duels) {
    const Problem &problem = duel.problem;
    std::string layout = problem.a.order == Order::row ? "n" : "t";
    layout += problem.b.order == Order::row ? "n" : "t";
    table.addRow({std::to_string(problem.m), std::to_string(problem.n),
                  std::to_string(problem.k), layout,
                  duel.isKnown ? "yes" : "no", std::to_string(duel.kernels),
                  micro(duel.pickedSeconds), micro(duel.ownSeconds),
                  formatv("{0:F4}", duel.ratio()), toString(duel.picked),
                  toString(duel.own)});
  }
  return table;
}

/// The result of the plan over the duels for which `counts` is true.
static void printSummary(const char *where, llvm::ArrayRef<Duel> duels,
                         llvm::function_ref<bool(const Duel &)> counts) {
  double logs = 0, min = INFINITY;
  size_t count = 0;
  for (const Duel &duel : duels) {
    if (!counts(duel))
      continue;
    logs += std::log(duel.ratio());
    min = std::min(min, duel.ratio());
    ++count;
  }
  if (count)
    llvm::outs() << formatv(
        "{0}: {1} problems, plan over each M tuned by itself: geometric mean "
        "{2:F4}, smallest {3:F4}\n",
        where, count, std::exp(logs / double(count)), min);
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

Error hone::timeRanges(const RangesOptions &options) {
  auto lookup = openLookup(options.database, originAsked(options));
  if (!lookup)
    return lookup.takeError();
  auto settings = workersOf(options.worker, options.devices, options.rehearse,
                            options.rounds);
  if (!settings)
    return settings.takeError();
  std::vector<std::string> databases = {options.database};
  if (!options.known.empty())
    databases.push_back(options.known);
  settings->kernelText = kernelTextsIn(databases);
  auto workers = Workers::start(std::move(*settings));
  if (!workers)
    return workers.takeError();
  const Arch &arch = (*workers)->arch();
  auto known = knownOf(options, *lookup, arch.chip);
  if (!known)
    return known.takeError();
  std::vector<Duel> duels = duelsOf(options, *known, *lookup, arch);
  if (duels.empty())
    return llvm::createStringError(
        "expected problems of the device's chip in '" + options.database +
        "', but got none; use hone tune");
  if (Error error = measure(**workers, duels))
    return error;
  Table table = tableOf(duels);
  if (!options.csv.empty())
    if (Error error = table.writeCsv(options.csv))
      return error;
  if (options.json)
    llvm::outs() << formatv("{0:2}\n", table.toJson());
  else if (options.csv.empty())
    table.print(llvm::outs());
  if (options.json)
    return Error::success();
  printSummary("known to the plan", duels,
               [](const Duel &duel) { return duel.isKnown; });
  printSummary("not known", duels,
               [](const Duel &duel) { return !duel.isKnown; });
  printSummary("all", duels, [](const Duel &) { return true; });
  return Error::success();
}
