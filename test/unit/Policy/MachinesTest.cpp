//===- MachinesTest.cpp - Tests of a policy for several machines ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training tasks of several machines, and the share of a model on a machine
// that it was not trained on.
//
//===----------------------------------------------------------------------===//

#include "TrainingFixtures.h"
#include "hone/Model/Judge.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Schedule/MachineFile.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Space/Catalogue.h"
#include <array>
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

Arch archOf(llvm::StringRef name) { return llvm::cantFail(Arch::lookup(name)); }

/// Records of the first `count` schedules of the catalogue, the first the
/// fastest.
std::vector<Record> recordsOn(llvm::StringRef chip, int64_t m, size_t count) {
  Problem problem = problemOf(m, 1024, 1024);
  std::vector<Schedule> schedules = catalogue(problem, h200());
  std::vector<Record> records;
  for (size_t at = 0; at < count; ++at) {
    Record record;
    record.problem = problem;
    record.arch = chip.str();
    record.schedule = schedules[at];
    record.times.median = 1e-5 * double(at + 1);
    records.push_back(std::move(record));
  }
  return records;
}

TEST(MachineTasks, EveryMachineHasTasksWithItsOwnNumbers) {
  std::vector<Record> records = recordsOn("h200", 512, 8);
  llvm::append_range(records, recordsOn("h200/64", 512, 8));
  llvm::append_range(records, recordsOn("h200/64", 640, 7)); // too few
  llvm::append_range(records, recordsOn("host", 512, 8));
  llvm::append_range(records, recordsOn("no-such-chip", 512, 8));
  std::vector<Task> tasks = tasksOf(records);
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].chip, "h200");
  EXPECT_EQ(tasks[1].chip, "h200/64");
  for (const Task &task : tasks) {
    Reading expected =
        Reader(task.problem, archOf(task.chip)).read(task.schedules.front());
    EXPECT_EQ(task.readings.front().numbers, expected.numbers);
  }
  EXPECT_NE(tasks[0].readings.front().numbers,
            tasks[1].readings.front().numbers);
}

TEST(MachineTasks, WhatCannotBeBuiltIsSlow) {
  std::vector<Record> records = recordsOn("h100", 512, 9);
  records.back().status = Status::compileError;
  records.back().times = {};
  Task task = tasksOf(records).front();
  ASSERT_EQ(task.size(), 9u);
  EXPECT_NEAR(task.logSeconds.back() - task.best(), std::log(3.0), 1e-6);
  records.back().status = Status::fault;
  EXPECT_EQ(tasksOf(records).front().size(), 8u);
}

TEST(MachineTasks, RewrittenKernelsAreLeftOut) {
  std::vector<Record> records = recordsOn("h100", 512, 9);
  records.front().schedule = llvm::cantFail(
      parseSchedule("ws, side = b, tile = 72x64x64, stages = 4, group = 8, "
                    "rewrites = [unroll(4)]"));
  EXPECT_EQ(tasksOf(records).front().size(), 8u);
}

/// Sixteen tasks of one machine weigh four times as much as one of another.
TEST(MachineTasks, AMachineCountsAsTheRootOfItsTasks) {
  std::vector<Task> tasks(17);
  for (Task &task : tasks)
    task.chip = "h200";
  tasks.back().chip = "h100/64";
  balance(tasks);
  double whole = 0, all = 0;
  for (const Task &task : tasks) {
    all += task.weight;
    whole += task.chip == "h200" ? task.weight : 0;
  }
  EXPECT_NEAR(all, 17, 1e-9);
  EXPECT_NEAR(whole / tasks.back().weight, 4, 1e-9);
}

/// Networks of one machine learn another: its numbers are not clamped, and the
/// answers for the first machine stay.
TEST(ModelMachines, NumbersThatNeverVariedGetASpread) {
  auto readingsOn = [](llvm::StringRef name) {
    Problem problem = problemOf(512, 1024, 1024);
    std::vector<Reading> readings;
    for (const Schedule &schedule : catalogue(problem, h200()))
      readings.push_back(Reader(problem, archOf(name)).read(schedule));
    return readings;
  };
  std::vector<Reading> one = readingsOn("h200"), all = one;
  llvm::append_range(all, readingsOn("h200/32"));
  Model model(NetworkShape(), 1);
  model.normalizeBy(one);
  model.networks.front().initialize(1);
  model.networks.front().parameters().array() += 0.01f; // its answers were 0
  const std::vector<double> answers = model.judge({}, one);
  // Of two readings that differ in the number of processors alone.
  std::vector<std::string> names = Reader::names();
  size_t at = llvm::find(names, "arch.processors") - names.begin();
  ASSERT_LT(at, names.size());
  std::vector<Reading> parts(2, one.front());
  parts[0].numbers[at] -= 1;
  parts[1].numbers[at] -= 2;
  auto areTold = [&] {
    std::vector<double> said = model.judge({}, parts);
    return said[0] != said[1];
  };
  EXPECT_FALSE(areTold());
  model.widen(all);
  EXPECT_TRUE(areTold());
  EXPECT_EQ(model.judge({}, one), answers);
}

TEST(ModelShare, ItFallsWithTheDistance) {
  Model model(NetworkShape(), 0);
  model.card["machines"] = "h200,no-such-chip,h200/64";
  EXPECT_EQ(model.shareOn(archOf("h200")), 1);
  EXPECT_EQ(model.shareOn(archOf("h200/64")), 1);
  double last = 1;
  for (llvm::StringRef part : {"h200/48", "h200/32", "h200/16", "h200/1"}) {
    double share = model.shareOn(archOf(part));
    EXPECT_LT(share, last) << part.str();
    EXPECT_EQ(model.closestTo(archOf(part)).chip, "h200/64");
    last = share;
  }
  EXPECT_NEAR(model.shareOn(archOf("h200/1")), 0.5, 1e-9); // 6 doublings
  for (llvm::StringRef other : {"a100", "sm_90", "host"})
    EXPECT_EQ(model.shareOn(archOf(other)), 0) << other.str();
}

/// Weights of strangers must not make a program read files.
TEST(ModelShare, ACardNamesNoFile) {
  llvm::SmallString<64> path;
  int file = -1;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("card", "machine", file, path));
  llvm::raw_fd_ostream(file, /*shouldClose=*/true)
      << printMachine(archOf("h200"));
  ASSERT_TRUE(bool(Arch::lookup(path)));
  Model model(NetworkShape(), 0);
  model.card["machines"] = path.str().str();
  EXPECT_TRUE(model.machines().empty());
  EXPECT_EQ(model.shareOn(archOf("h200")), 0);
  llvm::sys::fs::remove(path);
}

/// With nothing to lean on, a judge is the cost model.
TEST(ModelShare, TheCostModelHasTheRest) {
  const Model &model = Model::shipped();
  Problem problem = problemOf(512, 1024, 1024);
  Arch arch = archOf("h200");
  std::vector<Schedule> schedules = catalogue(problem, arch);
  Reader reader(problem, arch);
  auto judged = [&](double share) {
    return detail::Judge(model, problem, 0, share).judge({}, reader, schedules);
  };
  std::vector<double> alone = judged(1), half = judged(0.5), none = judged(0);
  for (size_t at = 0; at < schedules.size(); ++at) {
    EXPECT_NEAR(none[at], reader.read(schedules[at]).logModel, 1e-12);
    EXPECT_NEAR(half[at], 0.5 * (alone[at] + none[at]), 1e-12);
  }
}

TEST(ModelShare, NoNameDecides) {
  Problem problem = problemOf(520, 1024, 1024);
  Arch arch = archOf("h200"), renamed = arch;
  renamed.name = renamed.chip = "another";
  std::optional<Schedule> one =
      preferredSchedule(Model::shipped(), problem, arch, kBriefLooks);
  std::optional<Schedule> other =
      preferredSchedule(Model::shipped(), problem, renamed, kBriefLooks);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(*one, *other);
  EXPECT_EQ(policyFor("hybrid", renamed).remark, "");
  Arch slower = renamed;
  slower.memoryGBs /= 8;
  EXPECT_NE(policyFor("hybrid", slower).remark, "");
}

/// The model was trained without batches, and its estimates of `streams` are
/// then far too low.
TEST(Batches, AChoiceDoesNotStream) {
  Arch arch = archOf("h200");
  for (auto [batch, m, n, k] : {std::array<int64_t, 4>{16, 1024, 1024, 1024},
                                {400, 120, 512, 2816},
                                {97, 1792, 896, 320}}) {
    Problem problem = problemOf(m, n, k);
    problem.batch = batch;
    std::optional<Schedule> choice =
        preferredSchedule(Model::shipped(), problem, arch, kBriefLooks);
    ASSERT_TRUE(choice);
    ASSERT_EQ(&choice->kind(), &WarpSpecialized::kind());
    EXPECT_FALSE(WarpSpecialized(*choice).streams) << toString(*choice);
  }
}

TEST(Batches, AJudgeAddsToStreams) {
  Problem problem = problemOf(1024, 1024, 1024);
  WarpSpecialized knobs;
  auto judged = [&](bool streams, std::optional<int64_t> batch) {
    Problem own = problem;
    own.batch = batch;
    WarpSpecialized schedule = knobs;
    schedule.streams = streams;
    Reader reader(own, archOf("h200"));
    Schedule asked = schedule;
    // With no share of the model, the estimate is the cost model's.
    return detail::Judge(Model::shipped(), own, 0, 0)
               .judge({}, reader, asked)
               .front() -
           reader.read(asked).logModel;
  };
  EXPECT_NEAR(judged(true, std::nullopt), 0, 1e-12);
  EXPECT_NEAR(judged(true, 1), 0, 1e-12);
  EXPECT_NEAR(judged(false, 16), 0, 1e-12);
  EXPECT_GT(judged(true, 16), 1);
}

} // namespace
