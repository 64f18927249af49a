//===- WarpSpecialized.cpp - Properties of ws schedules -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties derived from the decisions: sizes, supported machines, facts.
// The decisions themselves are in WarpSpecializedRow.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/WarpSpecialized.h"
#include "../CommonLaws.h"
#include "WarpSpecializedParts.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Properties derived from the knobs
//===----------------------------------------------------------------------===//

/// Exchanges the decisions for M with those for N.
static void swapSides(WarpSpecialized &knobs) {
  std::swap(knobs.tile[0], knobs.tile[1]);
  std::swap(knobs.consumers[0], knobs.consumers[1]);
  std::swap(knobs.cluster[0], knobs.cluster[1]);
}

WarpSpecialized WarpSpecialized::turned() const {
  WarpSpecialized knobs = *this;
  if (transposes)
    swapSides(knobs);
  return knobs;
}

bool WarpSpecialized::givesRegisters() const {
  int64_t withOneWarp = 32 + groups() * 128;
  return persistent ||
         accumulators() + kConsumerAddresses > launchRegisters(withOneWarp);
}

std::optional<RegisterBudget> WarpSpecialized::budget() const {
  constexpr int64_t kGranule = 8, kMax = 240;
  if (!givesRegisters())
    return std::nullopt;
  // A block redistributes the registers of its launch: 96 for each of 640
  // threads, not the 102 of the processor. A thread that requests more waits
  // forever.
  int64_t granted = launchRegisters(threads()) * threads() / 128;
  // Two consumers with many accumulators need the registers that a producer can
  // spare.
  int64_t producer = groups() != 2 ? 32 : accumulators() < 192 ? 40 : 24;
  int64_t left = granted - producer;
  return RegisterBudget{producer,
                        std::min(left / groups() / kGranule * kGranule, kMax)};
}

int64_t WarpSpecialized::consumerRegisters() const {
  std::optional<RegisterBudget> shared = budget();
  return shared ? shared->consumer : launchRegisters(threads());
}

//===----------------------------------------------------------------------===//
// Supported machines and types
//===----------------------------------------------------------------------===//

Broken detail::wsRefuseArch(const Arch &arch) {
  if (arch.isa == "sm_90a")
    return std::nullopt;
  return formatv("expected an arch with the instructions of sm_90a, but got "
                 "'{0}'; use mma_sync",
                 arch.name)
      .str();
}

namespace {
/// The copy engine needs lines of an operand that start at multiples of 16
/// bytes. `isOutOfReach` means that an operand is known to lack this. Unknown
/// alignments are checked at the launch.
struct Lines {
  static constexpr int64_t kUnit = 16;
  static constexpr int64_t kSector = 32; ///< of the L2
  int64_t bytes;                         ///< of a line; negative if unknown
  bool isOutOfReach;

  bool cutSectors() const { return bytes > 0 && bytes % kSector != 0; }
};
} // namespace

static Lines linesOf(int64_t width, ElementType type, int64_t align) {
  if (width == kDynamic)
    return {-1, false};
  int64_t bytes = width * sizeOf(type);
  return {bytes, align < Lines::kUnit && bytes % Lines::kUnit != 0};
}
static Lines linesOfA(const Problem &problem) {
  const Operand &a = problem.a;
  return linesOf(a.order == Order::row ? problem.k : problem.m, a.type,
                 a.align);
}
static Lines linesOfB(const Problem &problem) {
  const Operand &b = problem.b;
  return linesOf(b.order == Order::row ? problem.n : problem.k, b.type,
                 b.align);
}
/// The engine always stores 16 bytes. At the end of a line of C with another
/// length, some of those bytes lie outside of C, however lines are aligned.
static Lines linesOfC(const Problem &problem, bool areStoredByEngine) {
  return linesOf(problem.n, problem.c, areStoredByEngine ? 0 : problem.alignC);
}

Broken detail::wsRefuseTypes(const Problem &problem) {
  return refuseTensorCoreTypes(problem);
}

Broken detail::wsRefuseMemory(const Schedule &schedule,
                              const Problem &problem) {
  if (problem.k == 0)
    return "expected something to multiply, but got k = 0; use mma_sync";
  WarpSpecialized knobs(schedule);
  auto refuse = [](const char *name, Lines lines, llvm::StringRef remedy) {
    return formatv("expected lines of {0} that start at multiples of {1} "
                   "bytes, but got lines of {2} bytes; use {3}, or mma_sync",
                   name, Lines::kUnit, lines.bytes, remedy)
        .str();
  };
  if (Lines a = linesOfA(problem); a.isOutOfReach && !knobs.packsA())
    return refuse("a", a, knobs.packsB() ? "pack = ab" : "pack = a");
  if (Lines b = linesOfB(problem); b.isOutOfReach && !knobs.packsB())
    return refuse("b", b, knobs.packsA() ? "pack = ab" : "pack = b");
  if (Lines c = linesOfC(problem, knobs.storesByEngine());
      c.isOutOfReach && !knobs.threadsStore)
    return refuse("c", c, "store = threads");
  return std::nullopt;
}

/// Whether A, or B, is transposed, because tensor cores cannot read its layout.
static bool isTurned(const Problem &problem, bool isA) {
  return isA ? readsAlongA(problem) != (problem.a.order == Order::row)
             : readsAlongB(problem) != (problem.b.order == Order::col);
}

/// Whether its elements are converted.
static bool isChanged(const Problem &problem, bool isA) {
  return passesOf(problem) > 1 || (!isA && problem.convertsB());
}

static bool isOutOfReach(const Problem &problem, bool isA) {
  return (isA ? linesOfA(problem) : linesOfB(problem)).isOutOfReach;
}

WarpSpecialized WarpSpecialized::reaching(const Problem &problem) const {
  WarpSpecialized knobs = *this;
  auto mustPack = [&](bool isA) {
    return isTurned(problem, isA) || isChanged(problem, isA) ||
           isOutOfReach(problem, isA);
  };
  knobs.packs = 1 + mustPack(true) + 2 * mustPack(false);
  knobs.threadsStore = linesOfC(problem, !meets()).isOutOfReach;
  return knobs;
}

WarpSpecialized WarpSpecialized::mirrored() const {
  WarpSpecialized knobs = *this;
  knobs.transposes = !transposes;
  swapSides(knobs);
  return knobs;
}

WarpSpecialized WarpSpecialized::fetching(const Problem &problem) const {
  WarpSpecialized knobs = reaching(problem);
  bool rowsAreA = !transposes;
  if (!isOutOfReach(problem, rowsAreA))
    knobs.packs -= rowsAreA ? knobs.packsA() : 2 * knobs.packsB();
  return knobs;
}

bool WarpSpecialized::fetchesRows(const Problem &problem) const {
  bool rowsAreA = !transposes;
  if (rowsAreA ? packsA() : packsB())
    return false;
  return isChanged(problem, rowsAreA) || isTurned(problem, rowsAreA);
}

bool WarpSpecialized::fetchesPanels(const Problem &problem) const {
  bool isA = !transposes;
  return tile[sideOfLines(problem, isA)] % panelOf(problem, isA) == 0;
}

ElementType WarpSpecialized::slotType(const Problem &problem, bool isA) const {
  if (isA)
    return problem.a.type;
  return transposes && fetchesRows(problem) ? problem.b.type
                                            : problem.multipliedB();
}

int64_t WarpSpecialized::ringBytes(const Problem *problem) const {
  constexpr int64_t kUsual = 2;
  if (!problem)
    return stages * (tile[0] + tile[1]) * tile[2] * kUsual;
  int64_t rows = tile[0] * sizeOf(slotType(*problem, /*isA=*/!transposes));
  int64_t cols = tile[1] * sizeOf(slotType(*problem, /*isA=*/transposes));
  return stages * (rows + cols * (splitsRows(*problem) ? 2 : 1)) * tile[2];
}

bool WarpSpecialized::slotsAlongK(const Problem &problem, bool isA) const {
  bool isFetched = isA != transposes && fetchesRows(problem);
  bool isTurnedThere = isFetched && isTurned(problem, isA);
  return (isA ? readsAlongA(problem) : readsAlongB(problem)) && !isTurnedThere;
}

int64_t detail::blockSums(const WarpSpecialized &knobs,
                          const Problem *problem) {
  bool addsBlocks = problem && blockOf(*problem);
  return addsBlocks ? knobs.accumulators() / std::max<int64_t>(knobs.bands(), 1)
                    : 0;
}

int64_t detail::fetchedRegisters(const WarpSpecialized &knobs,
                                 const Problem *problem) {
  constexpr int64_t kBytes = 4, kLanesAlongK = 4, kRowsOfLane = 2;
  constexpr int64_t kPlacesOfLines = 16;
  if (!problem || !knobs.fetchesRows(*problem))
    return 0;
  int64_t block = blockOf(*problem);
  int64_t elements = block ? block : knobs.bands() * knobs.tile[2];
  int64_t parts = knobs.splitsRows(*problem) ? 2 : 1;
  bool isTurned = !knobs.slotsAlongK(*problem, /*isA=*/!knobs.transposes);
  return kRowsOfLane * parts * elements * sizeOf(problem->a.type) /
             (kBytes * kLanesAlongK) +
         (isTurned ? kPlacesOfLines : 0);
}

int64_t detail::otherRegisters(const WarpSpecialized &knobs,
                               const Problem *problem) {
  constexpr int64_t kEpilogue = 48;
  if (!problem || problem->epilogue.empty())
    return kConsumerAddresses;
  int64_t freed = blockSums(knobs, problem);
  return kConsumerAddresses + std::max<int64_t>(kEpilogue - freed, 0);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Bytes that packing reads and writes. An unknown extent counts as one.
static double packBytes(const WarpSpecialized &knobs, const Problem &problem) {
  auto known = [](int64_t extent) {
    return double(extent == kDynamic ? 1 : extent);
  };
  // Split operands are written twice.
  int64_t copies = passesOf(problem) > 1 ? 2 : 1;
  double matrices = known(problem.batch.value_or(1)), bytes = 0;
  auto add = [&](const Operand &operand, int64_t extent, ElementType written) {
    bytes += (operand.shared ? 1 : matrices) * known(extent) *
             known(problem.k) *
             double(sizeOf(operand.type) + copies * sizeOf(written));
  };
  if (knobs.packsA())
    add(problem.a, problem.m, problem.a.type);
  if (knobs.packsB())
    add(problem.b, problem.n, problem.multipliedB());
  return bytes;
}

/// Bytes of shared memory bandwidth per element of the rows. Lanes load
/// transposed bytes one by one, 13 in a clock (f8E4M3FN on an H200),
/// which takes as long as 8 bytes.
static int64_t rowBytes(const WarpSpecialized &knobs, const Problem &problem) {
  constexpr int64_t kTurned = 8;
  bool isA = !knobs.transposes;
  bool isTurnedThere =
      knobs.fetchesRows(problem) && !knobs.slotsAlongK(problem, isA);
  return isTurnedThere ? kTurned : sizeOf(knobs.slotType(problem, isA));
}

/// A band of 64 rows reads its part of A once, and all of the consumer's
/// columns of B. With `transposes` the tensor cores' rows are C's columns;
/// `tile` is in the terms of C.
BlockFacts detail::wsFacts(const Schedule &schedule, const Problem &problem) {
  constexpr int64_t kAddresses = 64;
  WarpSpecialized given(schedule), knobs = given.turned();
  BlockFacts facts;
  facts.multiplier = Multiplier::groups;
  facts.tile = given.tile;
  facts.stages = knobs.stages;
  facts.passes = knobs.passes(problem);
  facts.productsPerStep = passesOf(problem) / facts.passes;
  facts.cluster = given.cluster;
  facts.splits = knobs.splits;
  facts.parts = knobs.streams ? knobs.parts : 0;
  facts.group = knobs.group;
  facts.bandsAlongN = knobs.bandsAlongN;
  facts.persistent = knobs.persistent;
  facts.teams = knobs.teams;
  facts.sharers = knobs.consumers[0] * knobs.consumers[1];
  facts.productCols = knobs.groupCols();
  facts.groupRows = knobs.groupRows();
  facts.blockSums = blockOf(problem);
  facts.fetchesRows = knobs.fetchesRows(problem);
  facts.standsBack = {given.standsBackAlong(problem, 0),
                      given.standsBackAlong(problem, 1)};
  int64_t ofColumns =
      facts.productsPerStep * knobs.groupCols() * sizeOf(problem.a.type);
  facts.sharedBytesPerStep = facts.sharers * knobs.bands() * knobs.tile[2] *
                             (64 * rowBytes(knobs, problem) + ofColumns);
  facts.elementBytes = {sizeOf(problem.a.type),
                        sizeOf(knobs.slotType(problem, /*isA=*/false))};
  // Both parts of the columns are loaded in one step.
  if (knobs.splitsRows(problem))
    facts.elementBytes[knobs.transposes ? 0 : 1] *= 2;
  facts.cutsSectors = {!knobs.packsA() && linesOfA(problem).cutSectors(),
                       !knobs.packsB() && linesOfB(problem).cutSectors()};
  facts.threads = knobs.threads();
  facts.sharedBytes = knobs.sharedBytes(&problem);
  facts.launchRegisters = launchRegisters(facts.threads);
  facts.packBytes = packBytes(knobs, problem);
  if (knobs.storesByEngine()) {
    constexpr int64_t kLanes = 64;
    Chunks chunks = knobs.chunks(sizeOf(problem.c));
    auto [lines, cols] = knobs.transposes ? std::pair(chunks.widest, kLanes)
                                          : std::pair(kLanes, chunks.widest);
    facts.storeChunks = knobs.bands() * int64_t(chunks.cols.size());
    facts.storeLines = lines;
    facts.storeLineBytes = cols * sizeOf(problem.c);
    facts.storeSlots = knobs.storeSlots(&problem);
  } else
    facts.storeBytes = std::min(2 * sizeOf(problem.c), problem.alignC);
  facts.launches = knobs.packsAny() ? 2 : 1;
  // Registers that are redistributed later are allocated at the launch.
  facts.registers =
      facts.threads * (knobs.givesRegisters()
                           ? facts.launchRegisters
                           : heldRegisters(knobs, &problem) + kAddresses);
  return facts;
}
