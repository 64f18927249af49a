//===- Geometry.cpp - Occupancy of a machine by a schedule's blocks -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed from the facts that the schedule gives about its blocks.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Geometry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using llvm::formatv;

static void cut(Geometry &geometry, const Problem &problem, int64_t tileM,
                int64_t tileN) {
  auto count = [](int64_t extent, int64_t tile) -> std::optional<int64_t> {
    if (extent == kDynamic)
      return std::nullopt;
    return llvm::divideCeil(extent, tile);
  };
  auto m = count(problem.m, tileM), n = count(problem.n, tileN);
  auto batch = count(problem.batch.value_or(1), 1);
  auto text = [](std::optional<int64_t> number) {
    return number ? std::to_string(*number) : "?";
  };
  geometry.tiles =
      formatv("{0} x {1} of {2} x {3}", text(m), text(n), tileM, tileN);
  if (problem.batch)
    geometry.tiles += " in each of " + text(batch);
  if (m && n && batch)
    geometry.blocks = *m * *n * *batch;
}

Problem hone::withEqualGroups(Problem problem) {
  if (problem.isRaggedSum) {
    problem.isRaggedSum = problem.a.shared = problem.b.shared = false;
    if (problem.k != kDynamic && *problem.batch != kDynamic)
      problem.k = llvm::divideCeil(problem.k, *problem.batch);
  }
  if (!problem.groups)
    return problem;
  problem.batch = problem.groups;
  if (problem.m != kDynamic && *problem.groups != kDynamic)
    problem.m = llvm::divideCeil(problem.m, *problem.groups);
  problem.groups = std::nullopt;
  return problem;
}

Geometry hone::geometryOf(const Problem &given, const Schedule &schedule,
                          const Arch &arch) {
  Problem problem = withEqualGroups(given);
  BlockFacts facts = blockFacts(problem, schedule);
  Geometry geometry;
  cut(geometry, problem, facts.tile[0], facts.tile[1]);
  geometry.threads = facts.threads;
  geometry.sharedBytes = facts.sharedBytes;
  geometry.registers = facts.launchRegisters;
  if (arch.isHost())
    return geometry;
  // Warps get registers in units of 256.
  constexpr int64_t kRegisterUnit = 256;
  int64_t registers = llvm::alignTo(geometry.registers * 32, kRegisterUnit) *
                      llvm::divideCeil(geometry.threads, 32);
  auto [blocks, limit] =
      occupancy(geometry.threads, registers, geometry.sharedBytes, arch);
  geometry.resident = blocks;
  geometry.limit = limit.str();
  if (geometry.blocks && geometry.resident && arch.processors)
    geometry.waves =
        double(*geometry.blocks) / double(arch.processors * geometry.resident);
  return geometry;
}
