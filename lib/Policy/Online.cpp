//===- Online.cpp - Reinforcement learning from own trials ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Online.h.
//
//===----------------------------------------------------------------------===//

#include "OnlineKnown.h"
#include "hone/Policy/Objective.h"
#include "hone/Space/Space.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <numeric>

using namespace hone;

Online::Online(Ensemble &model, size_t at, OnlineOptions given,
               llvm::ArrayRef<Problem> problems, Evaluator &evaluator,
               std::unique_ptr<Trainer> trainer)
    : model(model), network(model.networks[at]), before(network),
      options(std::move(given)), dice(uint64_t(options.train.seed) * 7919 + at),
      problems(problems.vec()), evaluator(evaluator),
      trainer(std::move(trainer)) {}

Online::~Online() = default;

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

Online::Known &Online::knownOf(const Problem &problem) {
  for (const std::unique_ptr<Known> &known : memory)
    if (known->problem == problem)
      return *known;
  memory.push_back(std::make_unique<Known>());
  Known &known = *memory.back();
  known.problem = problem;
  const Arch &arch = evaluator.arch();
  Space space(problem, arch, options.isWithin, allKinds());
  Reader reader =
      options.readerOf ? options.readerOf(problem) : Reader(problem, arch);
  known.schedules = space.listed().vec();
  for (const Schedule &schedule : known.schedules)
    known.readings.push_back(reader.read(schedule));
  prepare(known);
  return known;
}

//===----------------------------------------------------------------------===//
// Drawing and measuring
//===----------------------------------------------------------------------===//

Online::Group Online::drawGroup(Known &known) {
  Group group{&known, {}};
  if (!options.isUniform)
    group.draws = draw(known, size_t(options.draws));
  while (group.draws.size() < size_t(options.draws))
    group.draws.push_back(dice() % known.schedules.size());
  return group;
}

void Online::remember(Known &known, size_t candidate, Measurement result) {
  if (result.isOk())
    known.best = std::min(known.best, logOf(result.times.median));
  known.tried[candidate] = std::move(result);
}

/// Requests times for all unmeasured draws in `groups`, and waits for them.
llvm::Error Online::measure(llvm::MutableArrayRef<Group> groups) {
  std::vector<std::pair<Known *, size_t>> due;
  for (Group &group : groups)
    for (size_t at : group.draws)
      if (group.known->tried.try_emplace(at).second)
        due.emplace_back(group.known, at);
  std::map<uint64_t, std::pair<Known *, size_t>> asked;
  size_t next = 0;
  while (next < due.size() || !asked.empty()) {
    for (; next < due.size() && asked.size() < evaluator.maxInFlight();
         ++next) {
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

double Rewards::of(const Measurement &result, double logBest) const {
  switch (result.status) {
  case Status::ok:
    return result.spillBytes > 0 ? spilled
                                 : logBest - logOf(result.times.median);
  case Status::illegal:
    return refused;
  case Status::compileError:
    return notBuilt;
  case Status::fault:
  case Status::timeout:
    return notProven;
  case Status::wrong:
    return wrong;
  }
  llvm_unreachable("every status has a reward");
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

void Online::learn(const Group &group, OnlineStep &report, Vector &gradient) {
  const Known &known = *group.known;
  std::vector<double> rewards;
  for (size_t at : group.draws)
    rewards.push_back(options.rewards.of(known.tried.at(at), known.best));
  double best = *llvm::max_element(rewards);
  report.best += best / double(options.problems);
  report.reward += std::accumulate(rewards.begin(), rewards.end(), 0.0) /
                   double(rewards.size() * options.problems);
  std::vector<double> advantages = options.advantage == Advantage::leaveOneOut
                                       ? leaveOneOut(rewards, options.bestOf)
                                       : groupRelative(rewards);
  reward(group, advantages, gradient);
}

/// The candidates of a problem that have times.
static Task taskOf(const Problem &problem, llvm::ArrayRef<Schedule> schedules,
                   llvm::ArrayRef<Reading> readings,
                   const std::map<size_t, Measurement> &tried) {
  Task task{problem, {}, {}, {}};
  for (const auto &[at, result] : tried)
    if (result.isOk()) {
      task.schedules.push_back(schedules[at]);
      task.readings.push_back(readings[at]);
      task.logSeconds.push_back(logOf(result.times.median));
    }
  return task;
}

std::vector<Task> Online::timed() const {
  std::vector<Task> tasks;
  for (const std::unique_ptr<Known> &known : memory)
    if (Task task = ::taskOf(known->problem, known->schedules, known->readings,
                             known->tried);
        task.size() > 1)
      tasks.push_back(std::move(task));
  return tasks;
}

llvm::Expected<OnlineStep> Online::step() {
  std::vector<Group> groups;
  for (int64_t count = 0; count < options.problems; ++count)
    groups.push_back(drawGroup(knownOf(problems[dice() % problems.size()])));
  if (llvm::Error error = measure(groups))
    return std::move(error);
  OnlineStep report;
  Vector gradient = Vector::Zero(network.parameters().size());
  for (const Group &group : groups) {
    if (options.policy > 0)
      learn(group, report, gradient);
    Task task = ::taskOf(group.known->problem, group.known->schedules,
                         group.known->readings, group.known->tried);
    if (task.size() > 1)
      trainer->teach(task, gradient, dice);
  }
  gradient /= float(groups.size());
  trainer->follow(gradient);
  report.measured = measured;
  return report;
}
