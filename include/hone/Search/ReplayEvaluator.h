//===- ReplayEvaluator.h - Replies from a recorded table --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dense table has the time of every schedule of some problems. A search can
// run on it repeatedly, in milliseconds, without a GPU.
//
//   ReplayEvaluator evaluator(table, arch, replay);
//   SearchOptions options;
//   options.isWithin = evaluator.within();  // schedules of the table only
//   Search(evaluator, /*database=*/nullptr, options).run(problems);
//
// A schedule or a problem that the table does not have is an error of `next`
// that names it, because an invented time would be useless.
//
// Real times vary and real replies come out of order. The options simulate
// both, reproducibly: noise depends on seed, problem, schedule and the number
// of earlier measurements of the schedule, and the seed shuffles the order of
// replies.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_REPLAYEVALUATOR_H
#define HONE_SEARCH_REPLAYEVALUATOR_H

#include "hone/Schedule/BySchedule.h"
#include "hone/Search/CostFit.h"
#include "hone/Search/Evaluator.h"
#include "hone/Search/Policy.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

struct ReplayOptions {
  /// Standard deviation of a time's logarithm; 0.01 is about a percent.
  double noise = 0;
  int64_t seed = 1;
  size_t underWay = 1; ///< waiting questions; one of them is answered next
  size_t rounds = 7;   ///< of a final
};

class ReplayEvaluator : public Evaluator {
public:
  ReplayEvaluator(const DenseTable &table, Arch arch,
                  ReplayOptions options = {});

  void ask(Question question) override;
  llvm::Expected<std::optional<Reply>> next(double seconds) override;
  size_t maxInFlight() const override { return options.underWay; }
  const Arch &arch() const override { return chip; }
  /// Its driver's name keeps builds from using its times as measured ones.
  Toolchain toolchain() const override { return thisToolchain(kReplayDriver); }

  /// The time in the table, seconds.
  std::optional<double> recorded(const Problem &problem,
                                 const Schedule &schedule) const;
  bool has(const Problem &problem, const Schedule &schedule) const {
    return recorded(problem, schedule).has_value();
  }
  /// The same for SearchOptions. The evaluator must outlive it.
  Within within() const;

private:
  double noisy(double seconds, llvm::StringRef candidate);
  llvm::Expected<Reply> replyTo(const Question &question);

  Arch chip;
  ReplayOptions options;
  template <typename T>
  using ByProblem = std::unordered_map<Problem, T, detail::ValueHash>;
  /// A policy asks for many schedules that no problem of the table has. By
  /// schedule first, these take no hash of a problem.
  detail::BySchedule<ByProblem<double>> times;
  ByProblem<std::vector<Schedule>> schedules; ///< in the order of the table
  llvm::StringMap<uint64_t> measured; ///< how often, by problem and schedule
  std::vector<Question> waiting;
  uint64_t replies = 0;
};

} // namespace hone

#endif // HONE_SEARCH_REPLAYEVALUATOR_H
