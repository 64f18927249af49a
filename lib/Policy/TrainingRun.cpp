//===- TrainingRun.cpp - Complete training run of a model -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainingRun.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/TrainingRun.h"
#include "TrainingState.h"
#include "hone/Policy/WriterTrainer.h"
#include "hone/Text/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>
#include <set>
#include <thread>

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

TrainingRun::TrainingRun(TrainingSettings settings, Arch arch,
                         TrainingHooks hooks)
    : settings(std::move(settings)), arch(std::move(arch)),
      hooks(std::move(hooks)), begun(now()) {}

//===----------------------------------------------------------------------===//
// Training data
//===----------------------------------------------------------------------===//

/// Gives every schedule the same estimate.
static void forgetEstimates(Task &task) {
  double sum = 0;
  for (const Reading &reading : task.readings)
    sum += reading.logEstimate;
  for (Reading &reading : task.readings)
    reading.logEstimate = sum / double(task.size());
}

void TrainingRun::deal(std::vector<Task> tasks) {
  for (Task &task : tasks) {
    if (!settings.train.hasPrior)
      forgetEstimates(task);
    auto tenth = int64_t(partOf(task.problem, 10));
    if (llvm::is_contained(settings.seal, tenth))
      continue;
    bool isHeld = llvm::is_contained(settings.hold, tenth);
    if (!settings.holdChips.empty()) {
      bool isOther = llvm::is_contained(settings.holdChips, task.chip);
      if (isHeld && !isOther)
        continue;
      isHeld = isOther;
    }
    (isHeld ? held : shown).push_back(std::move(task));
  }
}

void TrainingRun::add(const DenseTable &table) { deal(tasksOf(table, arch)); }

void TrainingRun::add(llvm::ArrayRef<Record> records) {
  deal(tasksOf(records));
}

std::vector<std::string> TrainingRun::machines() const {
  std::set<std::string> names;
  for (const Task &task : shown)
    names.insert(task.chip);
  if (start)
    for (const Arch &arch : start->machines())
      names.insert(arch.chip);
  return {names.begin(), names.end()};
}

void TrainingRun::startFrom(Model model) {
  if (!settings.writes)
    settings.networks = model.networks.size();
  else if (model.writer)
    settings.networks = model.writer->networks.size();
  start = std::move(model);
}

Ensemble &TrainingRun::trained(Model &model) const {
  return settings.writes ? *model.writer : model;
}

/// The sample for the means and spreads of the inputs: from the tables, or from
/// synthetic tasks where there are no tables.
std::vector<Reading> TrainingRun::sampled() const {
  std::vector<Reading> sample;
  auto addSome = [&](const Task &task) {
    if (settings.writes)
      return llvm::append_range(sample, wordsOf(task));
    constexpr size_t kEvery = 7;
    for (size_t at = 0; at < task.size(); at += kEvery)
      sample.push_back(task.readings[at]);
  };
  for (const Task &task : shown)
    addSome(task);
  constexpr int kDrawn = 64;
  std::mt19937_64 dice(settings.train.seed);
  for (int count = 0; shown.empty() && count < kDrawn; ++count)
    addSome(drawTask(arch, dice));
  return sample;
}

Model TrainingRun::begin() const {
  Model model = start ? *start : Model(settings.shape, settings.networks);
  bool isTrained = settings.writes ? model.writer.has_value() : bool(start);
  if (isTrained) {
    if (!settings.writes) {
      const std::vector<Reading> sample = sampled();
      model.widen(sample);
      model.learnNames(Reader::names(), sample);
    }
    return model;
  }
  if (settings.writes)
    model.writer = untrainedWriter(settings.shape, settings.networks);
  trained(model).normalizeBy(sampled());
  for (auto [at, network] : llvm::enumerate(trained(model).networks))
    network.initialize(settings.train.seed * 100 + at);
  return model;
}

//===----------------------------------------------------------------------===//
// Estimates that a writer corrects
//===----------------------------------------------------------------------===//

/// Tenths that are held out or sealed are in no fold.
static size_t foldOf(const Problem &problem, size_t folds) {
  return partOf(problem, 10) % folds;
}

/// Trees are too good on problems that they learned from: a writer would find
/// nothing to correct there.
void TrainingRun::correctByFolds() {
  const auto count = size_t(settings.folds);
  if (!settings.writes || count == 0 || !start || !start->trees ||
      shown.empty())
    return;
  folds.resize(count + 1);
  std::vector<std::thread> growing;
  for (size_t fold = 0; fold <= count; ++fold)
    growing.emplace_back([this, fold, count] {
      TreesOptions options;
      options.rounds = 200;
      options.rate = 0.1;
      options.groves = 1;
      options.leavesOut = [fold, count](const Task &task) {
        return foldOf(task.problem, count) == fold;
      };
      folds[fold] = hone::growTrees(shown, options);
    });
  for (std::thread &one : growing)
    one.join();
  auto correct = [](Task &task, const Trees &trees) {
    std::vector<double> residuals = trees.residuals(task.readings);
    for (auto [reading, off] : llvm::zip_equal(task.readings, residuals))
      reading.logEstimate += off;
  };
  for (Task &task : shown)
    correct(task, folds[foldOf(task.problem, count)]);
  for (Task &task : held)
    correct(task, folds.back());
}

/// For online training: estimates as in `shown`.
Reader TrainingRun::readerOf(const Problem &problem) const {
  Reader reader(problem, arch);
  if (!folds.empty())
    reader.correctBy(folds[foldOf(problem, folds.size() - 1)]);
  return reader;
}

std::unique_ptr<Trainer> TrainingRun::trainerOf(Model &model, size_t network,
                                                int64_t steps) const {
  TrainOptions options = settings.train;
  options.steps = steps;
  if (settings.writes)
    return std::make_unique<WriterTrainer>(*model.writer, network, options);
  return std::make_unique<Trainer>(model, network, options);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void TrainingRun::addPoint(const Model &all, size_t network, StringRef phase,
                           CurvePoint point) {
  if (!hooks.point)
    return;
  Model alone = all;
  trained(alone).networks = {trained(alone).networks[network]};
  point.network = int64_t(network);
  addPoint(alone, phase, point);
}

void TrainingRun::addPoint(const Model &one, StringRef phase,
                           CurvePoint point) {
  if (!hooks.point)
    return;
  point.phase = phase.str();
  point.seconds = now() - begun;
  auto quality = [&](size_t k, bool withResults) {
    return qualityOf(settings.writes
                         ? replayWriter(*one.writer, held, k, withResults)
                         : replay(one, held, k, withResults));
  };
  point.first = quality(1, false);
  point.four = quality(4, false);
  point.fourWithResults = quality(4, true);
  point.eightWithResults = quality(8, true);
  hooks.point(point);
}

static constexpr StringRef kStopped = "stopped";

Error TrainingRun::runPhase(Model &one, size_t network, StringRef phase,
                            int64_t steps, Trainer::Draw draw) {
  if (steps == 0)
    return Error::success();
  std::unique_ptr<Trainer> trainer = trainerOf(one, network, steps);
  Expected<std::optional<Resumed>> resumed = readState(settings.state);
  if (!resumed)
    return resumed.takeError();
  if (*resumed && (*resumed)->phase == phase && (*resumed)->network == network)
    if (Error error = trainer->restore((*resumed)->trainer))
      return error;
  while (trainer->steps() < steps) {
    trainer->step(draw);
    if (hooks.step)
      hooks.step(phase, trainer->steps(), steps);
    bool isLast = trainer->steps() == steps || shouldStop();
    if (trainer->steps() % settings.every == 0 || isLast) {
      if (Error error = saveState(phase, network, trainer->state(), one))
        return error;
      CurvePoint point;
      point.step = trainer->steps();
      point.loss = trainer->loss();
      addPoint(one, network, phase, point);
    }
    if (shouldStop())
      return llvm::createStringError(kStopped);
  }
  return Error::success();
}

Error TrainingRun::runOnline(Model &one, size_t network) {
  if (settings.online == 0)
    return Error::success();
  if (!evaluator)
    return llvm::createStringError(
        "expected a source of times for online training, but got none; use "
        "--replay, --rehearse or a GPU");
  std::vector<Problem> problems;
  for (const Task &task : shown)
    problems.push_back(task.problem);
  // Without recorded ones, random problems are as good.
  constexpr size_t kDrawn = 64;
  std::mt19937_64 dice(settings.train.seed);
  while (shown.empty() && problems.size() < kDrawn)
    problems.push_back(drawTask(arch, dice).problem);
  OnlineOptions options = settings.reinforce;
  options.train.steps = settings.online;
  if (settings.writes)
    options.readerOf = [&](const Problem &problem) {
      return readerOf(problem);
    };
  auto make = settings.writes ? makeOnlineWriter : makeOnline;
  std::unique_ptr<Online> online =
      make(trained(one), network, options, problems, *evaluator);
  Expected<std::optional<Resumed>> resumed = readState(settings.state);
  if (!resumed)
    return resumed.takeError();
  if (*resumed && (*resumed)->phase == "online" &&
      (*resumed)->network == network)
    if (Error error = online->restore((*resumed)->trainer))
      return error;
  double reward = 0;
  int64_t rewarded = 0; ///< steps since the last point
  while (online->steps() < settings.online) {
    Expected<OnlineStep> report = online->step();
    if (!report)
      return report.takeError();
    reward += report->reward;
    ++rewarded;
    if (hooks.step)
      hooks.step("online", online->steps(), settings.online);
    bool isLast = online->steps() == settings.online || shouldStop();
    if (online->steps() % settings.every == 0 || isLast) {
      if (Error error = saveState("online", network, online->state(), one))
        return error;
      CurvePoint point;
      point.step = online->steps();
      point.measured = report->measured;
      point.loss = reward / double(rewarded);
      reward = 0;
      rewarded = 0;
      addPoint(one, network, "online", point);
    }
    if (shouldStop())
      return llvm::createStringError(kStopped);
  }
  return Error::success();
}

Error TrainingRun::trainNetwork(Model &model, size_t network) {
  std::vector<Task> drawn(settings.train.tasks);
  size_t next = 0;
  auto synthetic = [&](std::mt19937_64 &dice) -> const Task & {
    // A writer also writes for machines without measurements.
    Task &task = drawn[next++ % drawn.size()] =
        drawTask(settings.writes ? drawMachine(arch, dice) : arch, dice);
    if (!settings.train.hasPrior)
      forgetEstimates(task);
    return task;
  };
  std::vector<double> ends; // of each task's share, up to 1
  for (const Task &task : shown)
    ends.push_back((ends.empty() ? 0 : ends.back()) +
                   task.weight / double(shown.size()));
  auto recorded = [&](std::mt19937_64 &dice) -> const Task & {
    double drawn = double(dice() >> 11) * 0x1p-53;
    size_t at = llvm::upper_bound(ends, drawn) - ends.begin();
    return shown[std::min(at, shown.size() - 1)];
  };
  Expected<std::optional<Resumed>> resumed = readState(settings.state);
  if (!resumed)
    return resumed.takeError();
  // The saved state of a later network includes this network, online training
  // too.
  if (*resumed && (*resumed)->network > network)
    return Error::success();
  StringRef phase;
  if (*resumed && (*resumed)->network == network)
    phase = (*resumed)->phase;
  bool isOnline = phase == "online";
  if (!isOnline && phase != "recorded")
    if (Error error = runPhase(model, network, "synthetic", settings.synthetic,
                               synthetic))
      return error;
  if (!isOnline)
    if (Error error =
            runPhase(model, network, "recorded", settings.recorded, recorded))
      return error;
  return runOnline(model, network);
}

void TrainingRun::growTrees(Model &model) {
  TreesOptions options = *settings.trees;
  options.progress = [&, step = int64_t(0)](int64_t steps) mutable {
    if (hooks.step)
      hooks.step("trees", ++step, steps);
  };
  Model alone(settings.shape, 0);
  alone.trees = model.trees = hone::growTrees(shown, options);
  CurvePoint point;
  point.network = -1;
  point.step = int64_t(model.trees->size());
  addPoint(alone, "trees", point);
}

Expected<Model> TrainingRun::train() {
  if ((settings.recorded > 0 || settings.trees) && shown.empty())
    return llvm::createStringError("expected recorded times to learn from, but "
                                   "got none; use --tables=FILE,...");
  balance(shown);
  correctByFolds();
  Model model = begin();
  Expected<std::optional<Resumed>> resumed = readState(settings.state);
  if (!resumed)
    return resumed.takeError();
  if (*resumed) {
    Expected<Model> kept = Model::parse((*resumed)->model);
    if (!kept)
      return kept.takeError();
    bool isSame = !settings.writes || kept->writer;
    if (!isSame || (*resumed)->network >= trained(*kept).networks.size())
      return llvm::createStringError(
          formatv("expected the state of a training, but got '{0}' with no "
                  "network {1}; use another path, or remove it",
                  settings.state, (*resumed)->network));
    model = std::move(*kept);
  }
  size_t networks = trained(model).networks.size();
  for (size_t network = 0; network < networks; ++network)
    if (Error error = trainNetwork(model, network)) {
      std::string text = llvm::toString(std::move(error));
      if (text == kStopped)
        return model;
      return llvm::createStringError(text);
    }
  if (settings.trees)
    growTrees(model);
  if (networks > 1 || settings.trees) {
    CurvePoint together;
    together.network = -1;
    addPoint(model, "together", together);
  }
  return model;
}
