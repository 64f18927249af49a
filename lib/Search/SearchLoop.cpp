//===- SearchLoop.cpp - Loop over the problems of a search ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop keeps as many questions in flight as the evaluator accepts, from the
// oldest session that has one. It passes every reply to its session, and stores
// the session's new records in the database.
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"
#include "hone/Search/CostFit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

/// Maximum wait in seconds for the next reply.
static constexpr double kPatience = 0.5;

//===----------------------------------------------------------------------===//
// Problems and sessions
//===----------------------------------------------------------------------===//

Error Search::Loop::addProblems(llvm::ArrayRef<Problem> problems) {
  const SearchOptions &options = search.options;
  if (!options.makePolicy && !llvm::is_contained(policyNames(), options.policy))
    return makePolicy(options.policy, {}, search.evaluator.arch(), 0)
        .takeError();
  llvm::StringSet<> seen;
  for (const Problem &problem : problems) {
    if (!problem.isStatic() || *problem.flops() <= 0)
      return llvm::createStringError(
          formatv("expected extents that are known and above 0, but got '{0}'; "
                  "use extents that the problem has when it runs",
                  problem.str()));
    if (!seen.insert(problem.str()).second)
      continue;
    results.emplace_back();
    results.back().problem = problem;
  }
  llvm::stable_sort(results, byWork);
  return Error::success();
}

/// The records of this toolchain, and those of others for schedules that it has
/// not measured: the fastest first, where a chosen schedule precedes all
/// trials. A rehearsal uses the records of rehearsals alone.
Expected<Known> Search::Loop::knownOf(const Problem &problem) {
  Known known;
  if (!search.database)
    return known;
  Filter filter;
  filter.problem = problem;
  filter.arch = recordArch(search.evaluator.arch());
  filter.asAdded = true;
  filter.origin = search.evaluator.origin();
  Toolchain today = search.evaluator.toolchain();
  Error error = search.database->forEach(filter, [&](const Record &record) {
    if (record.toolchain == today)
      known.current.push_back(record);
    else if (record.isOk())
      known.stale.push_back(record);
  });
  if (error)
    return std::move(error);
  detail::ScheduleSet seen;
  for (const Record &record : known.current)
    seen.insert(record.schedule);
  llvm::stable_sort(known.stale, [](const Record &left, const Record &right) {
    return left.grade != right.grade ? left.grade > right.grade
                                     : left.times.median < right.times.median;
  });
  llvm::erase_if(known.stale, [&](const Record &record) {
    return record.grade != Grade::chosen &&
           !seen.insert(record.schedule).second;
  });
  return known;
}

Error Search::Loop::openNext() {
  size_t place = begun++;
  const Problem &problem = results[place].problem;
  Expected<Known> known = knownOf(problem);
  if (!known)
    return known.takeError();
  open.push_back({Session(problem, search.evaluator, search.options), place});
  open.back().session.begin(*known);
  if (open.back().session.isDone())
    return Error::success();
  return startSession(open.back(), problem);
}

Expected<std::unique_ptr<Policy>>
Search::Loop::policyOf(const Problem &problem) const {
  const SearchOptions &options = search.options;
  const Arch &arch = search.evaluator.arch();
  auto policy = options.makePolicy ? options.makePolicy(problem, arch)
                                   : makePolicy(options.policy, problem, arch,
                                                options.seed, options.isWithin);
  if (policy && options.ofBuild)
    if (std::optional<Schedule> first = options.ofBuild(problem, arch))
      return makeBuildFirst(std::move(*first), std::move(*policy));
  return policy;
}

Error Search::Loop::startSession(Open &one, const Problem &problem) {
  if (policyThreads) {
    auto policyThread = std::make_unique<PolicyOnThread>(
        *policyThreads, [this, &problem] { return policyOf(problem); });
    one.policyThread = policyThread.get();
    one.session.start(std::move(policyThread));
    return Error::success();
  }
  Expected<std::unique_ptr<Policy>> policy = policyOf(problem);
  if (!policy)
    return policy.takeError();
  one.session.start(std::move(*policy));
  return Error::success();
}

std::list<Open>::iterator Search::Loop::close(std::list<Open>::iterator at) {
  SearchResult &result = results[at->place] = at->session.getResult();
  past.trials += result.trials;
  for (size_t i = 0; i < kStatusCount; ++i)
    past.byStatus[i] += at->session.getTally()[i];
  ++finished;
  if (search.hooks.finished)
    search.hooks.finished(result);
  return open.erase(at);
}

//===----------------------------------------------------------------------===//
// Questions and replies
//===----------------------------------------------------------------------===//

/// Stores a session's new records before anything else is done.
Error Search::Loop::keep(Session &session) {
  std::vector<Record> records = session.takeRecords();
  if (records.empty())
    return Error::success();
  if (search.database)
    if (Error error = search.database->add(records))
      return error;
  if (search.hooks.received)
    for (const Record &record : records)
      search.hooks.received(record);
  return Error::success();
}

/// Sessions without a question wait for replies, or for running policies.
/// Making a policy takes as long as all of its later proposals. So at most one
/// policy per thread is in the making: more open sessions would only wait for
/// those.
bool Search::Loop::mayOpen() const {
  constexpr size_t kMin = 16;
  if (begun == results.size() || isOver ||
      open.size() >= std::max(search.evaluator.maxInFlight(), kMin))
    return false;
  auto isBeingMade = [](const Open &one) {
    return one.policyThread && one.policyThread->isComputing() &&
           !one.policyThread->isMade();
  };
  return !policyThreads ||
         llvm::count_if(open, isBeingMade) <
             std::ptrdiff_t(policyThreads->getMaxConcurrency());
}

/// Sends one question of the first session that has one; true if there was one.
Expected<bool> Search::Loop::askOne() {
  for (auto at = open.begin();;) {
    if (at == open.end()) {
      if (!mayOpen())
        return false;
      if (Error error = openNext())
        return std::move(error);
      at = std::prev(open.end());
    }
    std::optional<Question> question = at->session.next();
    if (Error error =
            at->policyThread ? at->policyThread->failure() : Error::success())
      return std::move(error);
    if (Error error = keep(at->session))
      return std::move(error);
    if (question) {
      question->number = ++number;
      underWay.emplace(number, Asked{&*at, *question});
      search.evaluator.ask(std::move(*question));
      return true;
    }
    at = at->session.isDone() ? close(at) : std::next(at);
  }
}

Error Search::Loop::askAll() {
  size_t maxInFlight = std::max<size_t>(search.evaluator.maxInFlight(), 1);
  while (underWay.size() < maxInFlight) {
    Expected<bool> asked = askOne();
    if (!asked)
      return asked.takeError();
    if (!*asked)
      break;
  }
  return Error::success();
}

/// Waits for one reply; false if none came.
Expected<bool> Search::Loop::receiveOne(double patience) {
  Expected<std::optional<Reply>> reply = search.evaluator.next(patience);
  if (!reply)
    return reply.takeError();
  if (!*reply)
    return false;
  auto at = underWay.find((*reply)->number);
  size_t count = (*reply)->measurements.size();
  if (at == underWay.end() || count != at->second.question.schedules.size())
    return llvm::createStringError(
        formatv("expected a reply to a question that is under way, but got "
                "{0} measurements for number {1}",
                count, (*reply)->number));
  Asked asked = std::move(at->second);
  underWay.erase(at);
  Session &session = asked.by->session;
  session.take(asked.question, **reply);
  past.problem = &results[asked.by->place].problem;
  past.best = session.getBest();
  if (Error error = keep(session))
    return std::move(error);
  if (session.isDone())
    close(llvm::find_if(open, [&](Open &one) { return &one == asked.by; }));
  return true;
}

/// Waits while every open session has a running policy.
Error Search::Loop::pause() {
  constexpr std::chrono::milliseconds kPause(20);
  std::this_thread::sleep_for(kPause);
  return Error::success();
}

/// A policy on a thread may have proposals before the next reply.
Error Search::Loop::receiveSome() {
  constexpr double kPollSeconds = 0.01;
  bool isComputing = llvm::any_of(open, [](const Open &one) {
    return one.policyThread && one.policyThread->isComputing();
  });
  return receiveOne(isComputing ? kPollSeconds : kPatience).takeError();
}

/// Takes the remaining replies of a search that stops: those that are there, or
/// that come without a pause.
Error Search::Loop::receiveRest() {
  while (!underWay.empty()) {
    Expected<bool> received = receiveOne(kPatience);
    if (!received)
      return received.takeError();
    if (!*received)
      break;
    watch();
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Stop conditions and the progress report
//===----------------------------------------------------------------------===//

bool Search::Loop::shouldStop() const {
  return search.hooks.shouldStop && search.hooks.shouldStop();
}

/// True when the questions in flight have used up their time. The evaluator
/// must not decide how long a search takes.
bool Search::Loop::isLate() const {
  const SearchOptions &options = search.options;
  return options.seconds > 0 &&
         secondsSoFar() >= options.seconds + options.overtime;
}

double Search::Loop::secondsSoFar() const {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void Search::Loop::endTrialsInTime() {
  double budget = search.options.seconds;
  isOver = isOver || (budget > 0 && secondsSoFar() >= budget);
  if (isOver)
    for (Open &one : open)
      one.session.endTrials();
}

void Search::Loop::watch() const {
  if (!search.hooks.watch)
    return;
  SearchState state = past;
  state.problems = results.size();
  state.finished = finished;
  state.seconds = secondsSoFar();
  int64_t ahead = 0;
  for (const Open &one : open) {
    state.trials += one.session.getResult().trials;
    ahead += one.session.expected();
    for (size_t i = 0; i < kStatusCount; ++i)
      state.byStatus[i] += one.session.getTally()[i];
  }
  if (!isOver)
    ahead += (results.size() - begun) * (search.options.trials + 1);
  state.expected = state.trials + ahead;
  search.hooks.watch(state);
}

Error Search::Loop::run(llvm::ArrayRef<Problem> problems) {
  if (Error error = addProblems(problems))
    return error;
  while (!shouldStop() && !isLate()) {
    endTrialsInTime();
    if (Error error = askAll())
      return error;
    if (underWay.empty() && open.empty())
      return Error::success();
    if (Error error = underWay.empty() ? pause() : receiveSome())
      return error;
    watch();
  }
  return receiveRest();
}

/// Unfinished sessions get a result, too.
std::vector<SearchResult> Search::Loop::takeResults() {
  for (const Open &one : open)
    results[one.place] = one.session.getResult();
  return std::move(results);
}
