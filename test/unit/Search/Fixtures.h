//===- Fixtures.h - Fixtures of the tests of the search ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems, a machine, and an evaluator whose times a test defines.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SEARCH_FIXTURES_H
#define HONE_TEST_SEARCH_FIXTURES_H

#include "hone/Search/Evaluator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <deque>
#include <functional>
#include <set>

namespace hone::test {

inline Problem problemOf(int64_t m, int64_t n, int64_t k,
                         Order b = Order::col) {
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.b.order = b;
  return problem;
}

inline Arch archOf(llvm::StringRef name) {
  return llvm::cantFail(Arch::lookup(name));
}
inline Arch h200() { return archOf("h200"); }

inline Measurement okIn(double seconds) {
  Measurement measurement;
  measurement.times = {seconds, seconds, seconds, 1};
  return measurement;
}

/// A different time for every schedule, well above any roofline.
inline double timeOf(const Schedule &schedule) {
  return 1e-3 *
         (1 + double(llvm::xxh3_64bits(toString(schedule)) % 100000) / 100000);
}

/// Answers at once, with the test's result for a schedule.
class FakeEvaluator : public Evaluator {
public:
  using Measure = std::function<Measurement(const Schedule &)>;

  void ask(Question question) override {
    for (const Schedule &schedule : question.schedules)
      if (check(schedule, &question.problem, &chip))
        ++illegal;
    asked.push_back(question);
    waiting.push_back(std::move(question));
  }

  llvm::Expected<std::optional<Reply>> next(double) override {
    if (replies == failsAfter)
      return llvm::createStringError("no GPU answers");
    if (waiting.empty())
      return std::nullopt;
    ++replies;
    Question question = newestFirst ? waiting.back() : waiting.front();
    newestFirst ? waiting.pop_back() : waiting.pop_front();
    Reply reply;
    reply.number = question.number;
    reply.seconds = 0.25;
    for (const Schedule &schedule : question.schedules) {
      bool isFinal = question.isFinal();
      Measurement measured =
          isFinal && inFinal ? inFinal(schedule) : measure(schedule);
      double time = measured.times.median;
      if (isFinal && measured.isOk())
        reply.rounds.push_back(
            roundsOf ? roundsOf(schedule)
                     : std::vector<double>{time, time * 1.01, time * 0.99});
      else if (isFinal)
        reply.rounds.emplace_back();
      reply.measurements.push_back(std::move(measured));
    }
    return reply;
  }

  size_t maxInFlight() const override { return limit; }
  const Arch &arch() const override { return chip; }
  Toolchain toolchain() const override { return tools; }

  size_t finals() const {
    return llvm::count_if(asked, [](const Question &q) { return q.isFinal(); });
  }
  /// Texts of the schedules with a trial, in the order of requests.
  std::vector<std::string> trials() const {
    std::vector<std::string> texts;
    for (const Question &question : asked)
      if (!question.isFinal())
        texts.push_back(toString(question.schedules.front()));
    return texts;
  }

  Measure measure = [](const Schedule &one) { return okIn(timeOf(one)); };
  Measure inFinal; ///< else as in a trial
  /// The rounds of a final; if unset, three rounds near the time.
  std::function<std::vector<double>(const Schedule &)> roundsOf;
  Arch chip = h200();
  Toolchain tools = {"580.1", "22.1", "0.1", kSpaceVersion};
  size_t limit = 4;
  bool newestFirst = false;
  int64_t failsAfter = -1;

  std::vector<Question> asked;
  int64_t replies = 0, illegal = 0;

private:
  std::deque<Question> waiting;
};

} // namespace hone::test

#endif // HONE_TEST_SEARCH_FIXTURES_H
