//===- Online.cpp - Learning from what one tries oneself ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Online.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Online.h"
#include "OnlineKnown.h"
#include "Trace.h"
#include "hone/Policy/Objective.h"
#include "hone/Search/Space.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>
#include <numeric>

using namespace hone;

/// Candidates of a problem that the policy draws from.
static constexpr size_t kInMind = 160;

/// What a step draws of a problem.
struct Online::Group {
  Known *known;
  std::vector<size_t> draws; ///< a candidate may be drawn twice
};

Online::Online(Model &model, size_t at, OnlineOptions given,
               llvm::ArrayRef<Problem> problems, Evaluator &evaluator)
    : model(model), network(model.networks[at]), before(network),
      options(std::move(given)), problems(problems.vec()), evaluator(evaluator),
      trainer(model, at, options.train),
      dice(uint64_t(options.train.seed) * 7919 + at) {}

Online::~Online() = default;

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static std::vector<double> plus(llvm::ArrayRef<Reading> readings,
                                const Vector &residual) {
  std::vector<double> sums;
  for (auto [at, reading] : llvm::enumerate(readings))
    sums.push_back(reading.logEstimate + double(residual[at]));
  return sums;
}

Online::Known &Online::knownOf(const Problem &problem) {
  for (const std::unique_ptr<Known> &known : memory)
    if (known->problem == problem)
      return *known;
  memory.push_back(std::make_unique<Known>());
  Known &known = *memory.back();
  known.problem = problem;
  const Arch &arch = evaluator.arch();
  Space space(problem, arch, options.isWithin, allKinds());
  Reader reader(problem, arch);
  std::vector<Reading> all;
  for (const Schedule &schedule : space.listed())
    all.push_back(reader.read(schedule));
  std::vector<double> said = plus(all, before.forward(model.batchOf({}, all)));
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(
      order, [&](size_t one, size_t other) { return said[one] < said[other]; });
  order.resize(std::min(order.size(), kInMind));
  for (size_t at : order) {
    known.schedules.push_back(space.listed()[at]);
    known.readings.push_back(all[at]);
    known.before.push_back(said[at]);
  }
  known.batch = model.batchOf({}, known.readings);
  return known;
}

//===----------------------------------------------------------------------===//
// Drawing and measuring
//===----------------------------------------------------------------------===//

static size_t drawFrom(llvm::ArrayRef<double> probabilities,
                       std::mt19937_64 &dice) {
  double left = double(dice() >> 11) * 0x1p-53;
  for (auto [at, probability] : llvm::enumerate(probabilities))
    if ((left -= probability) < 0)
      return at;
  return probabilities.size() - 1;
}

static std::vector<double> logitsOf(llvm::ArrayRef<double> said, double tau) {
  std::vector<double> logits;
  for (double value : said)
    logits.push_back(-value / tau);
  return logits;
}

Online::Group Online::draw(Known &known) {
  Group group{&known, {}};
  std::vector<double> probabilities(known.readings.size(),
                                    1.0 / double(known.readings.size()));
  if (!options.isUniform)
    probabilities = softmaxOf(logitsOf(
        plus(known.readings, network.forward(known.batch)), options.train.tau));
  for (int64_t draw = 0; draw < options.draws; ++draw)
    group.draws.push_back(drawFrom(probabilities, dice));
  return group;
}

void Online::remember(Known &known, size_t candidate, Measurement result) {
  if (result.isOk())
    known.best = std::min(known.best, logOf(result.times.median));
  known.tried[candidate] = std::move(result);
}

/// Asks for everything in `groups` that nobody timed yet, and waits for it.
llvm::Error Online::measure(llvm::MutableArrayRef<Group> groups) {
  std::vector<std::pair<Known *, size_t>> due;
  for (Group &group : groups)
    for (size_t at : group.draws)
      if (group.known->tried.try_emplace(at).second)
        due.emplace_back(group.known, at);
  std::map<uint64_t, std::pair<Known *, size_t>> asked;
  size_t next = 0;
  while (next < due.size() || !asked.empty()) {
    for (; next < due.size() && asked.size() < evaluator.appetite(); ++next) {
      auto [known, at] = due[next];
      Question question{++questions, known->problem, {known->schedules[at]}, 0};
      asked[question.number] = due[next];
      evaluator.ask(std::move(question));
    }
    llvm::Expected<std::optional<Reply>> reply = evaluator.next(0.5);
    if (!reply)
      return reply.takeError();
    if (!*reply)
      continue;
    auto [known, at] = asked.at((*reply)->number);
    asked.erase((*reply)->number);
    ++measured;
    remember(*known, at, (*reply)->measurements.front());
  }
  return llvm::Error::success();
}

/// What is never right is worth less than what does not build.
double Online::rewardOf(const Known &known, size_t candidate) const {
  const Measurement &result = known.tried.at(candidate);
  switch (result.status) {
  case Status::ok:
    return std::exp(known.best - logOf(result.times.median));
  case Status::illegal:
  case Status::compileError:
    return -0.1;
  case Status::timeout:
    return -0.3;
  default:
    return -0.5;
  }
}

//===----------------------------------------------------------------------===//
// Learning
//===----------------------------------------------------------------------===//

void Online::learn(const Group &group, OnlineStep &report, Vector &gradient) {
  const Known &known = *group.known;
  std::vector<double> rewards;
  for (size_t at : group.draws)
    rewards.push_back(rewardOf(known, at));
  double best = *llvm::max_element(rewards);
  report.best += best / double(options.problems);
  report.reward += std::accumulate(rewards.begin(), rewards.end(), 0.0) /
                   double(rewards.size() * options.problems);
  std::vector<double> advantages = options.advantage == Advantage::leaveOneOut
                                       ? leaveOneOut(rewards, options.bestOf)
                                       : groupRelative(rewards);
  Network::Trace trace;
  Vector residual = network.forward(known.batch, trace, {});
  double tau = options.train.tau;
  std::vector<double> logits = logitsOf(plus(known.readings, residual), tau);
  std::vector<double> probabilities = softmaxOf(logits);
  Valued away = divergence(logits, logitsOf(known.before, tau));
  double given = std::accumulate(advantages.begin(), advantages.end(), 0.0);
  Vector by(logits.size());
  // By each logit: of KL, and less what was gained; a logit is -log t / tau.
  for (auto [at, probability] : llvm::enumerate(probabilities))
    by[at] = float(-(options.divergence * away.gradient[at] +
                     options.policy * given * probability) /
                   tau);
  for (auto [at, advantage] : llvm::zip_equal(group.draws, advantages))
    by[at] += float(options.policy * advantage / tau);
  network.backward(trace, by, gradient);
}

/// Candidates of a problem that have times.
static Task taskOf(const Problem &problem, llvm::ArrayRef<Reading> readings,
                   const std::map<size_t, Measurement> &tried) {
  Task task{problem, {}, {}, {}};
  for (const auto &[at, result] : tried)
    if (result.isOk()) {
      task.readings.push_back(readings[at]);
      task.logSeconds.push_back(logOf(result.times.median));
    }
  return task;
}

std::vector<Task> Online::timed() const {
  std::vector<Task> tasks;
  for (const std::unique_ptr<Known> &known : memory)
    if (Task task = ::taskOf(known->problem, known->readings, known->tried);
        task.size() > 1)
      tasks.push_back(std::move(task));
  return tasks;
}

llvm::Expected<OnlineStep> Online::step() {
  std::vector<Group> groups;
  for (int64_t count = 0; count < options.problems; ++count)
    groups.push_back(draw(knownOf(problems[dice() % problems.size()])));
  if (llvm::Error error = measure(groups))
    return std::move(error);
  OnlineStep report;
  Vector gradient = Vector::Zero(network.parameters().size());
  for (const Group &group : groups) {
    if (options.policy > 0)
      learn(group, report, gradient);
    Task task = ::taskOf(group.known->problem, group.known->readings,
                         group.known->tried);
    if (task.size() > 1)
      trainer.learn(trainer.lessonOf(task, dice), gradient, dice);
  }
  gradient /= float(groups.size());
  trainer.follow(gradient);
  report.measured = measured;
  return report;
}
