//===- MmaSync.h - The decisions of mma_sync --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the kind's builder and proposer; all other code uses the table.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_MMASYNC_H
#define HONE_SCHEDULE_MMASYNC_H

#include "hone/Schedule/Knobs.h"

namespace hone {

/// cp.async fills a ring of swizzled shared-memory slots. mma.sync multiplies;
/// threads multiply exact f32. The kind runs from sm_80 on, for all extents,
/// strides and alignments. Groups of warps, and from sm_90 on the blocks of a
/// cluster, may share a tile and compute a part of K each.
struct MmaSync : Knobs<MmaSync> {
  std::array<int64_t, 3> tile;
  std::array<int64_t, 2> warps;
  int64_t stages, slices, splits, run, group;

  MmaSync() : MmaSync(Schedule(kind())) {}
  explicit MmaSync(const Schedule &schedule) { read(schedule); }
  static const Kind &kind();
  template <typename Self>
  static auto fields(Self &self) {
    return std::tie(self.tile, self.warps, self.stages, self.slices,
                    self.splits, self.run, self.group);
  }

  int64_t groupThreads() const { return warps[0] * warps[1] * 32; }
  int64_t threads() const { return groupThreads() * slices; }
  /// The number of runs that K is cut into.
  int64_t runs() const { return slices * splits; }
  /// True if sums meet in shared memory before they are stored.
  bool meets() const { return runs() > 1 || run > 2; }
  /// Bytes of shared memory for the inputs of `problem`, or for inputs of 16
  /// bits: the rings, whose memory is later reused for the sums of the groups
  /// that share a tile.
  int64_t sharedBytes(const Problem *problem) const {
    return meets() ? std::max(ringBytes(problem), partialBytes())
                   : ringBytes(problem);
  }
  /// The ring of A for all groups, rounded up to the start of B's, and B's.
  int64_t ringBytes(const Problem *problem) const;
  /// A tile of f32 sums per group; lines of more than 16 columns are padded to
  /// 32.
  int64_t partialBytes() const {
    int64_t width = tile[1] == 16 ? 16 : (tile[1] + 31) / 32 * 32;
    return slices * tile[0] * width * 4;
  }
  /// Accumulators of a thread.
  int64_t accumulators() const { return tile[0] * tile[1] / groupThreads(); }
  /// Estimate of the registers a thread needs for `problem`, or for inputs of
  /// 16 bits: accumulators, one step's fragments, and addresses.
  int64_t registers(const Problem *problem) const;
};

/// Whether the operands already have the order in memory that mma.sync needs,
/// or one that ldmatrix can transpose. Otherwise lanes read 8-bit numbers one
/// by one, which takes longer than packing them for a kind that reads packed
/// operands.
bool isReadWhole(const Problem &problem);

} // namespace hone

#endif // HONE_SCHEDULE_MMASYNC_H
