//===- RestKernel.h - Writer of kernels of the rest -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class that writes one kernel, in four files: its parameters and loops
// (RestKernel.cpp), the elements in memory and the values computed from them
// (RestElements.cpp), bodies that load lines (RestTiles.cpp), and the sums over
// threads (RestSums.cpp).
//
// Points are numbered in the order of the loops; the points of a tile share one
// number. Each thread adds up its points of a row, a warp adds up by
// exchange, and the block through shared memory, always in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REST_RESTKERNEL_H
#define HONE_PASSES_REST_RESTKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Lower/LowerKernel.h"
#include "passes/Rest/RestLines.h"

namespace hone {

/// A word of a launch as the scalar that it carries.
mlir::Value fromWord(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value word, mlir::Type type);

/// A memref argument in the kernel.
struct RestMatrix {
  mlir::Value pointer;
  mlir::Type element;
  llvm::SmallVector<IndexValue> extents, strides;
  /// Strides that are known; kDynamic elsewhere.
  llvm::SmallVector<int64_t> known;
  int64_t align = 1;
};

/// The layout of an operand's values at neighbouring points.
enum class RestLanes { same, adjacent, apart };

class RestKernel {
public:
  RestKernel(mlir::func::FuncOp function, const RestLayout &layout,
             mlir::gpu::GPUFuncOp kernel)
      : function(function), layout(layout), kernel(kernel),
        builder(mlir::OpBuilder::atBlockBegin(&kernel.getBody().front())),
        loc(function.getLoc()), emit(builder, loc) {}

  llvm::SmallVector<int64_t> build();

private:
  using Position = llvm::SmallVector<IndexValue>; ///< a number for each loop
  using Points = llvm::SmallVector<Position, 8>;
  /// Neighbours along the last loop, and their distance from the first ones of
  /// the tile, by loop.
  struct Line {
    Points points;
    llvm::SmallVector<int64_t> distance;
  };
  using Values = llvm::SmallVector<mlir::Value>;
  /// The values of a body at the lines of a tile.
  struct TileBody {
    const RestStep &step;
    const RestLines &lines;
    llvm::ArrayRef<Line> tile;
    /// By line: of each point, or one for all of them; and as vectors.
    llvm::DenseMap<mlir::Value, std::vector<Values>> values;
    llvm::DenseMap<mlir::Value, Values> vectors;

    TileBody(const RestStep &step, const RestLines &lines,
             llvm::ArrayRef<Line> tile)
        : step(step), lines(lines), tile(tile) {}
  };

  // Parameters.
  void readParams();
  void readGlobals();
  IndexValue number(int64_t value) {
    return emit.index(mlir::arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(indexType, value)));
  }
  IndexValue toIndex(mlir::Value value) {
    return emit.index(value).to(indexType);
  }
  IndexValue extentOf(const RestStep &step, unsigned loop);
  IndexValue countOf(const RestStep &step, llvm::ArrayRef<unsigned> loops);

  // Loops.
  void runStep(const RestStep &step, const RestTile &tile);
  Position rowOf(const RestStep &step);
  std::vector<Line> pointsOf(const RestStep &step, Position position,
                             IndexValue chunk, const RestTile &tile);
  llvm::SmallVector<mlir::Value>
  forChunks(const RestStep &step, const RestTile &tile,
            mlir::ValueRange initial,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(IndexValue,
                                                              mlir::ValueRange)>
                body);
  void mapPoints(const RestStep &step, llvm::ArrayRef<Line> tile);
  llvm::SmallVector<mlir::Value>
  addPoints(const RestStep &step, const Points &points, mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> reduceAlone(const RestStep &step,
                                             Position position,
                                             llvm::ArrayRef<unsigned> loops,
                                             mlir::ValueRange sums);
  void reduceRow(const RestStep &step, const RestTile &tile);

  // Elements.
  IndexValue positionOf(mlir::AffineExpr expr, const Position &position);
  mlir::Value addressOf(const RestStep &step, mlir::OpOperand &operand,
                        const Position &position);
  RestLanes lanesOf(const RestStep &step, mlir::OpOperand &operand,
                    size_t width, unsigned loop);
  RestLanes lanesOf(const RestStep &step, mlir::OpOperand &operand,
                    size_t width) {
    return width == 1 || step.shared().empty()
               ? RestLanes::apart
               : lanesOf(step, operand, width, step.shared().back());
  }
  std::vector<llvm::SmallVector<mlir::Value>>
  loadTile(const RestStep &step, mlir::OpOperand &operand,
           llvm::ArrayRef<Line> tile);
  llvm::SmallVector<mlir::Value> loadLine(mlir::OpOperand &operand,
                                          const RestStep &step,
                                          const Position &first, size_t width);
  llvm::SmallVector<mlir::Value>
  load(const RestStep &step, mlir::OpOperand &operand, const Points &points);
  void store(const RestStep &step, mlir::OpOperand &operand,
             const Points &points, llvm::ArrayRef<mlir::Value> values);
  llvm::SmallVector<mlir::Value> compute(const RestStep &step,
                                         const Position &position,
                                         mlir::ValueRange inputs);
  llvm::SmallVector<mlir::Value> computeBlock(mlir::Block &block,
                                              const Position &position,
                                              mlir::IRMapping &mapping);
  void computeLoop(mlir::scf::ForOp loop, const Position &position,
                   mlir::IRMapping &mapping);
  mlir::Value loadInBody(mlir::memref::LoadOp op, mlir::ValueRange indices,
                         int64_t width = 1);

  // Bodies that load lines.
  std::vector<Values> computeTile(TileBody &body);
  void computeOp(TileBody &body, mlir::Operation &op, size_t line);
  mlir::Value valueOf(TileBody &body, mlir::Value value, size_t line,
                      size_t lane);
  mlir::Value numberOf(TileBody &body, const LoopSum &sum, size_t line,
                       size_t lane);

  // Sums.
  mlir::Value combine(mlir::Operation *combiner, mlir::Value a, mlir::Value b);
  mlir::Value exchange(mlir::Value value, int64_t distance);
  mlir::Value sumOfBlock(mlir::Operation *combiner, mlir::Value sum,
                         int64_t slot);
  mlir::Value slotOf(mlir::Value warp, int64_t slot);
  void declareSums();

  mlir::func::FuncOp function;
  const RestLayout &layout;
  mlir::gpu::GPUFuncOp kernel;
  mlir::OpBuilder builder;
  mlir::Location loc;
  KernelEmitter emit;
  mlir::Type indexType;
  llvm::DenseMap<mlir::Value, RestMatrix> matrices;
  mlir::IRMapping scalars;
};

} // namespace hone

#endif // HONE_PASSES_REST_RESTKERNEL_H
