//===- Ranges.cpp - hone-lab ranges ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss of a plan that chooses by M, against each M tuned by itself. Without
// a GPU this is a replay: the shapes of dense tables that differ in M alone are
// queried with `m = ?`, and the plan's choice at each M is looked up in that
// shape's times. On a GPU (RangesTimed.cpp) both run in turns.
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"
#include "Lab.h"
#include "TimedShapes.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Sources/ModelSource.h"
#include "hone/Sources/UnseenSource.h"
#include "hone/Text/Progress.h"
#include "lib/Lab/Comparison.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <map>
#include <set>

using namespace hone;
using llvm::formatv;

namespace {

/// Shapes that have all but M in common, smallest M first.
struct Family {
  Problem asked;
  std::vector<const Shape *> shapes;
};

/// The winners of some shapes, optionally with each shape's other times.
class TableLookup : public Lookup {
public:
  TableLookup(llvm::ArrayRef<const Shape *> shapes, const Arch &arch,
              const DenseTable *timed)
      : timed(timed) {
    std::vector<Shape> copies;
    for (const Shape *shape : shapes)
      copies.push_back(*shape);
    winners = winnersOf(copies, arch);
  }
  std::optional<Found> find(const Problem &problem,
                            const std::string &chip) override {
    return winners->find(problem, chip);
  }
  const std::vector<Problem> &problems(const std::string &chip) override {
    return winners->problems(chip);
  }
  std::vector<Record> measured(const Problem &problem,
                               const std::string &chip) override;
  std::string name() const override { return winners->name(); }

private:
  std::shared_ptr<Lookup> winners;
  const DenseTable *timed;
};

/// The policy on the tables' problems. Repeated queries get cached answers.
class CatalogueSource : public ScheduleSource {
public:
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override {
    auto [known, isNew] = answers.try_emplace(problem.str());
    if (isNew)
      known->second = think(problem, arch);
    return known->second;
  }

private:
  static std::optional<Answer> think(const Problem &problem, const Arch &arch) {
    std::optional<Schedule> preferred =
        preferredSchedule(Model::shipped(), problem, arch, /*looks=*/0);
    if (!preferred)
      preferred = guessSchedule(problem, arch, /*looks=*/0);
    if (!preferred)
      return std::nullopt;
    return Answer{*preferred, "the policy", Basis::guess};
  }

  std::map<std::string, std::optional<Answer>> answers;
};

} // namespace

std::vector<Record> TableLookup::measured(const Problem &problem,
                                          const std::string &chip) {
  std::vector<Record> records = Lookup::measured(problem, chip);
  if (!timed || records.empty())
    return records;
  auto shape = llvm::find_if(
      *timed, [&](const DenseShape &one) { return one.problem == problem; });
  if (shape == timed->end())
    return records;
  Record record = records.front();
  records.clear();
  for (auto [schedule, seconds] : llvm::zip(shape->schedules, shape->seconds)) {
    record.schedule = schedule;
    record.times = {seconds, seconds, seconds, 1};
    records.push_back(record);
  }
  return records;
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

/// The policy, with a cache of its results.
static RangeJudge rememberingJudge() {
  auto said = std::make_shared<std::map<std::string, double>>();
  return [said](const Problem &problem, const Arch &arch,
                llvm::ArrayRef<Schedule> schedules) {
    std::string text = problem.str() + "\n";
    std::vector<Schedule> fresh;
    for (const Schedule &schedule : schedules)
      if (!said->count(text + toString(schedule)))
        fresh.push_back(schedule);
    std::vector<double> prices;
    if (!fresh.empty())
      prices = judgedPrices(Model::shipped(), problem, arch, fresh);
    for (auto [schedule, price] : llvm::zip(fresh, prices))
      (*said)[text + toString(schedule)] = price;
    std::vector<double> all;
    for (const Schedule &schedule : schedules) {
      auto found = said->find(text + toString(schedule));
      if (found == said->end())
        return std::vector<double>();
      all.push_back(found->second);
    }
    return all;
  };
}

namespace {

/// The result of one rule: the best time over its own, shape by shape.
struct Reached {
  std::vector<double> ratios;
  size_t kernels = 0, families = 0, missing = 0;
};

class Replay {
public:
  Replay(const RangesOptions &options, DenseTable table, const Arch &arch)
      : options(options), table(std::move(table)), arch(arch),
        shapes(shapesOf(this->table)),
        guess(std::make_shared<CatalogueSource>()) {
    findFamilies();
  }
  void run(Table &lines);

private:
  using Plan = std::function<std::optional<RangedSchedule>(const Family &,
                                                           const Shape &)>;
  using FamilyPlan =
      std::function<std::optional<RangedSchedule>(const Family &)>;
  static Plan onceForEach(FamilyPlan plan);
  void findFamilies();
  Reached judge(size_t half, const Plan &plan) const;
  void addRows(Table &lines, const std::string &rule, const Plan &plan);
  std::optional<RangedSchedule> planOf(const Family &family, unsigned max,
                                       llvm::ArrayRef<const Shape *> known,
                                       bool isTimed, bool guesses) const;

  const RangesOptions &options;
  DenseTable table;
  Arch arch;
  std::vector<Shape> shapes;
  std::vector<Family> families;
  std::set<std::string> judged; ///< shapes, by key
  std::shared_ptr<ScheduleSource> guess;
  RangeJudge policy = rememberingJudge();
  std::optional<Progress> progress;
};

} // namespace

void Replay::findFamilies() {
  std::map<std::string, Family> all;
  for (const Shape &shape : shapes) {
    Problem asked = shape.problem;
    asked.m = kDynamic;
    Family &family = all[asked.str()];
    family.asked = asked;
    family.shapes.push_back(&shape);
  }
  for (auto &[text, family] : all) {
    constexpr size_t kMin = 3;
    if (family.shapes.size() < kMin)
      continue;
    llvm::sort(family.shapes, [](const Shape *one, const Shape *other) {
      return one->problem.m < other->problem.m;
    });
    families.push_back(std::move(family));
  }
  DenseTable chosen =
      options.tenths.empty() ? table : tenthsOf(table, options.tenths);
  for (const DenseShape &shape : chosen)
    judged.insert(shape.problem.str());
}

std::optional<RangedSchedule>
Replay::planOf(const Family &family, unsigned max,
               llvm::ArrayRef<const Shape *> known, bool isTimed,
               bool guesses) const {
  auto lookup =
      std::make_shared<TableLookup>(known, arch, isTimed ? &table : nullptr);
  ScheduleSources sources = {makeExactSource(lookup)};
  if (guesses)
    sources.push_back(guess);
  RangeRule rule = options.rule;
  rule.max = max;
  std::optional<Answer> answer =
      makeRangedSource(sources, {lookup}, rule,
                       guesses && !options.modelOnly ? policy : RangeJudge())
          ->ask(family.asked, arch);
  if (!answer)
    return std::nullopt;
  return RangedSchedule{answer->ranges, answer->schedule};
}

/// For a plan that is the same for all shapes of a family.
Replay::Plan Replay::onceForEach(FamilyPlan plan) {
  const Family *last = nullptr;
  std::optional<RangedSchedule> made;
  return [=](const Family &family, const Shape &) mutable {
    if (std::exchange(last, &family) != &family)
      made = plan(family);
    return made;
  };
}

/// Judges every other family, from the first or the second on.
Reached Replay::judge(size_t half, const Plan &plan) const {
  Reached reached;
  for (size_t at = half; at < families.size(); at += 2) {
    ++reached.families;
    for (const Shape *shape : families[at].shapes) {
      if (!judged.count(shape->key))
        continue;
      std::optional<RangedSchedule> schedules = plan(families[at], *shape);
      std::optional<double> loss =
          schedules ? lossOf(*shape, schedules->at(shape->problem.m))
                    : std::nullopt;
      if (!loss) {
        ++reached.missing;
        continue;
      }
      reached.ratios.push_back(1 / (1 + *loss));
      reached.kernels += schedules->ranges.size() + 1;
    }
  }
  return reached;
}

void Replay::addRows(Table &lines, const std::string &rule, const Plan &plan) {
  for (size_t half : {0, 1}) {
    progress->step(rule);
    Reached reached = judge(half, plan);
    if (reached.ratios.empty())
      continue;
    double logs = 0;
    std::vector<double> losses;
    for (double ratio : reached.ratios) {
      logs += std::log(ratio);
      losses.push_back(-ratio);
    }
    double count = double(reached.ratios.size());
    auto figure = [](double value) { return formatv("{0:F3}", value).str(); };
    lines.addRow(
        {rule, half ? "second" : "first", std::to_string(reached.families),
         std::to_string(reached.ratios.size()), std::to_string(reached.missing),
         formatv("{0:F1}", double(reached.kernels) / count),
         figure(std::exp(logs / count)), figure(-quantile(losses, 0.9)),
         figure(-quantile(losses, 1))});
  }
}

void Replay::run(Table &lines) {
  // A rule takes seconds: for each family or M it makes a plan.
  size_t rules = 2 + 4 * options.counts.size();
  progress.emplace(2 * rules);
  auto one = [](const std::optional<Answer> &answer) {
    return answer ? std::optional(RangedSchedule{{}, answer->schedule})
                  : std::nullopt;
  };
  addRows(lines, "one kernel, rounded", onceForEach([&](const Family &family) {
            auto lookup = std::make_shared<TableLookup>(family.shapes, arch,
                                                        /*timed=*/nullptr);
            return one(makeRoundedSource(lookup)->ask(family.asked, arch));
          }));
  for (int64_t max : options.counts)
    for (bool isTimed : {false, true})
      addRows(lines,
              formatv("{0} kernels, all M known{1}", max,
                      isTimed ? " and timed" : ""),
              onceForEach([&, max, isTimed](const Family &family) {
                return planOf(family, max, family.shapes, isTimed,
                              /*guesses=*/false);
              }));
  for (int64_t max : options.counts)
    addRows(lines, formatv("{0} kernels, other M known", max),
            [&, max](const Family &family, const Shape &shape) {
              std::vector<const Shape *> others = family.shapes;
              llvm::erase(others, &shape);
              return planOf(family, max, others, /*isTimed=*/true,
                            /*guesses=*/true);
            });
  for (int64_t max : options.counts)
    addRows(lines, formatv("{0} kernels, nothing known", max),
            onceForEach([&, max](const Family &family) {
              return planOf(family, max, {}, /*isTimed=*/false,
                            /*guesses=*/true);
            }));
  addRows(lines, "each M by itself, nothing known",
          [&](const Family &, const Shape &shape) {
            return one(guess->ask(shape.problem, arch));
          });
}

static llvm::Error replay(const RangesOptions &options) {
  llvm::Expected<Arch> arch = Arch::lookup(options.archName);
  if (!arch)
    return arch.takeError();
  llvm::Expected<DenseTable> table = readJoined(options.paths);
  if (!table)
    return table.takeError();
  Table lines({"rule", "half", "families", "shapes", "missing", "kernels",
               "geomean", "p10", "smallest"});
  Replay(options, std::move(*table), *arch).run(lines);
  if (options.json)
    llvm::outs() << formatv("{0:2}\n", lines.toJson());
  else
    lines.print(llvm::outs());
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static llvm::Error checkOptions(const RangesOptions &options) {
  if (options.paths.empty() != options.database.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      formatv("expected one of --candidates-csv (replay) and --db (on a GPU), "
              "but got {0}",
              options.paths.empty() ? "none" : "both"));
}

int hone::labRanges(llvm::ArrayRef<llvm::StringRef> args) {
  RangesOptions options;
  OptionList list("hone-lab ranges --candidates-csv=FILE|--db=FILE [options]",
                  "The loss of a plan that picks among a few kernels by M, "
                  "against a search for each M.\n"
                  "Example: hone-lab ranges "
                  "--candidates-csv=data/h200/dense.csv --tenths=0");
  list.add("candidates-csv", "FILE,...", options.paths,
           "replay of these times: hone bench gemm's, or dense tables");
  list.add("db", "FILE", options.database,
           "database of hone tune with every M; times both in turns");
  list.add("kernels", "N,...", options.counts,
           "maximum number of kernels of a plan");
  list.add("arch", "NAME", options.archName, "chip of the times", checkArch);
  list.add("tenths", "N,...", options.tenths,
           "judge these tenths of the shapes only, 0 to 9", /*min=*/0);
  list.add("gain", "X", options.rule.gain, "minimum gain of one more kernel");
  list.add("model", options.modelOnly,
           "compare kernels by the cost model alone");
  list.add("known", "FILE", options.known,
           "database with the plan's measurements; default: part of --db");
  list.add("device", "N,...", options.devices, "numbers of GPUs", checkDevices);
  list.add("rounds", "N", options.rounds, "turns");
  list.add("csv", "FILE", options.csv, "with --db: every M, as CSV");
  list.add("worker", "FILE", options.worker,
           "the program hone that runs the workers");
  list.add("rehearse", "PLAN", options.rehearse, "no GPU, as in hone tune",
           checkRehearsal);
  list.add("json", options.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  if (llvm::Error error = checkOptions(options))
    return reportError(std::move(error), kExitUsage);
  llvm::Error error =
      options.paths.empty() ? timeRanges(options) : replay(options);
  return error ? reportError(std::move(error)) : kExitSuccess;
}
