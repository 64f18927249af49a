//===- Train.cpp - hone train ---------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a policy of recorded times, and says how good it is on shapes that it
// was not shown.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Options.h"
#include "Table.h"
#include "hone/Policy/Trainer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct Arguments {
  std::string tables, arch = "h200", out, from, curve;
  std::vector<int64_t> hold = {2, 3}, seal = {0, 1};
  int64_t synthetic = 0, steps = 4000, networks = 1;
  int64_t width = 96, blocks = 2, heads = 4, hidden = 192;
  int64_t rate = 1000, dropout = 10, bestOf = 0, every = 500;
  TrainOptions options;
  bool noContext = false;
};

/// Trains a model's networks, one after the other.
class Training {
public:
  Training(Arguments given, Arch arch) : given(std::move(given)), arch(arch) {}
  llvm::Error load();
  llvm::Error run();

private:
  Model start();
  void pretrain(Trainer &trainer);
  void learn(Trainer &trainer);
  void report(const Model &model, StringRef phase, int64_t step, double loss);

  Arguments given;
  Arch arch;
  std::vector<Task> shown, held;
  Table curve{{"phase", "step", "seconds", "loss", "first", "first_p10", "4",
               "4_p10", "4_heard", "4_heard_p10", "8_heard"}};
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};
} // namespace

llvm::Error Training::load() {
  llvm::SmallVector<StringRef> paths;
  StringRef(given.tables).split(paths, ',', -1, false);
  for (StringRef path : paths) {
    llvm::Expected<DenseTable> table = readDenseTable(path.str());
    if (!table)
      return table.takeError();
    for (Task &task : tasksOf(*table, arch)) {
      auto tenth = int64_t(partOf(task.problem, 10));
      if (llvm::is_contained(given.seal, tenth))
        continue;
      bool isHeld = llvm::is_contained(given.hold, tenth);
      (isHeld ? held : shown).push_back(std::move(task));
    }
  }
  if (shown.empty())
    return llvm::createStringError(
        "expected recorded times, but got none; use --tables=FILE,...");
  llvm::errs() << formatv("{0} problems to learn from, {1} held out\n",
                          shown.size(), held.size());
  return llvm::Error::success();
}

Model Training::start() {
  NetworkShape shape;
  shape.width = given.width;
  shape.blocks = given.blocks;
  shape.heads = given.heads;
  shape.hidden = given.hidden;
  Model model(shape, given.networks);
  std::vector<Reading> sample;
  for (const Task &task : shown)
    for (size_t at = 0; at < task.size(); at += 7)
      sample.push_back(task.readings[at]);
  model.normalizeBy(sample);
  return model;
}

void Training::report(const Model &model, StringRef phase, int64_t step,
                      double loss) {
  auto text = [](double value) { return formatv("{0:f4}", value).str(); };
  double seconds = std::chrono::duration<double>(
                       std::chrono::steady_clock::now() - begin)
                       .count();
  std::vector<std::string> row = {phase.str(), std::to_string(step),
                                  formatv("{0:f0}", seconds), text(loss)};
  for (auto [k, hears] : {std::pair(1, false), {4, false}, {4, true}}) {
    Quality quality = qualityOf(replay(model, held, k, hears));
    row.push_back(text(quality.mean));
    row.push_back(text(quality.tenth));
  }
  row.push_back(text(qualityOf(replay(model, held, 8, true)).mean));
  for (const std::string &cell : row)
    llvm::errs() << cell << "  ";
  llvm::errs() << "\n";
  curve.addRow(row);
}

void Training::pretrain(Trainer &trainer) {
  Task task;
  while (trainer.steps() < given.synthetic) {
    std::vector<Task> drawn(given.options.tasks);
    size_t at = 0;
    trainer.step([&](std::mt19937_64 &dice) -> const Task & {
      return drawn[at++] = drawTask(arch, dice);
    });
  }
}

llvm::Error Training::run() {
  Model model = start();
  for (int64_t at = 0; at < given.networks; ++at) {
    Model one(model.networks[at].shape(), 1);
    one = model;
    one.networks.resize(1, model.networks[at]);
    one.networks.front().initialize(given.options.seed * 100 + at);
    if (given.synthetic) {
      TrainOptions options = given.options;
      options.steps = given.synthetic;
      Trainer trainer(one, 0, options);
      pretrain(trainer);
      report(one, "synthetic", trainer.steps(), trainer.loss());
    }
    Trainer trainer(one, 0, given.options);
    auto draw = [&](std::mt19937_64 &dice) -> const Task & {
      return shown[dice() % shown.size()];
    };
    while (trainer.steps() < given.options.steps) {
      trainer.step(draw);
      if (trainer.steps() % given.every == 0)
        report(one, "recorded", trainer.steps(), trainer.loss());
    }
    model.networks[at] = one.networks.front();
  }
  if (given.networks > 1)
    report(model, "together", given.options.steps, 0);
  if (!given.curve.empty())
    if (llvm::Error error = writeCsv(curve, given.curve))
      return error;
  if (given.out.empty())
    return llvm::Error::success();
  std::error_code code;
  llvm::raw_fd_ostream(given.out, code) << model.str();
  return llvm::errorCodeToError(code);
}

int hone::trainCommand(llvm::ArrayRef<StringRef> args) {
  Arguments given;
  OptionList list("train --tables=FILE,... [options]",
                  "Makes a policy of recorded times.");
  list.add("tables", "FILE,...", given.tables, "dense tables");
  list.add("arch", "NAME", given.arch, "chip of the times");
  list.add("hold", "N,...", given.hold, "tenths of the shapes held out");
  list.add("seal", "N,...", given.seal, "tenths that nobody looks at");
  list.add("synthetic", "N", given.synthetic, "steps on synthetic tasks");
  list.add("steps", "N", given.options.steps, "steps on recorded tasks");
  list.add("networks", "N", given.networks, "whose answers are averaged");
  list.add("width", "N", given.width, "of a token");
  list.add("hidden", "N", given.hidden, "of a block");
  list.add("blocks", "N", given.blocks, "of a network");
  list.add("rate", "N", given.rate, "millionths");
  list.add("dropout", "N", given.dropout, "percent");
  list.add("best-of", "N", given.bestOf, "weight, percent");
  list.add("tasks", "N", given.options.tasks, "of a step");
  list.add("seed", "N", given.options.seed, "seed");
  list.add("threads", "N", given.options.threads, "threads");
  list.add("every", "N", given.every, "steps between reports");
  list.add("no-context", given.noContext, "an ablation");
  list.add("out", "FILE", given.out, "weights");
  list.add("curve", "FILE", given.curve, "CSV");
  if (std::optional<int> status = list.parse(args))
    return *status;
  given.options.rate = given.rate * 1e-6;
  given.options.dropout = given.dropout * 1e-2;
  given.options.bestOf = given.bestOf * 1e-2;
  given.options.hasContext = !given.noContext;
  llvm::Expected<Arch> arch = Arch::lookup(given.arch);
  if (!arch)
    return reportError(arch.takeError(), kExitUsage);
  Training training(given, *arch);
  if (llvm::Error error = training.load())
    return reportError(std::move(error));
  if (llvm::Error error = training.run())
    return reportError(std::move(error));
  return kExitSuccess;
}
