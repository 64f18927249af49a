//===- MmaSyncTile.h - Tile of a block of mma_sync --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of a kernel, the place of a block's tile in them, and arithmetic
// on places.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_MMASYNC_MMASYNCTILE_H
#define HONE_PASSES_BUILD_MMASYNC_MMASYNCTILE_H

#include "passes/Build/MmaSync/BuildMmaSync.h"

namespace hone {

class MmaSyncTile {
public:
  MmaSyncTile(mlir::gpu::GPUFuncOp func, MatmulOp op, const Problem &problem,
              const MmaSync &schedule);

protected:
  /// Finds the tile's row, column and batch.
  void placeTile();
  /// A matrix with this many rows and columns of C, A or B.
  mlir::Value matrix(const std::string &name, mlir::Type element, int64_t align,
                     bool row, mlir::Value rows, mlir::Value cols);

  int64_t tileM() const { return schedule.tile[0]; }
  int64_t tileN() const { return schedule.tile[1]; }
  int64_t tileK() const { return schedule.tile[2]; }
  bool rowA() const { return problem.a.order == Order::row; }
  bool rowB() const { return problem.b.order == Order::row; }
  /// True if lines of the slots run along k.
  bool linesA() const { return rowA() || isExact; }
  bool linesB() const { return !rowB() || isExact; }
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value i32(int64_t value);

  mlir::gpu::GPUFuncOp func;
  MatmulOp op;
  const Problem &problem;
  const MmaSync &schedule;
  mlir::OpBuilder builder;
  mlir::Location loc;
  /// True if threads multiply instead of tensor cores.
  bool isExact;
  mlir::Type elementA, elementB, elementC;
  std::map<std::string, mlir::Value> params;
  EpilogueWriter epilogue;

  mlir::Value row, col, batch;
  BatchPlace place;
  /// Of ragged rows: the group.
  BatchPlace placeOfB;
  /// This block's number in its cluster, and this group's in its block; null if
  /// there is only one.
  mlir::Value rank, group;

private:
  void placeSegment(mlir::Value &index, mlir::Value &tilesM,
                    mlir::Value tilesN);
  void placeBatch(mlir::Value number);
};

} // namespace hone

#endif // HONE_PASSES_BUILD_MMASYNC_MMASYNCTILE_H
