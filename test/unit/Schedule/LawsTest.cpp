//===- LawsTest.cpp - Tests of every law and its message ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every law is broken here at least once, and the test compares the message for
// the user. A law without a case fails the last test of the table.
//
//===----------------------------------------------------------------------===//

#include "LawCases.h"
#include "RandomValues.h"
#include "hone/Schedule/Host.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hone;
using namespace hone::test;

namespace {

/// The result of `check` for `text` with the facts that are not empty.
std::optional<std::string> verdict(llvm::StringRef text,
                                   llvm::StringRef problemText,
                                   llvm::StringRef archName) {
  Schedule schedule = llvm::cantFail(parseSchedule(text));
  std::optional<Problem> problem;
  std::optional<Arch> arch;
  if (!problemText.empty())
    problem = llvm::cantFail(Problem::parse(problemText));
  if (!archName.empty())
    arch = lawArch(archName);
  return check(schedule, problem ? &*problem : nullptr,
               arch ? &*arch : nullptr);
}

std::string numbered(int law, llvm::StringRef message) {
  return "schedule_c" + std::to_string(law) + ": " + message.str();
}

TEST(Laws, EachSaysWhatIsWrong) {
  for (const Case &broken : allCases()) {
    std::optional<std::string> said =
        verdict(broken.schedule, broken.problem, broken.arch);
    ASSERT_TRUE(said) << "law " << broken.law << ": " << broken.schedule;
    EXPECT_EQ(*said, numbered(broken.law, broken.message));
  }
}

TEST(Laws, LegalIsThatNoLawIsBroken) {
  Random random;
  int legal = 0, illegal = 0;
  for (int i = 0; i < 4000; ++i) {
    Problem problem = random.ordinaryProblem();
    Arch arch = lawArch(random.oneOf({"h200", "sm_80", "host128"}));
    Schedule schedule = defaultSchedule(problem, arch);
    const Kind &kind = schedule.kind();
    size_t at = 0, changed = random.below(2 * schedule.numbers().size());
    for (const Decision &decision : kind.decisions)
      for (size_t part = 0; part < decision.size(); ++part, ++at)
        if (const Choice &choice = decision.choices[part]; at == changed)
          schedule.numbers()[at] = choice.at(random.below(choice.count()));
    bool isKept =
        !check(schedule, &problem, &arch) && !checkMemory(schedule, problem);
    EXPECT_EQ(isLegal(schedule, problem, arch), isKept) << toString(schedule);
    ++(isKept ? legal : illegal);
  }
  EXPECT_GT(legal, 400);
  EXPECT_GT(illegal, 400);
}

TEST(Laws, NumbersThatNeverWereTextAreCheckedToo) {
  MmaSync knobs;
  knobs.warps = {2, 0};
  EXPECT_EQ(check(knobs),
            numbered(3, "expected 'warps' to be 1 to 1048576, but got 0; use "
                        "1"));
  knobs.warps = {2, INT64_MAX};
  EXPECT_EQ(check(knobs), numbered(3, "expected 'warps' to be 1 to 1048576, "
                                      "but got 9223372036854775807; use "
                                      "1048576"));
  Host host;
  host.unroll = -4;
  EXPECT_EQ(check(host),
            numbered(3, "expected 'unroll' to be 1 to 1048576, but got -4; use "
                        "1"));
}

TEST(Laws, EveryLawHasACase) {
  std::set<int> covered = {3, 5}; // by tests of their own
  for (const Case &broken : allCases())
    covered.insert(broken.law);
  for (const LawInfo &law : laws())
    EXPECT_TRUE(covered.count(law.number)) << law.number;
  EXPECT_EQ(covered.size(), laws().size());
}

TEST(Laws, TheTableIsComplete) {
  int previous = 0;
  for (const LawInfo &law : laws()) {
    EXPECT_GT(law.number, previous);
    previous = law.number;
    EXPECT_FALSE(law.statement.empty());
    EXPECT_FALSE(law.statement.ends_with("."));
    llvm::SmallVector<llvm::StringRef> kinds;
    llvm::StringRef(law.kind).split(kinds, ", ", -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : kinds)
      EXPECT_TRUE(llvm::any_of(allKinds(), [&](const Kind *kind) {
        return kind->name == name;
      })) << name.str();
  }
}

TEST(Laws, UnknownFactsBreakNothing) {
  EXPECT_FALSE(check(MmaSync()));
  EXPECT_FALSE(check(Host()));
  // Legal for operands stored along K, or of unknown order.
  EXPECT_FALSE(verdict("mma_sync, tile = 96x96x32, warps = 2x2", "", ""));
  EXPECT_FALSE(
      verdict("mma_sync, tile = 96x96x32, warps = 2x2", kRowCol, "h200"));
  EXPECT_FALSE(verdict("host, micro = 8x32", "", ""));
  Arch blank;
  EXPECT_FALSE(check(Host(), nullptr, &blank));
}

TEST(Laws, TheLimitsThemselvesAreLegal) {
  EXPECT_FALSE(verdict("mma_sync, tile = 128x128x128, warps = 4x2, stages = 3",
                       "", "h200"));
  EXPECT_FALSE(verdict("mma_sync, tile = 256x128x32, warps = 4x2", "", ""));
  EXPECT_FALSE(verdict("mma_sync, tile = 16x16x16, warps = 1x1", "", "a100"));
  EXPECT_FALSE(
      verdict("host, tile = 224x4096x256, micro = 14x32", "", "host512"));
}

TEST(Laws, RegistersAreEstimated) {
  // Accumulators 64, fragments 16 + 8, addresses 48, chunks 2 * (2 + 2).
  EXPECT_EQ(MmaSync().registers(/*problem=*/nullptr), 144);
  EXPECT_EQ(MmaSync().threads(), 256);
  EXPECT_EQ(MmaSync().sharedBytes(/*problem=*/nullptr), 65536);
  // Elements of f32 are twice the chunks, and in two parts twice the fragments.
  Problem problem;
  problem.a.type = problem.b.type = ElementType::f32;
  problem.products = Products::tf32;
  EXPECT_EQ(MmaSync().registers(&problem), 152);
  problem.products = Products::tf32x3;
  EXPECT_EQ(MmaSync().registers(&problem), 176);
  // 16 bytes of k for each of a thread's 8 rows and 8 columns.
  problem.products = Products::exact;
  EXPECT_EQ(MmaSync().registers(&problem), 192);
}

/// A role that requests more registers than the launch was granted waits
/// forever.
TEST(Laws, RolesShareWhatTheLaunchGrants) {
  for (int64_t along : {1, 2, 3, 4, 5, 6, 7})
    for (int64_t teams : {1, 2}) {
      WarpSpecialized knobs;
      knobs.tile = {64 * along, 64, 64};
      knobs.consumers = {along, 1};
      knobs.teams = teams;
      if (knobs.threads() > 1024)
        continue;
      std::optional<RegisterBudget> budget = knobs.budget();
      ASSERT_TRUE(budget) << along;
      int64_t warpgroups = knobs.threads() / 128;
      EXPECT_LE(budget->producer + (warpgroups - 1) * budget->consumer,
                launchRegisters(knobs.threads()) * warpgroups)
          << along << " consumers, " << teams << " teams";
      EXPECT_GE(budget->consumer,
                std::min<int64_t>(launchRegisters(knobs.threads()), 240));
    }
}

TEST(Laws, MemoryIsAskedByName) {
  Arch arch = lawArch("h200");
  Schedule threads(MmaSync::kind());
  std::string decisions;
  auto said = [&](int64_t m, int64_t n, int64_t k, Order a, Order b) {
    Problem problem;
    problem.m = m, problem.n = n, problem.k = k;
    problem.a.order = a, problem.b.order = b;
    problem.a.align = problem.b.align = problem.alignC = 2;
    Schedule engine = llvm::cantFail(parseSchedule("ws" + decisions));
    EXPECT_FALSE(checkMemory(threads, problem));
    EXPECT_FALSE(check(engine, &problem, &arch));
    // A schedule can be adapted to any problem, except to an empty product.
    WarpSpecialized reaching = WarpSpecialized(engine).reaching(problem);
    EXPECT_EQ(!checkMemory(reaching, problem), k != 0);
    return checkMemory(engine, problem).value_or("");
  };
  auto refused = [](const char *name, int64_t bytes, const char *remedy) {
    return numbered(5, "expected lines of " + std::string(name) +
                           " that start at multiples of 16 bytes, but got "
                           "lines of " +
                           std::to_string(bytes) + " bytes; use " + remedy +
                           ", or mma_sync");
  };
  EXPECT_EQ(said(64, 64, 64, Order::row, Order::row), "");
  EXPECT_EQ(said(64, 64, 63, Order::row, Order::row),
            refused("a", 126, "pack = a"));
  EXPECT_EQ(said(63, 64, 64, Order::row, Order::row), "");
  EXPECT_EQ(said(63, 64, 64, Order::col, Order::row),
            refused("a", 126, "pack = a"));
  EXPECT_EQ(said(64, 64, 63, Order::col, Order::col),
            refused("b", 126, "pack = b"));
  EXPECT_EQ(said(64, 63, 64, Order::row, Order::col),
            refused("c", 126, "store = threads"));
  EXPECT_EQ(said(64, 63, 64, Order::row, Order::row),
            refused("b", 126, "pack = b"));
  EXPECT_EQ(said(64, 64, kDynamic, Order::row, Order::col), "");
  EXPECT_EQ(said(64, 64, 0, Order::row, Order::col),
            numbered(5, "expected something to multiply, but got k = 0; use "
                        "mma_sync"));
  // Operands that are packed or loaded by threads keep the law; others do not.
  decisions = ", pack = a";
  EXPECT_EQ(said(64, 64, 63, Order::row, Order::row), "");
  EXPECT_EQ(said(64, 64, 63, Order::row, Order::col),
            refused("b", 126, "pack = ab"));
  decisions = ", pack = b";
  EXPECT_EQ(said(64, 64, 63, Order::row, Order::col),
            refused("a", 126, "pack = ab"));
  decisions = ", pack = ab";
  EXPECT_EQ(said(64, 63, 63, Order::row, Order::col),
            refused("c", 126, "store = threads"));
  decisions = ", pack = ab, store = threads";
  EXPECT_EQ(said(64, 63, 63, Order::row, Order::col), "");
}

/// The choices of a decision include all values that the laws allow: a search
/// that draws from the choices can reach everything.
TEST(Laws, ChoicesHaveAllThatIsLegal) {
  Random random;
  int legal = 0;
  for (int i = 0; i < 300000; ++i) {
    Schedule schedule(*allKinds()[random.below(allKinds().size())]);
    size_t at = 0;
    bool isInside = true;
    for (const Decision &decision : schedule.kind().decisions)
      for (size_t part = 0; part < decision.size(); ++part, ++at) {
        // Most keep their usual value; one in three is any number in its range
        // or just above.
        if (random.below(3))
          continue;
        const Choice &choice = decision.choices[part];
        int64_t value = random.flip() ? choice.at(random.below(choice.count()))
                                      : random.below(choice.max + 20);
        schedule.numbers()[at] = std::max<int64_t>(value, 1);
        isInside &= choice.has(schedule.numbers()[at]);
      }
    if (check(schedule))
      continue;
    ++legal;
    // Only sizes of the host have no bound but a problem or a machine.
    EXPECT_TRUE(isInside || Host::are(schedule)) << toString(schedule);
  }
  EXPECT_GT(legal, 1000);
}

} // namespace
