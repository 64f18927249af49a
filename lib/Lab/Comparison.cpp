//===- Comparison.cpp - Comparison of search policies ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Comparison.h. Tables and the cover are in ComparisonTables.cpp.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Search/ReplayEvaluator.h"
#include "hone/Search/Search.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <map>

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Standing
//===----------------------------------------------------------------------===//

Ratio hone::ratioByProblem(const std::vector<std::vector<double>> &own,
                           const std::vector<std::vector<double>> &other) {
  std::vector<std::vector<double>> ratios;
  for (const auto &[one, another] : llvm::zip_equal(own, other))
    if (!one.empty() && !another.empty())
      ratios.push_back({geometricMean(one) / geometricMean(another)});
  return geometricMean(ratios);
}

std::vector<double> Standing::searches() const {
  std::vector<double> all;
  for (const std::vector<double> &problem : qualities)
    llvm::append_range(all, problem);
  return all;
}

size_t Standing::problems() const {
  return llvm::count_if(qualities,
                        [](const auto &seeds) { return !seeds.empty(); });
}

double Standing::quantileOf(double part) const {
  return 1 / (1 + lossOf(1 - part));
}

double Standing::lossOf(double part) const {
  std::vector<double> losses;
  for (double quality : searches())
    losses.push_back(1 / quality - 1);
  return losses.empty() ? 0 : quantile(losses, part);
}

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

namespace {
using Clock = std::chrono::steady_clock;

/// The time and the proposals of a policy so far.
struct Effort {
  double seconds = 0;
  int64_t proposals = 0;

  /// Runs `work` and adds its time to the policy's.
  template <typename Work>
  auto charge(Work work) {
    struct Timer {
      double &seconds;
      Clock::time_point start = Clock::now();
      ~Timer() {
        seconds += std::chrono::duration<double>(Clock::now() - start).count();
      }
    } timer{seconds};
    return work();
  }
};

/// A policy with measured thinking time.
class Timed : public Policy {
public:
  Timed(std::unique_ptr<Policy> policy, Effort &effort)
      : policy(std::move(policy)), effort(effort) {}

  std::vector<Schedule> propose(size_t count) override {
    std::vector<Schedule> some =
        effort.charge([&] { return policy->propose(count); });
    effort.proposals += int64_t(some.size());
    return some;
  }
  void receive(const Schedule &schedule, const Measurement &result) override {
    effort.charge([&] { policy->receive(schedule, result); });
  }
  bool isWaiting() const override { return policy->isWaiting(); }
  bool isComputing() const override { return policy->isComputing(); }
  StringRef originOf(const Schedule &schedule) const override {
    return policy->originOf(schedule);
  }

private:
  const std::unique_ptr<Policy> policy;
  Effort &effort;
};

/// A peer's fixed list, in its order.
class ListPolicy : public Policy {
public:
  explicit ListPolicy(std::vector<Schedule> list) : left(std::move(list)) {}
  std::vector<Schedule> propose(size_t count) override {
    size_t end = std::min(count, left.size());
    std::vector<Schedule> some(left.begin(), left.begin() + end);
    left.erase(left.begin(), left.begin() + end);
    return some;
  }

private:
  std::vector<Schedule> left;
};

/// Follows one search: the fastest schedule by the measured times, and its
/// recorded time. It notes the state after the default and after each
/// measurement.
class Follower {
public:
  Follower(const ReplayEvaluator &evaluator, const DenseShape &shape,
           const Effort &effort, double goal)
      : evaluator(evaluator), shape(shape), effort(effort), goal(goal) {}

  struct Note {
    double quality = 0; ///< 0: none
    Effort effort;
  };

  void receive(const Record &record) {
    // Times of the final have another grade.
    if (!seen.insert(record.schedule).second)
      return;
    count += record.provenance.policy != kDefaultPolicy;
    if (record.isOk() && (fastest == 0 || record.times.median < fastest)) {
      fastest = record.times.median;
      found = *evaluator.recorded(shape.problem, record.schedule);
    }
    double quality = found > 0 ? shape.best() / found : 0;
    notes[count] = {quality, effort};
    if (!reached && goal > 0 && quality >= goal)
      reached = std::max<int64_t>(count, 1);
  }
  Note after(int64_t measurements) const {
    auto later = notes.upper_bound(measurements);
    return later == notes.begin() ? Note() : std::prev(later)->second;
  }
  int64_t measured() const { return count; }
  /// The number of measurements until the goal was reached.
  std::optional<int64_t> untilGoal() const { return reached; }

private:
  const ReplayEvaluator &evaluator;
  const DenseShape &shape;
  const Effort &effort;
  double goal;
  detail::ScheduleSet seen;
  int64_t count = 0;
  std::optional<int64_t> reached;
  double fastest = 0, found = 0;
  std::map<int64_t, Note> notes;
};

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

class Comparison {
public:
  Comparison(const DenseTable &table, const Arch &arch, const Model &model,
             const ComparisonOptions &options)
      : table(table), arch(arch), model(model), networks(model), trees({}, 0),
        options(options) {
    networks.trees.reset();
    trees.trees = options.peers.trees;
    trees.card = model.card;
  }

  Expected<std::vector<Standing>> standingsOf(StringRef policy);

private:
  /// The model of a policy; null if it has none.
  const Model *modelOf(StringRef policy) const;
  Expected<PolicyMaker> makerOf(StringRef policy, int64_t seed,
                                const ReplayEvaluator &evaluator) const;
  Error addFirst(const DenseShape &shape, StringRef policy,
                 const PolicyMaker &maker, const ReplayEvaluator &evaluator,
                 size_t problem, Standing &standing) const;
  Error addSearch(const DenseShape &shape, StringRef policy, int64_t seed,
                  const PolicyMaker &maker, ReplayEvaluator &evaluator,
                  size_t problem, llvm::MutableArrayRef<Standing> after) const;

  const DenseTable &table;
  const Arch &arch;
  const Model &model;
  Model networks, trees; ///< each without the other part
  const ComparisonOptions &options;
};
} // namespace

const Model *Comparison::modelOf(StringRef policy) const {
  if (policy == kTreesPolicy || policy == kMutationPolicy)
    return &trees;
  if (policy == kNetworksPolicy)
    return &networks;
  if (policy == kBesidePolicy && options.beside)
    return &*options.beside;
  return isLearnedPolicy(policy) ? &model : nullptr;
}

Expected<PolicyMaker>
Comparison::makerOf(StringRef policy, int64_t seed,
                    const ReplayEvaluator &evaluator) const {
  Within isWithin = evaluator.within();
  auto listOf = policy == kCoverPolicy     ? coveredFor
                : policy == kNearestPolicy ? nearestFor
                                           : nullptr;
  if (!listOf) {
    const Model *asked = modelOf(policy);
    bool isPeer = asked && !isLearnedPolicy(policy);
    StringRef peer = policy == kMutationPolicy ? kHybridPolicy : "learned";
    return policyMaker(isPeer ? peer : policy, seed, isWithin,
                       asked ? *asked : model);
  }
  return [this, listOf,
          isWithin](const Problem &problem,
                    const Arch &arch) -> Expected<std::unique_ptr<Policy>> {
    return std::make_unique<ListPolicy>(
        listOf(options.peers, problem, arch, isWithin));
  };
}

static void add(Standing &standing, size_t problem, double quality,
                const Effort &effort) {
  if (quality > 0)
    standing.qualities[problem].push_back(quality);
  ++standing.runs;
  standing.policySeconds += effort.seconds;
  standing.proposals += effort.proposals;
}

/// The model's best schedule of all that it may propose. The policy itself
/// would propose the default first, so this calls the model directly.
static std::optional<Schedule> preferredOf(const Model &model,
                                           const Space &space) {
  Reader reader(space.problem, space.arch, {}, space.kinds);
  std::vector<Reading> readings;
  for (const Schedule &schedule : space.listed())
    readings.push_back(reader.read(schedule));
  if (readings.empty())
    return std::nullopt;
  std::vector<double> said = model.judge({}, readings);
  return space.listed()[llvm::min_element(said) - said.begin()];
}

Error Comparison::addFirst(const DenseShape &shape, StringRef policy,
                           const PolicyMaker &maker,
                           const ReplayEvaluator &evaluator, size_t problem,
                           Standing &standing) const {
  Effort effort;
  std::optional<Schedule> first;
  if (const Model *asked = modelOf(policy)) {
    first = effort.charge([&] {
      Space space(shape.problem, arch, evaluator.within(), allKinds());
      return policy == kWriterPolicy ? writtenSchedule(*asked, space)
                                     : preferredOf(*asked, space);
    });
  } else {
    auto made = effort.charge([&] { return maker(shape.problem, arch); });
    if (!made)
      return made.takeError();
    std::vector<Schedule> some =
        effort.charge([&] { return (*made)->propose(1); });
    if (!some.empty())
      first = some.front();
  }
  effort.proposals = first.has_value();
  std::optional<double> seconds;
  if (first)
    seconds = evaluator.recorded(shape.problem, *first);
  add(standing, problem, seconds ? shape.best() / *seconds : 0, effort);
  return Error::success();
}

Error Comparison::addSearch(const DenseShape &shape, StringRef policy,
                            int64_t seed, const PolicyMaker &maker,
                            ReplayEvaluator &evaluator, size_t problem,
                            llvm::MutableArrayRef<Standing> after) const {
  Effort effort;
  SearchOptions search;
  search.policy = policy.str();
  search.seed = seed;
  int64_t wanted = after.back().measurements;
  search.trials = options.goal > 0 ? std::max(wanted, options.max) : wanted;
  search.isWithin = evaluator.within();
  search.makePolicy =
      [&](const Problem &problem,
          const Arch &arch) -> Expected<std::unique_ptr<Policy>> {
    auto made = effort.charge([&] { return maker(problem, arch); });
    if (!made)
      return made;
    return std::make_unique<Timed>(std::move(*made), effort);
  };
  Follower follower(evaluator, shape, effort, options.goal);
  SearchHooks hooks;
  hooks.shouldStop = [&] {
    return follower.untilGoal() && follower.measured() >= wanted;
  };
  hooks.received = [&](const Record &record) { follower.receive(record); };
  auto results = Search(evaluator, nullptr, search, hooks).run({shape.problem});
  if (!results)
    return results.takeError();
  for (Standing &standing : after) {
    Follower::Note note = follower.after(standing.measurements);
    add(standing, problem, note.quality, note.effort);
  }
  if (options.goal > 0)
    after.back().untilGoal[problem].push_back(
        double(follower.untilGoal().value_or(options.max)));
  return Error::success();
}

Expected<std::vector<Standing>> Comparison::standingsOf(StringRef policy) {
  std::vector<int64_t> counts = options.measurements;
  counts.push_back(0);
  llvm::sort(counts);
  counts.erase(llvm::unique(counts), counts.end());
  std::vector<Standing> standings;
  for (int64_t count : counts) {
    standings.push_back({policy.str(), count, {}, 0, 0, 0, {}});
    standings.back().qualities.resize(table.size());
  }
  standings.back().untilGoal.resize(options.goal > 0 ? table.size() : 0);
  for (int64_t seed = 1; seed <= options.seeds; ++seed) {
    ReplayOptions replay;
    replay.noise = options.noise;
    replay.seed = seed;
    ReplayEvaluator evaluator(table, arch, replay);
    Expected<PolicyMaker> maker = makerOf(policy, seed, evaluator);
    if (!maker)
      return maker.takeError();
    for (const auto &[at, shape] : llvm::enumerate(table)) {
      if (options.progress)
        options.progress(policy);
      if (Error error =
              addFirst(shape, policy, *maker, evaluator, at, standings.front()))
        return std::move(error);
      if (counts.back() == 0)
        continue;
      if (Error error =
              addSearch(shape, policy, seed, *maker, evaluator, at,
                        llvm::MutableArrayRef(standings).drop_front()))
        return std::move(error);
    }
  }
  return standings;
}

Expected<std::vector<Standing>>
hone::comparePolicies(const DenseTable &table, const Arch &arch,
                      const Model &model, const ComparisonOptions &options) {
  Comparison comparison(table, arch, model, options);
  std::vector<Standing> all;
  for (const std::string &policy : options.policies) {
    auto standings = comparison.standingsOf(policy);
    if (!standings)
      return standings.takeError();
    llvm::append_range(all, std::move(*standings));
  }
  return all;
}
