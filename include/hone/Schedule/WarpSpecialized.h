//===- WarpSpecialized.h - The decisions of ws ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the kind's builder and proposer; all other code uses the table.
//
// The kind for sm_90a is one kernel in several forms: a producer has the copy
// engine fill slots, and consumers multiply from them. How tiles and K are
// dealt out and where sums meet are decisions, which combine as far as the laws
// allow. Some combinations have names, which the parser accepts:
//
//   name           | a block has        | K of a tile        | C is stored by
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

#include "hone/Schedule/Knobs.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {

/// Registers per thread of the producer and of a consumer, after the producer
/// has given some up.
struct RegisterBudget {
  int64_t producer, consumer;
};

/// Steps for each part of K. The packing kernel splits a tf32x3 factor into two
/// parts, and each step multiplies one part of A by one part of B: the products
/// are added as if K were that many times longer.
constexpr int64_t passesOf(const Problem &problem) {
  return problem.products == Products::tf32x3 ? 3 : 1;
}
/// Why the copy engine does not read these windows, of elements of `type`;
/// nothing if it does, as far as numbers are known.
Broken refuseWindow(const Window &window, ElementType type);

/// The number of elements of k whose products the tensor cores add up before
/// threads add that sum. Zero where the tensor cores add up everything.
///
///   products | because
///   ---------|------------------------------------------------------------
///   blocks   | sums of 8 bits keep 14
///   tf32x3   | sums are truncated after each 8 of k: four truncations lose
///            | less than the rounding of a sum of 32
constexpr int64_t blockOf(const Problem &problem) {
  constexpr int64_t kOfParts = 32;
  return problem.products == Products::blocks   ? kBlock
         : problem.products == Products::tf32x3 ? kOfParts
                                                : 0;
}

/// Whether the lines of an operand run along k where the tensor cores read them
/// in shared memory. They transpose elements of 2 bytes. Other elements already
/// lie that way, or the packing kernel transposes them.
inline bool readsAlongA(const Problem &problem) {
  return problem.a.order == Order::row || sizeOf(problem.a.type) != 2;
}
inline bool readsAlongB(const Problem &problem) {
  return problem.b.order == Order::col || sizeOf(problem.multipliedB()) != 2;
}

/// How a consumer's columns are cut for the epilogue, one chunk after the
/// other. A chunk is 64 rows by a number of columns of a band. It is staged in
/// shared memory, and the copy engine stores it from there:
///
///   side | lines of a chunk       | run along       | widths
///   -----|------------------------|-----------------|-----------------------
///   a    | 64, the band's rows    | C's columns     | equal: a map has one
///   b    | the columns, C's rows  | C's columns, 64 | any multiple of 8
struct Chunks {
  llvm::SmallVector<int64_t, 8> cols;
  int64_t widest = 0;
  /// Lines of a box of the copy engine: they divide those of every chunk.
  int64_t boxLines = 64;
};

/// A producer makes the copy engine fill a ring of slots, and the tensor cores
/// of warpgroups, the consumers, read the slots. Each consumer owns a part of
/// the tile of C, in bands of 64 rows, and stores it in chunks of columns.
struct WarpSpecialized : Knobs<WarpSpecialized> {
  /// Bytes of a panel; the copy engine loads the lines of slots in panels.
  static constexpr int64_t kPanelBytes = 128;

  /// B is on the 64-row side of the tensor cores: they compute C transposed.
  /// Otherwise few rows of C would waste most of each product.
  bool transposes;
  std::array<int64_t, 3> tile;
  std::array<int64_t, 2> consumers; ///< per team
  int64_t teams;                    ///< teams, each with a tile of its own
  bool persistent;
  std::array<int64_t, 2> cluster; ///< blocks that share their loads
  int64_t splits;                 ///< blocks of a cluster that share K
  bool streams;                   ///< blocks get runs of steps, not tiles
  int64_t parts;
  int64_t stages, group;
  bool bandsAlongN; ///< `group` tiles that are walked together lie along N
  int64_t chunk;    ///< columns of a chunk, at most
  /// All chunks of a consumer's tile have a slot of their own, not just a few.
  bool stagesAll;
  bool overlaps; ///< blocks may start before the previous launch has ended
  /// Lines of C may start anywhere, because threads store them.
  bool threadsStore;
  /// A matrix that is added to the sums is read by threads.
  bool threadsRead;
  /// Operands that are copied first, as the words are numbered: none, a, b, ab.
  int64_t packs;
  /// Tiles that would reach beyond the matrix are moved back over their
  /// neighbours.
  ///
  ///   450 rows, tiles of 128     | rows of the tiles        | wasted rows
  ///   ---------------------------|--------------------------|---------------
  ///   edge = beyond              | 0, 128, 256, 384 to 511  | 62
  ///   edge = within              | 0, 128, 256, 322 to 449  | none
  ///
  /// The copy engine takes several times as long for a line outside of the
  /// matrix as for one inside (on an H200). Rows in two tiles are
  /// stored twice, with the same sums.
  bool standsBack;

  //===--------------------------------------------------------------------===//
  // Rewrites of the kernel that is built: 1 leaves it as it is
  //===--------------------------------------------------------------------===//
  int64_t loads, prefetch, flight, products, handover, skew, unroll, stores,
      staging, next, begin;
  /// The name of a kernel that is not built (WholeKernel.h); the builder builds
  /// the kernel that it replaces.
  std::array<int64_t, 3> whole;

  WarpSpecialized() : WarpSpecialized(Schedule(kind())) {}
  explicit WarpSpecialized(const Schedule &schedule) { read(schedule); }
  static const Kind &kind();
  template <typename Self>
  static auto fields(Self &self) {
    return std::tie(
        self.transposes, self.tile, self.consumers, self.teams, self.persistent,
        self.cluster, self.splits, self.streams, self.parts, self.stages,
        self.group, self.bandsAlongN, self.chunk, self.stagesAll, self.overlaps,
        self.threadsStore, self.threadsRead, self.packs, self.standsBack,
        self.loads, self.prefetch, self.flight, self.products, self.handover,
        self.skew, self.unroll, self.stores, self.staging, self.next,
        self.begin, self.whole);
  }

  /// The same with `pack` and `store` as the operands of `problem` need them:
  /// an operand that the copy engine cannot address, or that has the wrong
  /// order, is copied first, and such a C is stored by threads.
  WarpSpecialized reaching(const Problem &problem) const;
  /// The same, but consumers fetch rows where they can (`fetchesRows`).
  WarpSpecialized fetching(const Problem &problem) const;

  /// The same, but the tensor cores' rows come from the other operand.
  WarpSpecialized mirrored() const;

  /// The tile in the terms of the tensor cores: M is their rows, from either
  /// operand.
  WarpSpecialized turned() const;

  /// The same, standing back if the last tiles would reach beyond the matrix of
  /// `problem` and elements may be stored twice.
  WarpSpecialized standingBack(const Problem &problem) const;
  /// Whether tiles stand back along M (`side` 0) or N. They do where that
  /// extent counts the lines of slots; a line that is partly outside costs
  /// little.
  bool standsBackAlong(const Problem &problem, size_t side) const {
    return standsBack && mayStandBack(problem, side);
  }
  bool mayStandBack(const Problem &problem, size_t side) const;
  /// Tiles start at multiples of this many columns of C, which fill 16 bytes:
  /// threads store 16 bytes at once. A tile of no more columns cannot stand
  /// back.
  static int64_t columnUnit(int64_t bytes) { return 16 / bytes; }

  /// Consumers per block.
  int64_t groups() const { return teams * consumers[0] * consumers[1]; }
  /// Whether the producer is a whole warpgroup, and so has registers to give
  /// up. It is where blocks are persistent, or where a launch grants fewer
  /// registers than the sums need.
  bool givesRegisters() const;
  /// Groups of products that are in flight when a slot is given back.
  int64_t inFlight() const { return flight == 1 ? 1 : flight == 2 ? 0 : 2; }
  int64_t producerWarps() const { return givesRegisters() ? 4 : 1; }
  int64_t threads() const { return producerWarps() * 32 + groups() * 128; }
  int64_t clusterBlocks() const { return cluster[0] * cluster[1] * splits; }
  bool sharesLoads() const { return cluster[0] * cluster[1] > 1; }
  /// Blocks that exchange loads with this one, itself included: its neighbours
  /// in the cluster along M and along N.
  int64_t peers() const { return cluster[0] + cluster[1] - 1; }
  /// Whether sums meet in shared memory before threads store them.
  bool meets() const { return splits > 1; }
  /// Whether the threads that hold the added sums store them.
  bool storesByThreads() const { return meets() || streams || threadsStore; }
  bool storesByEngine() const { return !meets() && !threadsStore; }
  /// Whether the copy engine loads a residual, into the slots from which it
  /// stores C.
  bool mayBring() const { return storesByEngine() && !threadsRead; }
  /// Operands that are copied into aligned lines before the product.
  bool packsA() const { return (packs - 1) & 1; }
  bool packsB() const { return (packs - 1) & 2; }
  bool packsAny() const { return packs > 1; }
  /// Whether consumers fetch the tensor cores' rows into registers, because the
  /// rows are not packed and are not in the form that tensor cores read from
  /// shared memory: the registers transpose, split or widen them. Columns
  /// cannot come from registers.
  ///
  ///   rows are of          | fetched where not packed if
  ///   ---------------------|-------------------------------------------------
  ///   f32, or of 8 bits    | k numbers their lines
  ///   tf32x3               | always: each number becomes two
  ///   8 bits, A of 16      | always: they become 16 bits (B only)
  bool fetchesRows(const Problem &problem) const;
  bool splitsRows(const Problem &problem) const {
    return passesOf(problem) > 1 && fetchesRows(problem);
  }
  /// Steps for each part of K. Rows that are split in registers are multiplied
  /// by both parts of the columns in one.
  int64_t passes(const Problem &problem) const {
    return splitsRows(problem) ? 1 : passesOf(problem);
  }
  /// Whether the lines of the slots of fetched rows are whole panels.
  bool fetchesPanels(const Problem &problem) const;
  /// The element type of A's slots, or of B's.
  ElementType slotType(const Problem &problem, bool isA) const;
  /// Whether lines of A's slots, or of B's, run along k.
  bool slotsAlongK(const Problem &problem, bool isA) const;
  /// The side of `tile` that lines run along, and the elements of a panel.
  size_t sideOfLines(const Problem &problem, bool isA) const {
    return slotsAlongK(problem, isA) ? 2 : isA ? 0 : 1;
  }
  int64_t panelOf(const Problem &problem, bool isA) const {
    return kPanelBytes / sizeOf(slotType(problem, isA));
  }
  /// The alignment of the lines of C that the kernel relies on, in bytes.
  int64_t alignC(int64_t bytes) const { return threadsStore ? bytes : 16; }

  //===--------------------------------------------------------------------===//
  // For the result of `turned`
  //===--------------------------------------------------------------------===//
  /// A consumer's part of the tile.
  int64_t groupRows() const { return tile[0] / consumers[0]; }
  int64_t groupCols() const { return tile[1] / consumers[1]; }
  int64_t bands() const { return groupRows() / 64; }
  /// Accumulators of a consumer's thread.
  int64_t accumulators() const { return groupRows() * groupCols() / 128; }
  /// The registers of producer and consumers; none if they keep those that the
  /// launch grants.
  std::optional<RegisterBudget> budget() const;
  /// Registers that a consumer's thread may use.
  int64_t consumerRegisters() const;
  /// The tile of C.
  int64_t tileRows() const { return tile[transposes ? 1 : 0]; }
  int64_t tileCols() const { return tile[transposes ? 0 : 1]; }
  /// The chunks of a band for results of `bytes` each.
  Chunks chunks(int64_t bytes) const;
  /// A consumer's slots of chunks. They divide a tile's chunks, so that a slot
  /// and the number of stores after it are known at compile time.
  int64_t chunkSlots(int64_t bytes) const;
  /// The same where chunks are only stored: a second slot, if the block has
  /// room, where the number of chunks leaves one.
  int64_t storeSlots(const Problem *problem) const;
  /// Shared memory: the rings of A and B, or of both parts of the columns; the
  /// ring of chunks or, instead of the rings, the sums that a cluster adds up;
  /// two barriers per slot. Where no problem is known, elements have 16 bits.
  int64_t ringBytes(const Problem *problem) const;
  int64_t chunkBytes(int64_t bytes) const {
    return chunkSlots(bytes) * slotBytes(bytes);
  }
  /// Of one slot of chunks of all consumers.
  int64_t slotBytes(int64_t bytes) const {
    return meets() ? 0 : groups() * 64 * chunks(bytes).widest * bytes;
  }
  /// Lines of more than 16 columns are padded to 32.
  int64_t sumBytes() const {
    int64_t width = tile[1] == 16 ? 16 : (tile[1] + 31) / 32 * 32;
    return meets() ? tile[0] * width * 4 : 0;
  }
  int64_t barrierBytes() const {
    return 2 * 8 * stages + (teams > 1 ? 8 * teams : 0);
  }
  /// Barriers of the slots of chunks, where the engine also fills these. All
  /// barriers together take less than 1024 bytes, and all other sizes are
  /// multiples of 1024, so a block that fits without these also fits with them.
  int64_t residualBarrierBytes(int64_t bytes) const {
    return 8 * groups() * chunkSlots(bytes);
  }
  int64_t sharedBytes(const Problem *problem) const {
    int64_t resultBytes = problem ? sizeOf(problem->c) : 2;
    int64_t chunks = storeSlots(problem) * slotBytes(resultBytes);
    return std::max(ringBytes(problem) + chunks, sumBytes()) + barrierBytes();
  }
};

} // namespace hone

#endif // HONE_SCHEDULE_WARPSPECIALIZED_H
