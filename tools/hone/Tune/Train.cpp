//===- Train.cpp - hone train ---------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains a policy on recorded times and on its own trials, and reports its
// quality on shapes outside of the training set.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Database.h"
#include "hone/Policy/TrainingRun.h"
#include "hone/Policy/WriterTrainer.h"
#include "hone/Search/ReplayEvaluator.h"
#include "hone/Text/File.h"
#include "hone/Workers/Workers.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/Options.h"
#include "tools/hone/Tune/TrainCurve.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct Arguments {
  std::string tables, database, arch = "h200", device, worker;
  std::string from, trees, out, curve, svg, grow, holdChips, rehearse;
  std::string advantage = "leave-one-out";
  std::map<std::string, std::string> card;
  bool replays = false, noContext = false, noPrior = false, draws = false;
  TrainingSettings settings;
};

class Training {
public:
  explicit Training(Arguments given) : given(std::move(given)) {}
  Error run();

private:
  Error checkOutputs() const;
  Error readTables();
  Error addTo(TrainingRun &run);
  Error openEvaluator(const Arch &arch);

  Arguments given;
  DenseTable tables; ///< all of them
  std::unique_ptr<Evaluator> evaluator;
};
} // namespace

/// The names of a list with commas.
static std::vector<std::string> namesIn(StringRef list) {
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
  Expected<std::optional<Model>> start =
      readModels(given.from, given.settings.writes);
  if (!start)
    return start.takeError();
  if (*start && !given.trees.empty()) {
    Expected<Trees> trees = Trees::readFile(given.trees);
    if (!trees)
      return trees.takeError();
    (*start)->trees = std::move(*trees);
  }
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
  given.card["machines"] = llvm::join(training.machines(), ",");
  model->card = given.card;
  // There are none if the training was stopped before.
  if (!given.grow.empty() && model->trees) {
    model->trees->card = given.card;
    if (Error error = writeFile(given.grow, model->trees->str()))
      return error;
  }
  return given.out.empty() ? Error::success()
                           : writeFile(given.out, model->str());
}

static void addOptions(OptionList &list, Arguments &given) {
  TrainingSettings &settings = given.settings;
  OnlineOptions &online = settings.reinforce;
  TrainOptions &train = settings.train;
  list.add("tables", "FILE,...", given.tables, "dense tables of times");
  list.add("db", "FILE", given.database,
           "records of a database, in addition to tables");
  list.add("synthetic", "N", settings.synthetic, "steps on drawn problems", 0);
  list.add("steps", "N", settings.recorded, "steps on recorded times", 0);
  list.add("online", "N", settings.online, "steps on its own trials", 0);
  list.add("replay", given.replays, "the tables answer online, not a GPU");
  list.add("device", "N,...", given.device, "GPUs that answer online",
           checkDevices);
  list.add("rehearse", "PLAN", given.rehearse,
           "the cost model answers online, without a GPU: smooth");
  list.add("advantage", "NAME", given.advantage,
           "leave-one-out or group-relative",
           {"leave-one-out", "group-relative"});
  list.add("policy", "PERCENT", online.policy, 0.01,
           "weight of the policy's gain", 0);
  list.add("kl", "PERCENT", online.divergence, 0.01,
           "weight of the divergence from the prior", 0);
  list.add("uniform", online.isUniform,
           "with --online: draw candidates at random");
  list.add("hold", "N,...", settings.hold,
           "tenths of the shapes for evaluation (2,3)", 0);
  list.add("seal", "N,...", settings.seal,
           "tenths of the shapes that are left out (0,1)", 0);
  list.add("hold-chips", "NAME,...", given.holdChips,
           "chips and parts for evaluation, instead of tenths");
  list.add("writer", settings.writes,
           "train a writer in addition to the networks of --from");
  list.add("folds", "N", settings.folds,
           "folds of trees for a writer's estimates; 0: the cost model", 0);
  list.add("draws", given.draws,
           "report the draws of a writer with and without a mask");
  list.add("networks", "N", settings.networks,
           "number of networks, whose answers are averaged");
  list.add("width", "N", settings.shape.width, "width of a token");
  list.add("hidden", "N", settings.shape.hidden,
           "width of a block's inner layer");
  list.add("blocks", "N", settings.shape.blocks, "blocks of a network");
  list.add("rate", "MILLIONTHS", train.rate, 1e-6, "learning rate");
  list.add("dropout", "PERCENT", train.dropout, 0.01,
           "dropout of a block's inner layer", 0);
  list.add("tau", "THOUSANDTHS", train.tau, 1e-3,
           "temperature of the distribution");
  list.add("listwise", "PERCENT", train.listwise, 0.01, "weight of the order",
           0);
  list.add("best-of", "PERCENT", train.bestOf, 0.01, "weight of the best of k",
           0);
  list.add("value", "PERCENT", train.value, 0.01, "weight of the times", 0);
  list.add("no-context", given.noContext,
           "hide measurements from the networks");
  list.add("no-prior", given.noPrior,
           "start without the estimates of the cost model");
  list.add("seed", "N", train.seed, "seed of random choices");
  list.add("threads", "N", train.threads, "threads for one step");
  list.add("every", "N", settings.every, "steps between lines of the curve");
  list.add("arch", "NAME", given.arch, "chip of the times", checkArch);
  list.add(
      "from", "FILE,...", given.from,
      "weights to start from; of several files all networks, or all writers");
  list.add("trees", "FILE", given.trees, "trees in addition to --from");
  list.add("state", "FILE", settings.state,
           "state of the run, from which it continues after a stop");
  list.add("curve", "FILE", given.curve, "the learning curve, as CSV");
  list.add("svg", "FILE", given.svg, "the learning curve, as a picture");
  list.add("out", "FILE", given.out, "the weights");
  list.add("grow", "FILE", given.grow,
           "also grow boosted trees from the recorded times");
}

/// Numbers that no training can use.
static Error checkOptions(const Arguments &given) {
  const TrainingSettings &settings = given.settings;
  for (int64_t tenth : settings.hold) {
    if (tenth > 9)
      return llvm::createStringError(
          formatv("--hold: expected tenths from 0 to 9, but got {0}", tenth));
    if (llvm::is_contained(settings.seal, tenth))
      return llvm::createStringError(formatv(
          "expected other tenths with --hold than with --seal, but got {0} "
          "with both; use --seal, e.g. --seal=99 for none",
          tenth));
  }
  if (settings.train.dropout >= 1)
    return llvm::createStringError(
        formatv("--dropout: expected less than 100 percent, but got {0:F0}",
                100 * settings.train.dropout));
  if (!given.rehearse.empty() && (given.replays || !given.device.empty()))
    return llvm::createStringError("expected --rehearse without --device and "
                                   "--replay, but got both");
  for (const std::string &chip : namesIn(given.holdChips))
    if (Error error = Arch::lookup(chip).takeError())
      return error;
  // Without a step, the models that were read are evaluated.
  bool trains = settings.synthetic + settings.recorded + settings.online > 0;
  bool isKept = given.draws || !(given.out + given.grow + given.curve +
                                 given.svg + settings.state)
                                    .empty();
  if (trains && !isKept)
    return llvm::createStringError(
        "expected a file for the result, but got none; use --out=FILE, or "
        "--curve or --draws for the course of the training");
  return Error::success();
}

int hone::trainCommand(llvm::ArrayRef<StringRef> args) {
  exitOnInterrupt();
  Arguments given;
  given.card["command"] = "hone train " + llvm::join(args, " ");
  OptionList list("hone train --tables=FILE,... [options]",
                  "Trains a policy on recorded times and on its own trials.");
  addOptions(list, given);
  return list.run(args, [&]() -> Expected<int> {
    if (Error error = checkOptions(given))
      return asUsage(std::move(error));
    TrainingSettings &settings = given.settings;
    settings.holdChips = namesIn(given.holdChips);
    settings.train.hasContext = !given.noContext;
    settings.train.hasPrior = !given.noPrior;
    if (!given.grow.empty())
      settings.trees = TreesOptions();
    settings.reinforce.train = settings.train;
    if (given.advantage == "group-relative")
      settings.reinforce.advantage = Advantage::groupRelative;
    if (Error error = Training(std::move(given)).run())
      return std::move(error);
    return kExitSuccess;
  });
}
