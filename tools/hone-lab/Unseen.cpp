//===- Unseen.cpp - hone-lab unseen ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a build for unmeasured problems, by replay. Each shape of dense
// tables in turn is left out. The sources answer for it from the other shapes'
// winners, and the answer is looked up in its own times. The choices of a
// database or tuning file, if given, are looked up there too.
//
//===----------------------------------------------------------------------===//

#include "Lab.h"
#include "TimedShapes.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Driver/Compile.h"
#include "hone/Plugin/Sources.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Sources/ModelSource.h"
#include "hone/Sources/UnseenSource.h"
#include "lib/Lab/Comparison.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <map>

using namespace hone;
using llvm::formatv;

namespace {

/// The losses of one rule, shape by shape, and its number of answers.
struct Losses {
  std::vector<double> all;
  size_t answers = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Nearest
//===----------------------------------------------------------------------===//

using Choose = llvm::function_ref<std::optional<Schedule>(const Shape &)>;

/// The losses of the shapes of one half. Shapes for which `choose` has no
/// schedule, or none that the table has a time of, are left out.
static Losses fixedLosses(llvm::ArrayRef<Shape> shapes, size_t half,
                          Choose choose) {
  Losses losses;
  for (size_t at = half; at < shapes.size(); at += 2)
    if (std::optional<Schedule> schedule = choose(shapes[at]))
      if (std::optional<double> loss = lossOf(shapes[at], *schedule))
        losses.all.push_back(*loss);
  losses.answers = losses.all.size();
  return losses;
}

/// The losses of the answers of `first`. If `first` has no answer that the
/// table has a time of, `second` answers.
static Losses lossesOf(llvm::ArrayRef<Shape> shapes, size_t half, Choose first,
                       Choose second) {
  Losses losses;
  for (size_t at = half; at < shapes.size(); at += 2) {
    std::optional<double> loss;
    if (std::optional<Schedule> schedule = first(shapes[at]))
      loss = lossOf(shapes[at], *schedule);
    losses.answers += loss.has_value();
    if (std::optional<Schedule> schedule = second(shapes[at]);
        !loss && schedule)
      loss = lossOf(shapes[at], *schedule);
    if (loss)
      losses.all.push_back(*loss);
  }
  return losses;
}

static std::optional<Schedule>
ask(const std::shared_ptr<ScheduleSource> &source, const Problem &problem,
    const Arch &arch) {
  std::optional<Answer> answer = source->ask(problem, arch);
  return answer ? std::optional(answer->schedule) : std::nullopt;
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

namespace {
/// The shapes that are judged, and those that are known.
struct Trial {
  std::vector<Shape> shapes, known;
  Arch arch;
  std::shared_ptr<Lookup> database; ///< may be none
};
} // namespace

static void addNearest(const Trial &trial, Table &lines) {
  const Arch &arch = trial.arch;
  auto model = [&](const Shape &shape) {
    return guessSchedule(shape.problem, arch, /*looks=*/0);
  };
  auto policy = [&](const Shape &shape) {
    return preferredSchedule(Model::shipped(), shape.problem, arch,
                             /*looks=*/0);
  };
  auto nearest = [&](const Shape &shape) {
    return ask(makeNearestSource(winnersOf(trial.known, arch, &shape)),
               shape.problem, arch);
  };
  for (size_t half : {0, 1}) {
    auto add = [&](const char *rule, const Losses &losses) {
      addRow(lines, rule, kHalves[half], losses);
    };
    add("default", fixedLosses(trial.shapes, half, [&](const Shape &shape) {
          return defaultSchedule(shape.problem, arch);
        }));
    add("cost model", fixedLosses(trial.shapes, half, model));
    add("nearest, else cost model",
        lossesOf(trial.shapes, half, nearest, model));
    add("policy", fixedLosses(trial.shapes, half, policy));
    add("nearest, else policy", lossesOf(trial.shapes, half, nearest, policy));
    if (!trial.database)
      continue;
    auto exact = makeExactSource(trial.database);
    auto near = makeNearestSource(trial.database);
    add("file, exact", fixedLosses(trial.shapes, half, [&](const Shape &shape) {
          return ask(exact, shape.problem, arch);
        }));
    add("file, nearest, else policy",
        lossesOf(
            trial.shapes, half,
            [&](const Shape &shape) { return ask(near, shape.problem, arch); },
            policy));
  }
}

//===----------------------------------------------------------------------===//
// Rounded
//===----------------------------------------------------------------------===//

/// The losses of shapes that have all but M in common, with the answer for a
/// build with `m = ?`.
static void addRounded(llvm::ArrayRef<Shape> shapes, const Arch &arch,
                       Table &lines) {
  std::map<std::string, std::vector<const Shape *>> families;
  for (const Shape &shape : shapes) {
    Problem asked = shape.problem;
    asked.m = kDynamic;
    families[asked.str()].push_back(&shape);
  }
  auto source = makeRoundedSource(winnersOf(shapes, arch));
  Losses rounded, middle, fallback;
  for (const auto &[text, family] : families) {
    if (family.size() < 2)
      continue;
    Problem asked = llvm::cantFail(Problem::parse(text));
    std::optional<Answer> answer = source->ask(asked, arch);
    if (!answer)
      continue;
    // They are in the order of their work, which is that of M.
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

namespace {
struct UnseenSettings {
  std::string paths, archName = "h200", database;
  std::vector<int64_t> tenths;
  bool json = false;
};
} // namespace

static llvm::Expected<Trial> readTrial(const UnseenSettings &settings,
                                       mlir::MLIRContext &context) {
  llvm::Expected<Arch> arch = Arch::lookup(settings.archName);
  if (!arch)
    return arch.takeError();
  llvm::Expected<DenseTable> known = readJoined(settings.paths);
  if (!known)
    return known.takeError();
  DenseTable judged =
      settings.tenths.empty() ? *known : tenthsOf(*known, settings.tenths);
  Trial trial{shapesOf(judged), shapesOf(*known), *arch, nullptr};
  if (settings.database.empty())
    return trial;
  auto lookup = openLookup(&context, settings.database);
  if (mlir::failed(lookup))
    return llvm::createStringError("the database cannot be read");
  trial.database = *lookup;
  return trial;
}

int hone::labUnseen(llvm::ArrayRef<llvm::StringRef> args) {
  UnseenSettings settings;
  OptionList list("hone-lab unseen --candidates-csv=FILE [options]",
                  "The choices of builds for unmeasured problems, by dense "
                  "tables of times.\n"
                  "Example: hone-lab unseen "
                  "--candidates-csv=data/h200/dense.csv --tenths=0");
  list.add("candidates-csv", "FILE,...", settings.paths,
           "times: hone bench gemm's, or dense tables");
  list.require("candidates-csv");
  list.add("arch", "NAME", settings.archName, "chip of the times", checkArch);
  list.add("tenths", "N,...", settings.tenths,
           "judge these tenths only, 0 to 9; built-in weights saw 2 to 9",
           /*min=*/0);
  list.add("database", "FILE", settings.database,
           "also judge a database or tuning file");
  list.add("json", settings.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto trial = readTrial(settings, *context);
  if (!trial)
    return reportError(trial.takeError());
  Table lines(
      {"rule", "half", "shapes", "answers", "mean", "median", "p90", "worst"});
  addNearest(*trial, lines);
  addRounded(trial->shapes, trial->arch, lines);
  lines.print(settings.json);
  return kExitSuccess;
}
