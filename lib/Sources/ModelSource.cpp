//===- ModelSource.cpp - Cost model's guess for unmeasured problems -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ModelSource.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/ModelSource.h"
#include "hone/Space/Draw.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;

/// False for the schedules that the model misjudges most: rings of few slots,
/// and tiles cut where runs of steps end although there are tiles for half of
/// the processors. They are useful as one of many candidates to measure; as an
/// unmeasured choice they lose to the default. Chips without wgmma have less
/// shared memory, so three slots are many there.
static bool isSafe(const Problem &problem, const Arch &arch,
                   const Schedule &schedule) {
  BlockFacts facts = blockFacts(problem, schedule);
  const int64_t minSlots = arch.isa == "sm_90a" ? 4 : 3;
  int64_t tiles = llvm::divideCeil(problem.m, facts.tile[0]) *
                  llvm::divideCeil(problem.n, facts.tile[1]) *
                  problem.batch.value_or(1);
  return facts.stages >= minSlots &&
         (facts.parts == 0 || 2 * tiles < arch.processors);
}

/// The model is unreliable for operands that a kind's kernels cannot address in
/// place: a kind whose kernels read them slowly looks too good. The default
/// accounts for the cost of copies.
static bool isAddressed(const Problem &problem, const Arch &arch) {
  return llvm::none_of(allKinds(), [&](const Kind *kind) {
    return !kind->refuseArch(arch) && !kind->refuseTypes(problem) &&
           checkMemory(Schedule(*kind), problem);
  });
}

/// The model was fitted to times of kernels for elements of 16 bits. For others
/// the default, which has tiles of the same number of bytes, is the safer
/// choice.
static bool isFitted(const Problem &problem) {
  return sizeOf(problem.a.type) == 2 && sizeOf(problem.b.type) == 2;
}

/// The prices of ragged rows do not tell these apart, so times on an H200
/// do. Those of mma_sync were wrong by up to a factor of two, and
/// tiles of more rows were rarely the fastest. Clusters of two were where lines
/// begin within a sector of the L2, and only there. Blocks of one tile were
/// where eight groups or more have many rows, a long K and few rounds of tiles.
/// With very many groups of few rows, most of these blocks are empty.
static bool isUsualOfGroups(const Problem &problem, const Arch &arch,
                            const Schedule &schedule) {
  constexpr int64_t kRows = 128, kCols = 256, kLongK = 2560, kRounds = 20;
  constexpr int64_t kSome = 8, kMany = 64;
  BlockFacts facts = blockFacts(problem, schedule);
  if (facts.multiplier != Multiplier::groups || facts.tile[0] > kRows)
    return false;
  bool cuts = facts.cutsSectors[0] || facts.cutsSectors[1];
  if (facts.cluster[0] > (cuts && facts.persistent ? 2 : 1))
    return false;
  int64_t groups = *problem.groups;
  if (problem.m < kRows * groups)
    return facts.persistent || groups <= kMany;
  int64_t tiles =
      (problem.m / kRows + groups) * llvm::divideCeil(problem.n, kCols);
  bool areSpread = !cuts && groups >= kSome && problem.k >= kLongK &&
                   tiles <= kRounds * arch.processors;
  return facts.persistent != areSpread;
}

std::optional<Schedule> hone::guessSchedule(const Problem &problem,
                                            const Arch &arch, size_t looks) {
  if (arch.isHost() || !isFitted(problem) || !problem.isStatic() ||
      !problem.flops() || *problem.flops() <= 0 || !isAddressed(problem, arch))
    return std::nullopt;
  DrawOptions options = quickDraw();
  options.looks = looks;
  options.max = SIZE_MAX;
  std::vector<Priced> all = drawn(problem, arch, options);
  llvm::erase_if(all, [&](const Priced &one) {
    return !isSafe(problem, arch, one.schedule);
  });
  auto isUsual = [&](const Priced &one) {
    return isUsualOfGroups(problem, arch, one.schedule);
  };
  if (problem.groups && llvm::any_of(all, isUsual))
    llvm::erase_if(all, std::not_fn(isUsual));
  auto best =
      llvm::min_element(all, [](const Priced &one, const Priced &other) {
        return one.price < other.price;
      });
  return best == all.end() ? std::nullopt : std::optional(best->schedule);
}

std::optional<Answer> ModelSource::ask(const Problem &problem,
                                       const Arch &arch) {
  std::optional<Schedule> best = guessSchedule(problem, arch);
  if (!best)
    return std::nullopt;
  return Answer{*best, "the cost model", Basis::guess};
}
