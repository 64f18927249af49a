//===- Tasks.cpp - Training problems from tables --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Tasks.h. Synthetic ones are in Synthetic.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Tasks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <map>

using namespace hone;

double Task::best() const {
  return *std::min_element(logSeconds.begin(), logSeconds.end());
}

Task hone::taskOf(const DenseShape &shape, const Arch &arch) {
  Task task{shape.problem, {}, {}, {}};
  Reader reader(shape.problem, arch);
  for (auto [schedule, seconds] :
       llvm::zip_equal(shape.schedules, shape.seconds)) {
    // A schedule that this type's engine cannot load was measured on its
    // sibling.
    if (checkMemory(schedule, shape.problem))
      continue;
    task.schedules.push_back(schedule);
    task.readings.push_back(reader.read(schedule));
    task.logSeconds.push_back(logOf(seconds));
  }
  if (task.size() == 0)
    return task;
  // A build does not reject kernels that spill, so they must look slow.
  constexpr double kOfRefused = 3;
  const double slow = task.best() + logOf(kOfRefused);
  for (const Schedule &schedule : shape.refused) {
    if (checkMemory(schedule, shape.problem))
      continue;
    task.schedules.push_back(schedule);
    task.readings.push_back(reader.read(schedule));
    task.logSeconds.push_back(slow);
  }
  return task;
}

std::vector<Task> hone::tasksOf(const DenseTable &table, const Arch &arch) {
  std::vector<Task> tasks;
  for (const DenseShape &shape : table)
    if (Task task = taskOf(shape, arch); task.size() > 1)
      tasks.push_back(std::move(task));
  return tasks;
}

std::vector<Task> hone::tasksOf(llvm::ArrayRef<Record> records,
                                const Arch &arch, size_t least) {
  std::map<std::string, Task> byProblem;
  for (const Record &record : records) {
    if (!record.isOk() || !record.problem.isStatic() ||
        record.arch != arch.chip)
      continue;
    Task &task = byProblem[record.problem.str()];
    task.problem = record.problem;
    task.schedules.push_back(record.schedule);
    task.readings.push_back(Reader(record.problem, arch).read(record.schedule));
    task.logSeconds.push_back(logOf(record.times.median));
  }
  std::vector<Task> tasks;
  for (auto &[name, task] : byProblem)
    if (task.size() >= least)
      tasks.push_back(std::move(task));
  return tasks;
}

size_t hone::partOf(const Problem &problem, size_t parts) {
  std::string shape =
      llvm::formatv("{0}x{1}x{2}", problem.m, problem.n, problem.k);
  return llvm::xxh3_64bits(shape) % parts;
}
