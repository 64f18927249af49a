//===- Session.cpp - What is known, and trials ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Session.h; SessionFinal.cpp has the rest.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Search/CostModel.h"
#include "hone/Search/Space.h"
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
      fallback(toString(
          usualSchedule(problem, evaluator.arch(), options.isWithin))) {
  result.problem = problem;
}

Session::Candidate *Session::find(const std::string &text) {
  auto at = candidates.find(text);
  return at == candidates.end() ? nullptr : &at->second;
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

void Session::hearKnown(const Record &record) {
  Candidate &candidate = candidates[toString(record.schedule)];
  candidate = {record.schedule, record.provenance, record, true, true};
  ++result.known;
  ++result.byStatus[size_t(record.status)];
  double seconds = record.times.median;
  if (record.isOk() && (best == 0 || seconds < best))
    best = seconds;
}

/// The row of trials that a record belongs to. A build's choice may be
/// rewritten, and is tried before all others.
static bool isTrialOfRewrites(const Record &record) {
  return !record.schedule.rewrites().empty() &&
         !isChoiceOfBuild(record.provenance);
}

/// Trials that were made for these, in their order. Where a search was stopped
/// for want of time, its successor waits for a gain as long as it would have.
void Session::replay(llvm::ArrayRef<Record> records, bool ofRewrites) {
  // Of finalists the time of the trial is not known any more, and that of a
  // final differs by percents.
  constexpr double kGain = 0.97;
  for (const Record &record : records) {
    bool isFree = toString(record.schedule) == fallback ||
                  record.provenance.policy == kWantedPolicy;
    // What broke a law cost no trial.
    if (isTrialOfRewrites(record) != ofRewrites ||
        check(record.schedule, &problem, &evaluator.arch()))
      continue;
    // Rewrites are a row of their own, which may not have begun.
    if (ofRewrites == isRewriting)
      patience.hear(patience.ask(isFree),
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
    hearKnown(record);
    if (record.isOk() && record.grade == Grade::chosen)
      choice = &record;
  }
  isCurrent = choice != nullptr;
  for (const Record &record : known.stale)
    if (!choice && record.grade == Grade::chosen)
      choice = &record;
  if (choice)
    incumbent = toString(choice->schedule);
  for (const Record &record : known.current)
    hasNews |= isCurrent && record.measuredAt > choice->measuredAt;
  countKnown(known.current);
  std::vector<Schedule> wanted;
  if (options.wanted)
    wanted = options.wanted(problem);
  bool isAsked = llvm::any_of(wanted, [&](const Schedule &schedule) {
    return !candidates.count(toString(schedule));
  });
  if (left == 0 && leftRewrites == 0 && !isAsked && isDecided())
    return keepChoice();
  due.emplace_back(usualSchedule(problem, evaluator.arch(), options.isWithin),
                   Provenance{kDefaultPolicy.str(), "", 0, 0});
  for (Schedule &schedule : wanted)
    due.emplace_back(std::move(schedule),
                     Provenance{kWantedPolicy.str(), "", 0, 0});
  int64_t again = std::min<int64_t>(options.stale, known.stale.size());
  for (const Record &record :
       llvm::ArrayRef(known.stale).take_front(std::max<int64_t>(again, 0))) {
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
  for (const auto &[text, candidate] : candidates)
    tell(candidate);
}

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

std::optional<Question> Session::next() {
  std::optional<Question> question;
  if (phase == Phase::trials) {
    if (std::optional<Schedule> schedule = nextTrial())
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
  // Trials without a gain are over, but an answer is worth some more.
  if (underWay == 0 && !patience.mayAsk() && !isRewriting) {
    if (awaitsAdvice())
      ask(/*count=*/0);
    if (std::exchange(wasAdvised, false))
      patience.restart(int64_t(policy->reserve() + due.size()), best);
  }
  while (!due.empty() || refill() || refillRewrites()) {
    bool costs = toString(due.front().first) != fallback &&
                 due.front().second.policy != kWantedPolicy;
    int64_t &budget = isRewriting ? leftRewrites : left;
    if (costs && !patience.mayAsk()) {
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
    find(toString(schedule))->trial = patience.ask(!costs);
    return schedule;
  }
  return std::nullopt;
}

/// Trials may come although there is nothing to wait for here.
bool Session::isHeldOpen() const { return left > 0 && policy->isThinking(); }

/// True while trials are left for an answer of a language model.
bool Session::awaitsAdvice() const {
  return isHeldOpen() && !isRewriting && policy->reserve() > 0;
}

/// Asks the policy. One that waits, with nothing under way, waits in vain; the
/// caller sees to that.
bool Session::refill() {
  constexpr int64_t kAtOnce = 8, kPatience = 1000;
  if (left == 0 || isRewriting)
    return false;
  if (awaitsAdvice() && !patience.mayAsk())
    return false; // nextTrial asks for the answer alone
  const int64_t held =
      awaitsAdvice() ? std::min<int64_t>(left, policy->reserve()) : 0;
  ask(std::min(left - held, kAtOnce));
  // What was held back is free once an answer is there.
  if (due.empty() && held > 0 && !awaitsAdvice())
    ask(std::min(left, kAtOnce));
  bool isSilent = due.empty() && !policy->isWaiting() && !policy->isThinking();
  if (isSilent)
    result.gaveUp = policy->hasGivenUp();
  if (isSilent || inVain >= kPatience) {
    left = 0;
    due.clear();
  }
  return !due.empty();
}

/// Notes that an answer has come.
void Session::ask(size_t count) {
  const bool wasAwaited = awaitsAdvice();
  for (Schedule &schedule : policy->propose(count)) {
    std::string proposer = options.policy;
    if (llvm::StringRef origin = policy->originOf(schedule); !origin.empty()) {
      proposer += ("/" + origin).str();
      if (origin == kBuildOrigin)
        ofBuild = toString(schedule);
    }
    due.emplace_back(std::move(schedule),
                     Provenance{proposer, options.model, options.seed, 0});
  }
  wasAdvised |= wasAwaited && !awaitsAdvice();
}

/// True if somebody should measure it.
bool Session::admit(const Schedule &schedule, const Provenance &provenance) {
  std::string text = toString(schedule);
  ++inVain;
  if (candidates.count(text))
    return false;
  if (options.isWithin && !options.isWithin(problem, schedule)) {
    policy->hear(schedule, failed(Status::illegal,
                                  "expected a schedule of what is searched"));
    return false;
  }
  // A name that somebody made up is nobody's kernel.
  if (wholeKernelOf(schedule) && provenance.policy != kWantedPolicy &&
      llvm::StringRef(provenance.policy).starts_with(options.policy)) {
    policy->hear(schedule, failed(Status::illegal,
                                  "expected a schedule whose kernel is built, "
                                  "but got the name of a kernel"));
    return false;
  }
  Candidate &candidate = candidates[text];
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
  candidate.wasHeard = true;
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

/// What somebody's kernel takes says nothing about the schedule that it stands
/// for, and nobody could propose it.
void Session::tell(const Candidate &candidate) {
  if (!wholeKernelOf(candidate.schedule))
    policy->hear(candidate.schedule, candidate.measurement);
}

/// A time that can not be is no time.
Measurement Session::plausible(Measurement measured) const {
  const double least = minSeconds(problem, evaluator.arch());
  const Times &times = measured.times;
  if (!measured.isOk())
    return measured;
  bool isTime = times.median > 0 && std::isfinite(times.p90) &&
                times.p10 <= times.median && times.median <= times.p90 &&
                times.samples > 0;
  if (isTime && times.median >= least)
    return measured;
  return failed(
      Status::wrong,
      formatv("expected a time of {0:f3} us or more (the roofline has {1:f3}), "
              "but got {2:f3} us of {3} samples; the measurement is at fault",
              1e6 * least, 1e6 * roofline, 1e6 * times.median, times.samples));
}

void Session::take(const Question &question, const Reply &reply) {
  --underWay;
  result.seconds += reply.seconds;
  double share = reply.seconds / question.schedules.size();
  for (const Schedule &schedule : question.schedules)
    find(toString(schedule))->provenance.costSeconds += share;
  if (question.isFinal())
    return takeFinal(question, reply);
  ++result.trials;
  hasNews = true;
  Candidate &candidate = *find(toString(question.schedules.front()));
  ++result.byProposer[candidate.provenance.policy];
  settle(candidate, plausible(reply.measurements.front()));
  patience.hear(candidate.trial,
                candidate.isOk() ? candidate.measurement.times.median : 0);
}

void Session::endTrials() {
  left = leftRewrites = 0;
  due.clear();
}

int64_t Session::expected() const {
  if (phase != Phase::trials)
    return 0;
  bool isDefaultDue = !due.empty() && toString(due.front().first) == fallback &&
                      !candidates.count(fallback);
  return left + leftRewrites + underWay + isDefaultDue;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void Session::keep(const Candidate &candidate) {
  // Numbers that no schedule can have do not read back.
  if (llvm::Expected<Schedule> again =
          parseSchedule(toString(candidate.schedule));
      !again)
    return llvm::consumeError(again.takeError());
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
