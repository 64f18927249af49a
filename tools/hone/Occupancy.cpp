//===- Occupancy.cpp - How a schedule fills a machine ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function a family says how it cuts the result and what a block needs;
// the rest is the same for all.
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"
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

/// Blocks on a processor, from what a block needs.
static void fit(Geometry &geometry, const Arch &arch) {
  // The hardware gives shared memory 1 KiB more than a block asks for, and
  // registers to a warp in units of 256.
  constexpr int64_t kReserved = 1024, kMostBlocks = 32, kRegisterUnit = 256;
  int64_t warps = llvm::divideCeil(geometry.threads, 32);
  int64_t registers =
      llvm::alignTo(geometry.registers * 32, kRegisterUnit) * warps;
  geometry.resident = kMostBlocks;
  geometry.limit = "blocks";
  auto limit = [&](const char *what, int64_t has, int64_t needs) {
    if (needs == 0 || has / needs >= geometry.resident)
      return;
    geometry.resident = has / needs;
    geometry.limit = what;
  };
  limit("threads", arch.threadsPerProcessor, geometry.threads);
  limit("registers", arch.registersPerProcessor, registers);
  limit("shared memory", arch.sharedPerProcessor,
        geometry.sharedBytes + kReserved);
  if (geometry.blocks && geometry.resident && arch.processors)
    geometry.waves =
        double(*geometry.blocks) / double(arch.processors * geometry.resident);
}

static void describe(Geometry &geometry, const Problem &problem,
                     const MmaSync &schedule) {
  cut(geometry, problem, schedule.tile[0], schedule.tile[1]);
  geometry.threads = schedule.threads();
  geometry.sharedBytes = schedule.sharedBytes(sizeOf(problem.a.type));
  geometry.registers = schedule.registers();
}

/// The families for sm_90a.
template <typename FamilyT, typename = std::enable_if_t<
                                std::is_base_of_v<WarpSpecialized, FamilyT>>>
static void describe(Geometry &geometry, const Problem &problem,
                     const FamilyT &schedule) {
  constexpr int64_t kMost = 255, kPerProcessor = 65536;
  cut(geometry, problem, schedule.tile[0], schedule.tile[1]);
  geometry.threads = schedule.threads();
  geometry.sharedBytes = schedule.sharedBytes(sizeOf(problem.c));
  geometry.registers = std::min(kPerProcessor / schedule.threads(), kMost);
}

static void describe(Geometry &geometry, const Problem &problem,
                     const Host &schedule) {
  cut(geometry, problem, schedule.tile[0], schedule.tile[1]);
}

Geometry hone::geometryOf(const Problem &problem, const Schedule &schedule,
                          const Arch &arch) {
  Geometry geometry;
  std::visit([&](const auto &family) { describe(geometry, problem, family); },
             schedule);
  if (!arch.isHost())
    fit(geometry, arch);
  return geometry;
}
