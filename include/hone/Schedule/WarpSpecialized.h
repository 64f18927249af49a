//===- WarpSpecialized.h - Families with a copy engine ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families for sm_90a. All are one kernel in several forms: a producer lets
// the copy engine fill slots, consumers multiply from them. What tells them
// apart is how tiles and K are dealt out, and where sums meet:
//
//   family         | a block has        | K of a tile        | C is stored by
//   ---------------|--------------------|--------------------|-----------------
//   ws_coop        | tiles, in turn     | one block          | the copy engine
//   ws_pingpong    | tiles, two at once | one block          | the copy engine
//   small          | one tile           | one block          | the copy engine
//   cluster_splitk | one tile, shared   | a cluster's blocks | threads
//   streamk        | a run of steps     | several workers    | both
//   swap_ab        | one tile, shared   | a cluster's blocks | threads
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_WARPSPECIALIZED_H
#define HONE_SCHEDULE_WARPSPECIALIZED_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <array>
#include <cstdint>

namespace hone {

/// When a knob takes effect.
enum class When { compileTime, runTime };

/// What the families for sm_90a have in common: a producer that lets the copy
/// engine fill a ring of slots, and groups of four warps, the consumers, whose
/// tensor cores read the slots. Each consumer owns a part of the tile of C, in
/// bands of 64 rows, which it stores in chunks of columns.
struct WarpSpecialized {
  std::array<int64_t, 3> tile = {128, 256, 64};
  std::array<int64_t, 2> consumers = {2, 1};
  int64_t stages = 4;
  std::array<int64_t, 2> cluster = {1, 1};
  int64_t group = 8;
  /// Teams of consumers that have a tile each, and blocks that share a tile's K
  /// as a cluster: knobs of those families that have them.
  int64_t teams = 1, splits = 1;
  /// Sums meet in shared memory before they are stored.
  bool meets = false;

  /// Consumers of a block.
  int64_t groups() const { return teams * consumers[0] * consumers[1]; }
  int64_t clusterBlocks() const { return cluster[0] * cluster[1] * splits; }
  /// A consumer's part of the tile.
  int64_t groupRows() const { return tile[0] / consumers[0]; }
  int64_t groupCols() const { return tile[1] / consumers[1]; }
  int64_t bands() const { return groupRows() / 64; }
  /// Accumulators a thread of a consumer holds.
  int64_t accumulators() const { return groupRows() * groupCols() / 128; }
  /// Columns of a chunk for results of `bytes` each: as many as fit in 128
  /// bytes and divide the part.
  int64_t chunkCols(int64_t bytes) const;
  /// Slots of the ring of chunks. They divide a tile's chunks, so that a slot
  /// and the number of stores behind it are known at compile time.
  int64_t chunkSlots(int64_t bytes) const;
  /// Shared memory: the rings of A and B; that of chunks, or, where the rings
  /// were, the sums that a cluster adds up; two barriers a slot.
  int64_t ringBytes() const {
    return stages * (tile[0] + tile[1]) * tile[2] * 2;
  }
  int64_t chunkBytes(int64_t bytes) const {
    return meets ? 0
                 : chunkSlots(bytes) * groups() * 64 * chunkCols(bytes) * bytes;
  }
  /// Lines are padded to 32 columns if they have more than 16.
  int64_t sumBytes() const {
    int64_t width = tile[1] == 16 ? 16 : (tile[1] + 31) / 32 * 32;
    return meets ? tile[0] * width * 4 : 0;
  }
  int64_t barrierBytes() const {
    return 2 * 8 * stages + (teams > 1 ? 8 * teams : 0);
  }
  int64_t sharedBytes(int64_t resultBytes) const {
    return std::max(ringBytes() + chunkBytes(resultBytes), sumBytes()) +
           barrierBytes();
  }
};

/// Registers of a thread of the producer and of a consumer, once they have
/// shared out what the launch gave them.
struct RegisterBudget {
  int64_t producer, consumer;
};

/// Persistent blocks that share a tile among their consumers; a producer group
/// runs ahead into the next tile while the consumers store. Runs on sm_90a.
struct WsCoop : WarpSpecialized {
  static constexpr llvm::StringLiteral name = "ws_coop";

  template <typename Self, typename Visitor>
  static void visit(Self &self, Visitor &&knob) {
    knob("tile", When::compileTime, self.tile,
         "block tile, MxNxK elements of C and of one step");
    knob("consumers", When::compileTime, self.consumers,
         "groups of four warps that multiply, along M and along N");
    knob("stages", When::compileTime, self.stages,
         "slots of the shared-memory ring");
    knob("cluster", When::compileTime, self.cluster,
         "blocks that share what they load, along M and along N");
    knob("group", When::runTime, self.group,
         "tile rows that are walked together, for L2 reuse");
  }
  /// The block: a producer group, then the consumers.
  int64_t threads() const { return (1 + groups()) * 128; }
  RegisterBudget registers() const;
};

/// Persistent blocks with two consumers that have a tile each: one stores while
/// the other multiplies. Runs on sm_90a.
struct WsPingpong : WarpSpecialized {
  static constexpr llvm::StringLiteral name = "ws_pingpong";
  WsPingpong() {
    tile = {64, 256, 64};
    consumers = {1, 1};
    teams = 2;
  }

  template <typename Self, typename Visitor>
  static void visit(Self &self, Visitor &&knob) {
    knob("tile", When::compileTime, self.tile,
         "tile of one consumer, MxNxK elements of C and of one step");
    knob("stages", When::compileTime, self.stages,
         "slots of the shared-memory ring");
    knob("cluster", When::compileTime, self.cluster,
         "blocks that share what they load, along M and along N");
    knob("group", When::runTime, self.group,
         "tile rows that are walked together, for L2 reuse");
  }
  int64_t threads() const { return (1 + groups()) * 128; }
  RegisterBudget registers() const;
};

/// One small tile a block, with as many slots as fit: what counts is how soon
/// everything is on its way. Runs on sm_90a.
struct Small : WarpSpecialized {
  static constexpr llvm::StringLiteral name = "small";
  Small() {
    tile = {64, 64, 64};
    consumers = {1, 1};
    stages = 8;
  }

  template <typename Self, typename Visitor>
  static void visit(Self &self, Visitor &&knob) {
    knob("tile", When::compileTime, self.tile,
         "block tile, MxNxK elements of C and of one step");
    knob("consumers", When::compileTime, self.consumers,
         "groups of four warps that multiply, along M and along N");
    knob("stages", When::compileTime, self.stages,
         "slots of the shared-memory ring");
    knob("cluster", When::compileTime, self.cluster,
         "blocks that share what they load, along M and along N");
    knob("group", When::runTime, self.group,
         "tile rows that are walked together, for L2 reuse");
  }
  /// The block: the consumers, then a producer warp.
  int64_t threads() const { return groups() * 128 + 32; }
};

/// Like small, but the blocks of a cluster share a tile: each sums a part of K,
/// and then adds its part of the tile up from the others' shared memory. Runs
/// on sm_90a.
struct ClusterSplitK : WarpSpecialized {
  static constexpr llvm::StringLiteral name = "cluster_splitk";
  ClusterSplitK() {
    tile = {64, 64, 64};
    consumers = {1, 1};
    stages = 8;
    splits = 4;
    meets = true;
  }

  template <typename Self, typename Visitor>
  static void visit(Self &self, Visitor &&knob) {
    knob("tile", When::compileTime, self.tile,
         "tile of a cluster, MxNxK elements of C and of one step");
    knob("consumers", When::compileTime, self.consumers,
         "groups of four warps that multiply, along M and along N");
    knob("stages", When::compileTime, self.stages,
         "slots of the shared-memory ring");
    knob("splits", When::compileTime, self.splits,
         "blocks of a cluster, which share K");
    knob("group", When::runTime, self.group,
         "tile rows that are walked together, for L2 reuse");
  }
  int64_t threads() const { return groups() * 128 + 32; }
};

/// Persistent blocks that get equal runs of steps instead of tiles, so that no
/// wave of tiles is left half empty: a tile may be cut between workers, who
/// leave their sums in memory and finish a part of it each. Runs on sm_90a.
struct StreamK : WarpSpecialized {
  static constexpr llvm::StringLiteral name = "streamk";
  int64_t parts = 4;

  template <typename Self, typename Visitor>
  static void visit(Self &self, Visitor &&knob) {
    knob("tile", When::compileTime, self.tile,
         "block tile, MxNxK elements of C and of one step");
    knob("consumers", When::compileTime, self.consumers,
         "groups of four warps that multiply, along M and along N");
    knob("stages", When::compileTime, self.stages,
         "slots of the shared-memory ring");
    knob("cluster", When::compileTime, self.cluster,
         "blocks that share what they load, along M and along N");
    knob("parts", When::runTime, self.parts,
         "workers for each tile, where there are fewer tiles than processors");
    knob("group", When::runTime, self.group,
         "tile rows that are walked together, for L2 reuse");
  }
  int64_t threads() const { return (1 + groups()) * 128; }
  RegisterBudget registers() const;
};

/// For few rows: the tensor cores compute C transposed, so that their 64 rows
/// are columns of C and nothing is multiplied in vain. Else like
/// cluster_splitk, with one block or more for a tile. Runs on sm_90a.
struct SwapAb : WarpSpecialized {
  static constexpr llvm::StringLiteral name = "swap_ab";
  SwapAb() {
    tile = {16, 64, 128};
    consumers = {1, 1};
    stages = 8;
    meets = true;
  }

  template <typename Self, typename Visitor>
  static void visit(Self &self, Visitor &&knob) {
    knob("tile", When::compileTime, self.tile,
         "tile of a cluster, MxNxK elements of C and of one step");
    knob("consumers", When::compileTime, self.consumers,
         "groups of four warps that multiply, along M and along N");
    knob("stages", When::compileTime, self.stages,
         "slots of the shared-memory ring");
    knob("splits", When::compileTime, self.splits,
         "blocks of a cluster, which share K");
    knob("group", When::runTime, self.group,
         "tile rows that are walked together, for L2 reuse");
  }
  int64_t threads() const { return groups() * 128 + 32; }
  /// The knobs as the tensor cores see them: M and N exchanged.
  WarpSpecialized turned() const;
};

} // namespace hone

#endif // HONE_SCHEDULE_WARPSPECIALIZED_H
