//===- PopulationTest.cpp - Tests of islands of kernels -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/Population.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

MemberPtr member(const std::string &niche, double fraction,
                 int64_t ticks = 100) {
  auto made = std::make_shared<KernelMember>();
  made->file.kernel.name =
      niche + " " + std::to_string(fraction) + " " + std::to_string(ticks);
  made->niche = niche;
  made->fraction = fraction;
  made->ticks = ticks;
  return made;
}

TEST(Population, PrefersTimesToTicks) {
  EXPECT_TRUE(isBetter(*member("a", 0.9, 200), *member("a", 1.1, 100)));
  EXPECT_TRUE(isBetter(*member("a", 1.1, 200), *member("a", 0, 100)));
  EXPECT_TRUE(isBetter(*member("a", 0, 99), *member("a", 0, 100)));
}

TEST(Population, KeepsTheBestOfANiche) {
  Population population(member("", 1), 1);
  MemberPtr good = member("a", 0.9);
  for (const MemberPtr &one : {member("a", 0.95), good, member("a", 0.92)})
    population.add(0, one);
  auto winners = population.winners(8);
  ASSERT_EQ(winners.size(), 2u);
  EXPECT_EQ(winners[0], good);
  EXPECT_EQ(population.winners(1).size(), 1u);
}

TEST(Population, LosesTheWorstAboveSixteen) {
  Population population(member("", 1), 1);
  for (int one = 0; one < 20; ++one)
    population.add(0, member(std::string(1, char('a' + one)), 2 - one / 20.0));
  auto winners = population.winners(100);
  ASSERT_EQ(winners.size(), Population::kMaxMembers);
  EXPECT_EQ(winners.front()->niche, ""); // 1 is less than 1.05
  EXPECT_EQ(winners.back()->niche, "f");
}

TEST(Population, ShowsTheBestAndOneThatIsDrawn) {
  Population population(member("", 1), 2);
  EXPECT_EQ(population.parents(0, 7).size(), 1u);
  for (const char *niche : {"a", "b", "c"})
    population.add(0, member(niche, 2));
  std::set<std::string> others;
  for (uint64_t drawn = 0; drawn < 6; ++drawn) {
    auto both = population.parents(0, drawn);
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0]->niche, "");
    others.insert(both[1]->niche);
    EXPECT_EQ(population.parents(0, drawn + 3)[1], both[1]);
  }
  EXPECT_EQ(others, (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(population.parents(1, 0).size(), 1u);
}

TEST(Population, MovesTheBestByOneIsland) {
  Population population(member("", 1), 3);
  MemberPtr best = member("a", 0.5);
  population.add(0, best);
  population.migrate();
  EXPECT_EQ(population.parents(1, 0)[0], best);
  EXPECT_EQ(population.parents(2, 0)[0]->niche, "");
  population.migrate();
  EXPECT_EQ(population.parents(2, 0)[0], best);
}

constexpr llvm::StringLiteral kBefore = R"(gpu.func @k(%a: !kernel.map<2>) {
  kernel.barrier
  kernel.role "producer" warps 1 one_thread {
    kernel.load %a[%0, %1] to %r[%2]
    kernel.load %b[%0, %1] to %q[%2] : <2>
  }
  kernel.role "consumer" warps 4 {
    %x:2 = scf.for %i = %c0 to %n step %c1 -> (!kernel.acc<64>) {
      %y = kernel.mma.wait 1 for %z : !kernel.acc<64>
    }
  }
})";

std::string nicheOfChange(llvm::StringRef from, llvm::StringRef to) {
  std::string text = kBefore.str();
  text.replace(text.find(from.str()), from.size(), to.str());
  return nicheOf(kBefore, text);
}

TEST(Niche, NamesRolesAndOpsThatDiffer) {
  EXPECT_EQ(nicheOfChange("wait 1", "wait 0"), "consumer: mma.wait");
  EXPECT_EQ(nicheOfChange("  kernel.barrier\n", ""), "block: barrier");
  EXPECT_EQ(nicheOfChange(": <2>", ": <2>\n kernel.mma.wait 0"),
            "producer: mma.wait");
}

TEST(Niche, IgnoresTheNamesOfValues) {
  EXPECT_EQ(nicheOfChange("%y = kernel", "%y_12 = kernel"), "order");
  EXPECT_EQ(nicheOfChange("load %a[%0", "load %long.name_1[%c0"), "order");
  EXPECT_EQ(nicheOfChange("%x:2 = scf.for", "%x:3 = scf.for"), "order");
}

TEST(Niche, SurvivesAnyText) {
  EXPECT_EQ(nicheOf("", ""), "order");
  EXPECT_EQ(nicheOf("", "kernel."), "block: ");
  EXPECT_EQ(nicheOf("kernel.role", "%%% kernel.role \"%"), "%: role, : role");
}

} // namespace
