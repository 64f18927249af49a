//===- BenchUnseen.cpp - hone bench unseen --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a build gets of problems that nobody measured, by replay: each shape of
// a dense table in turn is taken out, and what the sources answer for it, from
// the others' winners, is looked up in its own times.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Options.h"
#include "Table.h"
#include "hone/Search/CostFit.h"
#include "hone/Search/ModelSource.h"
#include "hone/Search/UnseenSource.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <map>

using namespace hone;
using llvm::formatv;

namespace {

/// A shape's times, by schedule and by group, and what won.
struct Shape {
  Problem problem;
  std::map<std::string, std::map<double, double>> byGroup;
  Schedule winner;
  double best = 0;
};

/// What one rule loses, shape by shape, and how often it had an answer.
struct Losses {
  std::vector<double> all;
  size_t answers = 0;
};

} // namespace

/// A schedule but for the tile rows that are walked together, and those.
static std::pair<std::string, double> splitGroup(const Schedule &schedule) {
  std::string text = schedule.kind().name.str();
  double group = 0;
  for (const Schedule::Decided &one : schedule.decided())
    if (one.decision->name == "group")
      group = one.numbers.front();
    else
      text += formatv(", {0} = {1}", one.decision->name, one.text());
  return {text, group};
}

static std::vector<Shape> shapesOf(const DenseTable &table) {
  std::vector<Shape> shapes;
  for (const DenseShape &dense : table) {
    Shape shape;
    shape.problem = dense.problem;
    for (size_t at = 0; at < dense.schedules.size(); ++at) {
      auto [text, group] = splitGroup(dense.schedules[at]);
      shape.byGroup[text][group] = dense.seconds[at];
      if (at && dense.seconds[at] >= shape.best)
        continue;
      shape.best = dense.seconds[at];
      shape.winner = dense.schedules[at];
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

/// What all but one of `shapes` would have in a database.
static std::shared_ptr<Lookup> winnersOf(llvm::ArrayRef<Shape> shapes,
                                         const Arch &arch,
                                         const Shape *leftOut) {
  std::vector<Found> records;
  for (const Shape &shape : shapes) {
    if (&shape == leftOut)
      continue;
    Found found;
    found.record.problem = shape.problem;
    found.record.arch = arch.chip;
    found.record.schedule = shape.winner;
    found.record.times = {shape.best, shape.best, shape.best, 1};
    records.push_back(std::move(found));
  }
  return makeLookup(std::move(records), "table");
}

/// How much slower than the best `schedule` is; nothing if the table does not
/// have it. A group larger than the matrix is as one that just fits, and the
/// table has only that.
static std::optional<double> lossOf(const Shape &shape,
                                    const Schedule &schedule) {
  std::optional<double> seconds;
  double least = 0;
  auto [text, group] = splitGroup(schedule);
  auto times = shape.byGroup.find(text);
  if (times == shape.byGroup.end())
    return std::nullopt;
  for (auto [known, time] : times->second) {
    double apart = std::abs(known - group);
    if (seconds && apart >= least)
      continue;
    seconds = time;
    least = apart;
  }
  return *seconds / shape.best - 1;
}

//===----------------------------------------------------------------------===//
// Nearest
//===----------------------------------------------------------------------===//

/// An answer that the table has no time of counts as none.
static Losses nearestLosses(llvm::ArrayRef<Shape> shapes, const Arch &arch,
                            NearestRule rule, size_t half) {
  Losses losses;
  for (size_t at = half; at < shapes.size(); at += 2) {
    const Shape &shape = shapes[at];
    std::optional<Answer> answer =
        makeNearestSource(winnersOf(shapes, arch, &shape), rule)
            ->ask(shape.problem, arch);
    std::optional<double> loss;
    if (answer)
      loss = lossOf(shape, answer->schedule);
    losses.answers += loss.has_value();
    std::optional<Schedule> guess = guessSchedule(shape.problem, arch);
    if (!loss && guess)
      loss = lossOf(shape, *guess);
    if (loss)
      losses.all.push_back(*loss);
  }
  return losses;
}

static Losses fixedLosses(
    llvm::ArrayRef<Shape> shapes, size_t half,
    llvm::function_ref<std::optional<Schedule>(const Problem &)> choose) {
  Losses losses;
  for (size_t at = half; at < shapes.size(); at += 2)
    if (std::optional<Schedule> schedule = choose(shapes[at].problem))
      if (std::optional<double> loss = lossOf(shapes[at], *schedule))
        losses.all.push_back(*loss);
  losses.answers = losses.all.size();
  return losses;
}

static double meanOf(llvm::ArrayRef<double> losses) {
  double sum = 0;
  for (double loss : losses)
    sum += std::log1p(loss);
  return losses.empty() ? 0 : std::expm1(sum / double(losses.size()));
}

static void addRow(Table &lines, std::string rule, const char *half,
                   const Losses &losses) {
  auto percent = [](double loss) {
    return formatv("{0:f1} %", 100 * loss).str();
  };
  lines.addRow({std::move(rule), half, std::to_string(losses.all.size()),
                std::to_string(losses.answers), percent(meanOf(losses.all)),
                percent(quantile(losses.all, 0.5)),
                percent(quantile(losses.all, 0.9)),
                percent(quantile(losses.all, 1))});
}

static constexpr const char *kHalves[] = {"first", "second"};

static void addNearest(llvm::ArrayRef<Shape> shapes, const Arch &arch,
                       bool scan, Table &lines) {
  for (size_t half : {0, 1}) {
    addRow(lines, "default", kHalves[half],
           fixedLosses(shapes, half, [&](const Problem &problem) {
             return defaultSchedule(problem, arch);
           }));
    addRow(lines, "cost model", kHalves[half],
           fixedLosses(shapes, half, [&](const Problem &problem) {
             return guessSchedule(problem, arch);
           }));
    addRow(lines, "nearest, else cost model", kHalves[half],
           nearestLosses(shapes, arch, {}, half));
  }
  if (!scan)
    return;
  Progress progress(48);
  for (size_t neighbours : {1, 2, 3, 4, 6, 8})
    for (double margin : {0.0, 0.02, 0.05, 0.1})
      for (size_t half : {0, 1}) {
        std::string rule =
            formatv("{0} near, margin {1:f2}", neighbours, margin).str();
        progress.step(rule);
        addRow(lines, rule, kHalves[half],
               nearestLosses(shapes, arch, {neighbours, margin}, half));
      }
}

//===----------------------------------------------------------------------===//
// Rounded
//===----------------------------------------------------------------------===//

/// Shapes that agree in all but M, as what a build with `m = ?` gets serves
/// them: what it loses at each.
static void addRounded(llvm::ArrayRef<Shape> shapes, const Arch &arch,
                       Table &lines) {
  std::map<std::string, std::vector<const Shape *>> families;
  for (const Shape &shape : shapes) {
    Problem asked = shape.problem;
    asked.m = kDynamic;
    families[asked.str()].push_back(&shape);
  }
  auto source = makeRoundedSource(winnersOf(shapes, arch, nullptr));
  Losses rounded, middle, fallback;
  for (const auto &[text, family] : families) {
    if (family.size() < 2)
      continue;
    Problem asked = llvm::cantFail(Problem::parse(text));
    std::optional<Answer> answer = source->ask(asked, arch);
    if (!answer)
      continue;
    // They stand in the order of their work, which is that of M.
    const Schedule &between = family[(family.size() - 1) / 2]->winner;
    Schedule nothing = defaultSchedule(asked, arch);
    for (const Shape *shape : family) {
      std::optional<double> losses[] = {lossOf(*shape, answer->schedule),
                                        lossOf(*shape, between),
                                        lossOf(*shape, nothing)};
      if (!losses[0] || !losses[1] || !losses[2])
        continue;
      rounded.all.push_back(*losses[0]);
      middle.all.push_back(*losses[1]);
      fallback.all.push_back(*losses[2]);
    }
  }
  for (auto [name, losses] : {std::pair("m = ?: default", &fallback),
                              std::pair("m = ?: winner of the middle", &middle),
                              std::pair("m = ?: rounded", &rounded)}) {
    losses->answers = losses->all.size();
    addRow(lines, name, "all", *losses);
  }
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

int hone::benchUnseen(llvm::ArrayRef<llvm::StringRef> args) {
  std::string path, archName = "h200";
  bool scan = false, json = false;
  OptionList list("bench unseen --candidates-csv=FILE [options]",
                  "What builds get for problems that nobody measured, by a "
                  "dense table of times.");
  list.add("candidates-csv", "FILE", path,
           "times: hone bench gemm's, or a dense table");
  list.add("arch", "NAME", archName, "chip of the times");
  list.add("scan", scan, "other numbers of neighbours and margins, too");
  list.add("json", json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  auto arch = Arch::lookup(archName);
  if (!arch)
    return reportError(arch.takeError(), kExitUsage);
  auto table = readDenseTable(path);
  if (!table)
    return reportError(table.takeError());
  std::vector<Shape> shapes = shapesOf(*table);
  Table lines(
      {"rule", "half", "shapes", "answers", "mean", "median", "p90", "worst"});
  addNearest(shapes, *arch, scan, lines);
  addRounded(shapes, *arch, lines);
  if (json)
    llvm::outs() << formatv("{0:2}\n", lines.toJson());
  else
    lines.print(llvm::outs());
  return kExitSuccess;
}
