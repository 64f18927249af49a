//===- WarpSpecializedTileLaws.cpp - Laws of ws on tiles ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The legal divisions of a tile: into the groups' parts by the shapes of the
// tensor cores, and into the parts that the blocks of a cluster load for each
// other.
//
//===----------------------------------------------------------------------===//

#include "../CommonLaws.h"
#include "WarpSpecializedParts.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

/// A line is 1 to 4 panels of 128 bytes. Where the element type is unknown, any
/// size is accepted.
static Broken tileK(const WarpSpecialized &knobs, const KnownFacts &facts) {
  constexpr int64_t kPanelBytes = WarpSpecialized::kPanelBytes, kMaxK = 256;
  int64_t k = knobs.tile[2];
  auto isWhole = [&](int64_t panel) {
    return k % panel == 0 && k <= std::min(4 * panel, kMaxK);
  };
  ElementType type = facts.problem ? facts.problem->a.type : ElementType::f16;
  int64_t panel = kPanelBytes / sizeOf(type);
  if (isWhole(panel) ||
      (!facts.problem && isWhole(kPanelBytes / sizeOf(ElementType::f32))))
    return std::nullopt;
  if (sizeOf(type) == 1)
    return refuse(facts,
                  "expected tile.k to be {0} or {1} for {2}, but got {3}; use "
                  "{4}",
                  panel, kMaxK, toString(type), k, k > panel ? kMaxK : panel);
  return refuse(facts,
                "expected tile.k to be {0}, {1}, {2} or {3}{4}, but got {5}; "
                "use {6}",
                panel, 2 * panel, 3 * panel, 4 * panel,
                type == ElementType::f32 ? " for f32" : "", k,
                std::min<int64_t>(llvm::alignTo(k, panel), 4 * panel));
}

/// `what` must be a multiple of `unit`, and at most `max`.
static Broken multipleUpTo(const KnownFacts &facts, llvm::StringRef what,
                           int64_t value, int64_t unit, int64_t max,
                           llvm::StringRef why) {
  if (value % unit == 0 && value <= max)
    return std::nullopt;
  return refuse(facts,
                "expected {0} to be a multiple of {1} up to {2}, {3}, but got "
                "{4}; use {5}",
                what, unit, max, why, value,
                std::min<int64_t>(llvm::alignTo(value, unit), max));
}

static Broken teams(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (knobs.teams > 2)
    return refuse(facts, "expected teams to be 1 or 2, but got {0}; use 2",
                  knobs.teams);
  if (knobs.teams == 1 || knobs.consumers[0] * knobs.consumers[1] == 1)
    return std::nullopt;
  return refuse(facts,
                "expected one consumer in each of two teams, but got {0}x{1}; "
                "use consumers = 1x1",
                knobs.consumers[0], knobs.consumers[1]);
}

static Broken tileM(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (knobs.transposes)
    return std::nullopt;
  return multipleBecause(facts, "tile.m", knobs.tile[0],
                         64 * knobs.consumers[0],
                         ", 64 rows for each consumer");
}

static Broken tileN(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (knobs.transposes)
    return std::nullopt;
  if (Broken broken = multipleBecause(facts, "tile.n", knobs.tile[1],
                                      8 * knobs.consumers[1],
                                      ", 8 columns for each consumer"))
    return broken;
  if (knobs.groupCols() <= 256)
    return std::nullopt;
  return refuse(facts,
                "expected at most 256 columns for each consumer, but got {0}; "
                "use tile.n = {1}",
                knobs.groupCols(), 256 * knobs.consumers[1]);
}

static Broken cluster(const WarpSpecialized &knobs, const KnownFacts &facts) {
  constexpr int64_t kMax = 16;
  if (knobs.cluster[0] * knobs.cluster[1] <= kMax)
    return std::nullopt;
  return refuse(facts,
                "expected a cluster of at most {0} blocks, which is as many as "
                "can reach each other's memory, but got {1}x{2}; use 2x1",
                kMax, knobs.cluster[0], knobs.cluster[1]);
}

static Broken tall(const WarpSpecialized &knobs, const KnownFacts &facts) {
  return knobs.transposes ? std::nullopt
                          : atMost(facts, "tile.m", knobs.tile[0], 512);
}

static Broken rowOfB(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (knobs.transposes || !facts.problem || readsAlongB(*facts.problem))
    return std::nullopt;
  return multipleBecause(facts, "tile.n", knobs.tile[1],
                         64 * knobs.consumers[1],
                         " where b is row, 64 columns for each consumer");
}

/// Blocks along M share B, blocks along N share A, and each loads the same
/// number of lines, because one map has boxes of one size. Where the layout is
/// unknown, the lines may be numbered by k.
static Broken multicast(const WarpSpecialized &knobs, const KnownFacts &facts) {
  auto share = [&](const char *name, int64_t extent, int64_t unit,
                   std::optional<bool> alongK, int64_t blocks) -> Broken {
    int64_t k = knobs.tile[2];
    if ((alongK != false && extent % blocks == 0) ||
        (alongK != true && k % blocks == 0))
      return std::nullopt;
    if (alongK == false)
      name = "tile.k", extent = k, unit = 64;
    return multipleBecause(
        facts, name, extent, std::lcm(unit, blocks),
        llvm::formatv(", as many lines for each of {0} blocks", blocks).str());
  };
  std::optional<bool> rowsA, colsB;
  if (facts.problem) {
    rowsA = knobs.slotsAlongK(*facts.problem, /*isA=*/true);
    colsB = knobs.slotsAlongK(*facts.problem, /*isA=*/false);
  }
  if (Broken broken =
          share("tile.n", knobs.tile[1], 8, colsB, knobs.cluster[0]))
    return broken;
  return share("tile.m", knobs.tile[0], 64, rowsA, knobs.cluster[1]);
}

static Broken columnsAreBands(const WarpSpecialized &knobs,
                              const KnownFacts &facts) {
  if (!knobs.transposes)
    return std::nullopt;
  return multipleUpTo(facts, "tile.n", knobs.tile[1], 64 * knobs.consumers[1],
                      512, "64 columns for each consumer");
}

static Broken rowsArePieces(const WarpSpecialized &knobs,
                            const KnownFacts &facts) {
  if (!knobs.transposes)
    return std::nullopt;
  int64_t along = knobs.consumers[0];
  return multipleUpTo(facts, "tile.m", knobs.tile[0], 8 * along, 256 * along,
                      "8 rows for each consumer");
}

static Broken rowsArePanels(const WarpSpecialized &knobs,
                            const KnownFacts &facts) {
  if (!knobs.transposes || !facts.problem || readsAlongA(*facts.problem))
    return std::nullopt;
  int64_t along = knobs.consumers[0];
  return multipleUpTo(facts, "tile.m", knobs.tile[0], 64 * along, 256 * along,
                      "64 rows for each consumer where a is col");
}

/// For integers the tensor cores take 8, 16, 24 or 32 columns, and multiples of
/// 16 above that.
static Broken columnsOfIntegers(const WarpSpecialized &given,
                                const KnownFacts &facts) {
  constexpr int64_t kMaxByEight = 32, kUnit = 16;
  if (!facts.problem || !isInteger(facts.problem->a.type))
    return std::nullopt;
  WarpSpecialized knobs = given.turned();
  int64_t cols = knobs.groupCols();
  if (cols <= kMaxByEight || cols % kUnit == 0)
    return std::nullopt;
  const char *name = given.transposes ? "tile.m" : "tile.n";
  return refuse(facts,
                "expected a multiple of {0} columns above {1} for each "
                "consumer where a and b are {2}, but got {3}; use {4} = {5}",
                kUnit, kMaxByEight, toString(facts.problem->a.type), cols, name,
                llvm::alignTo(cols, kUnit) * knobs.consumers[1]);
}

/// A chunk of 1-byte results has lines of 16 elements, or of a multiple of 16.
static Broken columnsOfBytes(const WarpSpecialized &knobs,
                             const KnownFacts &facts) {
  constexpr int64_t kUnit = 16;
  if (knobs.transposes || !facts.problem || sizeOf(facts.problem->c) != 1)
    return std::nullopt;
  return multipleBecause(
      facts, "tile.n", knobs.tile[1], kUnit * knobs.consumers[1],
      formatv(", {0} columns for each consumer where c is {1}", kUnit,
              toString(facts.problem->c))
          .str());
}

/// A kernel that reads its result could read elements that the neighbouring
/// tile has already stored.
static Broken edge(const WarpSpecialized &knobs, const KnownFacts &facts) {
  if (!facts.problem || !knobs.standsBack || facts.problem->isAbbreviated() ||
      !readsResult(*facts.problem))
    return std::nullopt;
  return refuse(facts,
                "expected a result that no kernel reads where tiles stand back "
                "over their neighbours, because both store it, but got {0}; "
                "use edge = beyond",
                facts.problem->init == Init::read
                    ? "init = read"
                    : "a matrix that is added to the sums");
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr Law kTileLaws[] = {
    {37, "teams is 1 or 2, and two have one consumer each",
     lawOf<WarpSpecialized, teams>},
    {40, "tile.m is a multiple of 64 * consumers.m where side is a",
     lawOf<WarpSpecialized, tileM>},
    {41,
     "tile.n is a multiple of 8 * consumers.n and at most 256 each where side "
     "is a",
     lawOf<WarpSpecialized, tileN>},
    {42,
     "tile.k is 64, 128, 192 or 256; for f32 half of it, for 8 bits 128 or 256",
     lawOf<WarpSpecialized, tileK>},
    {44, "cluster has at most 16 blocks", lawOf<WarpSpecialized, cluster>},
    {45, "tile.m is at most 512 where side is a", lawOf<WarpSpecialized, tall>},
    {46,
     "tile.n is a multiple of 64 * consumers.n where side is a and b is row",
     lawOf<WarpSpecialized, rowOfB>},
    {47,
     "a cluster's blocks load equal parts: cluster.m divides the lines of B's "
     "tile, cluster.n of A's",
     lawOf<WarpSpecialized, multicast>},
    {70, "tile.n is a multiple of 64 * consumers.n up to 512 where side is b",
     lawOf<WarpSpecialized, columnsAreBands>},
    {71,
     "tile.m is a multiple of 8 * consumers.m up to 256 each where side is b",
     lawOf<WarpSpecialized, rowsArePieces>},
    {72,
     "tile.m is a multiple of 64 * consumers.m where side is b and a is col",
     lawOf<WarpSpecialized, rowsArePanels>},
    {87,
     "a consumer has a multiple of 16 columns above 32 where a and b are i8",
     lawOf<WarpSpecialized, columnsOfIntegers>},
    {88, "tile.n is a multiple of 16 * consumers.n where side is a and c is i8",
     lawOf<WarpSpecialized, columnsOfBytes>},
    {93, "edge = within is for results that no kernel reads",
     lawOf<WarpSpecialized, edge>},
};

llvm::ArrayRef<Law> detail::wsTileLaws() { return kTileLaws; }
