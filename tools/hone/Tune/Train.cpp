//===- Train.cpp - hone train ---------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a training (hone/Tuner/Training.h).
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Command.h"
#include "hone/Command/Options.h"
#include "hone/Tuner/Training.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

/// Options for the times that a training reads.
static void addSources(OptionList &list, TrainingRequest &given) {
  TrainingSettings &settings = given.settings;
  OnlineOptions &online = settings.reinforce;
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
}

/// The networks, and the steps that train them.
static void addNetworks(OptionList &list, TrainingRequest &given) {
  TrainingSettings &settings = given.settings;
  TrainOptions &train = settings.train;
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
  list.add("best-of", "PERCENT", train.bestOf, 0.01, "weight of the best of k",
           0);
  list.add("no-context", given.noContext,
           "hide measurements from the networks");
  list.add("no-prior", given.noPrior,
           "start without the estimates of the cost model");
  list.add("seed", "N", train.seed, "seed of random choices");
  list.add("threads", "N", train.threads, "threads for one step");
  list.add("every", "N", settings.every, "steps between lines of the curve");
}

/// The models that a training starts from, and the files that it writes.
static void addFiles(OptionList &list, TrainingRequest &given) {
  TrainingSettings &settings = given.settings;
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
static Error checkOptions(const TrainingRequest &given) {
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
  TrainingRequest given;
  given.card["command"] = "hone train " + llvm::join(args, " ");
  OptionList list("hone train --tables=FILE,... [options]",
                  "Trains a policy on recorded times and on its own trials.\n"
                  "Example: hone train --tables=data/h200/dense.csv "
                  "--steps=100 --out=my.weights");
  addSources(list, given);
  addNetworks(list, given);
  addFiles(list, given);
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
    if (Error error = runTraining(std::move(given)))
      return std::move(error);
    return kExitSuccess;
  });
}
