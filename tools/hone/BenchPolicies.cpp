//===- BenchPolicies.cpp - hone bench policies ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs searches in a dense table, policy by policy, and says how far from the
// table's best they are after so many trials.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Options.h"
#include "Table.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Search/ReplayEvaluator.h"
#include "hone/Search/Search.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {
struct Settings {
  std::string path, archName = "h200", policies;
  std::vector<int64_t> trials = {8, 16, 32, 64};
  int64_t seeds = 5, noise = 0, half = 0;
  bool json = false;
  std::shared_ptr<Model> given; ///< null: the one that is built in

  const Model &model() const { return given ? *given : Model::shipped(); }
};

/// By number of trials, the loss of every shape and seed that had something to
/// try.
using Losses = std::map<int64_t, std::vector<double>>;

/// Follows one search: the fastest by what was heard, and how long that really
/// takes. After the default and each trial its loss is noted.
class Follower {
public:
  Follower(const ReplayEvaluator &evaluator, const DenseShape &shape)
      : evaluator(evaluator), shape(shape) {}

  void hear(const Record &record) {
    // Times of the final are of another grade.
    if (!seen.insert(toString(record.schedule)).second)
      return;
    trials += record.provenance.policy != "default";
    if (fastest == 0 || record.times.median < fastest) {
      fastest = record.times.median;
      found = *evaluator.recorded(shape.problem, record.schedule);
    }
    lossAfter[trials] = found / shape.best() - 1;
  }
  /// Nothing where nothing was tried.
  std::optional<double> lossOf(int64_t count) const {
    auto behind = lossAfter.upper_bound(count);
    if (behind == lossAfter.begin())
      return std::nullopt;
    return std::prev(behind)->second;
  }

private:
  const ReplayEvaluator &evaluator;
  const DenseShape &shape;
  llvm::StringSet<> seen;
  int64_t trials = 0;
  double fastest = 0, found = 0;
  std::map<int64_t, double> lossAfter;
};
} // namespace

static Error searchShape(const Settings &settings, ReplayEvaluator &evaluator,
                         const DenseShape &shape, llvm::StringRef policy,
                         int64_t seed, Losses &losses) {
  SearchOptions options;
  options.policy = policy.str();
  options.seed = seed;
  options.trials = *llvm::max_element(settings.trials);
  options.isWithin = evaluator.within();
  Expected<PolicyMaker> maker =
      policyMaker(policy, seed, options.isWithin, settings.model());
  if (!maker)
    return maker.takeError();
  options.makePolicy = *maker;
  Follower follower(evaluator, shape);
  SearchHooks hooks;
  hooks.heard = [&](const Record &record) { follower.hear(record); };
  auto results =
      Search(evaluator, nullptr, options, hooks).run({shape.problem});
  if (!results)
    return results.takeError();
  for (int64_t count : settings.trials)
    if (std::optional<double> loss = follower.lossOf(count))
      losses[count].push_back(*loss);
  return Error::success();
}

static Expected<Table> compare(const Settings &settings,
                               const DenseTable &table, const Arch &arch,
                               llvm::ArrayRef<llvm::StringRef> policies) {
  Table lines({"policy", "trials", "searches", "median %", "p90 %", "worst %"});
  Progress progress(policies.size() * settings.seeds * table.size());
  for (llvm::StringRef policy : policies) {
    Losses losses;
    for (int64_t seed = 1; seed <= settings.seeds; ++seed) {
      ReplayOptions replay;
      replay.noise = 0.01 * settings.noise;
      replay.seed = seed;
      ReplayEvaluator evaluator(table, arch, replay);
      for (const DenseShape &shape : table) {
        progress.step(policy);
        if (Error error =
                searchShape(settings, evaluator, shape, policy, seed, losses))
          return std::move(error);
      }
    }
    for (const auto &[count, all] : losses)
      lines.addRow({policy.str(), std::to_string(count),
                    std::to_string(all.size()),
                    formatv("{0:f2}", 100 * quantile(all, 0.5)),
                    formatv("{0:f2}", 100 * quantile(all, 0.9)),
                    formatv("{0:f2}", 100 * quantile(all, 1))});
  }
  return lines;
}

static Expected<DenseTable> readTable(const Settings &settings) {
  Expected<DenseTable> table = readDenseTable(settings.path);
  if (!table)
    return table;
  if (settings.half)
    *table = halfOf(*table, int(settings.half) - 1);
  if (table->empty())
    return llvm::createStringError(
        "expected times of a shape or more, but got none; use hone bench gemm "
        "--candidates-csv=FILE");
  return table;
}

static Expected<std::vector<llvm::StringRef>>
policiesOf(const Settings &settings, const Problem &problem, const Arch &arch) {
  if (settings.policies.empty())
    return allPolicyNames();
  std::vector<llvm::StringRef> policies;
  for (llvm::StringRef name : llvm::split(settings.policies, ',')) {
    auto maker = policyMaker(name, /*seed=*/1);
    if (!maker)
      return maker.takeError();
    policies.push_back(name);
  }
  return policies;
}

int hone::benchPolicies(llvm::ArrayRef<llvm::StringRef> args) {
  Settings settings;
  std::string weights;
  OptionList list(
      "bench policies --replay=FILE [options]",
      "Searches in a dense table of times, and says how much slower "
      "than its best\nthe best is that was found.");
  list.add("replay", "FILE", settings.path, "dense table");
  list.add("arch", "NAME", settings.archName, "chip of the times");
  list.add("policies", "NAME,...", settings.policies, "default: all");
  list.add("trials", "N,...", settings.trials,
           "beside the default (default 8,16,32,64)");
  list.add("seeds", "N", settings.seeds, "searches of each shape and policy");
  list.add("noise", "PERCENT", settings.noise, "standard deviation of a time");
  list.add("half", "1|2", settings.half,
           "every other shape, 1 those that evolution saw; 0: all");
  list.add("weights", "FILE", weights, "of hone train; default: built in");
  list.add("json", settings.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  auto arch = Arch::lookup(settings.archName);
  if (!arch)
    return reportError(arch.takeError(), kExitUsage);
  if (settings.half > 2)
    return reportError(
        llvm::createStringError(formatv(
            "--half: expected 1 or 2, but got {0}; use 2", settings.half)),
        kExitUsage);
  if (!weights.empty()) {
    auto model = Model::readFile(weights);
    if (!model)
      return reportError(model.takeError(), kExitUsage);
    settings.given = std::make_shared<Model>(std::move(*model));
  }
  auto table = readTable(settings);
  if (!table)
    return reportError(table.takeError(), kExitUsage);
  auto policies = policiesOf(settings, table->front().problem, *arch);
  if (!policies)
    return reportError(policies.takeError(), kExitUsage);
  auto lines = compare(settings, *table, *arch, *policies);
  if (!lines)
    return reportError(lines.takeError());
  if (settings.json)
    llvm::outs() << formatv("{0:2}\n", lines->toJson());
  else
    lines->print(llvm::outs());
  return kExitSuccess;
}
