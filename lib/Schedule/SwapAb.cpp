//===- SwapAb.cpp - The family swap_ab ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws and default of the kernels that compute C transposed. The tensor cores'
// laws hold for the knobs with M and N exchanged.
//
//===----------------------------------------------------------------------===//

#include "WarpSpecialized.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

WarpSpecialized SwapAb::turned() const {
  WarpSpecialized knobs = *this;
  std::swap(knobs.tile[0], knobs.tile[1]);
  std::swap(knobs.consumers[0], knobs.consumers[1]);
  return knobs;
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

/// `knob` must be a multiple of `unit`, and at most `most`.
static Broken multipleUpTo(llvm::StringRef knob, int64_t value, int64_t unit,
                           int64_t most, llvm::StringRef why) {
  if (value % unit == 0 && value <= most)
    return std::nullopt;
  return formatv("expected {0} to be a multiple of {1} up to {2}, {3}, but got "
                 "{4}; use {5}",
                 knob, unit, most, why, value,
                 std::min<int64_t>(llvm::alignTo(value, unit), most))
      .str();
}

static Broken columnsAreBands(const SwapAb &knobs, const Facts &) {
  return multipleUpTo("tile.n", knobs.tile[1], 64 * knobs.consumers[1], 512,
                      "64 columns for each consumer");
}

static Broken rowsArePieces(const SwapAb &knobs, const Facts &) {
  int64_t along = knobs.consumers[0];
  return multipleUpTo("tile.m", knobs.tile[0], 16 * along, 256 * along,
                      "16 rows for each consumer");
}

static Broken rowsArePanels(const SwapAb &knobs, const Facts &facts) {
  if (!facts.problem || facts.problem->a.order == Order::row)
    return std::nullopt;
  int64_t along = knobs.consumers[0];
  return multipleUpTo("tile.m", knobs.tile[0], 64 * along, 256 * along,
                      "64 rows for each consumer where a is col");
}

static constexpr Law<SwapAb> kLaws[] = {
    {42, "tile.k is 64, 128, 192 or 256",
     [](const SwapAb &knobs, const Facts &) { return wsTileK(knobs); }},
    {43, "stages is 2 to 16",
     [](const SwapAb &knobs, const Facts &) { return wsStages(knobs); }},
    {48, "rings, chunks and barriers fit the shared memory of a block",
     [](const SwapAb &knobs, const Facts &facts) {
       return wsShared(knobs, facts);
     }},
    {49, "group is 1 to 65535",
     [](const SwapAb &knobs, const Facts &) { return wsGroup(knobs); }},
    {60, "a block has 1 to 4 consumers",
     [](const SwapAb &knobs, const Facts &) { return wsFewConsumers(knobs); }},
    {61,
     "the accumulators fit the registers that a launch gives, beside the "
     "epilogue",
     [](const SwapAb &knobs, const Facts &facts) {
       return wsAccumulatorsFit(knobs, wsLaunchRegisters(knobs.threads()),
                                facts);
     }},
    {62, "splits is 1, 2, 4, 8 or 16",
     [](const SwapAb &knobs, const Facts &) {
       return wsSplits(knobs, /*least=*/1);
     }},
    {66,
     "a consumer finishes whole lines of the tile, two elements a thread or a "
     "multiple",
     [](const SwapAb &knobs, const Facts &) { return wsShare(knobs); }},
    {70, "tile.n is a multiple of 64 * consumers.n up to 512", columnsAreBands},
    {71, "tile.m is a multiple of 16 * consumers.m up to 256 each",
     rowsArePieces},
    {72, "tile.m is a multiple of 64 * consumers.m where a is col",
     rowsArePanels},
};

//===----------------------------------------------------------------------===//
// Default
//===----------------------------------------------------------------------===//

/// Few rows are one tile, so that B is read once. More of them are as many
/// tiles as run at once.
static int64_t rowsOf(int64_t m, int64_t n, const Arch &arch) {
  constexpr int64_t kFew = 32, kMost = 64, kCols = 64;
  int64_t rows = 16;
  auto tiles = [&] {
    return llvm::divideCeilSigned(m, rows) * llvm::divideCeilSigned(n, kCols);
  };
  while (rows < kMost && rows < m && (m <= kFew || tiles() > arch.processors))
    rows *= 2;
  return rows;
}

/// As many blocks for a tile as there are processors for them and steps of K.
static SwapAb makeDefault(const Problem &problem, const Arch &arch) {
  constexpr int64_t kMostSplits = 8, kLeastSteps = 4, kPanel = 64;
  SwapAb knobs;
  auto known = [](int64_t extent, int64_t guess) {
    return std::max<int64_t>(extent == kDynamic ? guess : extent, 1);
  };
  int64_t m = known(problem.m, 16), n = known(problem.n, 4096);
  bool inPanels = problem.a.order == Order::col;
  knobs.tile[0] = inPanels ? kPanel : rowsOf(m, n, arch);
  knobs.stages = std::min<int64_t>(8, wsMostStages(knobs, problem, arch));
  int64_t tiles = llvm::divideCeilSigned(m, knobs.tile[0]) *
                  llvm::divideCeilSigned(n, knobs.tile[1]) *
                  known(problem.batch.value_or(1), 1);
  int64_t steps = known(problem.k, 4096) / knobs.tile[2];
  auto fits = [&](int64_t splits) {
    return tiles * splits <= arch.processors && steps >= splits * kLeastSteps &&
           knobs.tile[0] * knobs.tile[1] % (splits * 256) == 0;
  };
  while (knobs.splits < kMostSplits && fits(knobs.splits * 2))
    knobs.splits *= 2;
  return knobs;
}

template <>
const Family<SwapAb> &detail::family<SwapAb>() {
  static constexpr Family<SwapAb> value = {wsRefuseArch, wsRefuseProblem, kLaws,
                                           makeDefault};
  return value;
}
