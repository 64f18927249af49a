//===- Writing.cpp - hone-lab writing -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the time that a writer without a list takes (hone/Model/LawMask.h),
// and how good the model expects its schedules to be. On a GPU, these choices
// run in turns:
//
//   lists    a build's choice if its model had no writer
//   written  the written schedule that the judges prefer
//   climbed  the same after a climb
//   build    a build's choice
//   former   a build's choice by another model, with --former
//
//===----------------------------------------------------------------------===//

#include "lib/Lab/Writing.h"
#include "Finals.h"
#include "Lab.h"
#include "hone/Bench/BenchRun.h"
#include "hone/Bench/ProblemChoice.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Tuner/TuneReport.h"
#include "lib/Lab/Comparison.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Parallel.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

namespace {
struct WritingSettings {
  std::string paths, shapes, archName = "h200", weights, trees;
  std::string devices, worker, rehearse, candidatesCsv, former;
  int64_t beams = 8, rounds = 15;
  bool time = false, json = false;
};

constexpr llvm::StringRef kChoices[] = {"lists", "written", "climbed", "build",
                                        "former"};

/// The models that choose, and where.
struct Choosers {
  const Arch &arch;
  const Model &model;
  const std::optional<Model> &former;
  size_t beams;
  bool timesTiles;
};

/// The choices for one problem, and the times of these and other schedules.
struct TimedWriting {
  Problem problem;
  std::vector<Schedule> choices; ///< as kChoices; none: the problem has none
  std::vector<Schedule> distinct;
  std::vector<Measurement> results; ///< by distinct schedule
};
} // namespace

static llvm::Expected<std::vector<Problem>>
chosenProblems(const WritingSettings &settings) {
  if (settings.paths.empty() == settings.shapes.empty())
    return llvm::createStringError(
        formatv("expected one of --replay and --shapes, but got {0}",
                settings.paths.empty() ? "none" : "both"));
  if (!settings.shapes.empty()) {
    ProblemChoice choice;
    choice.shapes = settings.shapes;
    return problemsOf(choice);
  }
  auto tables = readJoined(settings.paths);
  if (!tables)
    return tables.takeError();
  std::vector<Problem> problems;
  for (const DenseShape &shape : *tables)
    problems.push_back(shape.problem);
  return problems;
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

static Table estimatesOf(llvm::ArrayRef<Problem> problems, const Arch &arch,
                         const Model &model, size_t beams) {
  Table table({"problem", "beams", "words", "mask ms", "ms a word", "all ms",
               "over lists"});
  for (const Problem &problem : problems) {
    MaskCost mask = maskCostOf(problem, arch, beams);
    Writing one = writingOf(problem, arch, model, beams);
    table.addRow(
        {shortName(problem), std::to_string(one.beams.size()),
         std::to_string(mask.words), formatv("{0:f2}", 1e3 * mask.seconds),
         formatv("{0:f4}",
                 1e3 * mask.seconds / double(std::max<size_t>(mask.words, 1))),
         formatv("{0:f2}", 1e3 * one.seconds),
         one.fault.empty() ? formatv("{0:f4}", one.overLists).str()
                           : one.fault});
  }
  return table;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// The choices for one problem; none if the model does not judge it.
static TimedWriting choicesFor(const Problem &problem, const Choosers &by) {
  TimedWriting timed;
  timed.problem = problem;
  Writing one = writingOf(problem, by.arch, by.model, by.beams);
  std::vector<std::optional<Schedule>> choices = {
      one.fromLists, one.written,
      climbedSchedule(by.model, problem, by.arch, one.beams),
      preferredSchedule(by.model, problem, by.arch)};
  if (by.former)
    choices.push_back(preferredSchedule(*by.former, problem, by.arch));
  if (!llvm::all_of(choices, [](const auto &choice) { return choice; }))
    return timed;
  for (const std::optional<Schedule> &choice : choices)
    timed.choices.push_back(*choice);
  std::vector<Schedule> all = timed.choices;
  if (by.timesTiles)
    llvm::append_range(all, tilesOf(one, problem, by.arch, by.model));
  for (const Schedule &choice : all)
    if (!llvm::is_contained(timed.distinct, choice))
      timed.distinct.push_back(choice);
  return timed;
}

/// Those of the problems that the models judge.
static std::vector<TimedWriting> choicesOf(llvm::ArrayRef<Problem> problems,
                                           const Choosers &by) {
  std::vector<TimedWriting> all(problems.size());
  llvm::parallelFor(0, all.size(),
                    [&](size_t at) { all[at] = choicesFor(problems[at], by); });
  llvm::erase_if(
      all, [](const TimedWriting &timed) { return timed.choices.empty(); });
  return all;
}

/// A line for each timed schedule, as `hone bench gemm` writes them.
static Error addCandidates(const TimedWriting &timed, CsvFile &candidates) {
  const Problem &problem = timed.problem;
  for (auto [schedule, result] : llvm::zip_equal(timed.distinct, timed.results))
    if (Error error = candidates.add(candidateLine(
            problem, typesOf(problem), schedule, /*estimate=*/{}, result)))
      return error;
  return Error::success();
}

static Error measure(Workers &workers, llvm::MutableArrayRef<TimedWriting> all,
                     CsvFile &candidates) {
  std::vector<Question> finals;
  for (auto [i, timed] : llvm::enumerate(all))
    if (timed.distinct.size() > 1)
      finals.push_back(
          {/*number=*/i, timed.problem, timed.distinct, /*best=*/0});
  return runFinals(workers, finals,
                   [&](uint64_t number, llvm::ArrayRef<Measurement> results) {
                     all[number].results = results.vec();
                     return candidates ? addCandidates(all[number], candidates)
                                       : Error::success();
                   });
}

/// Of a choice. A single choice has no time, and a ratio of 1.
static std::optional<double> secondsOf(const TimedWriting &timed,
                                       size_t choice) {
  if (timed.distinct.size() == 1)
    return 1;
  size_t at = llvm::find(timed.distinct, timed.choices[choice]) -
              timed.distinct.begin();
  const Measurement &result = timed.results[at];
  return result.isOk() ? std::optional(result.times.median) : std::nullopt;
}

static std::string timeText(const TimedWriting &timed, size_t choice) {
  if (timed.distinct.size() == 1)
    return "one choice";
  std::optional<double> seconds = secondsOf(timed, choice);
  return seconds ? formatv("{0:f3}", 1e6 * *seconds).str() : "fails";
}

/// A choice's speed over that of the choice from lists: the mean with its band
/// over problems, and the extremes.
static std::vector<std::string> summaryOf(llvm::ArrayRef<TimedWriting> all,
                                          size_t choice) {
  std::vector<std::vector<double>> ratios;
  std::vector<double> sorted;
  size_t same = 0;
  for (const TimedWriting &timed : all) {
    std::optional<double> lists = secondsOf(timed, 0),
                          own = secondsOf(timed, choice);
    same += timed.choices[0] == timed.choices[choice];
    if (!lists || !own)
      continue;
    sorted.push_back(*lists / *own);
    ratios.push_back({sorted.back()});
  }
  llvm::sort(sorted);
  Ratio mean = geometricMean(ratios);
  auto text = [](double value) { return formatv("{0:f4}", value).str(); };
  return {kChoices[choice].str(),
          text(mean.value),
          text(mean.low),
          text(mean.high),
          sorted.empty() ? "-" : text(sorted.front()),
          sorted.empty() ? "-" : text(sorted.back()),
          std::to_string(same),
          std::to_string(all.size() - sorted.size())};
}

static Table timesOf(llvm::ArrayRef<TimedWriting> all,
                     llvm::ArrayRef<llvm::StringRef> names, bool hasSchedules) {
  std::vector<std::string> header = {"problem"};
  for (llvm::StringRef name : names)
    header.push_back((name + " us").str());
  if (hasSchedules)
    llvm::append_range(header, names);
  Table table(header);
  for (const TimedWriting &timed : all) {
    std::vector<std::string> row = {shortName(timed.problem)};
    for (size_t choice = 0; choice < timed.choices.size(); ++choice)
      row.push_back(timeText(timed, choice));
    for (const Schedule &choice : timed.choices)
      if (hasSchedules)
        row.push_back(toString(choice));
    table.addRow(row);
  }
  return table;
}

/// By each of `names` but the first.
static Table summariesOf(llvm::ArrayRef<TimedWriting> all,
                         llvm::ArrayRef<llvm::StringRef> names) {
  Table summary({"choice", "speed", "low", "high", "smallest", "largest",
                 "same", "failed"});
  for (size_t choice = 1; choice < names.size(); ++choice)
    summary.addRow(summaryOf(all, choice));
  return summary;
}

static Error printTimes(const WritingSettings &settings,
                        llvm::ArrayRef<Problem> problems, const Arch &arch,
                        const Model &model) {
  std::optional<Model> former;
  if (!settings.former.empty()) {
    auto [weights, trees] = llvm::StringRef(settings.former).split(',');
    if (Error error =
            Model::readFiles(weights.str(), trees.str()).moveInto(former))
      return asUsage(std::move(error));
  }
  auto options = workersOf(settings.worker, settings.devices, settings.rehearse,
                           settings.rounds);
  if (!options)
    return options.takeError();
  auto workers = Workers::start(std::move(*options));
  if (!workers)
    return workers.takeError();
  CsvFile candidates;
  if (!settings.candidatesCsv.empty())
    if (Error error = CsvFile::open(settings.candidatesCsv, candidatesHeader())
                          .moveInto(candidates))
      return error;
  std::vector<TimedWriting> all =
      choicesOf(problems, {arch, model, former, size_t(settings.beams),
                           /*timesTiles=*/bool(candidates)});
  if (Error error = measure(**workers, all, candidates))
    return error;
  auto names = llvm::ArrayRef(kChoices).drop_back(former ? 0 : 1);
  timesOf(all, names, settings.json).print(settings.json);
  if (settings.json)
    return Error::success();
  llvm::outs() << "\nOver the choice from lists (mean and 95 % band):\n";
  summariesOf(all, names).print(llvm::outs());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static llvm::Expected<int> run(const WritingSettings &settings) {
  llvm::Expected<Arch> arch = Arch::lookup(settings.archName);
  if (!arch)
    return arch.takeError();
  auto model = Model::readFiles(settings.weights, settings.trees);
  if (!model)
    return asUsage(model.takeError());
  llvm::Expected<std::vector<Problem>> problems = chosenProblems(settings);
  if (!problems)
    return asUsage(problems.takeError());
  if (settings.time) {
    if (Error error = printTimes(settings, *problems, *arch, *model))
      return std::move(error);
    return kExitSuccess;
  }
  estimatesOf(*problems, *arch, *model, size_t(settings.beams))
      .print(settings.json);
  return kExitSuccess;
}

int hone::labWriting(llvm::ArrayRef<llvm::StringRef> args) {
  WritingSettings settings;
  OptionList list(
      "hone-lab writing --replay=FILE,...|--shapes=FILE [options]",
      "Writes schedules for problems, and reports the time of the mask and "
      "the model's\nestimates, or times.\n"
      "Example: hone-lab writing --replay=data/h200/dense.csv --beams=1");
  list.add("replay", "FILE,...", settings.paths,
           "tables that have the problems");
  list.add("shapes", "FILE", settings.shapes,
           "a file of problems, as in hone tune");
  list.add("arch", "NAME", settings.archName, "chip to write for", checkArch);
  list.add("weights", "FILE", settings.weights,
           "weights of hone train; default: built in");
  list.add("trees", "FILE", settings.trees,
           "trees of hone train, in addition to the weights");
  list.add("beams", "N", settings.beams, "schedules of each problem");
  list.add("time", settings.time,
           "time them and choices of builds with and without the writer");
  list.add("candidates-csv", "FILE", settings.candidatesCsv,
           "with --time: also time other tiles, and append all times");
  list.add("former", "FILE,FILE", settings.former,
           "with --time: weights and trees of other builds, to compare");
  list.add("device", "N,...", settings.devices, "numbers of GPUs",
           checkDevices);
  list.add("rounds", "N", settings.rounds, "turns");
  list.add("worker", "FILE", settings.worker,
           "the program hone that runs the workers");
  list.add("rehearse", "PLAN", settings.rehearse, "no GPU, as in hone tune",
           checkRehearsal);
  list.add("json", settings.json, "print JSON");
  return list.run(args, [&] { return run(settings); });
}
