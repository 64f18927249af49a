//===- LaunchPlanErrorsTest.cpp - Tests of wrong launch plans -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wrong plan is refused with the line and the reason.
//
//===----------------------------------------------------------------------===//

#include "LaunchPlans.h"
#include <functional>

using namespace hone;
using namespace hone::test;

namespace {

TEST(LaunchPlan, RefusesOtherBounds) {
  EXPECT_EQ(rangesWith("upto m 64", "upto q 64"),
            "line 4: expected the name of an argument, but got 'q'");
  EXPECT_EQ(rangesWith("upto m 64", "upto m"),
            "line 4: expected a number from 0 to 2147483647, but got nothing");
  EXPECT_EQ(
      rangesWith("upto m 64", "upto m 64\nupto m 64"),
      "line 5: expected one 'upto' for each alternative, but got another");
  EXPECT_EQ(rangesWith("with group 4", "with group 4\nwith group 5"),
            "line 6: expected one 'with group' for each alternative, but got "
            "another");
  EXPECT_EQ(rangesWith("with group 4", "with other 4"),
            "line 5: expected the name of an argument, but got 'other'");
  EXPECT_EQ(rangesWith("upto m 64\nlaunch small_sibling",
                       "upto a 64\nlaunch small_sibling"),
            "line 10: expected a bound of 'm', but got 'a'");
  EXPECT_EQ(rangesWith("block 32 ; 1 ; 1", "block 32 ; 1 ; 1\nupto m 8"),
            "line 9: expected 'upto' before the first launch, but got 'upto m "
            "8'");
}

TEST(LaunchPlan, HasTheFaultsOfItsParts) {
  LaunchPlan valid;
  ASSERT_EQ(LaunchPlan::parse(kFull, valid), "");
  const std::pair<std::function<void(LaunchPlan &)>, const char *> table[] = {
      {[](LaunchPlan &plan) { plan.args.push_back("min"); },
       "expected the name of an argument, but got 'min'"},
      {[](LaunchPlan &plan) { plan.args.push_back(plan.args[0]); },
       "expected different names, but got 'a'"},
      {[](LaunchPlan &plan) { plan.alternatives.clear(); },
       "expected 'alternative', but got nothing"},
      {[](LaunchPlan &plan) { plan.alternatives[0].launches.clear(); },
       "expected 'launch', but got nothing"},
      {[](LaunchPlan &plan) { plan.alternatives[0].guard = "q > 0"; },
       "expected a number, a function or the name of an argument, but got "
       "'q'"},
      {[](LaunchPlan &plan) { plan.alternatives[0].guard = {}; },
       "expected a number, a function or the name of an argument, but got "
       "nothing"},
      {[](LaunchPlan &plan) { plan.alternatives[0].guard = "resident(1, 2)"; },
       "expected an expression without 'resident', which is for grids, but "
       "got 'resident(1, 2)'"},
      {[](LaunchPlan &plan) { plan.alternatives.back().extent = "m"; },
       "expected bounded alternatives before those without a bound, but got "
       "'m 0'"},
      {[](LaunchPlan &plan) { plan.alternatives[0].launches[0].entry = "9"; },
       "expected the name of an entry point, but got '9'"},
      {[](LaunchPlan &plan) { plan.alternatives[0].launches[0].block[0] = 0; },
       "expected extents from 1 to 1024, but got '0 ; 1 ; 1'"},
      {[](LaunchPlan &plan) {
         plan.alternatives[0].launches[0].sharedBytes = -1;
       },
       "expected a number from 0 to 1048576, but got '-1'"},
      {[](LaunchPlan &plan) {
         plan.alternatives[0].launches[0].params[0].map.box[1] = 257;
       },
       "expected a number from 1 to 256, but got '257'"},
      {[](LaunchPlan &plan) {
         plan.alternatives[0].decisions.push_back({"parts", 3});
       },
       "expected the name of an argument, but got 'parts'"},
  };
  for (const auto &[change, fault] : table) {
    LaunchPlan plan = valid;
    change(plan);
    EXPECT_EQ(plan.fault(), fault);
  }
}

TEST(LaunchPlan, MissingLines) {
  EXPECT_EQ(errorOfPlan(""), "line 1: expected 'hone-plan 2', but got nothing");
  LaunchPlan plan;
  EXPECT_EQ(LaunchPlan::parse(nullptr, plan),
            "line 1: expected 'hone-plan 2', but got nothing");
  EXPECT_EQ(errorOfPlan("hone-plan 3\n"),
            "line 1: expected 'hone-plan 2', but got 'hone-plan 3'");
  EXPECT_EQ(errorOfPlan("hone-plan 2\n"),
            "line 2: expected 'args', but got nothing");
  EXPECT_EQ(errorOfPlan("hone-plan 2\nargs\n"),
            "line 3: expected 'alternative', but got nothing");
  EXPECT_EQ(errorOfPlan("hone-plan 2\nargs\nalternative 1\n"),
            "line 4: expected 'launch', but got nothing");
  EXPECT_EQ(errorOfPlan("hone-plan 2\nargs\nlaunch k\n"),
            "line 3: expected 'alternative', but got 'launch k'");
  EXPECT_EQ(errorOfPlan("hone-plan 2\nargs\nalternative 1\nalternative 1\n"),
            "line 4: expected 'launch', but got 'alternative 1'");
  EXPECT_EQ(errorOfPlan("hone-plan 2\nargs\nalternative 1\ngrid 1 ; 1 ; 1\n"),
            "line 4: expected 'launch', but got 'grid 1 ; 1 ; 1'");
  EXPECT_EQ(errorOfPlan("hone-plan 2\nargs\nalternative 1\nlaunch k"), "");
}

TEST(LaunchPlan, Errors) {
  const std::tuple<const char *, const char *, const char *> table[] = {
      {"args a b", "args a a", "line 2: expected different names, but got 'a'"},
      {"args a b", "args a min",
       "line 2: expected the name of an argument, but got 'min'"},
      {"args a b", "args a, b",
       "line 2: expected the name of an argument, but got 'a,'"},
      {"a % 16 == 0", "q % 16 == 0",
       "line 3: expected a number, a function or the name of an argument, but "
       "got 'q'"},
      {"alternative a", "alternative ws + a",
       "line 3: expected a number, a function or the name of an argument, but "
       "got 'ws'"},
      {"512 zero", "512 zeros",
       "line 4: expected an operator or the end of the expression, but got "
       "'zeros'"},
      {"512 zero\n", "512\nworkspace 3\n",
       "line 5: expected one 'workspace' for each alternative, but got "
       "another"},
      {"launch hone_ws_coop", "launch hone ws",
       "line 5: expected the name of an entry point, but got 'hone ws'"},
      {"launch hone_ws_coop", "launch",
       "line 5: expected the name of an entry point, but got nothing"},
      {"launch hone_ws_coop", "launch 9lives",
       "line 5: expected the name of an entry point, but got '9lives'"},
      {"grid min", "gird min",
       "line 6: expected 'grid', 'block', 'cluster', 'shared', 'attribute', "
       "'param', 'launch' or 'alternative', but got 'gird "
       "min(ceildiv(m, 128) * ceildiv(n, 256), 132) ; 1 ; 1'"},
      {", 132) ; 1 ; 1", ", 132) ; 1",
       "line 6: expected three expressions separated by ';', but got "
       "'min(ceildiv(m, 128) * ceildiv(n, 256), 132) ; 1'"},
      {"384 ; 1 ; 1", "384 ; 1 ; 1 ; 1",
       "line 7: expected three expressions separated by ';', but got '384 ; 1 "
       "; 1 ; 1'"},
      {"384 ; 1 ; 1", "384 ; 4 ; 1",
       "line 7: expected extents with a product of at most 1024, but got "
       "'384 ; 4 ; 1'"},
      {"384 ; 1 ; 1", "384 ; 0 ; 1",
       "line 7: expected extents from 1 to 1024, but got '384 ; 0 ; 1'"},
      {"cluster 2", "cluster 32",
       "line 8: expected extents from 1 to 16, but got '32 ; 1 ; 1'"},
      {"cluster 2", "block 2",
       "line 8: expected one 'block' for each launch, but got another"},
      {"shared 213000", "shared 2000000",
       "line 9: expected a number from 0 to 1048576, but got '2000000'"},
      {"shared 213000", "shared -1",
       "line 9: expected a number from 0 to 1048576, but got '-1'"},
      {"attribute programmatic", "attribute cooperative",
       "line 10: expected 'programmatic', but got 'cooperative'"},
      {"param tensormap a :", "param tensormap a",
       "line 11: expected an address and ':', but got 'a f16 dims (k, m) "
       "strides (lda * 2) box (64, 128) swizzle 12...'"},
      {": f16", ": f8",
       "line 11: expected 'f16', 'bf16', 'f32', 'tf32', 'f8E4M3FN', 'f8E5M2', "
       "'i8' or "
       "'i32', but "
       "got "
       "'f8 dims (k, m) strides (lda * 2) box (64, 128) "
       "swizzle 128'"},
      {"(lda * 2)", "(lda * 2, 4)",
       "line 11: expected one stride fewer than dims, but got '2'"},
      {"dims (k, m)", "dims ()", "line 11: expected 1 to 5 dims, but got '0'"},
      {"box (64, 128)", "box (64)",
       "line 11: expected a box of as many extents as dims, but got '1'"},
      {"box (64, 128)", "box (64, 257)",
       "line 11: expected a number from 1 to 256, but got '257'"},
      {"box (64, 128)", "box (65, 128)",
       "line 11: expected a box whose rows are a multiple of 16 bytes, but got "
       "'130'"},
      {"box (64, 128)", "box (128, 128)",
       "line 11: expected a box whose rows are no longer than the swizzle, but "
       "got '256'"},
      {"swizzle 128", "swizzle 48",
       "line 11: expected a swizzle of 0, 32, 64 or 128 bytes, but got '48'"},
      {"dims (k, m)", "dims (k, m", "line 11: expected ')', but got nothing"},
      {"dims (k, m)", "dims k, m",
       "line 11: expected '(', but got 'k, m strides (lda * 2) box (64, 128) "
       "swizzle 128'"},
      {"param ptr c", "param pointer c",
       "line 14: expected 'ptr', 'i32', 'i64', 'f32' or 'tensormap', but got "
       "'pointer c'"},
      {"param i32 m", "param i32",
       "line 16: expected a number, a function or the name of an argument, but "
       "got nothing"},
      {"launch hone_reduce", "workspace 5",
       "line 19: expected 'workspace' before the first launch, but got "
       "'workspace 5'"},
      // The second alternative has its own workspace, the first one's is gone.
      {"workspace 4 * m", "launch x\nparam ptr ws",
       "line 24: expected a number, a function or the name of an argument, but "
       "got 'ws'"},
  };
  for (auto [from, to, expected] : table)
    EXPECT_EQ(errorWith(from, to), expected) << from << " -> " << to;
}

std::string repeated(const char *line, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += line;
  return result;
}

TEST(LaunchPlan, Limits) {
  std::string head = "hone-plan 2\nargs\nalternative 1\n";
  std::string launch = head + "launch k\n";
  EXPECT_EQ(errorOfPlan(launch + repeated("param i32 1\n", 64)), "");
  EXPECT_EQ(errorOfPlan(launch + repeated("param i32 1\n", 65)),
            "line 69: expected at most 64 parameters, but got more");
  const char *map =
      "param tensormap 16 : f16 dims (8) strides () box (8) swizzle 0\n";
  EXPECT_EQ(errorOfPlan(launch + repeated(map, 16)), "");
  EXPECT_EQ(errorOfPlan(launch + repeated(map, 17)),
            "line 21: expected at most 16 tensor maps, but got more");
  EXPECT_EQ(errorOfPlan(head + repeated("launch k\n", 17)),
            "line 20: expected at most 16 launches, but got more");
  EXPECT_EQ(errorOfPlan("hone-plan 2\nargs\n" +
                        repeated("alternative 1\nlaunch k\n", 257)),
            "line 515: expected at most 256 alternatives, but got more");
  std::string args = "hone-plan 2\nargs";
  for (int i = 0; i < 65; ++i)
    args += " a" + std::to_string(i);
  EXPECT_EQ(errorOfPlan(args),
            "line 2: expected at most 64 arguments, but got more");
}

} // namespace
