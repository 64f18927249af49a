//===- WarpSpecialized.h - The decisions of ws ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the kind's builder and proposer; everybody else uses the table.
//
// The kind for sm_90a is one kernel in several forms: a producer has the copy
// engine fill slots, and consumers multiply from them. How tiles and K are
// dealt out and where sums meet are decisions, which combine as far as the laws
// allow. Some combinations have names, which are still read:
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

/// Steps for each part of K. A factor that is the sum of two has been split by
/// the kernel that packs it, and each step multiplies one part of A by one of
/// B: the products are added as if K were as many times as long.
constexpr int64_t passesOf(const Problem &problem) {
  return problem.products == Products::tf32x3 ? 3 : 1;
}
/// Elements of k whose products the tensor cores may add up; threads add those
/// sums. Zero where the tensor cores add up everything.
///
///   products | because
///   ---------|------------------------------------------------------------
///   blocks   | sums of 8 bits keep 14
///   tf32x3   | they are cut off after each 8 of k: four times are less than
///            | what rounding does to a sum of 32
constexpr int64_t blockOf(const Problem &problem) {
  constexpr int64_t kOfParts = 32;
  return problem.products == Products::blocks   ? kBlock
         : problem.products == Products::tf32x3 ? kOfParts
                                                : 0;
}

/// Whether the lines of an operand run along k where the tensor cores read them
/// in shared memory. They transpose elements of 2 bytes; others lie so, or the
/// kernel that packs them transposes them.
inline bool readsAlongA(const Problem &problem) {
  return problem.a.order == Order::row || sizeOf(problem.a.type) != 2;
}
inline bool readsAlongB(const Problem &problem) {
  return problem.b.order == Order::col || sizeOf(problem.multipliedB()) != 2;
}

/// How a consumer's columns are cut for the epilogue, one chunk after the
/// other. A chunk is 64 rows of a band of so many columns, staged in shared
/// memory and stored by the copy engine from there:
///
///   side | lines of a chunk       | run along       | may be
///   -----|------------------------|-----------------|-------------------------
///   a    | 64, the band's rows    | C's columns     | equal: a map has one width
///   b    | the columns, C's rows  | C's columns, 64 | of any multiple of 8
struct Chunks {
  llvm::SmallVector<int64_t, 8> cols;
  int64_t widest = 0;
  /// Lines of a box of the copy engine: they divide those of every chunk.
  int64_t boxLines = 64;
};

/// A producer that has the copy engine fill a ring of slots, and warpgroups,
/// the consumers, whose tensor cores read the slots. Each consumer owns a part
/// of the tile of C, in bands of 64 rows, and stores it in chunks of columns.
struct WarpSpecialized : Knobs<WarpSpecialized> {
  /// The copy engine brings lines of slots in panels of so many bytes.
  static constexpr int64_t kPanelBytes = 128;

  /// B is on the 64-row side of the tensor cores: they compute C transposed, so
  /// that few rows of C do not waste most of each product.
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
  bool overlaps; ///< blocks may start before the launch ahead has ended
  /// Lines of C may start anywhere, because threads store them.
  bool threadsStore;
  /// A matrix that is added to the sums is read by threads.
  bool threadsRead;
  /// Operands that are copied first, as the words are numbered: none, a, b, ab.
  int64_t packs;
  /// Tiles that would reach beyond the matrix stand back over their neighbours.
  ///
  ///   450 rows, tiles of 128     | rows of the tiles        | copied in vain
  ///   ---------------------------|--------------------------|---------------
  ///   edge = beyond              | 0, 128, 256, 384 to 511  | 62
  ///   edge = within              | 0, 128, 256, 322 to 449  | none
  ///
  /// The copy engine takes several times as long for a line outside of the
  /// matrix as for one inside (docs/SearchMeasured.md). Rows that two tiles
  /// have are stored twice, with the same sums.
  bool standsBack;

  //===--------------------------------------------------------------------===//
  // Rewrites of the kernel that is built: 1 leaves it as it is
  //===--------------------------------------------------------------------===//
  int64_t loads, prefetch, flight, products, handover, skew, unroll, stores,
      staging, next, begin;
  /// The name of a kernel that is not built (WholeKernel.h); the builder builds
  /// the one in whose place it stands.
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
  /// what is known to be out of the copy engine's reach, or lies the wrong way
  /// around, is copied first, or stored by threads.
  WarpSpecialized reaching(const Problem &problem) const;
  /// The same, but consumers fetch what they can (`fetchesRows`).
  WarpSpecialized fetching(const Problem &problem) const;

  /// The same, but the tensor cores' rows come from the other operand.
  WarpSpecialized mirrored() const;

  /// The tile as the tensor cores see it: M are their rows, whichever operand
  /// they come from.
  WarpSpecialized turned() const;

  /// The same, standing back if something of `problem` would lie beyond tiles
  /// and is allowed to be stored twice.
  WarpSpecialized standingBack(const Problem &problem) const;
  /// Whether tiles stand back along M (`side` 0), or along N: where that extent
  /// numbers the lines of slots. Part of a line outside costs little.
  bool standsBackAlong(const Problem &problem, size_t side) const {
    return standsBack && mayStandBack(problem, side);
  }
  bool mayStandBack(const Problem &problem, size_t side) const;
  /// Columns of C that its tiles start at multiples of, in 16 bytes: threads
  /// store so many at once. A tile of no more has nowhere to stand back to.
  static int64_t columnUnit(int64_t bytes) { return 16 / bytes; }

  /// Consumers per block.
  int64_t groups() const { return teams * consumers[0] * consumers[1]; }
  /// Whether the producer is a whole warpgroup, and so has registers to give
  /// up: where blocks stay, or have more sums than a launch gives registers.
  bool givesRegisters() const;
  /// Groups of products that are in flight when a slot is given back.
  int64_t inFlight() const { return flight == 1 ? 1 : flight == 2 ? 0 : 2; }
  int64_t producerWarps() const { return givesRegisters() ? 4 : 1; }
  int64_t threads() const { return producerWarps() * 32 + groups() * 128; }
  int64_t clusterBlocks() const { return cluster[0] * cluster[1] * splits; }
  bool sharesLoads() const { return cluster[0] * cluster[1] > 1; }
  /// Blocks that load for this one and that it loads for, itself included:
  /// those beside it along M and along N.
  int64_t peers() const { return cluster[0] + cluster[1] - 1; }
  /// Whether sums meet in shared memory before threads store them.
  bool meets() const { return splits > 1; }
  /// Whether sums that met somewhere are stored by the threads that hold them.
  bool storesByThreads() const { return meets() || streams || threadsStore; }
  bool storesByEngine() const { return !meets() && !threadsStore; }
  /// Whether the copy engine brings a residual, into the slots from which it
  /// stores C.
  bool mayBring() const { return storesByEngine() && !threadsRead; }
  /// Operands that are copied into aligned lines before the product.
  bool packsA() const { return (packs - 1) & 1; }
  bool packsB() const { return (packs - 1) & 2; }
  bool packsAny() const { return packs > 1; }
  /// Whether consumers fetch the tensor cores' rows into registers, because
  /// these are not packed and do not lie as tensor cores read shared memory:
  /// they are turned, split or widened on that way. Columns can not come from
  /// there.
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
  /// What is in A's slots, or in B's.
  ElementType slotType(const Problem &problem, bool isA) const;
  /// Whether lines of A's slots, or of B's, run along k.
  bool slotsAlongK(const Problem &problem, bool isA) const;
  /// The side of `tile` that they run along, and its elements in a panel.
  size_t sideOfLines(const Problem &problem, bool isA) const {
    return slotsAlongK(problem, isA) ? 2 : isA ? 0 : 1;
  }
  int64_t panelOf(const Problem &problem, bool isA) const {
    return kPanelBytes / sizeOf(slotType(problem, isA));
  }
  /// What the kernel relies on for the lines of C, in bytes.
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
  /// The registers of producer and consumers; none if they keep what the launch
  /// grants.
  std::optional<RegisterBudget> budget() const;
  /// Registers that a consumer's thread may use.
  int64_t consumerRegisters() const;
  /// The tile of C.
  int64_t tileRows() const { return tile[transposes ? 1 : 0]; }
  int64_t tileCols() const { return tile[transposes ? 0 : 1]; }
  /// The chunks of a band for results of `bytes` each.
  Chunks chunks(int64_t bytes) const;
  /// A consumer's slots of chunks. They divide a tile's chunks, so that a slot
  /// and the number of stores behind it are known at compile time.
  int64_t chunkSlots(int64_t bytes) const;
  /// Shared memory: the rings of A and B, or of both parts of the columns; the
  /// ring of chunks or, in place of the rings, the sums that a cluster adds up;
  /// two barriers per slot.
  /// Where no problem is known, elements have 16 bits.
  int64_t ringBytes(const Problem *problem) const;
  int64_t chunkBytes(int64_t bytes) const {
    return meets() ? 0
                   : chunkSlots(bytes) * groups() * 64 * chunks(bytes).widest *
                         bytes;
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
  /// barriers together take less than the 1024 bytes of which everything else
  /// is a multiple, so what fits without these fits with them.
  int64_t residualBarrierBytes(int64_t bytes) const {
    return 8 * groups() * chunkSlots(bytes);
  }
  int64_t sharedBytes(const Problem *problem) const {
    int64_t resultBytes = problem ? sizeOf(problem->c) : 2;
    return std::max(ringBytes(problem) + chunkBytes(resultBytes), sumBytes()) +
           barrierBytes();
  }
};

} // namespace hone

#endif // HONE_SCHEDULE_WARPSPECIALIZED_H
