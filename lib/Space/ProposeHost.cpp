//===- ProposeHost.cpp - Catalogue and cost model of host -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host kernel is one thread and five loops (docs/Pipeline.md), so it has no
// blocks to deal to processors and an estimate of its own: the clocks of the
// micro-kernel, of packing and of storing, from counts of vectors and bytes.
// The rates are those of recent x86 cores, rounded; they order schedules and
// predict no time.
//
//===----------------------------------------------------------------------===//

#include "HostCost.h"
#include "Proposers.h"
#include "hone/Schedule/Host.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;

static constexpr int64_t kSumBytes = 4, kSumBits = 32;

static int64_t vectorLanes(const Arch &arch) {
  return std::max<int64_t>(arch.vectorBits / kSumBits, 1);
}

//===----------------------------------------------------------------------===//
// The catalogue
//===----------------------------------------------------------------------===//

/// The maximum number of rows for which `vectors` columns of vectors leave
/// registers; the rest holds a row of B and a broadcast element of A.
static int64_t maxRows(const Arch &arch, int64_t vectors) {
  int64_t registers = arch.vectorBits >= 512 ? 32 : 16;
  return (registers - 1 - vectors) / vectors;
}

static int64_t upTo(int64_t value, int64_t unit) {
  return llvm::alignTo(value, unit);
}

/// Cache blocks around a micro-kernel. A block that is larger than the problem
/// acts as the problem itself, so only the smallest of those is proposed.
static void addBlocks(Host knobs, const Problem &problem,
                      std::vector<Schedule> &schedules) {
  for (int64_t depth : {256, 512, 1024, 2048}) {
    for (int64_t panels : {8, 16, 32}) {
      for (int64_t width : {1024, 4096}) {
        knobs.tile = {panels * knobs.micro[0], upTo(width, knobs.micro[1]),
                      depth};
        schedules.push_back(knobs);
        if (width >= problem.n)
          break;
      }
      if (knobs.tile[0] >= problem.m)
        break;
    }
    if (depth >= problem.k)
      break;
  }
}

void detail::proposeHost(const Problem &problem, const Arch &arch,
                         std::vector<Schedule> &schedules) {
  if (!arch.isHost())
    return;
  constexpr int64_t kMaxVectors = 5;
  for (int64_t vectors = 1; vectors <= kMaxVectors; ++vectors) {
    int64_t rows = maxRows(arch, vectors);
    if (rows < 1)
      continue;
    Host knobs;
    knobs.micro = {rows, vectors * vectorLanes(arch)};
    addBlocks(knobs, problem, schedules);
    // With few rows, it would be mostly padding.
    if (problem.m >= rows)
      continue;
    knobs.micro[0] = problem.m;
    addBlocks(knobs, problem, schedules);
  }
}

//===----------------------------------------------------------------------===//
// The estimate
//===----------------------------------------------------------------------===//

namespace {
/// The work of a core in a clock, and the sizes of its caches.
struct Core {
  double multiplyAdds = 2, loads = 2; ///< vectors per clock
  double addLatency = 4;              ///< between dependent sums
  double loopClocks = 2;              ///< per iteration
  double l2Bytes = 48, l3Bytes = 12, memoryBytes = 4; ///< read per clock
  double packClocks = 3;                              ///< per copied vector
  double transposeClocks = 9;                         ///< per transposed vector
  double storeClocks = 25; ///< per vector of C, through the scratch tile
  int64_t l1 = 32 << 10, l2 = 1 << 20; ///< bytes that are always available
};

/// The counts of one product.
class HostEstimate {
public:
  HostEstimate(const Problem &problem, const Arch &arch,
               const BlockFacts &facts)
      : problem(problem), arch(arch), facts(facts), lanes(vectorLanes(arch)),
        depth(std::min(facts.tile[2], upTo(problem.k, facts.unroll))),
        rows(std::min(facts.tile[0], upTo(problem.m, facts.micro[0]))),
        cols(std::min(facts.tile[1], upTo(problem.n, facts.micro[1]))) {}

  double clocks() const {
    return problem.batch.value_or(1) *
           (multiplyClocks() + packClocks() + storeClocks());
  }

private:
  double stepClocks() const;
  double multiplyClocks() const;
  double packClocks() const;
  double storeClocks() const;
  double bytesPerClock(int64_t bytes) const;
  double microTiles() const {
    return double(llvm::divideCeilSigned(problem.m, facts.micro[0])) *
           llvm::divideCeilSigned(problem.n, facts.micro[1]);
  }
  double timesOver(int64_t extent, int64_t tile) const {
    return double(std::max<int64_t>(llvm::divideCeilSigned(extent, tile), 1));
  }

  const Problem &problem;
  const Arch &arch;
  const BlockFacts &facts;
  const Core core;
  int64_t lanes, depth, rows, cols; ///< of blocks of the maximum size
};
} // namespace

/// The read rate of a buffer of this size that is read repeatedly.
double HostEstimate::bytesPerClock(int64_t bytes) const {
  if (bytes <= core.l2)
    return core.l2Bytes;
  return bytes <= arch.cacheBytes ? core.l3Bytes : core.memoryBytes;
}

/// One step of K of one micro-tile.
double HostEstimate::stepClocks() const {
  double vectors = double(facts.micro[1]) / lanes, sums = facts.micro[0];
  double arithmetic = std::max(vectors * sums / core.multiplyAdds,
                               (vectors + sums) / core.loads);
  // A's panel is read once for each micro-panel of B, which stays if it fits.
  int64_t panelB = facts.micro[1] * depth * kSumBytes;
  int64_t blockA = rows * depth * kSumBytes;
  double bytes = facts.micro[0] * kSumBytes / bytesPerClock(blockA + panelB);
  if (panelB > core.l1)
    bytes += facts.micro[1] * kSumBytes / bytesPerClock(blockA + panelB);
  return std::max({arithmetic, core.addLatency, bytes}) +
         core.loopClocks / facts.unroll;
}

double HostEstimate::multiplyClocks() const {
  double steps = double(upTo(problem.k, facts.unroll));
  // Every block of rows reads B's panels from the cache level that holds them.
  double panelBytes =
      problem.n * steps * kSumBytes * timesOver(problem.m, facts.tile[0]);
  return microTiles() * steps * stepClocks() +
         panelBytes / bytesPerClock(cols * depth * kSumBytes);
}

/// A is packed once for each block of columns, B once. An operand that runs
/// along the width of a panel is copied; one that runs along K is transposed.
double HostEstimate::packClocks() const {
  double vectorsA = double(upTo(problem.m, facts.micro[0])) * problem.k / lanes;
  double vectorsB = double(upTo(problem.n, facts.micro[1])) * problem.k / lanes;
  bool copiesA = problem.a.order == Order::col;
  bool copiesB = problem.b.order == Order::row;
  return vectorsA * timesOver(problem.n, facts.tile[1]) *
             (copiesA ? core.packClocks : core.transposeClocks) +
         vectorsB * (copiesB ? core.packClocks : core.transposeClocks);
}

/// All of C, once for each block of K.
double HostEstimate::storeClocks() const {
  double vectors = microTiles() * facts.micro[0] * facts.micro[1] / lanes;
  return vectors * timesOver(problem.k, facts.tile[2]) * core.storeClocks;
}

double detail::hostSeconds(const Problem &problem, const Arch &arch,
                           const BlockFacts &facts) {
  return HostEstimate(problem, arch, facts).clocks() / (arch.clockGHz * 1e9);
}
