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
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <map>

using namespace hone;
using llvm::Expected;

double Task::best() const {
  return *std::min_element(logSeconds.begin(), logSeconds.end());
}

/// Log seconds of a schedule that cannot be built or that spills. A build does
/// not reject kernels that spill, so they must look slow.
static double slowOf(const Task &task) {
  constexpr double kOfRefused = 3;
  return task.best() + logOf(kOfRefused);
}

Task hone::taskOf(const DenseShape &shape, const Arch &arch) {
  Task task{shape.problem, {}, {}, {}, recordArch(arch)};
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
  const double slow = slowOf(task);
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

/// The GPU of a record; nothing for a CPU, or a chip without numbers.
static std::optional<Arch> gpuOf(const Record &record) {
  Expected<Arch> arch = Arch::lookup(record.arch);
  if (!arch) {
    llvm::consumeError(arch.takeError());
    return std::nullopt;
  }
  return arch->isHost() ? std::nullopt : std::optional<Arch>(*arch);
}

namespace {
/// A task, and its candidates that could not be built.
struct Gathered {
  Task task;
  std::vector<const Record *> refused;
};
} // namespace

static Task finished(Gathered gathered, const Arch &arch) {
  Task &task = gathered.task;
  Reader reader(task.problem, arch);
  const double slow = slowOf(task);
  for (const Record *refused : gathered.refused) {
    task.schedules.push_back(refused->schedule);
    task.logSeconds.push_back(slow);
  }
  for (const Schedule &schedule : task.schedules)
    task.readings.push_back(reader.read(schedule));
  return std::move(task);
}

std::vector<Task> hone::tasksOf(llvm::ArrayRef<Record> records, size_t min) {
  std::map<std::string, std::optional<Arch>> archs;
  std::map<std::pair<std::string, std::string>, Gathered> all;
  for (const Record &record : records) {
    auto [arch, isNew] = archs.try_emplace(record.arch);
    if (isNew)
      arch->second = gpuOf(record);
    if (!arch->second || !record.problem.isStatic() ||
        !record.schedule.rewrites().empty())
      continue;
    Gathered &gathered = all[{record.arch, record.problem.str()}];
    Task &task = gathered.task;
    task.problem = record.problem;
    task.chip = record.arch;
    if (record.status == Status::compileError)
      gathered.refused.push_back(&record);
    if (!record.isOk())
      continue;
    task.schedules.push_back(record.schedule);
    task.logSeconds.push_back(logOf(record.times.median));
  }
  std::vector<Task> tasks;
  for (auto &[key, gathered] : all)
    if (gathered.task.schedules.size() >= min)
      tasks.push_back(finished(std::move(gathered), *archs[key.first]));
  return tasks;
}

void hone::balance(llvm::MutableArrayRef<Task> tasks) {
  std::map<std::string, double> counts;
  for (const Task &task : tasks)
    ++counts[task.chip];
  double sum = 0;
  for (const auto &[chip, count] : counts)
    sum += std::sqrt(count);
  for (Task &task : tasks)
    task.weight = double(tasks.size()) / (sum * std::sqrt(counts[task.chip]));
}

size_t hone::partOf(const Problem &problem, size_t parts) {
  std::string shape =
      llvm::formatv("{0}x{1}x{2}", problem.m, problem.n, problem.k);
  return llvm::xxh3_64bits(shape) % parts;
}
