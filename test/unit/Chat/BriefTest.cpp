//===- BriefTest.cpp - Tests of kinds in few words ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Brief.h"
#include "Fixtures.h"
#include "hone/Chat/Grammar.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "hone/Space/Space.h"
#include "lib/Chat/BriefTexts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

class BriefTest : public testing::Test {
protected:
  std::string words(Kinds kinds) const {
    return describeKinds(kinds, problem, arch);
  }
  bool has(llvm::StringRef part) const {
    return llvm::StringRef(words(kindsFor(problem, arch))).contains(part);
  }
  Problem problem = problemOf(512, 512, 512);
  Arch arch = archOf("h200");
};

TEST_F(BriefTest, TakesOtherTextsFromTheTable) {
  std::string words = this->words(kWithOftenHint);
  llvm::StringRef text = words;
  EXPECT_TRUE(
      text.contains("\nhint none|first|last: cache hint of the loads\n"))
      << text.str();
  EXPECT_TRUE(text.contains("\noften 1, 1..4096: loads with the hint\n"))
      << text.str();
}

TEST_F(BriefTest, HasLawsThatCanBeBroken) {
  std::string words = this->words(kindsFor(problem, arch));
  llvm::StringRef text = words;
  for (const char *law :
       {"side a: m % 64x = 0; m <= 512; n % 8y = 0, n <= 256y\n",
        "side b: n % 64y = 0, n <= 512; m % 8x = 0, m <= 256x; streams = no\n",
        "teams = 2: consumers = 1x1; persistent = yes, streams = no\n",
        "n % cluster.m = 0, m % cluster.n = 0\n", "c <= 4; 3 if persistent\n",
        "+ 256 * c * chunk + 1024 <= 232448", "\nmn / 32xy <= 128\n",
        "slices * stages * k(2m + 2n) <= 232448\n"})
    EXPECT_TRUE(text.contains(law)) << law;
  // Laws of other layouts, types and decisions are left out.
  for (const char *part : {"n % 64y = 0\nside b", "i8", "tf32x3", "residual",
                           "\nstaged", "pack", "store engine", "whole"})
    EXPECT_FALSE(text.contains(part)) << part;
  problem.b.order = Order::row;
  EXPECT_TRUE(has("n <= 256y; n % 64y = 0\nside b"));
  EXPECT_TRUE(has("\nk % cluster.m = 0, m % cluster.n = 0\n"));
}

TEST_F(BriefTest, HasDecisionsThatAScheduleCanTake) {
  EXPECT_TRUE(has("\nrewrites, usually none:\nloads(cols_first): "));
  problem.init = Init::read;
  EXPECT_TRUE(has("\nresidual engine|threads: "));
  EXPECT_FALSE(has("edge")); // law 93
  problem = problemOf(1000, 1500, 700);
  problem.a.align = problem.b.align = problem.alignC = 8;
  EXPECT_TRUE(has("\nstore must be threads: "));
}

TEST_F(BriefTest, HasTextsOfTheTableOnly) {
  auto rowOf = [](llvm::StringRef name) {
    return *llvm::find_if(allKinds(),
                          [&](const Kind *kind) { return kind->name == name; });
  };
  for (const detail::BriefDecision &brief : detail::briefDecisions())
    EXPECT_TRUE(llvm::any_of(rowOf(brief.kind)->decisions,
                             [&](const Decision &decision) {
                               return decision.name == brief.name &&
                                      brief.text.size() < 60;
                             }))
        << brief.name.str();
  for (const detail::BriefLaw &brief : detail::briefLaws())
    EXPECT_TRUE(llvm::any_of(rowOf(brief.kind)->laws, [&](const Law &law) {
      return law.number == brief.number;
    })) << brief.number;
  // For other elements the formulas of memory and registers are too small.
  problem.a.type = problem.b.type = ElementType::f32;
  problem.products = Products::tf32x3;
  EXPECT_TRUE(has("fit a block's shared memory"));
}

/// True if a schedule keeps the laws that questions state for `ws`, 16-bit
/// elements and B in columns.
bool keepsWords(const WarpSpecialized &knobs) {
  auto [m, n, k] = knobs.tile;
  auto [x, y] = knobs.consumers;
  int64_t teams = knobs.teams, c = teams * x * y;
  bool isB = knobs.transposes;
  bool keepsSide =
      isB ? n % (64 * y) == 0 && n <= 512 && m % (8 * x) == 0 && m <= 256 * x &&
                !knobs.streams
          : m % (64 * x) == 0 && m <= 512 && n % (8 * y) == 0 && n <= 256 * y;
  if (!keepsSide || c > (knobs.persistent ? 3 : 4))
    return false;
  if (teams == 2 && (x * y > 1 || !knobs.persistent || knobs.streams))
    return false;
  int64_t p = knobs.splits * c;
  if (knobs.splits > 1 && (knobs.persistent || m % p || m * n % (256 * p)))
    return false;
  if ((knobs.splits > 1 || knobs.streams) && (m % 16 || n % 16))
    return false;
  auto [along, across] = knobs.cluster;
  if ((knobs.streams && !knobs.persistent) ||
      along * across * knobs.splits > 16 || n % along || m % across)
    return false;
  int64_t columns = isB ? m / x : n / y;
  if (columns > knobs.chunk && columns % knobs.chunk)
    return false;
  int64_t chunks = (isB ? n / y : m / x) / 64 *
                   llvm::divideCeil(columns, std::min(knobs.chunk, columns));
  int64_t staged = 256 * c * knobs.chunk;
  if (chunks % 2 && chunks % 3 == 0)
    staged += staged / 2;
  return m * n / (128 * x * y) <= (c == 3   ? 120
                                   : c == 4 ? 72
                                            : 200) &&
         (c < 3 || columns <= (c == 3 ? 200 : 136)) &&
         knobs.stages * k * 2 * (m + n) + staged + 1024 <= 232448;
}

/// A schedule that keeps the stated laws keeps all laws.
TEST_F(BriefTest, SaysEnough) {
  problem.m = problem.n = problem.k = 4096;
  Dice dice(1);
  size_t kept = 0, broken = 0;
  auto pick = [&](std::initializer_list<int64_t> values) {
    return values.begin()[dice.below(values.size())];
  };
  for (int number = 0; number < 400000; ++number) {
    WarpSpecialized knobs{Schedule(WarpSpecialized::kind())};
    knobs.transposes = dice.below(2);
    knobs.tile = {8 * int64_t(1 + dice.below(48)),
                  8 * int64_t(1 + dice.below(48)), pick({64, 128, 192})};
    knobs.consumers = {pick({1, 1, 2, 3}), pick({1, 1, 2, 3})};
    knobs.teams = pick({1, 1, 2});
    knobs.persistent = dice.below(2);
    knobs.cluster = {pick({1, 1, 2, 4}), pick({1, 1, 2, 4})};
    knobs.splits = pick({1, 1, 2, 4});
    knobs.streams = dice.below(4) == 0;
    knobs.stages = pick({2, 3, 4, 6, 8});
    knobs.chunk = pick({16, 32, 64, 128});
    if (!keepsWords(knobs))
      continue;
    ++kept;
    auto law = check(knobs, &problem, &arch);
    broken += law.has_value();
    if (law && broken < 5)
      ADD_FAILURE() << toString(knobs) << ": " << *law;
  }
  EXPECT_GT(kept, 500u);
  EXPECT_EQ(broken, 0u);
}

} // namespace
