//===- Launch.h - The numbers of one launch ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subject and a trial as the GPU would see them: the plan's formulas are
// evaluated for operands that lie in a made-up global memory, each in a region
// of its own, far from the others.
//
//   1 << 36         2 << 36         3 << 36         4 << 36
//   | A ...         | B ...         | C ...         | e0 ...
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_LAUNCH_H
#define HONE_LIB_SIMULATE_LAUNCH_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

/// An operand in global memory. Element (i, j) of a matrix lies
/// i * lineStride + j elements behind the matrix' start, with i the index that
/// numbers lines. There are `batches` of them; of two batches those are the
/// outer ones, in each of which there are `heads` of the program and `ownHeads`
/// of this operand: as many, or one that serves all.
struct Region {
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
  /// Where the matrix of a batch starts, of all batches counted together.
  int64_t startOf(int64_t batch) const {
    return batch / heads % batches * batchStride +
           batch % heads % ownHeads * headStride;
  }
  /// The operand's own matrices, and where each starts.
  int64_t matrices() const { return batches * ownHeads; }
  int64_t startOfOwn(int64_t matrix) const {
    return matrix / ownHeads * batchStride + matrix % ownHeads * headStride;
  }
  int64_t bytes() const { return elements() * sizeOf(type); }
  bool contains(int64_t address, int64_t count) const {
    return address >= base && address + count <= base + bytes();
  }
  /// True if `cols` elements from `address` on, and from there on in each of
  /// `rows` lines that are `stride` elements apart, are elements of one matrix:
  /// what lies between its lines is not.
  bool hasLines(int64_t address, int64_t rows, int64_t cols,
                int64_t stride) const;
};

struct MapValue {
  int64_t base = 0;
  std::vector<int64_t> dims, strides; ///< elements, bytes; innermost first
  std::vector<int64_t> box;
  int64_t swizzle = 0;

  /// Columns that a store writes, if elements have so many bytes: the engine
  /// stores chunks of 16 bytes as a whole, the last one of a line too.
  int64_t storedColumns(int64_t elementBytes) const;
};

struct LaunchValues {
  /// In x, where kernels count.
  int64_t grid = 1, cluster = 1, block = 1, sharedBytes = 0;
  /// What the launch asks for in y and z: 1, or the first extent that differs.
  int64_t inOtherDims = 1;
  bool workspaceZeroed = false;
  /// It may start before the kernel before it has ended: laws depend_c1 and
  /// depend_c2 hold.
  bool mayOverlap = false;
  /// It is asked to, on a GPU that has no kernel.depend.wait.
  bool overlapsInVain = false;
  /// Elements of k whose products tensor cores may add up before threads do;
  /// 0: all of them.
  int64_t maxInCores = 0;
  struct Param {
    int64_t value = 0;
    std::optional<MapValue> map;
  };
  std::vector<Param> params;
  std::vector<Region> regions;
  /// The plan's arguments, in its order.
  std::vector<int64_t> arguments;

  const Region *find(llvm::StringRef name) const;
  /// The region that an address lies in, or null. Operands of a program may lie
  /// in each other's gaps; then this is the first of them.
  const Region *at(int64_t address) const;
  /// True if some operand whose elements have `size` bytes has these lines.
  bool hasLines(int64_t address, int64_t rows, int64_t cols, int64_t stride,
                int64_t size) const;
};

/// The plan's argument for the distance of lines ("ld"), batches ("s") or inner
/// batches ("h") of an operand.
std::string strideArgument(llvm::StringRef what, llvm::StringRef operand);
/// The batches, of "bh", that an operand of the problem has of its own.
std::string ownBatches(const Subject &subject, const Operand &operand);
/// The operands of a trial, without the workspace.
std::vector<Region> placeOperands(const Subject &subject, const Trial &trial);
/// The first alternative whose guard holds is the plan's choice; this evaluates
/// the subject's, guard or not.
llvm::Expected<LaunchValues> evaluate(const Subject &subject,
                                      const Trial &trial);
/// What a launch is evaluated with: values of the plan's arguments, where its
/// operands and its workspace lie, and the clusters on the device at once.
struct LaunchInputs {
  std::vector<int64_t> arguments;
  std::vector<Region> regions;
  int64_t workspace = 0, resident = 0;
};
/// The same for numbers that are given.
llvm::Expected<LaunchValues> evaluate(const Subject &subject,
                                      LaunchInputs inputs);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_LAUNCH_H
