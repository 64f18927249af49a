//===- Footprint.h - Which bytes an op touches ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of shared memory, from the addresses that the lowering computes. A
// swizzle moves chunks within a line of a panel, so whole lines of panels are
// ranges, whatever part of a line an op touches.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_FOOTPRINT_H
#define HONE_LIB_SIMULATE_FOOTPRINT_H

#include "Program.h"
#include "Shadow.h"

namespace hone::simulate {

using Ranges = llvm::SmallVector<Range, 4>;

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

/// What one k16 step of `rows` rows (or columns) from `first` on reads, where k
/// numbers the lines (`transposed`) or the elements of a line.
Ranges stepRanges(const SlotPlace &slot, int64_t step, bool transposed,
                  int64_t first, int64_t rows);

/// The same of a `kernel.read`, whose rows start at `first`.
Ranges readRanges(kernel::ReadOp op, const SlotPlace &slot, int64_t first);

/// The lines that `kernel.stage` or `kernel.unstage` touches, from `line` on.
template <typename Op>
Ranges stagedRanges(Op op, const SlotPlace &slot, int64_t line) {
  kernel::AccType type = op.getAcc().getType();
  return slot.lines(line, op.getTransposed() ? type.getCols() : type.getRows());
}

/// One event of the copy engine of a `kernel.load`.
struct LoadBox {
  int64_t shared;              ///< byte offset it goes to
  int64_t elementOffset, line; ///< where it starts, from the op's coordinates
};
/// Of `count` lines of partial sums, `columns` columns from `first` on, both
/// whole chunks. These change places within 128 bytes, so a part of that is
/// looked up one by one.
Ranges partialRanges(kernel::PartialType partial, int64_t offset, int64_t line,
                     int64_t count, int64_t first, int64_t columns);
/// What `kernel.partial.put` writes to [`line`, `column`].
Ranges putRanges(kernel::PartialPutOp op, int64_t offset, int64_t line,
                 int64_t column);

/// Ranks of the blocks that a shared load lands in, or that are arrived in: the
/// set bits of `mask`, or the first `count` where there is none.
llvm::SmallVector<int64_t, 4> ranksOf(std::optional<int64_t> mask,
                                      int64_t count);

/// The boxes of a load of part `part` of a slot.
llvm::SmallVector<LoadBox, 4> boxesOf(kernel::LoadOp op, int64_t slotBase,
                                      int64_t part);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_FOOTPRINT_H
