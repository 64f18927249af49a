//===- Tasks.h - Problems to learn from -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task is one problem with candidates whose times are known. There are three
// places to have them from:
//
//   recorded    dense tables, where every candidate of a catalogue was timed
//   heard       a database, or a search that is under way: some candidates
//   synthetic   drawn: a problem by chance, and for its times the cost model of
//               a machine that is not quite the one it takes itself for
//
// Synthetic tasks are free. In each the machine's constants are off by some ten
// percent, some decisions cost or gain what the model does not know of, and
// times are noisy; so what helps there is to look at what was measured and to
// conclude from it. That is what they teach.
//
// The sample is problems, not candidates. Whether a policy is any good is
// judged on problems of shapes that it has not seen: `partOf` deals shapes out
// by their extents alone, so both layouts of a shape are always on one side.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_TASKS_H
#define HONE_POLICY_TASKS_H

#include "hone/Database/Record.h"
#include "hone/Policy/Reader.h"
#include "hone/Search/CostFit.h"
#include <random>

namespace hone {

struct Task {
  Problem problem;
  std::vector<Schedule> schedules; ///< empty where nobody writes them
  std::vector<Reading> readings;
  std::vector<double> logSeconds;

  double best() const;
  size_t size() const { return readings.size(); }
};

/// Of candidates that law 5 and the others allow.
Task taskOf(const DenseShape &shape, const Arch &arch);
std::vector<Task> tasksOf(const DenseTable &table, const Arch &arch);
/// Problems of which at least `least` candidates have a time.
std::vector<Task> tasksOf(llvm::ArrayRef<Record> records, const Arch &arch,
                          size_t least = 8);

/// The part, of `parts`, that a problem's shape belongs to.
size_t partOf(const Problem &problem, size_t parts);

/// Another one with every call.
Task drawTask(const Arch &arch, std::mt19937_64 &dice);

} // namespace hone

#endif // HONE_POLICY_TASKS_H
