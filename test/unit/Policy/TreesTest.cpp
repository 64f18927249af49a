//===- TreesTest.cpp - Tests of boosted regression trees ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees trained on known functions, and refusals of files.
//
//===----------------------------------------------------------------------===//

#include "../Search/Fixtures.h"
#include "hone/Model/Model.h"
#include "hone/Policy/GrowTrees.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

Reading readingOf(double x, double y = 0) {
  Reading reading;
  reading.numbers.resize(Reader::names().size());
  reading.numbers[3] = float(x);
  reading.numbers[7] = float(y);
  reading.logEstimate = 1;
  return reading;
}

/// The estimate's error is `off` of x and y, both from 0 to 1.
std::vector<Task> tasksOf(llvm::function_ref<double(double, double)> off) {
  std::vector<Task> tasks;
  std::mt19937_64 dice(1);
  auto draw = [&] { return double(dice() >> 11) * 0x1p-53; };
  for (int64_t m : {64, 128, 256, 512}) {
    Task task{problemOf(m, 64, 64), {}, {}, {}};
    for (int count = 0; count < 200; ++count) {
      double x = draw(), y = draw();
      task.readings.push_back(readingOf(x, y));
      task.logSeconds.push_back(1 + off(x, y));
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// All rows and inputs are used, with the same weight.
TreesOptions plain() {
  TreesOptions options;
  options.rounds = 100;
  options.groves = 1;
  options.depth = 3;
  options.rate = 0.2;
  options.rows = options.inputs = 1;
  options.sharpness = 1e9;
  options.common = 1;
  return options;
}

TEST(Trees, AStepIsLearned) {
  Trees trees = growTrees(
      tasksOf([](double x, double) { return x > 0.3 ? 0.5 : -0.25; }), plain());
  for (double x : {0.0, 0.1, 0.28, 0.32, 0.9, 7.0})
    EXPECT_NEAR(trees.residual(readingOf(x)), x > 0.3 ? 0.5 : -0.25, 0.01) << x;
}

TEST(Trees, TwoNumbersTogetherAreLearned) {
  auto off = [](double x, double y) { return (x > 0.5) != (y > 0.5); };
  Trees trees = growTrees(tasksOf(off), plain());
  for (double x : {0.2, 0.8})
    for (double y : {0.2, 0.8})
      EXPECT_NEAR(trees.residual(readingOf(x, y)), off(x, y), 0.05);
}

TEST(Trees, LearnsARisingFunction) {
  TreesOptions options = plain();
  options.rows = 0.5;
  Trees trees =
      growTrees(tasksOf([](double x, double) { return 2 * x; }), options);
  double last = -1;
  for (double x = 0.05; x < 1; x += 0.1) {
    double said = trees.residual(readingOf(x));
    EXPECT_GT(said, last) << x;
    EXPECT_NEAR(said, 2 * x, 0.1) << x;
    last = said;
  }
}

/// An error common to all candidates of a problem does not change their order.
TEST(Trees, WhatIsCommonToAProblemNeedNotBeLearned) {
  std::vector<Task> tasks = tasksOf([](double x, double) { return x; });
  for (auto [at, task] : llvm::enumerate(tasks))
    for (auto [reading, time] :
         llvm::zip_equal(task.readings, task.logSeconds)) {
      reading.numbers[0] = float(at);
      time += 3.0 * double(at % 2);
    }
  TreesOptions options = plain();
  options.common = 0;
  Trees trees = growTrees(tasks, options);
  EXPECT_NEAR(trees.residual(readingOf(0.9)) - trees.residual(readingOf(0.1)),
              0.8, 0.1);
  EXPECT_LT(std::abs(trees.residual(readingOf(0.5))), 0.2);
}

TEST(Trees, SeedsAndTasksDecideAlone) {
  std::vector<Task> tasks = tasksOf([](double x, double y) { return x * y; });
  TreesOptions options = plain();
  options.rows = options.inputs = 0.5;
  options.groves = 2;
  options.rounds = 5;
  std::string once = growTrees(tasks, options).str();
  std::reverse(tasks.begin(), tasks.end());
  EXPECT_EQ(growTrees(tasks, options).str(), once);
  options.seed = 2;
  EXPECT_NE(growTrees(tasks, options).str(), once);
}

TEST(Trees, WithoutDataTheResidualIsZero) {
  Trees none = growTrees({}, plain());
  EXPECT_EQ(none.residual(readingOf(0.5)), 0);
  EXPECT_EQ(llvm::cantFail(Trees::parse(none.str())).str(), none.str());
  // No input varies, so there is no split.
  std::vector<Task> tasks = tasksOf([](double, double) { return 1; });
  for (Task &task : tasks)
    for (Reading &reading : task.readings)
      reading = readingOf(1, 1);
  EXPECT_EQ(growTrees(tasks, plain()).size(), 0u);
}

TEST(Trees, NeighboursAmongFloatsAreDistinguished) {
  std::vector<Task> tasks = tasksOf([](double, double) { return 0; });
  float number = 1;
  for (Task &task : tasks)
    for (auto [at, reading] : llvm::enumerate(task.readings)) {
      reading.numbers[3] = at % 4 ? number : 1;
      task.logSeconds[at] = 1 + (at % 4 == 0);
      number = std::nextafter(number, 2.0f);
    }
  Trees trees = growTrees(tasks, plain());
  EXPECT_TRUE(bool(llvm::cantFail(Trees::parse(trees.str())).size()));
  EXPECT_GT(trees.residual(tasks[0].readings[0]),
            trees.residual(tasks[0].readings[1]) + 0.1);
}

TEST(Trees, AModelAsksBothSides) {
  Model model({0, 8, 2, 1, 8}, 1);
  Reading reading = readingOf(0.9);
  EXPECT_EQ(model.judge({}, {reading}), std::vector<double>{1});
  model.trees =
      growTrees(tasksOf([](double x, double) { return x > 0.3; }), plain());
  double said = model.trees->residual(reading);
  // Its network gives 0.
  EXPECT_DOUBLE_EQ(model.judge({}, {reading}).front(), 1 + said * (2.0 / 3));
  // Trees have no context; their weight falls with the number of results.
  Tried one = {reading, 1.0};
  EXPECT_DOUBLE_EQ(model.judge({one, one}, {reading}).front(), 1 + said / 3);
  model.networks.clear();
  EXPECT_DOUBLE_EQ(model.judge({}, {reading}).front(), 1 + said);
  EXPECT_TRUE(model.judge({}, {}).empty());
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

const std::string &bytes() {
  static const std::string text = [] {
    TreesOptions options = plain();
    options.rounds = 3;
    options.depth = 2;
    Trees trees =
        growTrees(tasksOf([](double x, double y) { return x - y; }), options);
    trees.card["chip"] = "h200";
    return trees.str();
  }();
  return text;
}

std::string errorOf(const std::string &text) {
  llvm::Expected<Trees> trees = Trees::parse(text);
  return trees ? "none" : llvm::toString(trees.takeError());
}

std::string replaced(std::string text, llvm::StringRef what,
                     llvm::StringRef with) {
  size_t at = text.find(what.str());
  EXPECT_NE(at, std::string::npos) << what.str();
  return text.replace(at, what.size(), with.str());
}

TEST(Trees, AFileReadsBackBitForBit) {
  Trees trees = llvm::cantFail(Trees::parse(bytes()));
  EXPECT_EQ(trees.str(), bytes());
  EXPECT_EQ(trees.card.at("chip"), "h200");
  EXPECT_TRUE(trees.covers("problem.m"));
  EXPECT_FALSE(trees.covers("problem.mood"));
}

TEST(Trees, BrokenFilesAreErrors) {
  for (const auto &[text, error] :
       std::vector<std::pair<std::string, std::string>>{
           {"", "no line of JSON"},
           {"[]\n", "no 'hone-trees'"},
           {replaced(bytes(), "\"hone-trees\":1", "\"hone-trees\":2"),
            "version 2, not 1"},
           {replaced(bytes(), "\"depth\":2", "\"depth\":0"), "no 'depth'"},
           {replaced(bytes(), "\"depth\":2", "\"depth\":60"), "no 'depth'"},
           {replaced(bytes(), "\"depth\":2", "\"depth\":3"), "bytes where"},
           {replaced(bytes(), "\"trees\":3", "\"trees\":4"), "bytes where"},
           {replaced(bytes(), "\"trees\":3", "\"trees\":-1"), "no 'trees'"},
           {replaced(bytes(), "problem.n", "problem.m"),
            "the name 'problem.m' twice"},
           {replaced(bytes(), "\"edges\":[0,", "\"edges\":[256,"),
            "no 'edges'"},
           {replaced(bytes(), "\"edges\":[0,", "\"edges\":["), "'edges'"},
           {bytes().substr(0, bytes().size() - 1), "bytes where"},
           {bytes() + "x", "bytes where"}}) {
    std::string said = errorOf(text);
    EXPECT_EQ(said.rfind("expected trees of a policy, but got ", 0), 0u)
        << said;
    EXPECT_NE(said.find(error), std::string::npos) << said;
  }
}

/// Any byte may be damaged; the checksum finds damage that the parser misses.
TEST(Trees, EveryByteIsChecked) {
  size_t body = bytes().find('\n') + 1;
  for (size_t at = body; at < bytes().size(); ++at) {
    std::string text = bytes();
    text[at] = char(text[at] ^ 0x55);
    EXPECT_NE(errorOf(text), "none") << at - body;
  }
}

/// A correct checksum does not make a tree valid.
TEST(Trees, SoundBytesAreNotEnough) {
  auto [head, body] = llvm::StringRef(bytes()).split('\n');
  std::string check = head.substr(head.find("\"check\":\"") + 9)
                          .take_until([](char c) { return c == '"'; })
                          .str();
  // The first edge, the last leaf and the last tree's first input.
  size_t leaves = 4 * 4, questions = 3 * 3, end = body.size();
  for (size_t at : {size_t(0), end - 4, end - leaves - questions}) {
    std::string other = body.str();
    for (size_t byte = 0; byte < 4; ++byte)
      other[at + byte] = char(0xff);
    std::string sum =
        llvm::utohexstr(llvm::xxh3_64bits(other), /*LowerCase=*/true);
    std::string said = errorOf(replaced(head.str(), check, sum) + "\n" + other);
    EXPECT_EQ(said.find("not those it was written"), std::string::npos) << said;
    EXPECT_EQ(said.rfind("expected trees of a policy, but got ", 0), 0u)
        << said;
  }
}

/// Inputs unknown to a build are not split on; missing ones have the usual
/// value.
TEST(Trees, NamesMayComeAndGo) {
  Trees trees = llvm::cantFail(
      Trees::parse(replaced(bytes(), Reader::names()[3], "problem.mood")));
  EXPECT_EQ(trees.residual(readingOf(0.1)), trees.residual(readingOf(0.9)));
  EXPECT_NE(trees.residual(readingOf(0, 0.1)),
            trees.residual(readingOf(0, 0.9)));
}

} // namespace
