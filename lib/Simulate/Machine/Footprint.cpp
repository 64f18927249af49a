//===- Footprint.cpp - Bytes that an op accesses --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the ranges of ops; see Footprint.h.
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"
#include "dialects/Kernel/AddressMap.h"
#include "dialects/Kernel/PartialMap.h"

using namespace hone::simulate;
using namespace hone::kernel;

Ranges SlotPlace::lines(int64_t first, int64_t count, int64_t panel,
                        int64_t panels) const {
  RingType type = ring;
  int64_t panelWidth = type.getPanelWidth();
  int64_t panelBytes = type.getPanelBytes();
  if (first == 0 && count == type.getLines())
    return {{base + panel * panelBytes, base + (panel + panels) * panelBytes}};
  Ranges ranges;
  for (int64_t i = panel; i < panel + panels; ++i) {
    int64_t start = base + i * panelBytes + first * panelWidth;
    ranges.push_back({start, start + count * panelWidth});
  }
  return ranges;
}

static int64_t elementBytes(const SlotPlace &slot) {
  return slot.ring.getElement().getIntOrFloatBitWidth() / 8;
}

/// Steps of `ofStep` elements of k.
static Ranges rangesOfStep(const SlotPlace &slot, int64_t bytes, int64_t step,
                           int64_t ofStep, bool transposed, int64_t first,
                           int64_t rows) {
  int64_t perPanel = panelBytes(slot.ring.getWidth() * bytes) / bytes;
  if (!transposed)
    return slot.lines(first, rows, step * ofStep / perPanel, 1);
  int64_t panel = first / perPanel;
  int64_t panels = (first + rows - 1) / perPanel - panel + 1;
  return slot.lines(step * ofStep, ofStep, panel, panels);
}

Ranges hone::simulate::stepRanges(const SlotPlace &slot, int64_t step,
                                  bool transposed, int64_t first,
                                  int64_t rows) {
  int64_t bytes = elementBytes(slot);
  return rangesOfStep(slot, bytes, step, stepOf(bytes), transposed, first,
                      rows);
}

Ranges hone::simulate::readRanges(ReadOp op, const SlotPlace &slot,
                                  int64_t first) {
  FragmentType type = op.getFragment().getType();
  return rangesOfStep(slot, elementBytes(slot), op.getStep(), type.getStep(),
                      op.getTransposed(), first, type.getRows());
}

/// Whole lines, with their padding.
static ByteRange partialRange(PartialType partial, int64_t offset, int64_t line,
                              int64_t count) {
  int64_t lineBytes = partialChunks(partial.getCols()) * kChunkBytes;
  return {offset + line * lineBytes, offset + (line + count) * lineBytes};
}

llvm::SmallVector<int64_t, 4>
hone::simulate::ranksOf(std::optional<int64_t> mask, int64_t count) {
  constexpr int64_t kMaxBlocks = 16;
  llvm::SmallVector<int64_t, 4> ranks;
  for (int64_t rank = 0; rank < kMaxBlocks; ++rank)
    if (mask ? *mask >> rank & 1 : rank < count)
      ranks.push_back(rank);
  return ranks;
}

llvm::SmallVector<LoadBox, 4>
hone::simulate::boxesOf(LoadOp op, int64_t slotBase, int64_t part) {
  RingType ring = op.getRing().getType();
  MapType map = op.getMap().getType();
  int64_t partLines = ring.getLines() / op.getParts();
  int64_t first = part * partLines;
  llvm::SmallVector<LoadBox, 4> boxes;
  for (int64_t panel = 0; panel < ring.getPanels(); ++panel)
    for (int64_t line = 0; line < partLines; line += map.getLines())
      boxes.push_back({slotBase + first * ring.getPanelWidth() +
                           panel * ring.getPanelBytes() +
                           line * ring.getPanelWidth(),
                       panel * map.getWidth(), first + line});
  return boxes;
}

/// Chunks of one line at their swizzled places; adjacent ones are joined.
static void addChunks(Ranges &ranges, int64_t offset, int64_t line,
                      int64_t first, int64_t columns, int64_t cols) {
  llvm::SmallVector<int64_t, 16> starts;
  for (int64_t col = first; col < first + columns; col += kChunkSums)
    starts.push_back(offset + partialOffset(line, col, cols));
  llvm::sort(starts);
  size_t own = ranges.size();
  for (int64_t start : starts)
    if (ranges.size() > own && ranges.back().end == start)
      ranges.back().end += kChunkBytes;
    else
      ranges.push_back({start, start + kChunkBytes});
}

Ranges hone::simulate::partialRanges(PartialType partial, int64_t offset,
                                     int64_t line, int64_t count, int64_t first,
                                     int64_t columns) {
  constexpr int64_t kTogether = kPanelBytes / 4;
  // The padding of a line is never read or written.
  bool isPadded =
      partialChunks(partial.getCols()) * kChunkSums != partial.getCols();
  if (first == 0 && columns >= partial.getCols() && !isPadded)
    return {partialRange(partial, offset, line, count)};
  bool isWhole = first % kTogether == 0 && columns % kTogether == 0;
  Ranges ranges;
  for (int64_t i = 0; i < count; ++i) {
    int64_t start = partialRange(partial, offset, line + i, 1).begin;
    if (isWhole)
      ranges.push_back({start + first * 4, start + (first + columns) * 4});
    else
      addChunks(ranges, offset, line + i, first, columns, partial.getCols());
  }
  return ranges;
}

Ranges hone::simulate::putRanges(PartialPutOp op, int64_t offset, int64_t line,
                                 int64_t column) {
  int64_t lines = op.getAcc().getType().getRows();
  int64_t columns = op.getAcc().getType().getCols();
  if (op.getTransposed())
    std::swap(lines, columns);
  return partialRanges(op.getPartial().getType(), offset, line, lines, column,
                       columns);
}
