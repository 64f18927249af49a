//===- PromptTest.cpp - Tests of the prompt for a language model ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Prompt.h"
#include "Fixtures.h"
#include "hone/Chat/Brief.h"
#include "hone/Chat/Grammar.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "hone/Space/CostModel.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hone;
using namespace hone::test;

namespace {

class PromptTest : public testing::Test {
protected:
  std::string ask() {
    PromptFacts facts = {problem, arch, kinds,    tried,
                         refused, 8,    isWithin, hints};
    return questionStart(facts) + questionEnd(facts);
  }
  /// A different schedule for each number.
  static Schedule one(int64_t number) {
    return scheduleOf("mma_sync, group = " + std::to_string(number));
  }
  /// The lines of a part.
  static std::vector<std::string> part(llvm::StringRef text,
                                       llvm::StringRef name) {
    llvm::StringRef rest = text.split(("# " + name).str()).second;
    std::vector<std::string> lines;
    for (llvm::StringRef line : llvm::split(rest.split("\n# ").first, '\n'))
      if (!line.empty())
        lines.push_back(line.str());
    return lines;
  }

  Problem problem = problemOf(512, 512, 512);
  Arch arch = h200();
  std::vector<const Kind *> kinds = kindsFor(problem, arch);
  std::vector<Attempted> tried;
  std::vector<Refusal> refused;
  Within isWithin;
  std::vector<PromptHint> hints;
};

TEST_F(PromptTest, HasEverything) {
  const Kind *const ws[] = {&WarpSpecialized::kind()};
  std::string text = ask();
  EXPECT_NE(text.find(problem.str()), std::string::npos);
  EXPECT_NE(text.find("132 processors"), std::string::npos);
  EXPECT_NE(text.find(describeKinds(ws, problem, arch)), std::string::npos);
  EXPECT_NE(text.find("Propose 8 schedules"), std::string::npos);
  EXPECT_EQ(part(text, "The best by a cost model").size(), 5u);
  EXPECT_TRUE(part(text, "Measured").empty());
  EXPECT_TRUE(part(text, "Failed").empty());
  EXPECT_TRUE(part(text, "Refused").empty());
}

/// 3.6 bytes are a token, more or less.
TEST_F(PromptTest, IsShort) {
  for (int64_t size : {512, 1024, 4096, 8192}) {
    problem = problemOf(size, size, size);
    EXPECT_LT((systemText() + ask()).size(), 4680u) << size;
  }
}

/// A server that keeps the beginning of a question reads only its new part.
TEST_F(PromptTest, BeginsAsBefore) {
  problem = problemOf(4096, 4096, 4096);
  std::string first = ask();
  tried.push_back({one(1), okIn(1e-5)});
  std::string second = ask();
  size_t same = first.find("# Task");
  ASSERT_NE(same, std::string::npos);
  EXPECT_EQ(first.substr(0, same), second.substr(0, same));
  problem = problemOf(4096, 4096, 8192);
  same = first.find("# Problem");
  EXPECT_EQ(first.substr(0, same), ask().substr(0, same));
}

/// mma_sync takes twice the time of a large product, and nothing else is worth
/// a question for a machine without wgmma.
TEST_F(PromptTest, HasKindsThatAreWorthIt) {
  problem = problemOf(4096, 4096, 4096);
  EXPECT_TRUE(part(ask(), "mma_sync").empty());
  arch = archOf("a100");
  kinds = kindsFor(problem, arch);
  EXPECT_FALSE(part(ask(), "mma_sync").empty());
}

TEST_F(PromptTest, SaysWhatIsSpecial) {
  problem.batch = 3;
  problem.init = Init::read;
  problem.epilogue = "add(n:f32)";
  std::string text = ask();
  EXPECT_NE(text.find("3 independent products. The old value of C is added. "
                      "The epilogue is applied to each sum"),
            std::string::npos);
}

TEST_F(PromptTest, IsForACpuToo) {
  arch = archOf("host");
  problem.a.type = problem.b.type = problem.c = ElementType::f32;
  kinds = kindsFor(problem, arch);
  std::string text = ask();
  EXPECT_NE(text.find("vectors of "), std::string::npos);
  EXPECT_EQ(text.find("bytes of shared memory"), std::string::npos);
}

TEST_F(PromptTest, ShowsBestMiddlingAndWorst) {
  for (int64_t number = 1; number <= 40; ++number)
    tried.push_back({one(number), okIn(1e-3 * double(number))});
  std::vector<std::string> lines = part(ask(), "Measured");
  ASSERT_EQ(lines.size(), 12u);
  EXPECT_EQ(lines[0], "Time over the best of 40, which takes 1000.00 us.");
  auto startOf = [&](size_t at) {
    return llvm::StringRef(lines[at]).split(' ').first.str();
  };
  EXPECT_EQ(lines[1], "1.00 " + toAnswerText(one(1)));
  EXPECT_EQ(startOf(5), "5.00");
  EXPECT_EQ(startOf(7), "22.00"); // the middle of the lines between
  EXPECT_EQ(startOf(9), "38.00");
  EXPECT_EQ(startOf(11), "40.00");
}

/// Nor on invisible differences.
TEST_F(PromptTest, DoesNotDependOnTheOrder) {
  for (int64_t number = 1; number <= 20; ++number)
    tried.push_back({one(number), okIn(1e-3 * double(1 + number % 5))});
  for (int64_t number = 21; number <= 30; ++number)
    tried.push_back({one(number), failed(Status::fault, "it broke")});
  std::string text = ask();
  std::reverse(tried.begin(), tried.end());
  EXPECT_EQ(ask(), text);
  for (Attempted &each : tried)
    each.result.times.median *= 1.0000001;
  EXPECT_EQ(ask(), text);
}

TEST_F(PromptTest, CountsFailures) {
  for (int64_t number = 1; number <= 5; ++number)
    tried.push_back({one(number), failed(Status::compileError, "it spills")});
  tried.push_back({one(6), failed(Status::wrong, "a\x1b[0mb\nc")});
  std::vector<std::string> lines = part(ask(), "Failed");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "5 times build; e.g. " + toAnswerText(one(1)) + ": it spills");
  EXPECT_EQ(lines[1],
            "1 times wrong; e.g. " + toAnswerText(one(6)) + ": a [0mb c");
}

TEST_F(PromptTest, IsBounded) {
  for (int64_t number = 1; number <= 2000; ++number)
    tried.push_back(
        {one(number), number % 2
                          ? okIn(1e-3)
                          : failed(Status::fault, std::string(1000, 'x') +
                                                      std::to_string(number))});
  for (int64_t number = 0; number < 1000; ++number)
    refused.push_back({"this", std::string(100, 'y')});
  EXPECT_LT(ask().size(), 20000u);
}

TEST_F(PromptTest, SaysWhatTheModelSays) {
  std::string line = part(ask(), "The best by a cost model")[1];
  auto [text, estimate] = llvm::StringRef(line).split(": ");
  CostTerms terms = costTerms(problem, arch, scheduleOf(text));
  std::string expected =
      llvm::formatv("{0:f2} = {1:f2} + max({2:f2}, ", 1e6 * terms.seconds,
                    1e6 * (terms.start + terms.ends), 1e6 * terms.loops);
  EXPECT_TRUE(estimate.starts_with(expected)) << line;
}

TEST_F(PromptTest, ShowsWhatMayBeProposed) {
  isWithin = [](const Problem &, const Schedule &schedule) {
    return schedule.kind().name == MmaSync::kind().name;
  };
  std::vector<std::string> lines = part(ask(), "The best by a cost model");
  ASSERT_GT(lines.size(), 3u);
  for (const std::string &line : llvm::ArrayRef(lines).drop_front())
    EXPECT_EQ(line.find("mma_sync"), 0u) << line;
}

TEST_F(PromptTest, HasExamplesOfDifferentTiles) {
  std::set<std::string> tiles;
  std::vector<std::string> lines = part(ask(), "The best by a cost model");
  for (llvm::StringRef line : llvm::ArrayRef(lines).drop_front()) {
    Schedule schedule = scheduleOf(line.split(": ").first);
    EXPECT_FALSE(check(schedule, &problem, &arch));
    int64_t bytes = schedule.kind().facts(schedule, problem).sharedBytes;
    EXPECT_TRUE(line.ends_with("; " + std::to_string(bytes))) << line.str();
    EXPECT_TRUE(tiles.insert(toString(schedule).substr(0, 40)).second);
  }
}

TEST_F(PromptTest, HasHints) {
  EXPECT_TRUE(part(ask(), "From similar problems and a trained model").empty());
  hints.push_back({one(7), "the fastest for m = 1"});
  std::vector<std::string> lines =
      part(ask(), "From similar problems and a trained model");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "mma_sync, group = 7: the fastest for m = 1");
}

} // namespace
