//===- BuildWsKernel.h - Kernel of the ws builder ---------------*- C++ -*-===//
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
// One group of products stays in flight during the wait for the next slot, so a
// slot is given back one step late. The first step of a tile starts the sums:
// its products test whether it is the first. The rewrite `unroll(peel)` peels
// this step instead.
//
// Factors that have two parts are multiplied in three consecutive steps for
// each part of K. Only the producer distinguishes these steps. It loads
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
// Rows that tensor cores cannot read from a slot are fetched: each consumer
// reads its own rows into registers, transposes or splits them, and passes the
// registers to the tensor cores. It waits for the products before it reads the
// next rows; meanwhile the other consumers multiply. Where rows are split in
// this way, a step has both parts of the columns, in two rings, and all three
// products.
//
// A convolution's A is never made: the copy engine reads the windows of a tile
// from the images, one tap of the filter and some channels at a step. Steps go
// through all taps, then to the next channels:
//
//   step % taps  | the tap, at an offset of the windows' corners
//   step / taps  | the channels
//
// so the pixels that taps share come from the L2. After the last step there are
// no channels, and both operands are zeros.
//
// A chunk's slot is written once at most `slots - 1` stores of this group are
// still unread. Each chunk of a tile always has the same slot. Where the number
// of slots does not divide that of chunks, all are read before a later tile's
// first chunk is written.
//
// A residual is loaded into the slots from which its sums are stored:
//
//   slot   | load ... | added, staged | stored | load ...
//   issued   in the products' loop                in the epilogue, where a tile
//            of the tile                          has more chunks than slots
//
// The thread that issues the group's stores also issues these loads, so it can
// wait until a slot has been read. It starts a tile's first loads in the loop
// after the first products: the stores of the previous tile are done by then,
// and the products hide the latency.
//
// Two teams take tiles in turn. The producer fills slots tile by tile, so a
// team's first slot comes as many steps later as the other team's tile has. A
// team multiplies only when the other has finished multiplying: a barrier's
// phase distinguishes just two rounds of a ring, so a thread must not wait for
// a slot further in the future.
//
// The blocks of a cluster have adjacent tiles, m x n of them. The blocks in a
// row need the same rows of A, those in a column the same columns of B, and
// each loads a part of it for all:
//
//            n = 0          n = 1
//   m = 0    A0 B0          A0 B1         block (0, 0) loads the first half of
//   m = 1    A1 B0          A1 B1         A0, with (0, 1); of B0, with (1, 0)
//
// A slot is written by the blocks of its row and its column. Its readers give
// it back to all of them, and it is free when the consumers of all these blocks
// have done so.
//
// The blocks of a cluster that splits K share a tile and have a run of steps
// each. They exchange their sums in shared memory, and each block adds up and
// stores some lines of the tile.
//
// Workers that stream get runs of steps that do not end at the ends of tiles:
//
//   tiles   |  0    |  1    |  2    |  3    |  4    |      6 steps each
//   workers |    0     |     1    |    2     |           10 steps each
//
// Tile 0 belongs to worker 0 alone; tile 1 is shared by 0 and 1, tile 3 by 1
// and 2. Every worker leaves the sums of its parts of shared tiles in slots of
// a workspace, and finishes some lines of those tiles once it has no more to
// multiply. Tile t and worker w have slot t + w, so a tile's slots are
// consecutive. The tiles that do not fill the workers evenly are cut, and as
// many again as there are workers. The others are assigned whole, after the
// runs, which gives the sums of all workers time to arrive.
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

  /// The start of a tile in C, and its matrix; null for a batch that does not
  /// exist. Of ragged rows the batch is the group, which also has the end of
  /// its rows and the depth of its product.
  struct Place {
    Value row, col, batch, head, end, depth;
  };
  /// The first window of a tile that this block loads: its image, and the row
  /// and column of its corner.
  struct Corner {
    Value image, row, column;
  };
  /// A tile, and its steps that are computed here.
  struct Part {
    Value tile, firstStep, steps;
    /// i1: all steps; null if that is always true.
    Value isWhole;
    kernel::SegmentOp segment; ///< of a tile of ragged rows
  };
  /// A place in a ring, and the phase of its barrier.
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
  Place placeOf(const Part &part);
  /// The segment of a tile, searched from that of a lower one on.
  kernel::SegmentOp segmentOf(Value tile, mlir::ValueRange after);
  Part wholeTile(Value tile, mlir::ValueRange after);
  /// The steps of a tile: of rows of no group, one outside of the matrices.
  Part partOf(Part part, const Place &place);
  /// Runs `body` for every `every`-th of this block's tiles from `first` on, or
  /// for the parts of a worker of a stream.
  void forEachTile(Value first, Value every, mlir::ValueRange initial,
                   Body body);
  /// Runs `body` for 0 up to `count`, exclusive.
  Values forEach(Value count, mlir::ValueRange initial,
                 llvm::function_ref<Values(Value, mlir::ValueRange)> body);
  Turn next(Turn turn);
  /// The turn `count` after `turn`, for the steps of whole tiles.
  Turn skip(Turn turn, Value count);
  /// Starts a role and moves the builder into its region.
  mlir::Block *openRole(llvm::StringRef name, int64_t warps,
                        std::optional<int64_t> registers, bool oneThread);
  void producer();
  void fillSlot(const Place &place, const Corner &corner, mlir::ValueRange tap,
                Value step, Turn turn);

  //===--------------------------------------------------------------------===//
  // Windows (BuildWsWindows.cpp)
  //===--------------------------------------------------------------------===//
  Corner cornerOf(const Place &place);
  Values firstTap(const Part &part);
  Values nextTap(mlir::ValueRange tap);
  Value div(Value a, Value b);
  Value rem(Value a, Value b);

  //===--------------------------------------------------------------------===//
  // The consumers (BuildWsConsumers.cpp)
  //===--------------------------------------------------------------------===//
  void consumers();
  void placeGroup(Value group);
  void takeTiles();
  Turn takeSegment(const Part &given, Turn turn);
  Values passSlot(Turn turn);
  kernel::AccType accType(int64_t cols);
  /// `inLoop`: further work in each step.
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
  /// Rows in registers, step by step, and the ring of the other factor.
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

  //===--------------------------------------------------------------------===//
  // The stores (BuildWsStores.cpp)
  //===--------------------------------------------------------------------===//
  BatchPlace batchOf(const Place &place);
  /// The place in the copy engine's order, in the batches of one operand.
  Values batchesOf(const Place &place, llvm::StringRef batches);
  void placeEpilogue(const Place &place);
  /// A chunk of this group's part of the tile: its place in the tile, and its
  /// columns.
  struct Chunk {
    int64_t band, from, cols;
  };
  llvm::SmallVector<Chunk> chunksOfTile() const;
  Place placeOf(const Chunk &chunk, const Place &tile);
  void storeTile(const Place &place, llvm::ArrayRef<Value> accs,
                 Value residualPhase);
  void awaitSlots(int64_t unread);
  /// Stores by threads to `matrix`, through the engine if it is null, or both:
  /// whole chunks of a group through the engine. At most `unread` chunks before
  /// are then still in their slots; none: the slot is unused.
  void storeChunk(const Place &at, Value acc, int64_t slot,
                  std::optional<int64_t> unread, Value matrix);
  void storeByThreads(const Place &at, int64_t cols, Value slot, Value line,
                      Value matrix);
  void storeByEngine(const Place &at, int64_t cols, Value slot, Value line);
  void startStores(const Place &at, int64_t cols, Value slot, Value line);
  /// Lines of a slot that belong to one group.
  int64_t chunkLines() const {
    return knobs.transposes ? chunks.widest : kBandRows;
  }

  //===--------------------------------------------------------------------===//
  // Residuals (BuildWsResidual.cpp)
  //===--------------------------------------------------------------------===//
  /// Starts the first loads of a part, in the right step.
  void bringFirst(const Part &part, const Place &place, Value step);
  void bring(int64_t number, const Place &place);
  /// The same for each of a tile's chunks: adds it to the sums and stores them.
  void storeWithResidual(const Place &place, llvm::ArrayRef<Value> accs,
                         Value phase);
  Value slotOfGroup(int64_t number);
  /// The phase of the slots' barriers in the tile after a part.
  Value phaseAfter(const Part &part, Value phase);

  //===--------------------------------------------------------------------===//
  // Exchanged sums (BuildWsSums.cpp)
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
  /// The worker that computes step `step` of the stream.
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
  /// This block's number in the cluster, and the places that follow from it:
  /// along M and along N, and its share of K; null if there is only one.
  Value rank;
  std::array<Value, 2> inCluster;
  /// The last starts of a tile's rows and columns in C; null if starts are
  /// not limited.
  std::array<Value, 2> lastStart;
  Value shareOfK;
  /// The cluster's blocks along M and along N from this block, as masks, and
  /// both together; null if those are all of the cluster, or only this block.
  std::array<Value, 2> along;
  Value peers;
  /// This block's steps of each tile, and the first of them.
  Value steps, firstStep;
  /// For a worker of a stream: its run of steps; the workers and steps of a
  /// span, which is a tile or all cut tiles together; the steps of each worker,
  /// and the number of a span's workers with one more; the tiles of the stream,
  /// this worker's first one, its number of them, and the number of whole tiles
  /// that follow.
  Value runStart, runEnd, spanWorkers, spanSteps, runSteps, longer;
  Value streamed, firstTile, cutTiles, wholeTiles;
  /// For a consumer: its number, and the start of its part of the tile.
  Value group, groupRow, groupCol;
};

} // namespace hone

#endif // HONE_PASSES_BUILD_WARPSPECIALIZED_BUILDWSKERNEL_H
