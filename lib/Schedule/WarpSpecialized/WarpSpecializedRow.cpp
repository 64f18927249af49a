//===- WarpSpecializedRow.cpp - Row of ws ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions, rewrites, and the old names of some combinations.
//
//===----------------------------------------------------------------------===//

#include "../Text.h"
#include "WarpSpecializedParts.h"

using namespace hone;
using namespace hone::detail;

static constexpr llvm::StringLiteral kSides[] = {"a", "b"};
static constexpr llvm::StringLiteral kEngineOrThreads[] = {"engine", "threads"};
static constexpr llvm::StringLiteral kFewOrAll[] = {"few", "all"};
static constexpr llvm::StringLiteral kPacked[] = {"none", "a", "b", "ab"};
static constexpr llvm::StringLiteral kExtents[] = {"m", "n"};

//===----------------------------------------------------------------------===//
// Rewrites: the first word is the default
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kLoads[] = {"rows_first", "cols_first"};
static constexpr llvm::StringLiteral kAhead[] = {"none", "2", "4", "8"};
static constexpr llvm::StringLiteral kFlight[] = {"1", "0", "2"};
static constexpr llvm::StringLiteral kProducts[] = {"by_band", "by_step"};
static constexpr llvm::StringLiteral kEdge[] = {"beyond", "within"};
static constexpr llvm::StringLiteral kHandover[] = {"late", "early"};
static constexpr llvm::StringLiteral kSkew[] = {"0", "1", "2", "3"};
static constexpr llvm::StringLiteral kUnroll[] = {"no", "peel", "2", "4"};
static constexpr llvm::StringLiteral kStores[] = {"apart", "joined"};
static constexpr llvm::StringLiteral kStaging[] = {"free", "guarded"};
static constexpr llvm::StringLiteral kNext[] = {"start", "loaded", "stored"};
static constexpr llvm::StringLiteral kBegin[] = {"producer", "together"};

static bool hasBands(const Schedule &schedule) {
  return WarpSpecialized(schedule).turned().bands() > 1;
}
static bool hasTeams(const Schedule &schedule) {
  return WarpSpecialized(schedule).teams > 1;
}
static bool hasPeers(const Schedule &schedule) {
  WarpSpecialized knobs(schedule);
  return knobs.teams == 1 && knobs.groups() > 1 && !knobs.streams;
}
static bool stages(const Schedule &schedule) {
  return WarpSpecialized(schedule).storesByEngine();
}
static bool stagesOnce(const Schedule &schedule) {
  return stages(schedule) && !WarpSpecialized(schedule).persistent;
}
static bool hasWholeTiles(const Schedule &schedule) {
  return !WarpSpecialized(schedule).streams;
}
static bool overlaps(const Schedule &schedule) {
  return WarpSpecialized(schedule).overlaps;
}

template <size_t count>
static constexpr Decision rewrite(llvm::StringLiteral name,
                                  llvm::StringLiteral help,
                                  const llvm::StringLiteral (&words)[count],
                                  bool (*matters)(const Schedule &) = nullptr) {
  return {name,
          When::compileTime,
          help,
          {{1, 1, int64_t(count)}},
          words,
          matters,
          /*quiet=*/true,
          /*isRewrite=*/true};
}

//===----------------------------------------------------------------------===//
// The row
//===----------------------------------------------------------------------===//

static constexpr Decision kDecisions[] = {
    {"side",
     When::compileTime,
     "the operand that gives the tensor cores their 64 rows: with a they "
     "compute C, with b its transpose (operands swapped)",
     {{1, 1, 2}},
     kSides},
    {"tile",
     When::compileTime,
     "tile of a team or a cluster, MxNxK elements of C and of one step",
     {{128, 8, 1024, 8}, {256, 8, 1024, 8}, {64, 64, 256, 64}}},
    {"consumers",
     When::compileTime,
     "groups of four warps that multiply (consumer warpgroups), along M and "
     "along N of a tile",
     {{2, 1, 4}, {1, 1, 4}}},
    {"teams",
     When::compileTime,
     "teams of consumers; of two, one stores its tile while the other "
     "multiplies (ping-pong)",
     {{1, 1, 2}}},
    {"persistent",
     When::compileTime,
     "blocks take tiles until none is left (a persistent kernel); else each "
     "has "
     "one",
     {{2, 1, 2}},
     kNoOrYes},
    {"cluster",
     When::compileTime,
     "blocks that share their loads (multicast), along M and along N",
     {{1, 1, 16}, {1, 1, 16}}},
    {"splits",
     When::compileTime,
     "blocks of a cluster that share a tile, each with a part of K (split-K)",
     {{1, 1, 16}}},
    {"streams",
     When::compileTime,
     "blocks have equal runs of steps: K is cut where a run ends, and sums "
     "meet in memory (stream-K)",
     {{1, 1, 2}},
     kNoOrYes},
    {"parts",
     When::runTime,
     "workers for each tile, where there are fewer tiles than processors",
     {{4, 1, 64}},
     {},
     [](const Schedule &schedule) { return schedule["streams"].front() == 2; }},
    {"stages",
     When::compileTime,
     "slots of the shared-memory ring (pipeline stages)",
     {{4, 2, 16}}},
    {"group",
     When::runTime,
     "tile rows that are walked together, for L2 reuse",
     {{8, 1, 65535}}},
    {"band",
     When::compileTime,
     "along which of C's extents those tiles lie: rows of tiles, or columns",
     {{1, 1, 2}},
     kExtents,
     nullptr,
     /*quiet=*/true},
    {"chunk",
     When::compileTime,
     "columns that are staged at once for C, at most: fewer leave room for "
     "slots",
     {{64, 16, 128, 0}},
     {},
     nullptr,
     /*quiet=*/true},
    {"staged",
     When::compileTime,
     "chunks of a consumer's tile that have a place in shared memory: two or "
     "three, or all, so that a residual is there when the sums are",
     {{1, 1, 2}},
     kFewOrAll,
     /*matters=*/nullptr,
     /*quiet=*/true},
    {"overlap",
     When::compileTime,
     "blocks may start while the launch ahead ends (programmatic dependent "
     "launch); they then go where there is room, not where they are best "
     "spread",
     {{2, 1, 2}},
     kNoOrYes,
     nullptr,
     /*quiet=*/true},
    {"store",
     When::compileTime,
     "unit that stores C: the engine, in lines that start at multiples of 16 "
     "bytes, or threads, in lines that start anywhere",
     {{1, 1, 2}},
     kEngineOrThreads,
     /*matters=*/nullptr,
     /*quiet=*/true},
    {"residual",
     When::compileTime,
     "unit that reads a matrix that is added to the sums: the engine, while "
     "they are computed, or threads, afterwards",
     {{1, 1, 2}},
     kEngineOrThreads,
     [](const Schedule &schedule) {
       return WarpSpecialized(schedule).storesByEngine();
     },
     /*quiet=*/true},
    {"pack",
     When::compileTime,
     "operands that a kernel of its own copies first, into lines that start at "
     "multiples of 16 bytes",
     {{1, 1, 4}},
     kPacked,
     /*matters=*/nullptr,
     /*quiet=*/true},
    {"edge",
     When::compileTime,
     "where the last tile of a row or a column ends: beyond the matrix, or "
     "with "
     "it, over a part of the tile before it",
     {{1, 1, 2}},
     kEdge,
     hasWholeTiles,
     /*quiet=*/true,
     /*isRewrite=*/false,
     /*isSettled=*/true},
    rewrite("loads",
            "which part of a slot the producer loads first: that of the tensor "
            "cores' rows, or of their columns",
            kLoads),
    rewrite("prefetch",
            "steps by which the producer has tiles fetched to the L2 before it "
            "loads them",
            kAhead),
    rewrite("flight",
            "groups of products in flight when a slot is given back: fewer "
            "give it back sooner",
            kFlight),
    rewrite("products",
            "the order of a step's products: each band of 64 rows with all of "
            "k, or each k with all bands",
            kProducts, hasBands),
    rewrite("handover",
            "where a team's threads meet before the other one multiplies: "
            "after their products, or before them",
            kHandover, hasTeams),
    rewrite(
        "skew",
        "slots by which the first consumer is ahead of the others when they "
        "begin: it then stores while they multiply",
        kSkew, hasPeers),
    rewrite("unroll",
            "the loop over K: its first step ahead of it, or so many steps at "
            "a time",
            kUnroll),
    rewrite(
        "stores",
        "chunks of a tile: each has its own barriers, or all that have slots "
        "meet at once",
        kStores, stages),
    rewrite("staging",
            "whether a wait precedes the first write to a slot of a chunk, as "
            "it precedes every other one",
            kStaging, stagesOnce),
    rewrite(
        "next",
        "when the next launch may begin to start: at once, or when this one "
        "has asked for its last loads, or has stored",
        kNext, overlaps),
    rewrite("begin",
            "threads that wait for the preceding launch: the producer, when it "
            "begins to load, or every thread before roles part",
            kBegin, overlaps),
    {"whole",
     When::compileTime,
     "a handwritten kernel, by its name, instead of the one that is built",
     {{1, 1, kLargestNumber}, {1, 1, kLargestNumber}, {1, 1, kLargestNumber}},
     /*words=*/{},
     /*matters=*/nullptr,
     /*quiet=*/true,
     /*isRewrite=*/true},
};

static constexpr Spelling kSpellings[] = {
    {"ws_coop", "side = a"},
    {"ws_pingpong", "tile = 64x256x64, consumers = 1x1, teams = 2"},
    {"small", "tile = 64x64x64, consumers = 1x1, persistent = no, stages = 8"},
    {"cluster_splitk", "tile = 64x64x64, consumers = 1x1, persistent = no, "
                       "splits = 4, stages = 8"},
    {"streamk", "streams = yes"},
    {"swap_ab", "side = b, tile = 16x64x128, consumers = 1x1, persistent = no, "
                "stages = 8"},
};

const Kind &WarpSpecialized::kind() {
  static const Kind row = {"ws",
                           kDecisions,
                           wsRefuseArch,
                           wsRefuseTypes,
                           wsRefuseMemory,
                           wsLaws(),
                           wsDefault,
                           wsFacts,
                           wsCheckGrid,
                           kSpellings,
                           wsSettle,
                           wsRefuseAccess,
                           /*takesRaggedRows=*/true};
  return row;
}
