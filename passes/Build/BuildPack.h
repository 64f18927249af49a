//===- BuildPack.h - Operands copied before the product ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the copy engine cannot address, a kernel of its own copies first: into
// the launch's workspace, matrix behind matrix, in lines that are padded to a
// multiple of 128 bytes. The product then reads the copies, through tensor maps
// of the operands' own extents: nobody sees the padding, so nobody writes it.
//
//   workspace | counters, sums (if any) | A of all its batches | B ...
//                                       ^ multiples of 256     ^
//
// A factor that is multiplied in two parts is split on the way: the high parts
// of all its matrices, then the low ones. Where the tensor cores do not
// transpose what they read, an operand whose lines do not run along k is
// transposed here.
//
// What is multiplied by wider elements becomes as wide.
//
// One launch copies all operands; its blocks take runs of pieces in turn, of
// the first operand, then of the second.
//
// | parameters         | kind | of each operand                          |
// |--------------------|------|------------------------------------------|
// | a, to_a            | ptr  | the operand, and its place in the        |
// |                    |      | workspace                                |
// | lines_a, width_a   | i32  | of a matrix, as it lies in memory        |
// | matrices_a,heads_a | i32  | how many, and how many of those are in   |
// |                    |      | each outer batch                         |
// | ld_a, sa, ha       | i64  | elements from line to line, outer batch  |
// |                    |      | to outer batch, inner to inner           |
// | ld_to_a            | i64  | elements from line to line of the copy   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_BUILDPACK_H
#define HONE_PASSES_BUILD_BUILDPACK_H

#include "passes/Build/BuildGemm.h"

namespace hone {

/// An operand that is copied, in formulas of the launch's arguments.
struct PackedOperand {
  std::string name;         ///< a or b
  ElementType type;         ///< of the operand
  ElementType copiedType;   ///< of the copy, as wide or wider
  std::string lines, width; ///< extents of a matrix in memory
  bool isTransposed;        ///< lines of the copy are columns
  std::string batches;      ///< letters of its batches
  bool hasHeads;            ///< whether the launch has two batches
  bool isSplit;             ///< into high and low parts
  std::string base;         ///< where the copies start

  /// How many matrices there are of it, and how many inner ones.
  std::string matrices() const;
  std::string heads() const;
  /// Elements from line to line of the copy, and to the next batch.
  std::string stride() const;
  std::string batchStride(char batch) const;
  /// From the high parts to the low ones.
  std::string partStride() const;
  /// Of the copies; a multiple of 256.
  std::string bytes() const;
  /// What is moved at once: 16 bytes of a line.
  std::string pieces() const;
  /// What blocks of `threads` take in turn, of a matrix.
  std::string runs(int64_t threads) const;

private:
  /// Extents of a copy.
  const std::string &copiedLines() const {
    return isTransposed ? width : lines;
  }
  const std::string &copiedWidth() const {
    return isTransposed ? lines : width;
  }
};

/// The launch that copies `operands`; builds its kernel if need be. It may
/// start before the launch ahead of it has ended if it `overlaps`.
KernelLaunch buildPack(KernelModule &module, MatmulOp op,
                       llvm::ArrayRef<PackedOperand> operands, bool overlaps);

/// True, at run time, if a launch can number the pieces of a matrix. It stands
/// there for known extents, too, so that a proof for all sizes is one for them.
std::string packGuard(const PackedOperand &operand);

} // namespace hone

#endif // HONE_PASSES_BUILD_BUILDPACK_H
