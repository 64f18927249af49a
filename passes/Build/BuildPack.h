//===- BuildPack.h - Operands copied before the product ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of its own first copies the operands that the copy engine cannot
// address. The copies are in the launch's workspace, matrix after matrix, in
// lines that are padded to a multiple of 128 bytes. The product then reads the
// copies, through tensor maps of the operands' own extents. No load covers the
// padding, so it stays unwritten.
//
//   workspace | counters, sums (if any) | A of all its batches | B ...
//                                       ^ multiples of 256     ^
//
// A factor that is multiplied in two parts is split during the copy: the high
// parts of all its matrices come first, then the low ones. Where the tensor
// cores cannot transpose an operand, its lines are transposed here unless they
// run along k.
//
// A factor that is multiplied by wider elements is converted to their type.
//
// One launch copies all operands. Its blocks take runs of pieces in turn, of
// the first operand, then of the second.
//
// | parameters         | kind | of each operand                          |
// |--------------------|------|------------------------------------------|
// | a, to_a            | ptr  | the operand, and its place in the        |
// |                    |      | workspace                                |
// | lines_a, width_a   | i32  | of a matrix, in its order in memory      |
// | matrices_a,heads_a | i32  | their number, and the number in each     |
// |                    |      | outer batch                              |
// | ld_a, sa, ha       | i64  | elements from line to line, outer batch  |
// |                    |      | to outer batch, inner to inner           |
// | ld_to_a            | i64  | elements from line to line of the copy   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_BUILDPACK_H
#define HONE_PASSES_BUILD_BUILDPACK_H

#include "passes/Build/BuildGemm.h"

namespace hone {

/// An operand that is copied, as formulas of the launch's arguments.
struct PackedOperand {
  std::string name;         ///< a or b
  ElementType type;         ///< of the operand
  ElementType copiedType;   ///< of the copy, as wide or wider
  PlanFormula lines, width; ///< extents of a matrix in memory
  bool isTransposed;        ///< lines of the copy are columns
  std::string batches;      ///< letters of its batches
  bool hasHeads;            ///< the launch has two batches
  bool isSplit;             ///< into high and low parts
  PlanFormula base;         ///< the start of the copies

  /// The number of its matrices, and of its inner ones.
  PlanFormula matrices() const;
  PlanFormula heads() const;
  /// Elements from line to line of the copy, and to the next batch.
  PlanFormula stride() const;
  PlanFormula batchStride(char batch) const;
  /// The distance from the high parts to the low ones, in elements.
  PlanFormula partStride() const;
  /// The size of the copies; a multiple of 256.
  PlanFormula bytes() const;
  /// The number of pieces of a matrix; a piece is 16 bytes of a line, moved at
  /// once.
  PlanFormula pieces() const;
  /// The number of runs of all its matrices, which blocks of `threads` take in
  /// turn.
  PlanFormula runs(int64_t threads) const;

private:
  /// Extents of a copy.
  const PlanFormula &copiedLines() const {
    return isTransposed ? width : lines;
  }
  const PlanFormula &copiedWidth() const {
    return isTransposed ? lines : width;
  }
};

/// The launch that copies `operands`; builds its kernel if needed. With
/// `overlaps` it may start before the previous launch has ended.
KernelLaunch buildPack(KernelModule &module, MatmulOp op,
                       llvm::ArrayRef<PackedOperand> operands, bool overlaps);

/// The run-time condition that a launch can number the pieces of a matrix. It
/// is kept for known extents, too, so that a proof for all sizes covers them.
PlanFormula packGuard(const PackedOperand &operand);

} // namespace hone

#endif // HONE_PASSES_BUILD_BUILDPACK_H
