//===- Session.cpp - Known results and trials of a session ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Session.h; SessionFinal.cpp has the rest.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "hone/Schedule/LawTable.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Space.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <ctime>

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

Session::Session(const Problem &problem, const Evaluator &evaluator,
                 const SearchOptions &options)
    : problem(problem), evaluator(evaluator), options(options),
      roofline(rooflineSeconds(problem, evaluator.arch())),
      fallback(usualSchedule(problem, evaluator.arch(), options.isWithin)) {
  result.problem = problem;
}

Session::Candidate *Session::find(const Schedule &schedule) {
  auto at = candidates.find(schedule);
  return at == candidates.end() ? nullptr : &at->second;
}

/// All candidates, in the order of their texts, so that a search repeats.
std::vector<Session::Candidate *> Session::inOrder() {
  std::vector<std::pair<std::string, Candidate *>> named;
  for (auto &[schedule, candidate] : candidates)
    named.emplace_back(toString(schedule), &candidate);
  llvm::sort(named);
  auto ordered = llvm::make_second_range(named);
  return {ordered.begin(), ordered.end()};
}

//===----------------------------------------------------------------------===//
// Known results
//===----------------------------------------------------------------------===//

void Session::receiveKnown(const Record &record) {
  Candidate &candidate = candidates[record.schedule];
  candidate = {record.schedule, record.provenance, record, true, true};
  ++result.known;
  ++result.byStatus[size_t(record.status)];
  double seconds = record.times.median;
  if (record.isOk() && (best == 0 || seconds < best))
    best = seconds;
}

/// Whether a record belongs to the trials of rewrites. A build's choice may be
/// rewritten, but is tried before all others.
static bool isTrialOfRewrites(const Record &record) {
  return !record.schedule.rewrites().empty() &&
         !isChoiceOfBuild(record.provenance);
}

/// Counts the earlier trials in their order. If a search ran out of time, the
/// next one has only as many trials left without a gain as the first one had.
void Session::replay(llvm::ArrayRef<Record> records, bool ofRewrites) {
  // The records of finalists have the time of the final instead of that of the
  // trial; these differ by percents.
  constexpr double kGain = 0.97;
  for (const Record &record : records) {
    bool isFree = record.schedule == fallback ||
                  record.provenance.policy == kWantedPolicy;
    // A schedule that broke a law cost no trial.
    if (isTrialOfRewrites(record) != ofRewrites ||
        check(record.schedule, &problem, &evaluator.arch()))
      continue;
    // Rewrites are a series of their own, which may not have begun.
    if (ofRewrites == isRewriting)
      patience.receive(patience.ask(isFree),
                       record.isOk() ? record.times.median : 0, kGain);
    (ofRewrites ? leftRewrites : left) -= !isFree;
  }
}

void Session::countKnown(llvm::ArrayRef<Record> records) {
  left = options.trials;
  leftRewrites = options.rewrites;
  patience.restart(options.enough, 0);
  replay(records, /*ofRewrites=*/false);
  left = patience.mayAsk() ? std::max<int64_t>(left, 0) : 0;
  bool wasRewriting = llvm::any_of(records, isTrialOfRewrites);
  if (left == 0 && wasRewriting)
    beginRewrites();
  replay(records, /*ofRewrites=*/true);
  leftRewrites = std::max<int64_t>(leftRewrites, 0);
  if (isRewriting && !patience.mayAsk())
    leftRewrites = 0;
}

void Session::begin(const Known &known) {
  const Record *choice = nullptr;
  for (const Record &record : known.current) {
    receiveKnown(record);
    if (record.isOk() && record.grade == Grade::chosen)
      choice = &record;
  }
  isCurrent = choice != nullptr;
  for (const Record &record : known.stale)
    if (!choice && record.grade == Grade::chosen)
      choice = &record;
  if (choice)
    incumbent = choice->schedule;
  for (const Record &record : known.current)
    hasNews |= isCurrent && record.measuredAt > choice->measuredAt;
  countKnown(known.current);
  std::vector<Schedule> wanted;
  if (options.wanted)
    wanted = options.wanted(problem);
  bool isAsked = llvm::any_of(wanted, [&](const Schedule &schedule) {
    return !candidates.count(schedule);
  });
  if (left == 0 && leftRewrites == 0 && !isAsked && isDecided())
    return keepChoice();
  due.emplace_back(fallback, Provenance{kDefaultPolicy.str(), "", 0, 0});
  for (Schedule &schedule : wanted)
    due.emplace_back(std::move(schedule),
                     Provenance{kWantedPolicy.str(), "", 0, 0});
  // The incumbent is the first of them.
  bool isStale = choice && !isCurrent;
  int64_t again = std::min<int64_t>(std::max<int64_t>(options.stale, isStale),
                                    known.stale.size());
  for (const Record &record : llvm::ArrayRef(known.stale).take_front(again)) {
    due.emplace_back(record.schedule, record.provenance);
    due.back().second.costSeconds = 0;
  }
  if (options.seeds)
    for (Schedule &schedule : options.seeds(problem, evaluator.arch()))
      due.emplace_back(std::move(schedule),
                       Provenance{kShippedPolicy.str(), "", 0, 0});
}

void Session::start(std::unique_ptr<Policy> proposer) {
  policy = std::move(proposer);
  for (const Candidate *candidate : inOrder())
    tell(*candidate);
}

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

std::optional<Question> Session::next() {
  std::optional<Question> question;
  if (phase == Phase::trials) {
    std::optional<Schedule> schedule = nextTrial();
    // No final takes place without a build's choice.
    if (!schedule && underWay == 0 && left == 0 && awaitsBuild() &&
        !isDecided()) {
      left = 1;
      schedule = nextTrial();
    }
    if (schedule)
      question = questionOf({*schedule});
    else if (underWay == 0 && !isHeldOpen())
      phase = Phase::final;
  }
  if (phase == Phase::final && underWay == 0)
    question = nextFinal();
  underWay += question.has_value();
  return question;
}

std::optional<Schedule> Session::nextTrial() {
  // Trials end without a gain, but a model's answer justifies some more.
  if (underWay == 0 && !patience.mayAsk() && !isRewriting) {
    if (awaitsAdvice())
      ask(/*count=*/0);
    if (std::exchange(wasAdvised, false))
      patience.restart(int64_t(policy->reserve() + due.size()), best);
  }
  while (!due.empty() || refill() || refillRewrites()) {
    const auto &[first, proposer] = due.front();
    const bool costs = !isFree(first, proposer);
    const bool isOfBuild = isChoiceOfBuild(proposer);
    int64_t &budget = isRewriting && !isOfBuild ? leftRewrites : left;
    if (costs && !patience.mayAsk() && !isOfBuild) {
      if (underWay > 0 || awaitsAdvice())
        return std::nullopt;
      budget = 0;
      due.clear();
      continue;
    }
    auto [schedule, provenance] = std::move(due.front());
    due.pop_front();
    if ((costs && budget == 0) || !admit(schedule, provenance))
      continue;
    budget -= costs;
    find(schedule)->trial = patience.ask(!costs);
    return schedule;
  }
  return std::nullopt;
}

/// True if trials may still come although this session waits for no reply.
bool Session::isHeldOpen() const { return left > 0 && policy->isComputing(); }

/// True until the policy has named a build's choice, with which it begins.
bool Session::awaitsBuild() const { return options.ofBuild && !wasAsked; }

/// The default and the schedules that a user asks for cost no trial, and
/// neither does an incumbent if no trial is left.
bool Session::isFree(const Schedule &schedule,
                     const Provenance &provenance) const {
  return schedule == fallback || provenance.policy == kWantedPolicy ||
         (schedule == incumbent && left == 0);
}

/// True while trials are reserved for a language model's answer.
bool Session::awaitsAdvice() const {
  return isHeldOpen() && !isRewriting && policy->reserve() > 0;
}

/// Calls the policy. If the policy waits while no question is in flight, it
/// waits in vain; the caller handles that.
bool Session::refill() {
  constexpr int64_t kAtOnce = 8, kPatience = 1000;
  if (left == 0 || (isRewriting && !awaitsBuild()))
    return false;
  const bool isHeld = awaitsAdvice() && !awaitsBuild();
  if (isHeld && !patience.mayAsk())
    return false; // nextTrial calls the policy for the answer alone
  const int64_t held = isHeld ? std::min<int64_t>(left, policy->reserve()) : 0;
  ask(std::min(left - held, kAtOnce));
  // The reserved trials are free once the answer is there.
  if (due.empty() && held > 0 && !awaitsAdvice())
    ask(std::min(left, kAtOnce));
  bool isSilent = due.empty() && !policy->isWaiting() && !policy->isComputing();
  if (isSilent)
    result.gaveUp = policy->hasGivenUp();
  if (isSilent || inVain >= kPatience) {
    left = 0;
    due.clear();
  }
  return !due.empty();
}

/// Calls the policy, and sets `wasAdvised` when its answer has come.
void Session::ask(size_t count) {
  const bool wasAwaited = awaitsAdvice();
  std::vector<Schedule> proposals = policy->propose(count);
  // On a thread, the first answer takes a while.
  wasAsked |= count > 0 && (!proposals.empty() || !policy->isComputing());
  for (Schedule &schedule : proposals) {
    std::string proposer = options.policy;
    if (llvm::StringRef origin = policy->originOf(schedule); !origin.empty()) {
      proposer += ("/" + origin).str();
      if (origin == kBuildOrigin)
        ofBuild = schedule;
    }
    due.emplace_back(std::move(schedule),
                     Provenance{proposer, options.model, options.seed, 0});
  }
  wasAdvised |= wasAwaited && !awaitsAdvice();
}

/// True if the schedule has to be measured.
bool Session::admit(const Schedule &schedule, const Provenance &provenance) {
  ++inVain;
  if (candidates.count(schedule))
    return false;
  if (options.isWithin && !options.isWithin(problem, schedule)) {
    policy->receive(
        schedule,
        failed(Status::illegal,
               "expected a schedule of the searched set, but got another one"));
    return false;
  }
  // A policy cannot invent the name of a whole kernel.
  if (wholeKernelOf(schedule) && provenance.policy != kWantedPolicy &&
      llvm::StringRef(provenance.policy).starts_with(options.policy)) {
    policy->receive(schedule,
                    failed(Status::illegal,
                           "expected a schedule whose kernel is built, "
                           "but got the name of a kernel"));
    return false;
  }
  Candidate &candidate = candidates[schedule];
  candidate = {schedule, provenance, {}, false, false};
  if (std::optional<std::string> broken =
          check(schedule, &problem, &evaluator.arch())) {
    settle(candidate, failed(Status::illegal, *broken));
    return false;
  }
  inVain = 0;
  return true;
}

void Session::settle(Candidate &candidate, Measurement measurement) {
  candidate.measurement = std::move(measurement);
  candidate.measurement.grade = Grade::trial;
  candidate.wasReceived = true;
  ++tally[size_t(candidate.measurement.status)];
  ++result.byStatus[size_t(candidate.measurement.status)];
  if (candidate.isOk()) {
    double seconds = candidate.measurement.times.median;
    std::chrono::duration<double> passed = Clock::now() - begun;
    if (best == 0 || seconds < best)
      result.gains.push_back({result.trials, passed.count(), best = seconds});
  }
  tell(candidate);
  keep(candidate);
}

/// The time of a whole kernel is not information about the schedule that it
/// replaces, and no policy could propose it.
void Session::tell(const Candidate &candidate) {
  if (!wholeKernelOf(candidate.schedule))
    policy->receive(candidate.schedule, candidate.measurement);
}

/// Rejects a measurement with an impossible time.
Measurement Session::plausible(Measurement measured) const {
  const double min = minSeconds(problem, evaluator.arch());
  const Quantiles &times = measured.times;
  if (!measured.isOk())
    return measured;
  bool isTime = times.median > 0 && std::isfinite(times.p90) &&
                times.p10 <= times.median && times.median <= times.p90 &&
                times.samples > 0;
  if (isTime && times.median >= min)
    return measured;
  return failed(
      Status::wrong,
      formatv("expected a time of {0:f3} us or more (the roofline has {1:f3}), "
              "but got {2:f3} us of {3} samples; the measurement is at fault",
              1e6 * min, 1e6 * roofline, 1e6 * times.median, times.samples));
}

void Session::take(const Question &question, const Reply &reply) {
  --underWay;
  result.seconds += reply.seconds;
  double share = reply.seconds / question.schedules.size();
  for (const Schedule &schedule : question.schedules)
    find(schedule)->provenance.costSeconds += share;
  if (question.isFinal())
    return takeFinal(question, reply);
  ++result.trials;
  hasNews = true;
  Candidate &candidate = *find(question.schedules.front());
  ++result.byProposer[candidate.provenance.policy];
  settle(candidate, plausible(reply.measurements.front()));
  patience.receive(candidate.trial,
                   candidate.isOk() ? candidate.measurement.times.median : 0);
}

void Session::endTrials() {
  llvm::erase_if(due, [&](const std::pair<Schedule, Provenance> &one) {
    bool isNeeded = one.first == fallback || one.first == incumbent;
    return !isNeeded && !isChoiceOfBuild(one.second);
  });
  left = llvm::count_if(
      due, [&](const auto &one) { return !isFree(one.first, one.second); });
  leftRewrites = 0;
}

int64_t Session::expected() const {
  if (phase != Phase::trials)
    return 0;
  bool isDefaultDue = !due.empty() && due.front().first == fallback &&
                      !candidates.count(fallback);
  return left + leftRewrites + underWay + isDefaultDue;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void Session::keep(const Candidate &candidate) {
  if (!hasNumbersInRange(candidate.schedule))
    return;
  Record record;
  static_cast<Measurement &>(record) = candidate.measurement;
  record.problem = problem;
  record.arch = recordArch(evaluator.arch());
  record.schedule = candidate.schedule;
  record.toolchain = evaluator.toolchain();
  record.origin = evaluator.origin();
  record.provenance = candidate.provenance;
  record.measuredAt = std::time(nullptr);
  records.push_back(std::move(record));
}

Question Session::questionOf(std::vector<Schedule> schedules) const {
  return {0, problem, std::move(schedules), best};
}
