//===- LawsTest.cpp - Every law, and the defaults that keep them ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every law is broken here at least once and its message read as a person would
// see it; a law without a case fails the last test of the table. The defaults
// have to keep every law, for any problem on any arch.
//
//===----------------------------------------------------------------------===//

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

constexpr llvm::StringLiteral kRowCol =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f16:col:16, acc = f32, "
    "c = f16:16, init = zero";
constexpr llvm::StringLiteral kColRow =
    "m = ?, n = ?, k = ?, a = f16:col:16, b = f16:row:16, acc = f32, "
    "c = f16:16, init = zero";
constexpr llvm::StringLiteral kMixed =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = bf16:col:16, acc = f32, "
    "c = f16:16, init = zero";
constexpr llvm::StringLiteral kF32 =
    "m = ?, n = ?, k = ?, a = f32:row:16, b = f32:col:16, acc = f32, "
    "c = f32:16, init = zero";
constexpr llvm::StringLiteral kHalfSum =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f16:col:16, acc = f16, "
    "c = f16:16, init = zero";

constexpr llvm::StringLiteral kWithEpilogue =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f16:col:16, acc = f32, "
    "c = f16:16, init = zero, epilogue = \"addf(acc, n:f32)\"";

/// A host with vectors of `bits`, whatever machine the test runs on.
Arch hostWith(int64_t bits) {
  Arch arch;
  arch.name = arch.chip = "host";
  arch.processors = 8;
  arch.vectorBits = bits;
  return arch;
}

Arch archOf(llvm::StringRef name) {
  int64_t bits;
  if (name.consume_front("host") && !name.getAsInteger(10, bits))
    return hostWith(bits);
  return llvm::cantFail(Arch::lookup(name));
}

/// One schedule that breaks a law: its text, the facts that are known (empty:
/// unknown), and what is said.
struct Case {
  int law;
  const char *schedule, *problem, *arch, *message;
};

const Case kCases[] = {
    {1, "mma_sync", "", "host512",
     "expected an arch of compute capability 8.0 or newer, but got 'host'; use "
     "the host kind"},
    {1, "host", "", "h200",
     "expected arch 'host', but got 'h200'; use the mma_sync kind"},
    {2, "mma_sync", kMixed.data(), "",
     "expected a and b to be both f16 or both bf16, but got f16 and bf16; use "
     "one of these types for both"},
    {2, "mma_sync", kF32.data(), "",
     "expected a and b to be both f16 or both bf16, but got f32 and f32; use "
     "one of these types for both"},
    {2, "mma_sync", kHalfSum.data(), "",
     "expected acc to be f32, but got f16; use f32"},
    {2, "host", kMixed.data(), "",
     "expected a and b to have the same type, but got f16 and bf16; use one of "
     "these types for both"},
    {2, "host", kHalfSum.data(), "",
     "expected acc to be f32, but got f16; use f32"},
    {10, "mma_sync, tile = 48x128x32, warps = 2x2", "", "",
     "expected tile.m to be a multiple of 16 * warps.m = 32, but got 48; use "
     "64"},
    {11, "mma_sync, tile = 128x40x32, warps = 2x2", "", "",
     "expected tile.n to be a multiple of 16 * warps.n = 32, but got 40; use "
     "64"},
    {12, "mma_sync, tile = 128x128x48, warps = 2x2", "", "",
     "expected tile.k to be 16, 32, 64 or 128, but got 48; use 32"},
    {12, "mma_sync, tile = 128x128x8, warps = 2x2", "", "",
     "expected tile.k to be 16, 32, 64 or 128, but got 8; use 16"},
    {12, "mma_sync, tile = 128x128x1048576, warps = 2x2", "", "",
     "expected tile.k to be 16, 32, 64 or 128, but got 1048576; use 128"},
    {13, "mma_sync, tile = 128x128x32, warps = 8x4", "", "",
     "expected a block of at most 16 warps, but got 8x4 = 32; use 2x2"},
    {14, "mma_sync, stages = 1", "", "",
     "expected stages to be 2 to 12, but got 1; use 2"},
    {14, "mma_sync, stages = 13", "", "",
     "expected stages to be 2 to 12, but got 13; use 12"},
    {15, "mma_sync, tile = 256x128x32, warps = 2x2", "", "",
     "expected at most 128 accumulators per thread, but got 256; use more "
     "warps or a smaller tile"},
    {16, "mma_sync, tile = 128x128x64, warps = 2x2", "", "rtx3090",
     "expected at most 101376 bytes of shared memory on rtx3090, but got "
     "131072; use stages = 3"},
    {16, "mma_sync, tile = 128x128x128, warps = 2x2, stages = 2",
     kRowCol.data(), "l40s",
     "expected at most 101376 bytes of shared memory on l40s, but got 131072; "
     "use a smaller tile"},
    {17, "mma_sync, tile = 64x64x128, warps = 1x1, stages = 2", "", "",
     "expected at most 255 registers per thread, but got about 336; use more "
     "warps or a smaller tile"},
    {17, "mma_sync, tile = 256x256x32, warps = 4x4", "", "",
     "expected at most 65536 registers per block, but got about 110592; use a "
     "smaller tile"},
    {18, "mma_sync, group = 65536", "", "",
     "expected group to be 1 to 65535, but got 65536; use 65535"},
    {19, "mma_sync, tile = 512x16x32, warps = 4x1", "", "",
     "expected tile.m to be at most 256, but got 512; use 256"},
    {19, "mma_sync, tile = 16x512x32, warps = 1x4", "", "",
     "expected tile.n to be at most 256, but got 512; use 256"},
    {20, "mma_sync, tile = 96x64x32, warps = 2x2", kColRow.data(), "",
     "expected tile.m to be 16, 32 or a multiple of 64 where a is col, but got "
     "96; use 128"},
    {21, "mma_sync, tile = 64x96x32, warps = 2x2", kColRow.data(), "",
     "expected tile.n to be 16, 32 or a multiple of 64 where b is row, but got "
     "96; use 128"},
    {22, "mma_sync, splits = 12", "", "",
     "expected splits to be 1, 2, 4, 8 or 16, but got 12; use 8"},
    {22, "mma_sync, splits = 32", "", "",
     "expected splits to be 1, 2, 4, 8 or 16, but got 32; use 16"},
    {23, "mma_sync, splits = 2", "", "a100",
     "expected an arch with clusters (9.0 or newer) for splits = 2, but got "
     "'a100'; use splits = 1"},
    {24, "mma_sync, tile = 32x32x64, warps = 2x2, splits = 8", "", "",
     "expected the accumulators of a thread to be a multiple of 2 * slices * "
     "splits = 16, but got 8; use fewer splits"},
    {24, "mma_sync, tile = 32x32x64, warps = 2x2, slices = 2, splits = 4", "",
     "",
     "expected the accumulators of a thread to be a multiple of 2 * slices * "
     "splits = 16, but got 8; use fewer splits"},
    {25, "mma_sync, tile = 128x128x16, warps = 2x2, stages = 2, slices = 2", "",
     "rtx3090",
     "expected at most 101376 bytes of shared memory on rtx3090 for the sums "
     "of "
     "a tile, but got 131072; use a smaller tile"},
    {26, "mma_sync, tile = 96x64x32, warps = 2x2, slices = 3", "", "",
     "expected slices to be 1, 2 or 4, but got 3; use 4"},
    {26, "mma_sync, tile = 64x64x32, warps = 1x2, slices = 2", "", "",
     "expected four warps in each of 2 slices, but got 1x2; use warps = 2x2"},
    {13, "mma_sync, tile = 64x64x32, warps = 2x4, slices = 4", "", "",
     "expected a block of at most 16 warps, but got 2x4 in 4 slices = 32; use "
     "slices = 1"},
    {1, "ws_coop", "", "a100",
     "expected an arch with the instructions of sm_90a, but got 'a100'; use "
     "mma_sync"},
    {2, "small", kMixed.data(), "",
     "expected a and b to be both f16 or both bf16, but got f16 and bf16; use "
     "one of these types for both"},
    {2, "ws_pingpong", kHalfSum.data(), "",
     "expected acc to be f32, but got f16; use f32"},
    {40, "ws_coop, tile = 192x128x64", "", "",
     "expected tile.m to be a multiple of 128, 64 rows for each consumer, but "
     "got 192; use 256"},
    {41, "small, tile = 64x40x64", "", "",
     "expected tile.n to be a multiple of 16, 16 columns for each consumer, "
     "but got 40; use 48"},
    {41, "small, tile = 64x272x64", "", "",
     "expected at most 256 columns for each consumer, but got 272; use tile.n "
     "= 256"},
    {42, "ws_coop, tile = 128x128x32", "", "",
     "expected tile.k to be 64, 128, 192 or 256, but got 32; use 64"},
    {42, "ws_coop, tile = 128x128x1024", "", "",
     "expected tile.k to be 64, 128, 192 or 256, but got 1024; use 256"},
    {43, "small, stages = 1", "", "",
     "expected stages to be 2 to 16, but got 1; use 2"},
    {43, "small, stages = 17", "", "",
     "expected stages to be 2 to 16, but got 17; use 16"},
    {44, "ws_coop, cluster = 3x1", "", "",
     "expected cluster to be 1, 2 or 4 blocks along M or along N, but got 3x1; "
     "use 2x1"},
    {44, "ws_pingpong, cluster = 2x2", "", "",
     "expected cluster to be 1, 2 or 4 blocks along M or along N, but got 2x2; "
     "use 2x1"},
    {45, "ws_coop, tile = 640x64x64", "", "",
     "expected tile.m to be at most 512, but got 640; use 512"},
    {46, "small, tile = 64x32x64", kColRow.data(), "",
     "expected tile.n to be a multiple of 64 where b is row, 64 columns for "
     "each consumer, but got 32; use 64"},
    {47, "small, tile = 64x48x64, cluster = 4x1", kRowCol.data(), "",
     "expected tile.n to be a multiple of 32, 8 lines for each block of the "
     "cluster, but got 48; use 64"},
    {48, "ws_coop, tile = 128x256x64, stages = 5", kRowCol.data(), "h200",
     "expected rings, chunks and barriers of at most 232448 bytes of shared "
     "memory, but got 278608; use stages = 4"},
    {48, "ws_coop, tile = 256x128x256, stages = 2", kRowCol.data(), "h200",
     "expected rings, chunks and barriers of at most 232448 bytes of shared "
     "memory, but got 426016; use a smaller tile"},
    {49, "ws_coop, group = 70000", "", "",
     "expected group to be 1 to 65535, but got 70000; use 65535"},
    {50, "ws_coop, tile = 256x64x64, consumers = 4x1", "", "",
     "expected 1 to 3 consumers, but got 4x1; use 2x1"},
    {51, "ws_coop, tile = 256x256x64", "", "",
     "expected at most 200 accumulators for a thread of 2 consumers, but got "
     "256; use a smaller tile"},
    {51, "ws_coop, tile = 256x192x64, stages = 3", kWithEpilogue.data(), "",
     "expected at most 152 accumulators for a thread of 2 consumers, but got "
     "192; use a smaller tile"},
    {52, "ws_coop, tile = 192x208x64, consumers = 3x1", "", "",
     "expected at most 200 columns for each of 3 consumers, whose block is "
     "launched with 128 registers a thread, but got 208; use fewer"},
    {51, "ws_pingpong, tile = 128x256x64", "", "",
     "expected at most 200 accumulators for a thread of 2 consumers, but got "
     "256; use a smaller tile"},
    {60, "small, tile = 320x64x64, consumers = 5x1", "", "",
     "expected 1 to 4 consumers, but got 5x1; use 1x1"},
    {61, "small, tile = 128x256x64, consumers = 1x1", "", "",
     "expected at most 215 accumulators for a thread of 1 consumers, but got "
     "256; use a smaller tile"},
    {62, "cluster_splitk, splits = 3", "", "",
     "expected splits to be 1, 2, 4, 8 or 16, but got 3; use 4"},
    {4, "ws, parts = 8", "", "",
     "expected 'parts' to be 4 beside the other decisions, but got 8; leave it "
     "out"},
    {37, "ws, teams = 3", "", "",
     "expected teams to be 1 or 2, but got 3; use 2"},
    {37, "ws, teams = 2", "", "",
     "expected one consumer in each of two teams, but got 2x1; use consumers = "
     "1x1"},
    {73, "ws, side = b", "", "",
     "expected side = b in blocks of one tile, because its sums are turned "
     "where the next tile's operands would be, but got persistent = yes; use "
     "no"},
    {74, "ws, splits = 2", "", "",
     "expected splits = 2 in blocks of one tile, because its sums meet where "
     "the next tile's operands would be, but got persistent = yes; use no"},
    {75, "ws_pingpong, persistent = no", "", "",
     "expected two teams in persistent blocks that have whole tiles, but got "
     "persistent = no, streams = no; use teams = 1"},
    {75, "ws_pingpong, streams = yes", "", "",
     "expected two teams in persistent blocks that have whole tiles, but got "
     "persistent = yes, streams = yes; use teams = 1"},
    {76, "cluster_splitk, cluster = 2x1", "", "",
     "expected a cluster that shares K, or C's transpose, not to share loads, "
     "but got cluster = 2x1; use 1x1"},
    {76, "swap_ab, cluster = 1x2", "", "",
     "expected a cluster that shares K, or C's transpose, not to share loads, "
     "but got cluster = 1x2; use 1x1"},
    {77, "small, streams = yes", "", "",
     "expected runs of steps in persistent blocks, but got persistent = no; "
     "use yes"},
    {66, "cluster_splitk, tile = 64x16x64, splits = 8", "", "",
     "expected the share of each of the cluster's 8 consumers to be a multiple "
     "of 256 elements, but got 128; use fewer splits"},
    {66, "swap_ab, tile = 16x256x64, consumers = 1x2, splits = 16", "", "",
     "expected tile.m to be a multiple of 32, a line for each consumer of the "
     "cluster, but got 16; use 32"},
    {58, "streamk, parts = 65", "", "",
     "expected parts to be 1 to 64, but got 65; use 64"},
    {70, "swap_ab, tile = 16x96x64", "", "",
     "expected tile.n to be a multiple of 64 up to 512, 64 columns for each "
     "consumer, but got 96; use 128"},
    {70, "swap_ab, tile = 16x1024x64", "", "",
     "expected tile.n to be a multiple of 64 up to 512, 64 columns for each "
     "consumer, but got 1024; use 512"},
    {71, "swap_ab, tile = 8x64x64", "", "",
     "expected tile.m to be a multiple of 16 up to 256, 16 rows for each "
     "consumer, but got 8; use 16"},
    {72, "swap_ab, tile = 32x64x64", kColRow.data(), "",
     "expected tile.m to be a multiple of 64 up to 256, 64 rows for each "
     "consumer where a is col, but got 32; use 64"},
    {62, "swap_ab, splits = 3", "", "",
     "expected splits to be 1, 2, 4, 8 or 16, but got 3; use 4"},
    {27, "mma_sync, run = 4", "", "",
     "expected run to be 2 or 8, but got 4; use 8"},
    {30, "host, tile = 100x4096x256", "", "",
     "expected tile.m to be a multiple of micro.m = 8, but got 100; use 104"},
    {31, "host, tile = 192x4000x256, micro = 8x48", "", "",
     "expected tile.n to be a multiple of micro.n = 48, but got 4000; use "
     "4032"},
    {32, "host, micro = 6x8", "", "host512",
     "expected micro.n to be a multiple of the lanes of a vector = 16, but got "
     "8; use 16"},
    {33, "host, tile = 240x4096x256, micro = 15x32", "", "host512",
     "expected a micro-kernel of at most 32 vector registers, but got 33; use "
     "micro.m = 14"},
    {33, "host, micro = 8x32", "", "host256",
     "expected a micro-kernel of at most 16 vector registers, but got 37; use "
     "micro.m = 2"},
    {33, "host, micro = 8x256", "", "host128",
     "expected a micro-kernel of at most 16 vector registers, but got 577; use "
     "a smaller micro.n"},
    {34, "host, unroll = 32", "", "",
     "expected unroll to be 1 to 16, but got 32; use 16"},
    {35, "host, unroll = 3", "", "",
     "expected tile.k to be a multiple of unroll = 3, but got 256; use 258"},
    {36, "host, tile = 8x1048576x256", "", "",
     "expected the panels of A and B to take at most 1073741824 bytes, but got "
     "1073750016; use a smaller tile"},
};

/// What `check` says about `text` with the facts that are not empty.
std::optional<std::string> verdict(llvm::StringRef text,
                                   llvm::StringRef problemText,
                                   llvm::StringRef archName) {
  Schedule schedule = llvm::cantFail(parseSchedule(text));
  std::optional<Problem> problem;
  std::optional<Arch> arch;
  if (!problemText.empty())
    problem = llvm::cantFail(Problem::parse(problemText));
  if (!archName.empty())
    arch = archOf(archName);
  return check(schedule, problem ? &*problem : nullptr,
               arch ? &*arch : nullptr);
}

std::string numbered(int law, llvm::StringRef message) {
  return "schedule_c" + std::to_string(law) + ": " + message.str();
}

TEST(Laws, EachSaysWhatIsWrong) {
  for (const Case &broken : kCases) {
    std::optional<std::string> said =
        verdict(broken.schedule, broken.problem, broken.arch);
    ASSERT_TRUE(said) << "law " << broken.law << ": " << broken.schedule;
    EXPECT_EQ(*said, numbered(broken.law, broken.message));
  }
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
  for (const Case &broken : kCases)
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
  // Legal for operands stored along K, or where nobody knows.
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
  EXPECT_EQ(MmaSync().registers(), 144);
  EXPECT_EQ(MmaSync().threads(), 256);
  EXPECT_EQ(MmaSync().sharedBytes(), 65536);
}

/// Law 5 is asked by name: a plan has a sibling for such operands.
TEST(Laws, MemoryIsAskedByName) {
  Arch arch = archOf("h200");
  Schedule engine(WarpSpecialized::kind()), threads(MmaSync::kind());
  auto said = [&](int64_t m, int64_t n, int64_t k, Order a, Order b) {
    Problem problem;
    problem.m = m, problem.n = n, problem.k = k;
    problem.a.order = a, problem.b.order = b;
    problem.a.align = problem.b.align = problem.alignC = 2;
    EXPECT_FALSE(checkMemory(threads, problem));
    EXPECT_FALSE(check(engine, &problem, &arch));
    std::optional<std::string> broken = checkMemory(engine, problem);
    EXPECT_EQ(defaultSchedule(problem, arch).kind().name,
              broken ? "mma_sync" : "ws");
    return broken.value_or("");
  };
  auto refused = [](const char *name, int64_t bytes) {
    return numbered(5, "expected lines of " + std::string(name) +
                           " that start at multiples of 16 bytes, but got "
                           "lines of " +
                           std::to_string(bytes) + " bytes; use mma_sync");
  };
  EXPECT_EQ(said(64, 64, 64, Order::row, Order::row), "");
  EXPECT_EQ(said(64, 64, 63, Order::row, Order::row), refused("a", 126));
  EXPECT_EQ(said(63, 64, 64, Order::row, Order::row), "");
  EXPECT_EQ(said(63, 64, 64, Order::col, Order::row), refused("a", 126));
  EXPECT_EQ(said(64, 64, 63, Order::col, Order::col), refused("b", 126));
  EXPECT_EQ(said(64, 63, 64, Order::row, Order::col), refused("c", 126));
  EXPECT_EQ(said(64, 63, 64, Order::row, Order::row), refused("b", 126));
  EXPECT_EQ(said(64, 64, kDynamic, Order::row, Order::col), "");
  EXPECT_EQ(said(64, 64, 0, Order::row, Order::col),
            numbered(5, "expected something to multiply, but got k = 0; use "
                        "mma_sync"));
}

/// What a decision may be at all is no less than what the laws allow: a search
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
        // Most keep their usual value; one in three is any number near by.
        if (random.below(3))
          continue;
        const Choice &choice = decision.choices[part];
        int64_t value = random.flip() ? choice.at(random.below(choice.count()))
                                      : random.below(choice.most + 20);
        schedule.numbers()[at] = std::max<int64_t>(value, 1);
        isInside &= choice.has(schedule.numbers()[at]);
      }
    if (check(schedule))
      continue;
    ++legal;
    // Sizes that only a problem or a machine bounds are the host's.
    EXPECT_TRUE(isInside || Host::are(schedule)) << toString(schedule);
  }
  EXPECT_GT(legal, 1000);
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

TEST(Defaults, AreLegalEverywhere) {
  Random random;
  std::vector<Arch> archs = {hostWith(128), hostWith(256), hostWith(512)};
  for (llvm::StringRef name : Arch::names())
    archs.push_back(llvm::cantFail(Arch::lookup(name)));
  for (int i = 0; i < 5000; ++i) {
    Problem problem = random.ordinaryProblem();
    for (const Arch &arch : archs) {
      Schedule schedule = defaultSchedule(problem, arch);
      std::optional<std::string> broken = check(schedule, &problem, &arch);
      EXPECT_FALSE(broken) << *broken << " for " << toString(schedule) << " of "
                           << problem.str() << " on " << arch.name;
      if (arch.isa != "sm_90a")
        EXPECT_EQ(schedule.kind().name, arch.isHost() ? "host" : "mma_sync");
    }
  }
}

TEST(Defaults, FollowTheExtents) {
  Arch arch = llvm::cantFail(Arch::lookup("sm_90"));
  auto textFor = [&](int64_t m, int64_t n, int64_t k) {
    Problem problem;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    return compileTimeText(defaultSchedule(problem, arch));
  };
  EXPECT_EQ(textFor(4096, 4096, 4096),
            "mma_sync, tile = 128x128x32, warps = 2x4, stages = 4, "
            "slices = 1, splits = 1, run = 8");
  EXPECT_EQ(textFor(kDynamic, kDynamic, kDynamic),
            "mma_sync, tile = 128x128x32, warps = 2x4, stages = 4, "
            "slices = 1, splits = 1, run = 2");
  EXPECT_EQ(textFor(1024, 1024, 1024),
            "mma_sync, tile = 64x128x32, warps = 2x2, stages = 4, "
            "slices = 1, splits = 1, run = 8");
  EXPECT_EQ(textFor(1, 4096, 4096),
            "mma_sync, tile = 16x32x64, warps = 1x2, stages = 5, "
            "slices = 1, splits = 1, run = 2");
  EXPECT_EQ(textFor(65536, 8, 64),
            "mma_sync, tile = 128x16x64, warps = 4x1, stages = 2, "
            "slices = 1, splits = 1, run = 8");
  EXPECT_EQ(textFor(3, 5, 7),
            "mma_sync, tile = 16x16x16, warps = 1x1, stages = 2, "
            "slices = 1, splits = 1, run = 2");
}

TEST(Defaults, FollowTheNumberOfTiles) {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  auto textFor = [&](int64_t m, int64_t n, int64_t k) {
    Problem problem;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    return compileTimeText(defaultSchedule(problem, arch));
  };
  auto textOf = [](llvm::StringRef text) {
    return compileTimeText(llvm::cantFail(parseSchedule(text)));
  };
  std::string large = textOf("ws_coop, tile = 128x256x64, stages = 4");
  EXPECT_EQ(textFor(4096, 8192, 4096), large);
  EXPECT_EQ(textFor(kDynamic, kDynamic, kDynamic), large);
  EXPECT_EQ(textFor(2048, 2048, 512),
            textOf("ws_pingpong, tile = 128x128x64, stages = 6"));
  EXPECT_EQ(textFor(1024, 1024, 256),
            textOf("small, tile = 64x64x64, stages = 8"));
  // Small matrices, and few rows.
  EXPECT_EQ(textFor(512, 256, 512), textOf("swap_ab, tile = 16x64x128"));
  EXPECT_EQ(textFor(256, 1024, 256), textOf("swap_ab, tile = 32x64x128"));
  EXPECT_EQ(textFor(64, 128, 4096),
            textOf("swap_ab, tile = 16x64x128, splits = 4"));
  EXPECT_EQ(textFor(8, 4096, 4096),
            textOf("swap_ab, tile = 16x64x128, splits = 2"));
  // A long K.
  EXPECT_EQ(textFor(512, 256, 16384),
            textOf("streamk, tile = 128x128x64, stages = 6"));
  EXPECT_EQ(textFor(512, 64, 16384),
            textOf("streamk, tile = 64x64x128, consumers = 1x1, stages = 6"));
  // Lines of 1001 elements never start where the copy engine reads; of lines
  // whose length nobody knows it is hoped.
  Problem lines;
  lines.m = lines.n = 4096;
  lines.a.align = lines.b.align = 2;
  lines.k = 1001;
  EXPECT_EQ(defaultSchedule(lines, arch).kind().name, "mma_sync");
  lines.k = kDynamic;
  EXPECT_EQ(defaultSchedule(lines, arch).kind().name, "ws");
}

TEST(Defaults, SayWhatNoFamilyTakes) {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  Problem problem = llvm::cantFail(Problem::parse(kF32));
  std::optional<std::string> broken =
      check(defaultSchedule(problem, arch), &problem, &arch);
  ASSERT_TRUE(broken);
  EXPECT_TRUE(llvm::StringRef(*broken).starts_with("schedule_c2: "));
}

} // namespace
