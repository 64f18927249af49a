//===- WarpSpecialized.cpp - Laws of the families for sm_90a --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WarpSpecialized.h.
//
//===----------------------------------------------------------------------===//

#include "WarpSpecialized.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// What follows from the knobs
//===----------------------------------------------------------------------===//

int64_t WarpSpecialized::chunkCols(int64_t bytes) const {
  constexpr int64_t kWidest = 128, kNarrowest = 32;
  int64_t line = kWidest;
  while (line > kNarrowest && groupCols() % (line / bytes))
    line /= 2;
  return line / bytes;
}

int64_t WarpSpecialized::chunkSlots(int64_t bytes) const {
  int64_t chunks = bands() * groupCols() / chunkCols(bytes);
  for (int64_t slots : {2, 3})
    if (chunks % slots == 0)
      return slots;
  return 1;
}

RegisterBudget detail::wsRegisters(const WarpSpecialized &knobs) {
  constexpr int64_t kPerProcessor = 65536, kGranule = 8, kMost = 240;
  // Two consumers with many accumulators need what a producer can spare.
  int64_t producer = knobs.groups() != 2          ? 32
                     : knobs.accumulators() < 192 ? 40
                                                  : 24;
  int64_t left = kPerProcessor / 128 - producer;
  return {producer,
          std::min(left / knobs.groups() / kGranule * kGranule, kMost)};
}

int64_t detail::wsMostStages(const WarpSpecialized &knobs,
                             const Problem &problem, const Arch &arch) {
  int64_t slot = knobs.ringBytes() / knobs.stages + 16;
  int64_t left = arch.sharedPerBlock - knobs.chunkBytes(sizeOf(problem.c));
  return std::clamp<int64_t>(left / slot, 2, 16);
}

//===----------------------------------------------------------------------===//
// Where they run and what they take
//===----------------------------------------------------------------------===//

Broken detail::wsRefuseArch(const Arch &arch) {
  if (arch.isa == "sm_90a")
    return std::nullopt;
  return formatv("expected an arch with the instructions of sm_90a, but got "
                 "'{0}'; use mma_sync",
                 arch.name)
      .str();
}

Broken detail::wsRefuseProblem(const Problem &problem) {
  ElementType a = problem.a.type, b = problem.b.type;
  if (a != b || a == ElementType::f32)
    return formatv("expected a and b to be both f16 or both bf16, but got {0} "
                   "and {1}; use one of these types for both",
                   toString(a), toString(b))
        .str();
  if (problem.acc != ElementType::f32)
    return formatv("expected acc to be f32, but got {0}; use f32",
                   toString(problem.acc))
        .str();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

/// `knob` must be a multiple of `unit`.
static Broken multipleOf(llvm::StringRef knob, int64_t value, int64_t unit,
                         llvm::StringRef why) {
  if (value % unit == 0)
    return std::nullopt;
  return formatv("expected {0} to be a multiple of {1}{2}, but got {3}; use "
                 "{4}",
                 knob, unit, why, value, llvm::alignTo(value, unit))
      .str();
}

Broken detail::wsTileM(const WarpSpecialized &knobs) {
  return multipleOf("tile.m", knobs.tile[0], 64 * knobs.consumers[0],
                    ", 64 rows for each consumer");
}

Broken detail::wsTileN(const WarpSpecialized &knobs) {
  if (Broken broken =
          multipleOf("tile.n", knobs.tile[1], 16 * knobs.consumers[1],
                     ", 16 columns for each consumer"))
    return broken;
  if (knobs.groupCols() <= 256)
    return std::nullopt;
  return formatv("expected at most 256 columns for each consumer, but got {0}; "
                 "use tile.n = {1}",
                 knobs.groupCols(), 256 * knobs.consumers[1])
      .str();
}

Broken detail::wsTileK(const WarpSpecialized &knobs) {
  constexpr int64_t kPanel = 64, kMost = 256;
  int64_t k = knobs.tile[2];
  if (k % kPanel == 0 && k <= kMost)
    return std::nullopt;
  return formatv("expected tile.k to be 64, 128, 192 or 256, but got {0}; use "
                 "{1}",
                 k, std::min<int64_t>(llvm::alignTo(k, kPanel), kMost))
      .str();
}

Broken detail::wsStages(const WarpSpecialized &knobs) {
  if (knobs.stages >= 2 && knobs.stages <= 16)
    return std::nullopt;
  return formatv("expected stages to be 2 to 16, but got {0}; use {1}",
                 knobs.stages, std::clamp<int64_t>(knobs.stages, 2, 16))
      .str();
}

Broken detail::wsCluster(const WarpSpecialized &knobs) {
  int64_t blocks = knobs.cluster[0] * knobs.cluster[1];
  bool oneWay = knobs.cluster[0] == 1 || knobs.cluster[1] == 1;
  if (oneWay && (blocks == 1 || blocks == 2 || blocks == 4))
    return std::nullopt;
  return formatv("expected cluster to be 1, 2 or 4 blocks along M or along N, "
                 "but got {0}x{1}; use 2x1",
                 knobs.cluster[0], knobs.cluster[1])
      .str();
}

Broken detail::wsTall(const WarpSpecialized &knobs) {
  if (knobs.tile[0] <= 512)
    return std::nullopt;
  return formatv("expected tile.m to be at most 512, but got {0}; use 512",
                 knobs.tile[0])
      .str();
}

Broken detail::wsRowOfB(const WarpSpecialized &knobs, const Facts &facts) {
  if (!facts.problem || facts.problem->b.order == Order::col)
    return std::nullopt;
  return multipleOf("tile.n", knobs.tile[1], 64 * knobs.consumers[1],
                    " where b is row, 64 columns for each consumer");
}

/// Blocks along M share B, those along N share A. Where k numbers the lines of
/// a slot, there are 64 or more to share.
Broken detail::wsMulticast(const WarpSpecialized &knobs, const Facts &facts) {
  constexpr int64_t kLines = 8;
  bool lineIsN = !facts.problem || facts.problem->b.order == Order::col;
  bool lineIsM = !facts.problem || facts.problem->a.order == Order::row;
  if (lineIsN)
    if (Broken broken =
            multipleOf("tile.n", knobs.tile[1], kLines * knobs.cluster[0],
                       ", 8 lines for each block of the cluster"))
      return broken;
  if (lineIsM)
    return multipleOf("tile.m", knobs.tile[0], kLines * knobs.cluster[1],
                      ", 8 lines for each block of the cluster");
  return std::nullopt;
}

Broken detail::wsShared(const WarpSpecialized &knobs, const Facts &facts) {
  if (!facts.arch)
    return std::nullopt;
  int64_t resultBytes = facts.problem ? sizeOf(facts.problem->c) : 2;
  int64_t limit = facts.arch->sharedPerBlock;
  int64_t bytes = knobs.sharedBytes(resultBytes);
  if (bytes <= limit)
    return std::nullopt;
  int64_t slot = knobs.ringBytes() / knobs.stages + 16;
  int64_t fits = (limit - knobs.chunkBytes(resultBytes)) / slot;
  return formatv("expected rings, chunks and barriers of at most {0} bytes of "
                 "shared memory, but got {1}; use {2}",
                 limit, bytes,
                 fits >= 2 ? formatv("stages = {0}", fits).str()
                           : "a smaller tile")
      .str();
}

Broken detail::wsGroup(const WarpSpecialized &knobs) {
  if (knobs.group <= 65535)
    return std::nullopt;
  return formatv("expected group to be 1 to 65535, but got {0}; use 65535",
                 knobs.group)
      .str();
}

Broken detail::wsConsumers(const WarpSpecialized &knobs) {
  if (knobs.groups() <= 3)
    return std::nullopt;
  return formatv("expected 1 to 3 consumers, but got {0}x{1}; use 2x1",
                 knobs.consumers[0], knobs.consumers[1])
      .str();
}

int64_t detail::wsLaunchRegisters(int64_t threads) {
  constexpr int64_t kPerProcessor = 65536, kGranule = 8, kMost = 255;
  return std::min(kPerProcessor / threads / kGranule * kGranule, kMost);
}

/// Before it asks for more, a thread has what the launch gave it, and one
/// product names all of its accumulators.
Broken detail::wsLaunch(const WarpSpecialized &knobs, int64_t threads) {
  constexpr int64_t kMost = 200;
  if (knobs.groups() < 3 || knobs.groupCols() <= kMost)
    return std::nullopt;
  return formatv("expected at most {0} columns for each of 3 consumers, whose "
                 "block is launched with {1} registers a thread, but got {2}; "
                 "use fewer",
                 kMost, wsLaunchRegisters(threads), knobs.groupCols())
      .str();
}

Broken detail::wsFewConsumers(const WarpSpecialized &knobs) {
  if (knobs.groups() <= 4)
    return std::nullopt;
  return formatv("expected 1 to 4 consumers, but got {0}x{1}; use 1x1",
                 knobs.consumers[0], knobs.consumers[1])
      .str();
}

Broken detail::wsSplits(const WarpSpecialized &knobs, int64_t least) {
  int64_t splits = knobs.splits;
  if (splits >= least && splits <= 16 && llvm::isPowerOf2_64(splits))
    return std::nullopt;
  return formatv("expected splits to be {0}2, 4, 8 or 16, but got {1}; use 4",
                 least == 1 ? "1, " : "", splits)
      .str();
}

/// A consumer finishes whole lines, at least two neighbours a thread.
Broken detail::wsShare(const WarpSpecialized &knobs) {
  int64_t sharing = knobs.splits * knobs.groups();
  if (Broken broken = multipleOf("tile.m", knobs.tile[0], sharing,
                                 ", a line for each consumer of the cluster"))
    return broken;
  constexpr int64_t kLeast = 2 * 128;
  int64_t sums = knobs.tile[0] * knobs.tile[1] / sharing;
  if (sums % kLeast == 0)
    return std::nullopt;
  return formatv("expected the share of each of the cluster's {0} consumers to "
                 "be a multiple of {1} elements, but got {2}; use fewer splits",
                 sharing, kLeast, sums)
      .str();
}

Broken detail::wsAccumulatorsFit(const WarpSpecialized &knobs,
                                 int64_t registers, const Facts &facts) {
  constexpr int64_t kAddresses = 40, kEpilogue = 48;
  bool hasEpilogue = facts.problem && !facts.problem->epilogue.empty();
  int64_t most = registers - kAddresses - (hasEpilogue ? kEpilogue : 0);
  if (knobs.accumulators() <= most)
    return std::nullopt;
  return formatv("expected at most {0} accumulators for a thread of {1} "
                 "consumers, but got {2}; use a smaller tile",
                 most, knobs.groups(), knobs.accumulators())
      .str();
}
