//===- Launch.h - Numbers of one launch -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subject and a trial as on the GPU: the plan's formulas are evaluated for
// operands in a simulated global memory, each in a region of its own, far from
// the others.
//
//   1 << 36         2 << 36         3 << 36         4 << 36
//   | A ...         | B ...         | C ...         | e0 ...
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_LAUNCH_H
#define HONE_LIB_SIMULATE_LAUNCH_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

/// An operand in global memory. Element (i, j) of a matrix is i * lineStride +
/// j elements after the matrix' start, where i is the index that numbers lines.
/// There are `batches` of them. With two batch dimensions these are the outer
/// ones, each with `heads` of the program and `ownHeads` of this operand: the
/// same number, or one that serves all.
struct OperandRegion {
  std::string name;
  ElementType type;
  int64_t base = 0;
  int64_t batches = 1, lines = 0, width = 0;
  int64_t batchStride = 0, lineStride = 0;
  int64_t heads = 1, ownHeads = 1, headStride = 0;

  int64_t elements() const {
    if (!lines || !width)
      return 0;
    return (batches - 1) * batchStride + (ownHeads - 1) * headStride +
           (lines - 1) * lineStride + width;
  }
  /// The start of the matrix of a batch, of all batches counted together.
  int64_t startOf(int64_t batch) const {
    return batch / heads % batches * batchStride +
           batch % heads % ownHeads * headStride;
  }
  /// The operand's own matrices, and the start of each.
  int64_t matrices() const { return batches * ownHeads; }
  int64_t startOfOwn(int64_t matrix) const {
    return matrix / ownHeads * batchStride + matrix % ownHeads * headStride;
  }
  int64_t bytes() const { return elements() * sizeOf(type); }
  bool contains(int64_t address, int64_t count) const {
    return address >= base && address + count <= base + bytes();
  }
  /// True if `cols` elements from `address` on, and in each of `rows` lines
  /// that are `stride` elements apart, are elements of one matrix. Elements
  /// between its lines are not.
  bool hasLines(int64_t address, int64_t rows, int64_t cols,
                int64_t stride) const;
};

struct MapValue {
  int64_t base = 0;
  std::vector<int64_t> dims, strides; ///< elements, bytes; innermost first
  /// Of a window: corners and steps of each dimension of pixels.
  std::vector<int64_t> lower, upper, steps;
  std::vector<int64_t> box;
  int64_t swizzle = 0;

  bool isWindow() const { return !lower.empty(); }
  /// The columns that a store writes, for elements of this many bytes: the
  /// engine stores whole chunks of 16 bytes, including the last one of a line.
  int64_t storedColumns(int64_t elementBytes) const;
};

struct LaunchValues {
  /// In x, the dimension that kernels use.
  int64_t grid = 1, cluster = 1, block = 1, sharedBytes = 0;
  /// The launch's extent in y and z: 1, or the first extent that differs.
  int64_t inOtherDims = 1;
  bool workspaceZeroed = false;
  /// The kernel may start before the previous one has ended: laws depend_c1 and
  /// depend_c2 hold.
  bool mayOverlap = false;
  /// An overlap is requested, on a GPU that has no kernel.depend.wait.
  bool overlapsInVain = false;
  /// The maximum number of elements of k whose products tensor cores may add up
  /// before threads do; 0: no limit.
  int64_t maxInCores = 0;
  struct Param {
    int64_t value = 0;
    std::optional<MapValue> map;
  };
  std::vector<Param> params;
  std::vector<OperandRegion> regions;
  /// The plan's arguments, in its order.
  std::vector<int64_t> arguments;
  /// The contents of region "segments": the ends of ragged rows.
  std::vector<int32_t> ends;
  /// The contents of region "index": the index of A's rows.
  std::vector<int64_t> index;

  const OperandRegion *find(llvm::StringRef name) const;
  /// The region that contains an address, or null. Operands of a program may
  /// lie in each other's gaps; then this is the first of them.
  const OperandRegion *at(int64_t address) const;
  /// True if some operand whose elements have `size` bytes has these lines.
  bool hasLines(int64_t address, int64_t rows, int64_t cols, int64_t stride,
                int64_t size) const;
};

/// The plan's argument for the distance of lines ("ld"), batches ("s") or inner
/// batches ("h") of an operand.
std::string strideArgument(llvm::StringRef what, llvm::StringRef operand);
/// The ends of ragged rows in a trial; none if rows have one B.
std::vector<int32_t> endsOf(const Subject &subject, const Trial &trial);
/// The number of A's rows in a trial, and the index of them, if they have one.
int64_t rowsOfA(const Subject &subject, const Trial &trial);
std::vector<int64_t> indexOf(const Subject &subject, const Trial &trial);
/// The batches, of "bh", in which an operand of the problem has matrices of its
/// own.
std::string ownBatches(const Subject &subject, const Operand &operand);
/// The operands of a trial, without the workspace.
std::vector<OperandRegion> placeOperands(const Subject &subject,
                                         const Trial &trial);
/// The subject of one of its launches.
Subject subjectOf(const Subject &subject, size_t launch);
/// Evaluates the subject's alternative, whether its guard holds or not. The
/// plan chooses the first alternative whose guard holds.
llvm::Expected<LaunchValues> evaluate(const Subject &subject,
                                      const Trial &trial);
/// The inputs of a launch: values of the plan's arguments, addresses of its
/// operands and its workspace, and the number of clusters resident on the
/// device.
struct LaunchInputs {
  std::vector<int64_t> arguments;
  std::vector<OperandRegion> regions;
  std::vector<int32_t> ends;
  std::vector<int64_t> index;
  int64_t workspace = 0, resident = 0;
};
/// The same for given numbers.
llvm::Expected<LaunchValues> evaluate(const Subject &subject,
                                      LaunchInputs inputs);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_LAUNCH_H
