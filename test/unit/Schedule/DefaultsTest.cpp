//===- DefaultsTest.cpp - Tests of default schedules ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The defaults have to keep every law, for any problem on any arch, and follow
// the problem.
//
//===----------------------------------------------------------------------===//

#include "LawCases.h"
#include "RandomValues.h"
#include "hone/Schedule/Host.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hone;
using namespace hone::test;

namespace {

TEST(Defaults, AreLegalEverywhere) {
  Random random;
  std::vector<Arch> archs = {hostWith(128), hostWith(256), hostWith(512)};
  for (llvm::StringRef name : Arch::names())
    archs.push_back(llvm::cantFail(Arch::lookup(name)));
  for (int i = 0; i < 2000; ++i) {
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

/// For every type that tensor cores multiply, with aligned and unaligned lines,
/// with and without an epilogue.
TEST(Defaults, AreLegalOfEveryType) {
  Random random;
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  for (llvm::StringRef types :
       {"tf32:f32", "tf32x3:f32", "f8E4M3FN:bf16", "f8E5M2:f32", "i8:i32",
        "f16/i8:f16", "bf16/f8E4M3FN:f32"})
    for (llvm::StringRef layout : {"nn", "nt", "tn", "tt"})
      for (int i = 0; i < 400; ++i) {
        Problem problem;
        llvm::cantFail(setTypes(problem, types));
        llvm::cantFail(setLayout(problem, layout));
        if (auto permitted = permissionsOf(problem.a.type);
            !permitted.empty() && random.flip())
          problem.products = permitted[random.below(permitted.size())];
        int64_t unit = random.oneOf({1, 8, 16, 16, 128});
        auto extent = [&]() -> int64_t {
          if (random.below(4) == 0)
            return random.oneOf<int64_t>({kDynamic, 1, 2});
          return unit * (1 + random.below(1 << (1 + random.below(10))));
        };
        int64_t m = extent(), n = extent(), k = extent();
        problem = withExtents(problem, m, n, k);
        if (random.below(4) == 0)
          problem.batch = extent();
        if (random.flip())
          problem.epilogue = random.epilogue(problem, 10).str();
        Schedule schedule = defaultSchedule(problem, arch);
        std::optional<std::string> broken = check(schedule, &problem, &arch);
        EXPECT_FALSE(broken) << *broken << " for " << toString(schedule)
                             << " of " << problem.str();
      }
}

/// For every number of parts of K that the arch's blocks or warps can have.
TEST(Defaults, AreLegalWhereNumbersAreInvariant) {
  Random random;
  for (auto [name, types] : {std::pair("h200", "f16:f16"),
                             {"h200", "tf32x3:f32"},
                             {"h200", "tf32:f32"},
                             {"h200", "f32:f32"},
                             {"h200", "f8E4M3FN:bf16"},
                             {"h200", "i8:i32"},
                             {"h200", "f16/i8:f16"},
                             {"a100", "bf16:f32"},
                             {"a100", "f32:f32"},
                             {"sm_89", "f8E5M2:f32"},
                             {"sm_89", "tf32x3:f32"},
                             {"rtx5090", "f16/f8E4M3FN:f16"}})
    for (int64_t parts : {1, 2, 4})
      for (int i = 0; i < 100; ++i) {
        Problem problem;
        llvm::cantFail(setTypes(problem, types));
        llvm::cantFail(
            setLayout(problem, random.oneOf({"nn", "nt", "tn", "tt"})));
        auto extent = [&] {
          return random.oneOf<int64_t>({kDynamic, 1, 7, 16, 600, 4096});
        };
        int64_t m = extent(), n = extent(), k = extent();
        problem = withExtents(problem, m, n, k);
        problem.numbers.kind = Numbers::Kind::invariant;
        // With parts, some products of tf32x3, and of f8 with few columns,
        // have no default on sm_90a.
        bool isSplit = problem.products == Products::tf32x3;
        bool isWhole = isSplit || problem.products == Products::blocks;
        problem.numbers.parts = isWhole ? 1 : parts;
        // Consumers fetch whole words of 16 bytes of A.
        constexpr int64_t kWord = 16;
        if (isSplit && problem.a.align < kWord)
          continue;
        Arch arch = llvm::cantFail(Arch::lookup(name));
        Schedule schedule = defaultSchedule(problem, arch);
        std::optional<std::string> broken = check(schedule, &problem, &arch);
        EXPECT_FALSE(broken) << *broken << " for " << toString(schedule)
                             << " of " << problem.str() << " on " << name;
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

/// Short steps of such lines make ptxas spill
/// (test/tools/explain-odd-lines.mlir).
TEST(Defaults, LinesThatPassRegistersHaveLongSteps) {
  Problem problem;
  problem.m = 2048;
  problem.n = 4096;
  problem.k = 1024;
  for (const char *name : {"sm_80", "sm_86", "h200"}) {
    Arch arch = llvm::cantFail(Arch::lookup(name));
    auto stepOf = [&](int64_t alignA, int64_t alignB) {
      problem.a.align = alignA;
      problem.b.align = alignB;
      return MmaSync(MmaSync::kind().makeDefault(problem, arch)).tile[2];
    };
    EXPECT_EQ(stepOf(16, 16), 32);
    EXPECT_EQ(stepOf(4, 16), 32);
    EXPECT_EQ(stepOf(2, 16), 64);
    EXPECT_EQ(stepOf(16, 2), 64);
  }
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
  EXPECT_EQ(textFor(kDynamic, kDynamic, kDynamic), large + ", edge = within");
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
}

/// Lines of 1001 elements never start at an address for the copy engine. Lines
/// of unknown length are assumed to be aligned.
TEST(Defaults, PackWhereItPays) {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  Problem lines;
  lines.b.order = Order::col;
  lines.a.align = lines.b.align = lines.alignC = 2;
  auto textFor = [&](int64_t m, int64_t n, int64_t k) {
    lines.m = m, lines.n = n, lines.k = k;
    return compileTimeText(defaultSchedule(lines, arch));
  };
  auto has = [](const std::string &text, llvm::StringRef what) {
    return llvm::StringRef(text).contains(what);
  };
  EXPECT_TRUE(has(textFor(4096, 4096, 1001), "pack = ab"));
  EXPECT_FALSE(has(textFor(4096, 4096, 1001), "store"));
  EXPECT_TRUE(has(textFor(1023, 1023, 1023), "store = threads, pack = ab"));
  lines.a.align = 16;
  EXPECT_TRUE(has(textFor(4096, 4096, 1001), "pack = b"));
  lines.a.align = 2;
  // With few rows the weights are read once, and a copy would read them again.
  EXPECT_TRUE(has(textFor(8, 4096, 4095), "mma_sync"));
  EXPECT_TRUE(has(textFor(kDynamic, 4096, 1001), "mma_sync"));
  EXPECT_TRUE(has(textFor(3, 5, 7), "mma_sync"));
  // C alone justifies no copy, and no assumption.
  EXPECT_FALSE(has(textFor(8, 50257, 768), "pack"));
  EXPECT_TRUE(has(textFor(8, 50257, 768), "store = threads"));
  EXPECT_TRUE(has(textFor(kDynamic, 50257, 768), "store = threads"));
  std::string open = textFor(4096, 4096, kDynamic);
  EXPECT_TRUE(llvm::StringRef(open).starts_with("ws"));
  EXPECT_FALSE(has(open, "pack"));
}

/// Slots cannot hold data that passes through registers while it is in flight,
/// so more threads load more: sixteen warps, where asynchronous copies need
/// two.
TEST(Defaults, WhatPassesRegistersIsSharedBySlices) {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  Problem lines;
  lines.b.order = Order::col;
  lines.m = 8, lines.n = 3712, lines.k = 4845;
  lines.a.align = lines.b.align = 2;
  EXPECT_EQ(MmaSync(MmaSync::kind().makeDefault(lines, arch)).slices, 4);
  lines.k = 4844;
  lines.a.align = lines.b.align = 8;
  MmaSync knobs(MmaSync::kind().makeDefault(lines, arch));
  EXPECT_EQ(knobs.tile, (std::array<int64_t, 3>{16, 32, 64}));
  EXPECT_EQ(knobs.slices, 1);
}

/// Factors that are split or transposed have a sibling that does so for each
/// tile; factors of 8 bits have none.
TEST(Defaults, SplitAndTransposeWhereItPays) {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  Problem problem;
  auto textFor = [&](llvm::StringRef types, llvm::StringRef layout, int64_t m,
                     int64_t n, int64_t k) {
    problem = Problem();
    llvm::cantFail(setTypes(problem, types));
    llvm::cantFail(setLayout(problem, layout));
    problem.m = m, problem.n = n, problem.k = k;
    Schedule schedule = defaultSchedule(problem, arch);
    EXPECT_FALSE(check(schedule, &problem, &arch));
    return toString(schedule);
  };
  auto starts = [](const std::string &text, llvm::StringRef what) {
    return llvm::StringRef(text).starts_with(what);
  };
  auto ends = [](const std::string &text, llvm::StringRef what) {
    return llvm::StringRef(text).ends_with(what);
  };
  for (llvm::StringRef layout : {"nn", "nt", "tn", "tt"}) {
    // Rows are split in registers; the operand with less to copy is packed.
    EXPECT_TRUE(
        ends(textFor("tf32x3:f32", layout, 4096, 4096, 4096), "pack = a"));
    EXPECT_TRUE(
        ends(textFor("tf32x3:f32", layout, 8192, 512, 2048), "pack = b"));
    EXPECT_TRUE(starts(textFor("tf32x3:f32", layout, 256, 256, 256), "mma_"));
    EXPECT_TRUE(ends(textFor("tf32x3:f32", layout, kDynamic, 4096, 4096),
                     "pack = a, edge = within"));
  }
  // Types that no tensor core multiplies go to the kind that multiplies by
  // threads. Its warps have 64 rows by 32 columns where C is large enough.
  for (llvm::StringRef layout : {"nn", "nt", "tn", "tt"}) {
    EXPECT_TRUE(starts(textFor("f32:f32", layout, 4096, 4096, 4096),
                       "mma_sync, tile = 128x128x16, warps = 2x4"));
    EXPECT_TRUE(starts(textFor("f32:f32", layout, 64, 4096 * 32, 4096),
                       "mma_sync, tile = 64x128x16, warps = 1x4"));
    EXPECT_TRUE(starts(textFor("f32:f32", layout, 1, 1, 1),
                       "mma_sync, tile = 16x16x16, warps = 1x1, stages = 2"));
    // With fewer tiles than processors, blocks share K.
    EXPECT_NE(llvm::StringRef(textFor("f32:f32", layout, 64, 4096, 4096))
                  .find("splits = 8"),
              llvm::StringRef::npos);
  }
  // Measured on an H200.
  for (auto [m, n, k] : {std::array<int64_t, 3>{512, 4096, 1024},
                         {4096, 4096, 256},
                         {2048, 2048, 2048}})
    EXPECT_TRUE(ends(textFor("tf32x3:f32", "nn", m, n, k), "pack = a"));
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{1024, 1024, 1024}, {128, 4096, 4096}})
    EXPECT_TRUE(
        starts(textFor("tf32x3:f32", "nn", m, n, k), "ws, side = b, tile = "));
  // Nothing is packed where the transposed operand provides the rows.
  auto packs = [](const std::string &text) {
    return llvm::StringRef(text).contains("pack");
  };
  for (int64_t m : {16, 128, 4096}) {
    EXPECT_FALSE(packs(textFor("tf32:f32", "nn", m, 4096, 4096)));
    EXPECT_FALSE(packs(textFor("tf32:f32", "tt", m, 4096, 4096)));
  }
  EXPECT_TRUE(ends(textFor("tf32:f32", "tn", 128, 4096, 4096), "pack = a"));
  // Bytes are transposed this way where they have few products.
  EXPECT_FALSE(packs(textFor("f8E5M2:f16", "nn", 128, 8192, 8192)));
  EXPECT_TRUE(ends(textFor("f8E5M2:f16", "nn", 2048, 2048, 2048), "pack = b"));
  EXPECT_FALSE(packs(textFor("i8:i32", "nn", 128, 8192, 8192)));
  // Weights of 8 bits are widened this way.
  for (llvm::StringRef layout : {"nn", "nt"})
    EXPECT_FALSE(packs(textFor("f16/i8:f16", layout, 256, 4096, 4096)));
  EXPECT_TRUE(starts(textFor("i8:i32", "nt", 4096, 4096, 4096),
                     "ws, side = a, tile = 128x128x128, consumers = 1x1, "
                     "teams = 2"));
  // Unknown alignment is assumed to be enough: there is a sibling.
  problem = Problem();
  llvm::cantFail(setTypes(problem, "f8E5M2:f16"));
  problem.b.order = Order::col;
  problem.a.align = problem.b.align = problem.alignC = 1;
  EXPECT_TRUE(ends(toString(defaultSchedule(problem, arch)),
                   "group = 8, edge = within"));
}

TEST(Defaults, SayWhatNoFamilyTakes) {
  Arch arch = llvm::cantFail(Arch::lookup("h200"));
  Problem problem = llvm::cantFail(Problem::parse(kMixed));
  std::optional<std::string> broken =
      check(defaultSchedule(problem, arch), &problem, &arch);
  ASSERT_TRUE(broken);
  EXPECT_TRUE(llvm::StringRef(*broken).starts_with("schedule_c2: "));
}

} // namespace
