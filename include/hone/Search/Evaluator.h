//===- Evaluator.h - (Problem, Arch, Schedule) -> Measurement ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a search to compilers and GPUs. A question names a problem
// and the schedules to measure; the answer has a Measurement for each, in
// order.
//
//   one schedule    a trial: checked, timed for a few milliseconds, and given
//                   up early where it is far slower than `best`
//   several         a final: checked, timed in turns for several rounds, and
//                   checked once more
//
// Questions are answered in any order, and an evaluator works on several at a
// time: compilers on all cores, one measurement on each device. `maxInFlight`
// is the number of questions that keep it busy.
//
//   while (busy) {
//     while (asked < evaluator.maxInFlight())
//       evaluator.ask(nextQuestion());
//     auto reply = evaluator.next(/*seconds=*/0.5);  // max time to wait
//     ...
//   }
//
// A candidate that breaks the compiler, the GPU or a law is a Measurement with
// a status, never an error; in a final the others are measured without it.
// `next` fails only where the evaluator itself cannot continue: no GPU
// responds, or a recorded table has no such row.
//
// | evaluator | source of its answers                                      |
// |-----------|------------------------------------------------------------|
// | workers   | processes that compile, check and time (Evaluate)          |
// | replay    | a recorded dense table (ReplayEvaluator.h)                 |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_EVALUATOR_H
#define HONE_SEARCH_EVALUATOR_H

#include "hone/Database/Record.h"
#include "hone/Numerics/Measurement.h"
#include <vector>

namespace hone {

struct Question {
  uint64_t number = 0; ///< the reply has the same
  Problem problem;     ///< extents known
  std::vector<Schedule> schedules;
  double best = 0; ///< shortest time of the problem so far, seconds; 0: none

  bool isFinal() const { return schedules.size() > 1; }
};

struct Reply {
  uint64_t number = 0;
  std::vector<Measurement> measurements; ///< by schedule
  /// Of a final: seconds, by schedule and round; none for a schedule without a
  /// time.
  std::vector<std::vector<double>> rounds;
  double seconds = 0; ///< spent on compiling and measuring
};

class Evaluator {
public:
  virtual ~Evaluator() = default;
  virtual void ask(Question question) = 0;
  /// Waits at most `seconds` for the next reply; nothing if none came.
  virtual llvm::Expected<std::optional<Reply>> next(double seconds) = 0;
  virtual size_t maxInFlight() const = 0;
  /// The machine that measures, and the versions that its times depend on.
  virtual const Arch &arch() const = 0;
  virtual Toolchain toolchain() const = 0;
  /// The origin of its times, for records.
  Origin origin() const { return originOf(toolchain()); }
};

} // namespace hone

#endif // HONE_SEARCH_EVALUATOR_H
