//===- Training.cpp - Runs of hone train ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Training.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/Training.h"
#include "hone/Command/Command.h"
#include "hone/Database/Database.h"
#include "hone/Policy/TrainCurve.h"
#include "hone/Policy/WriterTrainer.h"
#include "hone/Search/ReplayEvaluator.h"
#include "hone/Text/File.h"
#include "hone/Workers/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

namespace {
class Training {
public:
  explicit Training(TrainingRequest given) : given(std::move(given)) {}
  Error run();

private:
  Error checkOutputs() const;
  Error readTables();
  Error addTo(TrainingRun &run);
  Error openEvaluator(const Arch &arch);
  Expected<std::optional<Model>> startModel() const;
  Error write(Model &model, const TrainingRun &training);

  TrainingRequest given;
  DenseTable tables; ///< all of them
  std::unique_ptr<Evaluator> evaluator;
};
} // namespace

std::vector<std::string> hone::namesIn(StringRef list) {
  std::vector<std::string> names;
  for (StringRef name : llvm::split(list, ','))
    if (!name.empty())
      names.push_back(name.str());
  return names;
}

Error Training::readTables() {
  for (const std::string &path : namesIn(given.tables)) {
    Expected<DenseTable> table = readDenseTable(path);
    if (!table)
      return table.takeError();
    llvm::append_range(tables, std::move(*table));
  }
  return Error::success();
}

Error Training::addTo(TrainingRun &run) {
  run.add(tables);
  if (given.database.empty())
    return Error::success();
  Expected<Database> database = Database::open(given.database, Access::read);
  if (!database)
    return database.takeError();
  Filter filter;
  filter.origin = Origin::measured;
  std::vector<Record> records;
  Error error = database->forEach(
      filter, [&](const Record &record) { records.push_back(record); });
  run.add(records);
  return error;
}

Error Training::openEvaluator(const Arch &arch) {
  if (given.settings.online == 0)
    return Error::success();
  if (given.replays) {
    auto replay = std::make_unique<ReplayEvaluator>(tables, arch);
    given.settings.reinforce.isWithin = replay->within();
    evaluator = std::move(replay);
    return Error::success();
  }
  std::vector<std::string> devices = namesIn(given.device);
  if (!given.rehearse.empty())
    devices = {"rehearsal:" + given.arch};
  auto options = WorkerOptions::make(given.worker, devices, given.rehearse);
  if (!options)
    return options.takeError();
  return Workers::start(std::move(*options)).moveInto(evaluator);
}

static Error join(Model &all, const Model &other, bool writes) {
  if (!writes)
    return all.join(other);
  if (!other.writer)
    return Error::success();
  if (all.writer)
    return all.writer->join(*other.writer);
  all.writer = other.writer;
  return Error::success();
}

/// The networks of all files together. For a writer, the value networks are
/// those of the first file alone.
static Expected<std::optional<Model>> readModels(StringRef paths, bool writes) {
  std::optional<Model> all;
  for (const std::string &path : namesIn(paths)) {
    Expected<Model> one = Model::readFile(path);
    if (!one)
      return one.takeError();
    if (!all)
      all = std::move(*one);
    else if (Error error = join(*all, *one, writes))
      return std::move(error);
  }
  return all;
}

/// Reports the effect of laws on a policy that writes.
static void reportDraws(const Ensemble &writer, llvm::ArrayRef<Task> tasks,
                        const Arch &arch, uint64_t seed) {
  for (bool hasMask : {true, false}) {
    Draws one = drawFrom(writer, tasks, arch, 1, hasMask, seed);
    Draws four = drawFrom(writer, tasks, arch, 4, hasMask, seed);
    llvm::errs() << formatv(
        "drawn with{0} a mask: first {1:f4}, best of 4 {2:f4}; of {3} drawn "
        "{4} break a law and {5} are in no table\n",
        hasMask ? "" : "out", qualityOf(one.ratios).mean,
        qualityOf(four.ratios).mean, one.drawn + four.drawn,
        one.illegal + four.illegal, one.unknown + four.unknown);
  }
}

/// Reports the quality of a model that judges, for each GPU of the tasks that
/// are held out, and that of the cost model, which proposes the same without
/// measurements and with them.
static void reportChips(const Model &model, llvm::ArrayRef<Task> held) {
  std::map<std::string, std::vector<Task>> byChip;
  for (const Task &task : held)
    byChip[task.chip].push_back(task);
  const Model costModel(NetworkShape(), 0);
  llvm::errs() << formatv("{0,-10}{1,9}  {2,-16}{3,-16}{4,-16}{5}\n", "chip",
                          "problems", "cost model", "first", "best of 4",
                          "best of 8");
  for (const auto &[chip, tasks] : byChip) {
    auto quality = [&, &tasks = tasks](const Model &of, size_t k, bool told) {
      Quality one = qualityOf(replay(of, tasks, k, told));
      return formatv("{0:f4} ({1:f3})", one.mean, one.tenth).str();
    };
    llvm::errs() << formatv("{0,-10}{1,9}  {2,-16}{3,-16}{4,-16}{5}\n", chip,
                            tasks.size(), quality(costModel, 1, false),
                            quality(model, 1, false), quality(model, 4, true),
                            quality(model, 8, true));
  }
}

/// Training starts only if its results can be written.
Error Training::checkOutputs() const {
  for (const std::string &path :
       {given.out, given.grow, given.curve, given.svg, given.settings.state})
    if (!path.empty())
      if (Error error = requireWritable(path))
        return error;
  return Error::success();
}

/// The model that the training starts from; nothing without `from`.
Expected<std::optional<Model>> Training::startModel() const {
  Expected<std::optional<Model>> start =
      readModels(given.from, given.settings.writes);
  if (start && *start && !given.trees.empty()) {
    Expected<Trees> trees = Trees::readFile(given.trees);
    if (!trees)
      return trees.takeError();
    (*start)->trees = std::move(*trees);
  }
  return start;
}

Error Training::write(Model &model, const TrainingRun &training) {
  given.card["machines"] = llvm::join(training.machines(), ",");
  model.card = given.card;
  // There are none if the training was stopped before.
  if (!given.grow.empty() && model.trees) {
    model.trees->card = given.card;
    if (Error error = writeFile(given.grow, model.trees->str()))
      return error;
  }
  if (given.out.empty())
    return Error::success();
  model.roundToHalves();
  return writeFile(given.out, model.str());
}

Error Training::run() {
  if (Error error = checkOutputs())
    return error;
  Expected<Arch> arch = Arch::lookup(given.arch);
  if (!arch)
    return arch.takeError();
  TrainingHooks hooks;
  hooks.shouldStop = isInterrupted;
  TrainCurve curve(given.curve, given.svg);
  if (llvm::sys::fs::exists(given.settings.state))
    if (Error error = curve.goOn())
      return error;
  hooks.point = [&](const CurvePoint &point) { curve.add(point); };
  std::unique_ptr<Progress> progress;
  std::string current;
  hooks.step = [&](StringRef phase, int64_t, int64_t steps) {
    if (phase != current)
      progress = std::make_unique<Progress>(steps);
    current = phase.str();
    progress->step(phase);
  };
  if (Error error = readTables())
    return error;
  if (Error error = openEvaluator(*arch))
    return error;
  TrainingRun training(given.settings, *arch, std::move(hooks));
  if (Error error = addTo(training))
    return error;
  if (evaluator)
    training.useEvaluator(*evaluator);
  Expected<std::optional<Model>> start = startModel();
  if (!start)
    return start.takeError();
  if (*start)
    training.startFrom(std::move(**start));
  llvm::errs() << formatv("{0} problems to learn from, {1} held out\n",
                          training.shownCount(), training.heldCount());
  heedInterrupts();
  Expected<Model> model = training.train();
  progress.reset();
  if (!model)
    return model.takeError();
  if (given.draws && model->writer)
    reportDraws(*model->writer, training.heldTasks(), *arch,
                uint64_t(given.settings.train.seed));
  if (!given.settings.writes)
    reportChips(*model, training.heldTasks());
  if (Error error = curve.write())
    return error;
  return write(*model, training);
}

Error hone::runTraining(TrainingRequest request) {
  return Training(std::move(request)).run();
}
