//===- LaunchPlanTest.cpp - Tests of the text of launch plans -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan reads back as it was written, and no text has a worse effect on the
// parser than a refusal.
//
//===----------------------------------------------------------------------===//

#include "LaunchPlans.h"
#include <random>

using namespace hone;
using namespace hone::test;

namespace {

TEST(LaunchPlan, OfAnOlderProgramIsReadUnlessItMayBeWrong) {
  std::string old = kFull;
  old.replace(0, old.find('\n'), "hone-plan 1");
  LaunchPlan plan;
  EXPECT_EQ(LaunchPlan::parse(old.c_str(), plan), "");
  EXPECT_EQ(plan.str(), kFull);
  // Older programs may pass wrong addresses to kernels of the rest, and a plan
  // does not contain these addresses.
  std::string rest = "args p0\nalternative 1\nlaunch hone_rest_17_sm_90a_1\n";
  EXPECT_EQ(errorOfPlan("hone-plan 2\n" + rest), "");
  EXPECT_EQ(errorOfPlan("hone-plan 1\n" + rest),
            "line 4: expected 'hone-plan 2' at the start of a plan of a kernel "
            "of the rest, because older programs may pass it wrong addresses; "
            "build this one again, but got 'hone-plan 1'");
}

TEST(LaunchPlan, ReadsBoundsAndDecisions) {
  LaunchPlan plan;
  ASSERT_EQ(LaunchPlan::parse(kRanges, plan), "");
  EXPECT_EQ(plan.str(), kRanges);
  ASSERT_EQ(plan.alternatives.size(), 3u);
  EXPECT_EQ(plan.alternatives[0].extent, "m");
  EXPECT_EQ(plan.alternatives[0].max, 64);
  ASSERT_EQ(plan.alternatives[0].decisions.size(), 1u);
  EXPECT_EQ(plan.alternatives[0].decisions[0].name, "group");
  EXPECT_EQ(plan.alternatives[0].decisions[0].value, 4);
  EXPECT_EQ(plan.alternatives[2].extent, "");
}

TEST(LaunchPlan, NoValueIsLeftWithoutAKernel) {
  EXPECT_EQ(rangesWith("alternative 1\nlaunch large",
                       "alternative 1\nupto m 128\nlaunch large"),
            "line 19: expected a last alternative without a bound, but got "
            "'upto m'");
  EXPECT_EQ(rangesWith("launch small_sibling", "with group 4\nlaunch x"), "");
  // Values below a bound belong to an earlier alternative.
  EXPECT_EQ(rangesWith("alternative 1\nupto m 64\nlaunch small_sibling",
                       "alternative 1\nupto m 63\nlaunch x"),
            "line 10: expected a number from 64 to 2147483647, but got '63'");
  EXPECT_EQ(rangesWith("alternative 1\nupto m 64\nlaunch small_sibling",
                       "alternative 1\nlaunch x\nalternative 1\nupto m 64\n"
                       "launch small_sibling"),
            "line 12: expected bounded alternatives before those without a "
            "bound, but got 'm 64'");
}

TEST(LaunchPlan, ReadsEveryFact) {
  LaunchPlan plan;
  ASSERT_EQ(LaunchPlan::parse(kFull, plan), "");
  EXPECT_EQ(plan.args,
            (std::vector<std::string>{"a", "b", "c", "m", "n", "k", "lda"}));
  ASSERT_EQ(plan.alternatives.size(), 2u);
  const PlanAlternative &first = plan.alternatives[0];
  EXPECT_EQ(first.guard, "a % 16 == 0 && lda % 8 == 0");
  EXPECT_EQ(first.workspaceBytes, "ceildiv(m, 128) * 512");
  EXPECT_TRUE(first.workspaceZeroed);
  ASSERT_EQ(first.launches.size(), 2u);
  const KernelLaunch &launch = first.launches[0];
  EXPECT_EQ(launch.entry, "hone_ws_coop");
  EXPECT_EQ(launch.grid[0], "min(ceildiv(m, 128) * ceildiv(n, 256), 132)");
  EXPECT_EQ(launch.block[0], "384");
  EXPECT_EQ(launch.cluster[0], "2");
  EXPECT_EQ(launch.sharedBytes, 213000);
  EXPECT_TRUE(launch.programmatic);
  ASSERT_EQ(launch.params.size(), 8u);
  EXPECT_EQ(launch.params[5].kind, LaunchParam::i32);
  EXPECT_EQ(launch.params[5].value, "m");
  const TensorMap &map = launch.params[1].map;
  EXPECT_EQ(map.base, "b + 32");
  EXPECT_EQ(map.type, "bf16");
  EXPECT_EQ(map.dims, (std::vector<PlanFormula>{"max(k, 1)", "n", "4"}));
  EXPECT_EQ(map.strides, (std::vector<PlanFormula>{"k * 2", "n * k * 2"}));
  EXPECT_EQ(map.box, (std::vector<int64_t>{32, 256, 1}));
  EXPECT_EQ(map.swizzle, 64);
  EXPECT_FALSE(first.launches[1].programmatic);
  EXPECT_EQ(first.launches[1].cluster[0], "1");
  EXPECT_FALSE(plan.alternatives[1].workspaceZeroed);
  EXPECT_EQ(plan.alternatives[1].workspaceBytes, "4 * m");
}

TEST(LaunchPlan, ProgrammaticLaunchCanBeTakenAway) {
  LaunchPlan plan;
  ASSERT_EQ(LaunchPlan::parse(kFull, plan), "");
  EXPECT_TRUE(plan.isProgrammatic());
  EXPECT_TRUE(plan.stripProgrammatic());
  EXPECT_FALSE(plan.isProgrammatic());
  EXPECT_FALSE(plan.stripProgrammatic());
}

TEST(LaunchPlan, RoundTrips) {
  LaunchPlan plan;
  ASSERT_EQ(LaunchPlan::parse(kFull, plan), "");
  EXPECT_EQ(plan.str(), kFull);
}

TEST(LaunchPlan, IsAValue) {
  LaunchPlan one, other;
  ASSERT_EQ(LaunchPlan::parse(kFull, one), "");
  ASSERT_EQ(LaunchPlan::parse(kFull, other), "");
  EXPECT_TRUE(one == other);
  EXPECT_EQ(one.fault(), "");
  // Every change is one of the value, and of the text.
  const std::function<void(LaunchPlan &)> changes[] = {
      [](LaunchPlan &plan) { plan.args.push_back("z"); },
      [](LaunchPlan &plan) { plan.alternatives.pop_back(); },
      [](LaunchPlan &plan) { plan.alternatives[0].guard = "m > 0"; },
      [](LaunchPlan &plan) { plan.alternatives[0].workspaceBytes = 16; },
      [](LaunchPlan &plan) { plan.alternatives[0].workspaceZeroed ^= true; },
      [](LaunchPlan &plan) { plan.alternatives[0].launches[0].entry += "x"; },
      [](LaunchPlan &plan) { plan.alternatives[0].launches[0].grid[1] = 2; },
      [](LaunchPlan &plan) { plan.alternatives[0].launches[0].block[2] = 2; },
      [](LaunchPlan &plan) { plan.alternatives[0].launches[0].cluster[1] = 2; },
      [](LaunchPlan &plan) { --plan.alternatives[0].launches[0].sharedBytes; },
      [](LaunchPlan &plan) {
        plan.alternatives[0].launches[0].params[0].map.swizzle = 0;
      },
      [](LaunchPlan &plan) {
        plan.alternatives[0].launches[0].params[0].map.box[0] = 32;
      },
  };
  for (const auto &change : changes) {
    LaunchPlan changed = one;
    change(changed);
    EXPECT_FALSE(changed == one);
    EXPECT_NE(changed.str(), one.str());
    EXPECT_EQ(changed.fault(), "") << changed.str();
  }
}

TEST(LaunchPlan, TakesAnyBlanks) {
  std::string spaced = "\r\n\t hone-plan 2\r\n\n";
  for (const char *c = kFull + 12; *c; ++c)
    spaced += *c == ' ' ? " \t " : *c == '\n' ? " \r\n\n" : std::string(1, *c);
  LaunchPlan plan;
  EXPECT_EQ(LaunchPlan::parse(spaced.c_str(), plan), "");
  EXPECT_EQ(plan.alternatives.size(), 2u);
}

/// Pieces for random edits: all parts of plans.
constexpr const char *kPieces[] = {"\n",      " ",       ";",
                                   ",",       "(",       ")",
                                   ":",       "-",       "&&",
                                   "||",      "%",       "/",
                                   "0",       "1",       "65536",
                                   "ws",      "min(",    "zero",
                                   "a",       "launch",  "param",
                                   "grid",    "args",    "box",
                                   "swizzle", "block",   "f16",
                                   "shared",  "cluster", "\xff",
                                   "\x01",    "*",       "9223372036854775807",
                                   "upto",    "with",    "alternative 1\n"};

TEST(LaunchPlan, SurvivesMutations) {
  std::mt19937 random(7);
  unsigned accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = round % 2 ? kFull : kRanges;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      size_t at = random() % text.size();
      size_t length = random() % 3 ? random() % 4 : random() % 200;
      text.replace(at, length, kPieces[random() % std::size(kPieces)]);
      if (text.empty())
        break;
    }
    LaunchPlan plan;
    std::string error = LaunchPlan::parse(text.c_str(), plan);
    if (!error.empty()) {
      ASSERT_EQ(error.substr(0, 5), "line ") << text;
      for (char c : error)
        ASSERT_TRUE(c >= ' ' && c <= '~') << text;
      continue;
    }
    // An accepted plan has a text that reads back as the same plan.
    ++accepted;
    LaunchPlan again;
    ASSERT_EQ(LaunchPlan::parse(plan.str().c_str(), again), "") << plan.str();
    ASSERT_EQ(again.str(), plan.str());
  }
  EXPECT_GT(accepted, 100u);
}

} // namespace
