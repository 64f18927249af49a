//===- WarpSpecialized.h - Laws of the families for sm_90a ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The laws that every family with a copy engine and consumers obeys, as
// templates over the family, for its table of laws. Most are the hardware's:
// the tensor cores take 64 rows and at most 256 columns from lines of 128
// bytes, and a block has so much shared memory and so many registers.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_WARPSPECIALIZED_H
#define HONE_LIB_SCHEDULE_WARPSPECIALIZED_H

#include "Families.h"
#include <array>
#include <utility>

namespace hone::detail {

Broken wsRefuseArch(const Arch &arch);
Broken wsRefuseProblem(const Problem &problem);

Broken wsTileM(const WarpSpecialized &knobs);
Broken wsTileN(const WarpSpecialized &knobs);
Broken wsTileK(const WarpSpecialized &knobs);
Broken wsStages(const WarpSpecialized &knobs);
Broken wsCluster(const WarpSpecialized &knobs);
Broken wsMulticast(const WarpSpecialized &knobs, const Facts &facts);
Broken wsShared(const WarpSpecialized &knobs, const Facts &facts);
Broken wsTall(const WarpSpecialized &knobs);
Broken wsRowOfB(const WarpSpecialized &knobs, const Facts &facts);
Broken wsGroup(const WarpSpecialized &knobs);

/// Of persistent blocks: consumers, and registers that a launch gives them.
Broken wsConsumers(const WarpSpecialized &knobs);
Broken wsLaunch(const WarpSpecialized &knobs, int64_t threads);
/// Of blocks whose sums meet: blocks that share a tile, `least` or more, and
/// what each of their consumers finishes.
Broken wsSplits(const WarpSpecialized &knobs, int64_t least);
Broken wsShare(const WarpSpecialized &knobs);
/// Of blocks with one tile, where nobody gives registers up.
Broken wsFewConsumers(const WarpSpecialized &knobs);
int64_t wsLaunchRegisters(int64_t threads);

/// Budgets of blocks with a whole group for the producer.
RegisterBudget wsRegisters(const WarpSpecialized &knobs);
/// The accumulators must leave a consumer of `registers` some for addresses,
/// and for what an epilogue reads and computes.
Broken wsAccumulatorsFit(const WarpSpecialized &knobs, int64_t registers,
                         const Facts &facts);
/// As many slots as fit a block's shared memory, within the law.
int64_t wsMostStages(const WarpSpecialized &knobs, const Problem &problem,
                     const Arch &arch);

/// The common laws by number.
template <typename FamilyT>
inline constexpr std::array<Law<FamilyT>, 10> kWarpSpecializedLaws = {{
    {40, "tile.m is a multiple of 64 * consumers.m",
     [](const FamilyT &knobs, const Facts &) { return wsTileM(knobs); }},
    {41, "tile.n is a multiple of 16 * consumers.n and at most 256 each",
     [](const FamilyT &knobs, const Facts &) { return wsTileN(knobs); }},
    {42, "tile.k is 64, 128, 192 or 256",
     [](const FamilyT &knobs, const Facts &) { return wsTileK(knobs); }},
    {43, "stages is 2 to 16",
     [](const FamilyT &knobs, const Facts &) { return wsStages(knobs); }},
    {44, "cluster is 1, 2 or 4 blocks, along M or along N",
     [](const FamilyT &knobs, const Facts &) { return wsCluster(knobs); }},
    {45, "tile.m is at most 512",
     [](const FamilyT &knobs, const Facts &) { return wsTall(knobs); }},
    {46, "tile.n is a multiple of 64 * consumers.n where b is row",
     [](const FamilyT &knobs, const Facts &facts) {
       return wsRowOfB(knobs, facts);
     }},
    {47, "a block of a cluster loads a multiple of 8 lines of what is shared",
     [](const FamilyT &knobs, const Facts &facts) {
       return wsMulticast(knobs, facts);
     }},
    {48, "rings, chunks and barriers fit the shared memory of a block",
     [](const FamilyT &knobs, const Facts &facts) {
       return wsShared(knobs, facts);
     }},
    {49, "group is 1 to 65535",
     [](const FamilyT &knobs, const Facts &) { return wsGroup(knobs); }},
}};

template <typename FamilyT, size_t size, size_t... is, size_t... js>
constexpr std::array<Law<FamilyT>, sizeof...(is) + size>
joinLaws(const Law<FamilyT> (&own)[size], std::index_sequence<is...>,
         std::index_sequence<js...>) {
  return {{kWarpSpecializedLaws<FamilyT>[is]..., own[js]...}};
}

/// The common laws, then a family's own.
template <typename FamilyT, size_t size>
constexpr auto withWarpSpecializedLaws(const Law<FamilyT> (&own)[size]) {
  return joinLaws(
      own, std::make_index_sequence<kWarpSpecializedLaws<FamilyT>.size()>(),
      std::make_index_sequence<size>());
}

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_WARPSPECIALIZED_H
