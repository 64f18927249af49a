//===- MmaSync.cpp - The row of mma_sync ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of `warps` computes one tile; each warp owns an equal part of it,
// made of 16x16 pieces, because ldmatrix delivers fragments in that size. Of
// exact f32 threads multiply, and have the pieces in the same registers. The
// laws follow from there and from what a processor has: registers, threads and
// shared memory. None of them is about speed.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/MmaSync.h"
#include "CommonLaws.h"
#include "MmaSyncDefault.h"
#include "hone/Schedule/ExactF32.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

/// Side of the piece of C that two m16n8 instructions make.
static constexpr int64_t kPiece = 16;

/// Where nobody knows, elements have 16 bits.
static int64_t bytesOfA(const Problem *problem) {
  return problem ? sizeOf(problem->a.type) : 2;
}
static int64_t bytesOfB(const Problem *problem) {
  return problem ? sizeOf(problem->b.type) : 2;
}

bool hone::isReadWhole(const Problem &problem) {
  const Operand &a = problem.a, &b = problem.b;
  return sizeOf(b.type) > 1 ||
         (isInteger(a.type) && a.order == Order::row && b.order == Order::col);
}

int64_t MmaSync::ringBytes(const Problem *problem) const {
  constexpr int64_t kStart = 1024;
  int64_t lines = slices * stages * tile[2];
  return llvm::alignTo(lines * tile[0] * bytesOfA(problem), kStart) +
         lines * tile[1] * bytesOfB(problem);
}

int64_t MmaSync::registers(const Problem *problem) const {
  constexpr int64_t kAddresses = 48, kChunkBytes = 16;
  // What is multiplied in two parts is there as both of them.
  int64_t parts = problem && problem->products == Products::tf32x3 ? 2 : 1;
  // A thread keeps two registers for each 16-byte chunk it copies per step:
  // where it comes from, and whether it is inside the matrix.
  auto copies = [&](int64_t extent, int64_t bytes) {
    int64_t chunks = extent * tile[2] * bytes / kChunkBytes;
    return 2 * llvm::divideCeilSigned(chunks, groupThreads());
  };
  int64_t fragmentsA = tile[0] / warps[0] / 16 * 4 * parts;
  int64_t fragmentsB = tile[1] / warps[1] / 8 * 2 * parts;
  // A thread that multiplies reads 16 bytes of each of its rows and columns.
  if (problem && isExactF32(*problem)) {
    fragmentsA = tile[0] / warps[0] / 8 * 4;
    fragmentsB = tile[1] / warps[1] / 4 * 4;
  }
  return accumulators() + fragmentsA + fragmentsB + kAddresses +
         copies(tile[0], bytesOfA(problem)) +
         copies(tile[1], bytesOfB(problem));
}

//===----------------------------------------------------------------------===//
// Where it runs and what it takes
//===----------------------------------------------------------------------===//

static Broken refuseArch(const Arch &arch) {
  if (arch.capability >= 80)
    return std::nullopt;
  return formatv("expected an arch of compute capability 8.0 or newer, but got "
                 "'{0}'; use the host kind",
                 arch.name)
      .str();
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

static Broken divides(llvm::StringRef side, int64_t extent, int64_t warps) {
  int64_t unit = kPiece * warps;
  return multipleOf(("tile." + side).str(), extent, unit,
                    "16 * warps." + side + " = " + llvm::Twine(unit));
}

static Broken warpsDivideM(const MmaSync &knobs, const KnownFacts &) {
  return divides("m", knobs.tile[0], knobs.warps[0]);
}

static Broken warpsDivideN(const MmaSync &knobs, const KnownFacts &) {
  return divides("n", knobs.tile[1], knobs.warps[1]);
}

/// A product takes 32 bytes of k.
static Broken stepOfK(const MmaSync &knobs, const KnownFacts &facts) {
  constexpr int64_t kMost = 128;
  bool areBytes = bytesOfA(facts.problem) == 1;
  int64_t k = knobs.tile[2], least = areBytes ? 32 : 16;
  if (k >= least && k <= kMost && llvm::isPowerOf2_64(k))
    return std::nullopt;
  int64_t nearest =
      std::clamp<int64_t>(llvm::bit_floor(uint64_t(k)), least, kMost);
  return formatv("expected tile.k to be {0}32, 64 or 128{1}, but got {2}; use "
                 "{3}",
                 areBytes ? "" : "16, ", areBytes ? " for 8 bits" : "", k,
                 nearest)
      .str();
}

static Broken warpsOfBlock(const MmaSync &knobs, const KnownFacts &) {
  int64_t count = knobs.threads() / 32;
  if (count <= 16)
    return std::nullopt;
  if (knobs.slices > 1)
    return formatv("expected a block of at most 16 warps, but got {0}x{1} in "
                   "{2} slices = {3}; use slices = 1",
                   knobs.warps[0], knobs.warps[1], knobs.slices, count)
        .str();
  return formatv("expected a block of at most 16 warps, but got {0}x{1} = {2}; "
                 "use 2x2",
                 knobs.warps[0], knobs.warps[1], count)
      .str();
}

static Broken slotsOfRing(const MmaSync &knobs, const KnownFacts &) {
  return within("stages", knobs.stages, 2, 12);
}

static Broken accumulatorsFit(const MmaSync &knobs, const KnownFacts &) {
  if (knobs.accumulators() <= 128)
    return std::nullopt;
  return formatv("expected at most 128 accumulators per thread, but got {0}; "
                 "use more warps or a smaller tile",
                 knobs.accumulators())
      .str();
}

static Broken ringFits(const MmaSync &knobs, const KnownFacts &facts) {
  if (!facts.arch)
    return std::nullopt;
  int64_t bytes = knobs.ringBytes(facts.problem);
  int64_t limit = facts.arch->sharedPerBlock;
  if (bytes <= limit)
    return std::nullopt;
  int64_t most = limit / (bytes / knobs.stages);
  std::string remedy =
      most >= 2 ? formatv("stages = {0}", most).str() : "a smaller tile";
  return formatv("expected at most {0} bytes of shared memory on {1}, but got "
                 "{2}; use {3}",
                 limit, facts.arch->name, bytes, remedy)
      .str();
}

/// Registers are given to a thread in eights, so the block's share is rounded.
static Broken registersFit(const MmaSync &knobs, const KnownFacts &facts) {
  constexpr int64_t kPerThread = 255, kPerProcessor = 65536, kGranule = 8;
  int64_t perThread = knobs.registers(facts.problem);
  if (perThread > kPerThread)
    return formatv("expected at most {0} registers per thread, but got about "
                   "{1}; use more warps or a smaller tile",
                   kPerThread, perThread)
        .str();
  int64_t perBlock =
      knobs.threads() * int64_t(llvm::alignTo(perThread, kGranule));
  if (perBlock <= kPerProcessor)
    return std::nullopt;
  return formatv("expected at most {0} registers per block, but got about {1}; "
                 "use a smaller tile",
                 kPerProcessor, perBlock)
      .str();
}

static Broken bandFits(const MmaSync &knobs, const KnownFacts &) {
  return groupFits(knobs.group);
}

static Broken tileFits(const MmaSync &knobs, const KnownFacts &) {
  if (Broken broken = atMost("tile.m", knobs.tile[0], 256))
    return broken;
  return atMost("tile.n", knobs.tile[1], 256);
}

/// The swizzle exchanges 16-byte chunks within 128 bytes of a row, or within
/// the row where it is shorter. Rows along K have that from law 12.
static Broken swizzles(llvm::StringRef side, llvm::StringRef operand,
                       int64_t extent, int64_t bytes) {
  int64_t whole = bytes == 1 ? 128 : 64;
  if (extent % whole == 0 || (extent < whole && llvm::isPowerOf2_64(extent)))
    return std::nullopt;
  return formatv("expected tile.{0} to be 16, 32{1} or a multiple of {2} where "
                 "{3}{4}, but got {5}; use {6}",
                 side, bytes == 1 ? ", 64" : "", whole, operand,
                 bytes == 1 ? " and has 8 bits" : "", extent,
                 llvm::alignTo(extent, whole))
      .str();
}

static Broken rowOfA(const MmaSync &knobs, const KnownFacts &facts) {
  if (!facts.problem || facts.problem->a.order == Order::row)
    return std::nullopt;
  return swizzles("m", "a is col", knobs.tile[0], bytesOfA(facts.problem));
}

static Broken rowOfB(const MmaSync &knobs, const KnownFacts &facts) {
  if (!facts.problem || facts.problem->b.order == Order::col)
    return std::nullopt;
  return swizzles("n", "b is row", knobs.tile[1], bytesOfB(facts.problem));
}

static Broken splitsOfTile(const MmaSync &knobs, const KnownFacts &) {
  constexpr int64_t kMost = 16;
  if (llvm::isPowerOf2_64(knobs.splits) && knobs.splits <= kMost)
    return std::nullopt;
  return formatv(
             "expected splits to be 1, 2, 4, 8 or 16, but got {0}; use {1}",
             knobs.splits,
             std::min<int64_t>(llvm::bit_floor(uint64_t(knobs.splits)), kMost))
      .str();
}

static Broken clustersExist(const MmaSync &knobs, const KnownFacts &facts) {
  if (knobs.splits == 1 || !facts.arch || facts.arch->capability >= 90)
    return std::nullopt;
  return formatv("expected an arch with clusters (9.0 or newer) for splits = "
                 "{0}, but got '{1}'; use splits = 1",
                 knobs.splits, facts.arch->name)
      .str();
}

/// Each thread finishes a whole number of neighbours of the block's lines.
static Broken runsLeavePairs(const MmaSync &knobs, const KnownFacts &) {
  int64_t unit = 2 * knobs.runs();
  if (knobs.runs() == 1 || knobs.accumulators() % unit == 0)
    return std::nullopt;
  return formatv("expected the accumulators of a thread to be a multiple of 2 "
                 "* slices * splits = {0}, but got {1}; use fewer splits",
                 unit, knobs.accumulators())
      .str();
}

static Broken sumsFit(const MmaSync &knobs, const KnownFacts &facts) {
  if (!knobs.meets() || !facts.arch ||
      knobs.partialBytes() <= facts.arch->sharedPerBlock)
    return std::nullopt;
  return formatv("expected at most {0} bytes of shared memory on {1} for the "
                 "sums of a tile, but got {2}; use a smaller tile",
                 facts.arch->sharedPerBlock, facts.arch->name,
                 knobs.partialBytes())
      .str();
}

/// Groups of four warps have barriers of their own.
static Broken slicesAreGroups(const MmaSync &knobs, const KnownFacts &) {
  bool count = knobs.slices == 1 || knobs.slices == 2 || knobs.slices == 4;
  if (count && (knobs.slices == 1 || knobs.warps[0] * knobs.warps[1] == 4))
    return std::nullopt;
  if (!count)
    return formatv("expected slices to be 1, 2 or 4, but got {0}; use 4",
                   knobs.slices)
        .str();
  return formatv("expected four warps in each of {0} slices, but got {1}x{2}; "
                 "use warps = 2x2",
                 knobs.slices, knobs.warps[0], knobs.warps[1])
      .str();
}

static Broken runOfStores(const MmaSync &knobs, const KnownFacts &) {
  if (knobs.run == 2 || knobs.run == 8)
    return std::nullopt;
  return formatv("expected run to be 2 or 8, but got {0}; use 8", knobs.run)
      .str();
}

/// Chips before 8.9 have neither instruction. Those with wgmma have that, which
/// is twice as fast.
static Broken shortFloatsExist(const MmaSync &, const KnownFacts &facts) {
  constexpr int64_t kFirst = 89;
  if (!facts.problem || !facts.arch || !isShortFloat(facts.problem->b.type))
    return std::nullopt;
  bool converts = facts.problem->convertsB();
  int64_t capability = facts.arch->capability;
  if (converts ? capability >= kFirst : capability == kFirst)
    return std::nullopt;
  return formatv("expected an arch that {0} {1} (8.9{2}), but got '{3}'; use "
                 "{4}",
                 converts ? "converts" : "multiplies",
                 toString(facts.problem->b.type), converts ? " or newer" : "",
                 facts.arch->name,
                 capability > kFirst ? "ws" : "a type of 16 bits")
      .str();
}

static constexpr Law kLaws[] = {
    {10, "tile.m is a multiple of 16 * warps.m", lawOf<MmaSync, warpsDivideM>},
    {11, "tile.n is a multiple of 16 * warps.n", lawOf<MmaSync, warpsDivideN>},
    {12, "tile.k is 16, 32, 64 or 128; for 8 bits 32 at least",
     lawOf<MmaSync, stepOfK>},
    {13, "a block has at most 16 warps", lawOf<MmaSync, warpsOfBlock>},
    {14, "stages is 2 to 12", lawOf<MmaSync, slotsOfRing>},
    {15, "a thread has at most 128 accumulators",
     lawOf<MmaSync, accumulatorsFit>},
    {16, "the ring fits the shared memory a block may have",
     lawOf<MmaSync, ringFits>},
    {17, "the registers fit a thread's 255 and a processor's 65536",
     lawOf<MmaSync, registersFit>},
    {18, "group is 1 to 65535", lawOf<MmaSync, bandFits>},
    {19, "tile.m and tile.n are at most 256", lawOf<MmaSync, tileFits>},
    {20,
     "tile.m is 16, 32 or a multiple of 64 where a is col; for 8 bits also 64, "
     "or a multiple of 128",
     lawOf<MmaSync, rowOfA>},
    {21,
     "tile.n is 16, 32 or a multiple of 64 where b is row; for 8 bits also 64, "
     "or a multiple of 128",
     lawOf<MmaSync, rowOfB>},
    {22, "splits is 1, 2, 4, 8 or 16", lawOf<MmaSync, splitsOfTile>},
    {23, "splits above 1 needs an arch with clusters",
     lawOf<MmaSync, clustersExist>},
    {24,
     "where slices or splits is above 1, a thread's accumulators are a "
     "multiple of 2 * slices * splits",
     lawOf<MmaSync, runsLeavePairs>},
    {25, "the sums of a tile fit the shared memory of a block",
     lawOf<MmaSync, sumsFit>},
    {26, "slices is 1, 2 or 4, of four warps each where it is above 1",
     lawOf<MmaSync, slicesAreGroups>},
    {27, "run is 2 or 8", lawOf<MmaSync, runOfStores>},
    {91,
     "floats of 8 bits are multiplied from registers by sm_89, and converted "
     "there from 8.9 on",
     lawOf<MmaSync, shortFloatsExist>},
};

//===----------------------------------------------------------------------===//
// The row
//===----------------------------------------------------------------------===//

static constexpr Decision kDecisions[] = {
    {"tile",
     When::compileTime,
     "block tile, MxNxK elements of C and of one step",
     {{128, 16, 256, 16}, {128, 16, 256, 16}, {32, 16, 128, 0}}},
    {"warps",
     When::compileTime,
     "warps that share a tile, along M and along N",
     {{2, 1, 16}, {4, 1, 16}}},
    {"stages",
     When::compileTime,
     "slots of the shared-memory ring",
     {{4, 2, 12}}},
    {"slices",
     When::compileTime,
     "groups of such warps in a block, each with a part of K",
     {{1, 1, 4, 0}}},
    {"splits",
     When::compileTime,
     "blocks of a cluster that share a tile, each with a part of K",
     {{1, 1, 16, 0}}},
    {"run",
     When::compileTime,
     "neighbours in C that a thread stores: 2 as they are computed, 8 by way "
     "of shared memory, as all that share a tile do",
     {{2, 2, 8, 6}}},
    {"group",
     When::runTime,
     "tile rows that are walked together, for L2 reuse",
     {{8, 1, 65535}}},
};

/// Bytes of shared memory that loads take away from others in a step. A warp
/// whose threads multiply reads 16 bytes for each of a lane's rows and columns.
/// Those of 8 rows are the lanes' of two accesses of 128 bytes, those of 4 columns
/// of four: hardware joins two quarters of a warp if neighbours want the same.
static double sharedPerStep(const MmaSync &knobs, const Problem &problem) {
  auto [m, n, k] = knobs.tile;
  int64_t perRow = knobs.warps[1], perColumn = knobs.warps[0];
  if (isExactF32(problem)) {
    perRow *= 2;
    perColumn *= 8;
  }
  return double((m * perRow * sizeOf(problem.a.type) +
                 n * perColumn * sizeOf(problem.b.type)) *
                k);
}

/// What the hardware copies by itself, and what it copies at most.
static constexpr int64_t kLeastCopy = 4, kMostCopy = 16;

/// Pieces of shorter lines are read as the two chunks that they lie in, and
/// written.
static double accessesPerByte(int64_t align) {
  return align < kLeastCopy ? 3.0 / kMostCopy
                            : 1.0 / double(std::min(align, kMostCopy));
}

/// Every warp reads its rows of A and its columns of B from shared memory.
static BlockFacts factsOf(const Schedule &schedule, const Problem &problem) {
  MmaSync knobs(schedule);
  BlockFacts facts;
  facts.multiplier = Multiplier::warps;
  facts.tile = knobs.tile;
  facts.stages = knobs.stages;
  facts.group = knobs.group;
  facts.splits = knobs.splits;
  facts.slices = knobs.slices;
  facts.sharers = knobs.warps[0] * knobs.warps[1];
  facts.elementBytes = {sizeOf(problem.a.type), sizeOf(problem.b.type)};
  facts.sharedBytesPerStep = sharedPerStep(knobs, problem);
  auto accesses = [](int64_t extent, const Operand &operand) {
    return double(extent * sizeOf(operand.type)) *
           accessesPerByte(operand.align);
  };
  facts.copiesPerStep = (accesses(knobs.tile[0], problem.a) +
                         accesses(knobs.tile[1], problem.b)) *
                        double(knobs.tile[2]) / double(knobs.groupThreads());
  facts.copiesWait = std::min(problem.a.align, problem.b.align) < kLeastCopy;
  facts.storeBytes = std::min(knobs.run * sizeOf(problem.c), problem.alignC);
  facts.threads = knobs.threads();
  facts.sharedBytes = knobs.sharedBytes(&problem);
  facts.launchRegisters = knobs.registers(&problem);
  facts.registers = facts.threads * facts.launchRegisters;
  return facts;
}

/// Tiles from small to large, few and many stages.
static std::vector<Schedule> checkGrid() {
  std::vector<Schedule> schedules;
  for (std::array<int64_t, 3> tile : {std::array<int64_t, 3>{16, 16, 16},
                                      {32, 32, 64},
                                      {64, 64, 32},
                                      {64, 128, 64},
                                      {128, 64, 32},
                                      {128, 128, 32},
                                      {128, 256, 32},
                                      {16, 128, 128}})
    for (std::array<int64_t, 2> warps :
         {std::array<int64_t, 2>{1, 1}, {2, 2}, {1, 4}, {4, 1}, {2, 4}})
      for (int64_t stages : {2, 4}) {
        MmaSync knobs;
        knobs.tile = tile;
        knobs.warps = warps;
        knobs.stages = stages;
        knobs.group = stages == 2 ? 1 : 8;
        schedules.push_back(knobs);
      }
  return schedules;
}

const Kind &MmaSync::kind() {
  static constexpr Kind row = {"mma_sync",
                               kDecisions,
                               refuseArch,
                               refuseRegisterTypes,
                               /*refuseMemory=*/nullptr,
                               kLaws,
                               detail::mmaSyncDefault,
                               factsOf,
                               checkGrid};
  return row;
}
