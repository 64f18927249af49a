//===- MmaSync.cpp - Row of mma_sync --------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of `warps` computes one tile. Each warp owns an equal part of it,
// made of 16x16 pieces, because ldmatrix delivers fragments of that size. Exact
// f32 is multiplied by threads, which hold the pieces in the same registers.
// The laws are in MmaSyncLaws.cpp, the default in MmaSyncDefault.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/MmaSync.h"
#include "CommonLaws.h"
#include "MmaSyncParts.h"
#include "hone/Schedule/ExactF32.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

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
  // Both parts of a factor that is multiplied in two parts are in registers.
  int64_t parts = problem && problem->products == Products::tf32x3 ? 2 : 1;
  // A thread keeps two registers for each 16-byte chunk that it copies per
  // step: its source address, and whether it is inside the matrix.
  auto copies = [&](int64_t extent, int64_t bytes) {
    int64_t chunks = extent * tile[2] * bytes / kChunkBytes;
    return 2 * llvm::divideCeilSigned(chunks, groupThreads());
  };
  int64_t fragmentsA = tile[0] / warps[0] / 16 * 4 * parts;
  int64_t fragmentsB = tile[1] / warps[1] / 8 * 2 * parts;
  // A thread that multiplies reads 16 bytes from each of its rows and columns.
  if (problem && isExactF32(*problem)) {
    fragmentsA = tile[0] / warps[0] / 8 * 4;
    fragmentsB = tile[1] / warps[1] / 4 * 4;
  }
  return accumulators() + fragmentsA + fragmentsB + kAddresses +
         copies(tile[0], bytesOfA(problem)) +
         copies(tile[1], bytesOfB(problem));
}

//===----------------------------------------------------------------------===//
// Supported machines and types
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
     "slots of the shared-memory ring (pipeline stages)",
     {{4, 2, 12}}},
    {"slices",
     When::compileTime,
     "groups of such warps in a block, each with a part of K (split-K)",
     {{1, 1, 4, 0}}},
    {"splits",
     When::compileTime,
     "blocks of a cluster that share a tile, each with a part of K (split-K)",
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

/// Bytes of shared memory bandwidth that loads take in a step. A warp whose
/// threads multiply reads 16 bytes for each of a lane's rows and columns. For 8
/// rows, the lanes need two accesses of 128 bytes; for 4 columns, four: the
/// hardware joins two quarters of a warp if neighbouring lanes read the same
/// address.
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

/// The minimum and the maximum size of a hardware copy.
static constexpr int64_t kMinCopy = 4, kMaxCopy = 16;

/// Pieces of shorter lines are read as the two chunks that contain them, and
/// then written.
static double accessesPerByte(int64_t align) {
  return align < kMinCopy ? 3.0 / kMaxCopy
                          : 1.0 / double(std::min(align, kMaxCopy));
}

/// Every warp reads its rows of A and its columns of B from shared memory.
static BlockFacts factsOf(const Schedule &schedule, const Problem &problem) {
  MmaSync knobs(schedule);
  BlockFacts facts;
  facts.multiplier = Multiplier::warps;
  facts.tile = knobs.tile;
  facts.groupRows = knobs.tile[0];
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
  facts.copiesWait = std::min(problem.a.align, problem.b.align) < kMinCopy;
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
  static const Kind row = {"mma_sync",
                           kDecisions,
                           refuseArch,
                           refuseRegisterTypes,
                           /*refuseMemory=*/nullptr,
                           mmaSyncLaws(),
                           detail::mmaSyncDefault,
                           factsOf,
                           checkGrid,
                           /*spellings=*/{},
                           /*settle=*/nullptr,
                           /*refuseAccess=*/nullptr,
                           /*takesRaggedRows=*/true,
                           /*takesIndexedRows=*/true,
                           /*takesRaggedSums=*/true};
  return row;
}
