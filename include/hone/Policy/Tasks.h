//===- Tasks.h - Problems to learn from -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task is one problem with candidates whose times are known. It has one of
// three origins:
//
//   recorded    dense tables, where every candidate of a catalogue was timed
//   measured    a database, or a search that is under way: some candidates
//   synthetic   a random problem, with times from the cost model of a machine
//               that differs from the assumed one
//
// Synthetic tasks cost no measurements. In each, the machine's constants are
// off by some ten percent, some decisions have costs or gains that the model
// lacks, and times are noisy. So they teach the network to draw conclusions
// from the measured candidates.
//
// Training and test sets consist of problems, not candidates. A policy is
// judged on problems of shapes that were not in its training: `partOf` assigns
// shapes by their extents alone, so both layouts of a shape are always on one
// side.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_TASKS_H
#define HONE_POLICY_TASKS_H

#include "hone/Database/Record.h"
#include "hone/Model/Reader.h"
#include "hone/Search/CostFit.h"
#include <random>

namespace hone {

struct Task {
  Problem problem;
  std::vector<Schedule> schedules; ///< empty if no writer needs them
  std::vector<Reading> readings;
  std::vector<double> logSeconds;
  std::string chip = {}; ///< of the times, as in a record
  double weight = 1;     ///< in training; the mean is 1

  double best() const;
  size_t size() const { return readings.size(); }
};

/// Of candidates that law 5 and the others allow.
Task taskOf(const DenseShape &shape, const Arch &arch);
std::vector<Task> tasksOf(const DenseTable &table, const Arch &arch);
/// The problems of each GPU of which at least `min` candidates have a time.
/// Rewritten kernels are left out: a model reads no rewrites.
std::vector<Task> tasksOf(llvm::ArrayRef<Record> records, size_t min = 8);

/// Weighs the tasks so that a chip counts as the square root of its number of
/// tasks: a chip with few measurements must not be lost among those with many.
void balance(llvm::MutableArrayRef<Task> tasks);

/// The part, of `parts`, that a problem's shape belongs to.
size_t partOf(const Problem &problem, size_t parts);

/// A machine with the instruction set and limits of `like`, and other numbers:
/// processors, clock, bandwidths, cache.
Arch drawMachine(Arch like, std::mt19937_64 &dice);
/// Draws a new task with every call.
Task drawTask(const Arch &arch, std::mt19937_64 &dice);

} // namespace hone

#endif // HONE_POLICY_TASKS_H
