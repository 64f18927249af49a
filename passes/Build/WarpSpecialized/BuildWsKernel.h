//===- BuildWsKernel.h - The kernel of the ws builder -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes roles around two rings as kernel IR:
//
//   producer, one thread             consumer, each group of four warps
//   --------------------------       ------------------------------------------
//   for each tile of this block      for each tile of this team
//     for each step of k               for each step of k
//       await empty[slot]                await full[slot]
//       expect full[slot]                fence; products of the slot; commit
//       load A and B                     wait for the products before them
//                                        arrive at empty[slot before]
//                                      epilogue and stores, chunk by chunk
//
// One group of products stays in flight while the next slot is awaited, so a
// slot is given back one step late. The first step of a tile starts the sums:
// its products ask whether it is the first. The rewrite `unroll(peel)` writes
// it out instead.
//
// Factors that have two parts are multiplied in three steps for each part of K,
// one behind the other, which only the producer knows. It loads
//
//   step % 3 | of the rows | of the columns
//   ---------|-------------|---------------
//   0        | low         | high
//   1        | high        | low
//   2        | high        | high
//
// so that the small products are added first, and each part of a tile is read
// from memory once and from the L2 again.
//
// Rows that tensor cores can not read as they lie in a slot are fetched: each
// consumer reads its own into registers, turned, or split, and gives these to
// the tensor cores. It waits for them before it reads the next ones; meanwhile
// the other consumers multiply. Where rows are split there, a step has both
// parts of the columns, in two rings, and all three products.
//
// A chunk's slot is written when at most `slots - 1` stores of this group have
// not been read yet. The number of slots divides the number of chunks, so each
// chunk of a tile always has the same slot.
//
// A residual comes to the slots from which its sums are stored:
//
//   slot   | load ... | added, staged | stored | load ...
//   issued   in the products' loop                in the epilogue, where a tile
//            of the tile                          has more chunks than slots
//
// The thread that issues the group's stores also issues these loads, so it
// knows when a slot has been read. It starts a tile's first loads in the loop
// behind the first products: the stores of the tile before are done by then,
// and the products hide the way from memory.
//
// Two teams take tiles in turn. The producer fills slots tile by tile, so a
// team's first slot comes as many steps later as the other team's tile has. A
// team multiplies only when the other has finished multiplying: a barrier's
// phase distinguishes just two rounds of a ring, so nobody may wait for a slot
// further ahead.
//
// The blocks of a cluster have tiles side by side, m x n of them. Those in a
// row need the same rows of A, those in a column the same columns of B, and
// each loads a part of it for all:
//
//            n = 0          n = 1
//   m = 0    A0 B0          A0 B1         block (0, 0) loads the first half of
//   m = 1    A1 B0          A1 B1         A0, with (0, 1), and of B0, with (1, 0)
//
// A slot is written by the blocks of its row and its column, so its readers
// give it back to all of them, and it is free when the consumers of all of them
// have.
//
// The blocks of a cluster that splits K share a tile and have a run of steps
// each. Their sums meet in shared memory, and each block adds up and stores
// some lines of the tile.
//
// Workers that stream get runs of steps that do not end where tiles do:
//
//   tiles   |  0    |  1    |  2    |  3    |  4    |      6 steps each
//   workers |    0     |     1    |    2     |           10 steps each
//
// Tile 0 belongs to worker 0 alone; tile 1 is shared by 0 and 1, tile 3 by 1
// and
// 2. Every worker leaves the sums of its parts of shared tiles in slots of a
// workspace, and finishes some lines of those tiles when it has nothing left to
// multiply. Tile t and worker w have slot t + w, so a tile's slots are
// consecutive. The tiles that do not fill the workers evenly are cut, and as
// many again as there are workers: the others are dealt out whole, after the
// runs, which gives everybody's sums the time to arrive.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_WARPSPECIALIZED_BUILDWSKERNEL_H
#define HONE_PASSES_BUILD_WARPSPECIALIZED_BUILDWSKERNEL_H

#include "passes/Build/WarpSpecialized/BuildWs.h"

namespace hone {

class WsKernel {
public:
  WsKernel(mlir::gpu::GPUFuncOp func, MatmulOp op, const GemmOperands &operands,
           const WarpSpecialized &knobs);
  void build();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  /// Where a tile starts in C, and in which matrix; null for a batch that does
  /// not exist.
  struct Place {
    Value row, col, batch, head;
  };
  /// A tile, and which of its steps are computed here.
  struct Part {
    Value tile, firstStep, steps;
    /// i1: all steps; null if that is always true.
    Value isWhole;
  };
  /// A place in a ring, and the phase its barrier is in.
  struct Turn {
    Value slot, phase;
  };
  using Body =
      llvm::function_ref<Values(const Part &part, mlir::ValueRange state)>;

  //===--------------------------------------------------------------------===//
  // The frame (BuildWsKernel.cpp)
  //===--------------------------------------------------------------------===//
  void prefetchMaps();
  void placeRings();
  void placeBarriers();
  void countTiles();
  void findLastStarts();
  void placeInCluster();
  void maskPeers();
  void countSteps();
  Place placeOf(Value tile);
  /// Runs `body` for every `every`-th of this block's tiles from `first` on, or
  /// for the parts of a worker of a stream.
  void forEachTile(Value first, Value every, mlir::ValueRange initial,
                   Body body);
  /// Runs `body` for 0 up to `count`, exclusive.
  void forEach(Value count, mlir::ValueRange initial,
               llvm::function_ref<Values(Value, mlir::ValueRange)> body);
  Turn next(Turn turn);
  /// The turn `count` after `turn`.
  Turn skip(Turn turn, Value count);
  /// Starts a role and moves the builder into its region.
  mlir::Block *openRole(llvm::StringRef name, int64_t warps,
                        std::optional<int64_t> registers, bool oneThread);
  void producer();
  void fillSlot(const Place &place, Value step, Turn turn);

  //===--------------------------------------------------------------------===//
  // The consumers (BuildWsConsumers.cpp)
  //===--------------------------------------------------------------------===//
  void consumers();
  void placeGroup(Value group);
  void takeTiles();
  kernel::AccType accType(int64_t cols);
  /// `inLoop`: what else is done in each step.
  Values multiplyTile(Turn &turn, Value steps, Value orderPhase,
                      llvm::function_ref<void(Value step)> inLoop);
  Values multiplySlot(Turn turn, mlir::ValueRange accs, Value keep);
  Values multiplyAlone(Turn &turn, Value steps,
                       llvm::function_ref<void(Value step)> inLoop);
  Values addSlot(Turn turn, mlir::ValueRange sums);
  Value addBlock(Turn turn, int64_t band, int64_t first, int64_t steps,
                 Value sum);
  Value multiplyBand(Turn turn, int64_t band, int64_t first, int64_t count,
                     Value acc, Value keep);
  Value multiplyFenced(Turn turn, int64_t band, int64_t first, int64_t count,
                       Value acc, Value keep);
  /// Rows in registers, step by step, and the ring of what they multiply.
  struct Fetched {
    Values rows;
    Value cols;
  };
  llvm::SmallVector<Fetched, 3> fetchRows(Turn turn, int64_t band,
                                          int64_t first, int64_t count);
  void handOver();
  Values waitFor(int64_t pending, mlir::ValueRange accs);
  void release(Value slot);
  void releaseBefore(Value slot, Value isLater);
  BatchPlace batchOf(const Place &place);
  /// The place in the copy engine's order, in the batches of one operand.
  Values batchesOf(const Place &place, llvm::StringRef batches);
  void placeEpilogue(const Place &place);
  /// A chunk of this group's part of the tile: where it lies in the tile, and
  /// its columns.
  struct Chunk {
    int64_t band, from, cols;
  };
  llvm::SmallVector<Chunk> chunksOfTile() const;
  Place placeOf(const Chunk &chunk, const Place &tile);
  void storeTile(const Place &place, llvm::ArrayRef<Value> accs,
                 Value residualPhase);
  void awaitSlot(Value matrix);
  /// Stores through the engine, or to `matrix`, if there is one, by threads. A
  /// slot that is fresh was not used yet.
  void storeChunk(const Place &at, Value acc, int64_t slot, bool isFresh,
                  Value matrix);
  void storeByEngine(const Place &at, int64_t cols, Value slot, Value line);
  /// Lines of a slot that belong to one group.
  int64_t chunkLines() const {
    return knobs.transposes ? chunks.widest : kBandRows;
  }

  //===--------------------------------------------------------------------===//
  // Residuals (BuildWsResidual.cpp)
  //===--------------------------------------------------------------------===//
  /// Starts the first loads of a part, in the step that is meant for it.
  void bringFirst(const Part &part, const Place &place, Value step);
  void bring(int64_t number, const Place &place);
  /// The same for each of a tile's chunks: adds it to the sums and stores them.
  void storeWithResidual(const Place &place, llvm::ArrayRef<Value> accs,
                         Value phase);
  Value slotOfGroup(int64_t number);
  /// The phase of the slots' barriers in the tile behind one.
  Value phaseBehind(const Part &part, Value phase);

  //===--------------------------------------------------------------------===//
  // Sums that meet (BuildWsSums.cpp)
  //===--------------------------------------------------------------------===//
  void reduceTile(const Place &place, llvm::ArrayRef<Value> accs);
  void putSums(llvm::ArrayRef<Value> accs);
  Value placePartial();
  Value placeMatrixC(const Place &place);
  /// `rows` lines of the tile, spread over a group in runs.
  kernel::AccType runType(int64_t rows);

  //===--------------------------------------------------------------------===//
  // Streams (BuildWsStream.cpp)
  //===--------------------------------------------------------------------===//
  void countStream();
  /// The `number`-th of this worker's parts.
  Part partAt(Value number);
  /// The worker that does step `step` of the stream.
  Value workerOf(Value step);
  void forEachPart(mlir::ValueRange initial, Body body);
  void finishPart(const Part &part, const Place &place,
                  llvm::ArrayRef<Value> accs, Value residualPhase);
  void leaveSums(const Part &part, llvm::ArrayRef<Value> accs);
  void finishCutTiles();
  void finishShare(const Part &part);
  int64_t pieceRows() const;
  Value slotOf(Value tile, Value number);
  Value counterOf(Value tile);

  //===--------------------------------------------------------------------===//
  // Helpers
  //===--------------------------------------------------------------------===//
  Value i32(int64_t value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, int64_t b);
  Value mul(Value a, Value b);
  Value select(Value condition, Value yes, Value no);
  Value ceilDiv(Value a, int64_t b);

  /// Rows of C per product of a group.
  static constexpr int64_t kBandRows = 64;

  MatmulOp op;
  const GemmOperands &operands;
  const Problem &problem;
  const WarpSpecialized &knobs;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Type elementA, elementC;
  WsSide left, right;
  Chunks chunks;
  std::optional<WsResidual> residual;
  std::map<std::string, Value> params, maps;
  EpilogueWriter epilogue;

  /// `ringLow`: the low parts of the columns, where a step has both.
  Value ringA, ringB, ringLow, ringC, full, empty, order, arrived, counters,
      sums;
  int64_t sharedOffset = 0;
  Value tilesM, tilesN, total, worker, workers;
  /// This block's number in the cluster, and what it says: its places along M
  /// and along N, and its share of K; null where there is one.
  Value rank;
  std::array<Value, 2> inCluster;
  /// Of a tile's rows and columns in C; null where they do not stand back.
  std::array<Value, 2> lastStart;
  Value shareOfK;
  /// The cluster's blocks along M and along N of this one, as masks, and both
  /// together; null where those are all of the cluster, or none but this one.
  std::array<Value, 2> along;
  Value peers;
  /// This block's steps of each tile, and the first of them.
  Value steps, firstStep;
  /// For a worker of a stream: its run of steps; the workers and steps of a
  /// span, which is a tile or all that is cut; the steps of each worker and how
  /// many of a span's workers have one more; the tiles of the stream, this
  /// worker's first one, how many it has, and how many whole ones follow.
  Value runStart, runEnd, spanWorkers, spanSteps, runSteps, longer;
  Value streamed, firstTile, cutTiles, wholeTiles;
  /// For a consumer: its number, and where its part of the tile starts.
  Value group, groupRow, groupCol;
};

} // namespace hone

#endif // HONE_PASSES_BUILD_WARPSPECIALIZED_BUILDWSKERNEL_H
