//===- Footprint.h - Bytes that an op accesses ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of shared memory, from the addresses that the lowering computes. A
// swizzle moves chunks within a line of a panel, so ranges are whole lines of
// panels, whatever part of a line an op accesses.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_FOOTPRINT_H
#define HONE_LIB_SIMULATE_FOOTPRINT_H

#include "../Program.h"
#include "Shadow.h"

namespace hone::simulate {

using Ranges = llvm::SmallVector<ByteRange, 4>;

/// A slot of a ring.
struct SlotPlace {
  kernel::RingType ring;
  int64_t base = 0; ///< offset of the slot

  /// Bytes of `count` lines from `first` on, in panels `panel` and following.
  Ranges lines(int64_t first, int64_t count, int64_t panel,
               int64_t panels) const;
  Ranges lines(int64_t first, int64_t count) const {
    return lines(first, count, 0, ring.getPanels());
  }
};

/// The bytes that one k16 step of `rows` rows (or columns) from `first` on
/// reads, where k numbers the lines (`transposed`) or the elements of a line.
Ranges stepRanges(const SlotPlace &slot, int64_t step, bool transposed,
                  int64_t first, int64_t rows);

/// The same for a `kernel.read`, whose rows start at `first`.
Ranges readRanges(kernel::ReadOp op, const SlotPlace &slot, int64_t first);

/// The lines that `kernel.stage` or `kernel.unstage` accesses, from `line` on.
template <typename Op>
Ranges stagedRanges(Op op, const SlotPlace &slot, int64_t line) {
  kernel::AccType type = op.getAcc().getType();
  return slot.lines(line, op.getTransposed() ? type.getCols() : type.getRows());
}

/// One event of the copy engine of a `kernel.load`.
struct LoadBox {
  int64_t shared;              ///< its destination, a byte offset
  int64_t elementOffset, line; ///< its start, from the op's coordinates
};
/// For `count` lines of partial sums, `columns` columns from `first` on, both
/// whole chunks. Chunks are permuted within 128 bytes, so the chunks of a part
/// of these are located one by one.
Ranges partialRanges(kernel::PartialType partial, int64_t offset, int64_t line,
                     int64_t count, int64_t first, int64_t columns);
/// The bytes that `kernel.partial.put` writes at [`line`, `column`].
Ranges putRanges(kernel::PartialPutOp op, int64_t offset, int64_t line,
                 int64_t column);

/// Ranks of the blocks that receive a shared load, or an arrival: the set bits
/// of `mask`, or the first `count` where there is none.
llvm::SmallVector<int64_t, 4> ranksOf(std::optional<int64_t> mask,
                                      int64_t count);

/// The boxes of a load of part `part` of a slot.
llvm::SmallVector<LoadBox, 4> boxesOf(kernel::LoadOp op, int64_t slotBase,
                                      int64_t part);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_FOOTPRINT_H
