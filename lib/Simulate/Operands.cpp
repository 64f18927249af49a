//===- Operands.cpp - Placement of operands in memory ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places a launch's matrices with the weakest alignment that its guard accepts:
// no start, line or batch is better aligned than required, and there are unused
// gaps between lines. All distances differ from each other and from the
// extents, so that a mistaken one is detected.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Windows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::simulate;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Elements of an operand
//===----------------------------------------------------------------------===//

bool OperandRegion::hasLines(int64_t address, int64_t rows, int64_t cols,
                             int64_t stride) const {
  int64_t size = sizeOf(type);
  if ((address - base) % size)
    return false;
  if (rows > 1 && stride != lineStride) {
    for (int64_t row = 0; row < rows; ++row)
      if (!hasLines(address + row * stride * size, 1, cols, lineStride))
        return false;
    return true;
  }
  if (rows > lines)
    return false;
  // A matrix that has the first element begins at most `reach` before it.
  const int64_t reach = (lines - rows) * lineStride + width - cols;
  for (int64_t head = 0; head < ownHeads; ++head) {
    int64_t after = (address - base) / size - head * headStride;
    int64_t first = 0, last = after < 0 ? -1 : 0;
    if (batchStride > 0 && after >= 0) {
      first = after > reach ? llvm::divideCeil(after - reach, batchStride) : 0;
      last = std::min(batches - 1, after / batchStride);
    }
    for (int64_t batch = first; batch <= last; ++batch) {
      int64_t at = after - batch * batchStride;
      // Lines may overlap, as those of windows do.
      int64_t line = lineStride ? std::min(at / lineStride, lines - rows) : 0;
      if (at - line * lineStride + cols <= width)
        return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

int64_t Trial::alignOf(StringRef argument) const {
  auto found = aligns.find(argument);
  return found == aligns.end() ? pad : found->second;
}

std::string simulate::strideArgument(StringRef what, StringRef operand) {
  if (operand[0] != 'e')
    return (what + operand).str();
  return (operand + (what == "ld" ? "m" : what == "s" ? "b" : "h")).str();
}

/// The smallest odd multiple of `unit` that is not below `min`: aligned to
/// `unit` exactly.
static int64_t oddMultiple(int64_t min, int64_t unit) {
  int64_t count = std::max<int64_t>(llvm::divideCeil(min, unit), 1);
  return (count | 1) * unit;
}

namespace {
/// Places the operands of one trial, one after the other.
class Placement {
public:
  Placement(const Subject &subject, const Trial &trial)
      : subject(subject), trial(trial) {}

  std::vector<OperandRegion> regions;

  /// Adds a matrix of `rows` x `cols`, with the batches named in `batches`.
  /// `row`: the first index numbers lines.
  void add(StringRef name, ElementType type, int64_t rows, int64_t cols,
           bool row, StringRef batches) {
    OperandRegion region;
    region.name = name.str();
    region.type = type;
    region.lines = row ? rows : cols;
    region.width = row ? cols : rows;
    region.lineStride = stride(region, "ld", region.width, region.width);
    addBatches(region, batches);
    place(std::move(region));
  }

  /// Adds the images that a convolution reads.
  void addImages(const WindowArguments &window) {
    OperandRegion a;
    a.name = "a";
    a.type = subject.problem.a.type;
    a.lines = window.w.in;
    a.width = window.channels;
    // A line of a window may be the channels of its first pixel, so that the
    // channels of adjacent pixels overlap.
    constexpr unsigned kForms = 3;
    bool overlaps = window.w.filter == 1 && trial.form % kForms == 1;
    a.lineStride = stride(a, "ld", overlaps ? a.width / 3 : a.width, a.width);
    a.heads = a.ownHeads = window.h.in;
    int64_t row =
        (a.lines - 1) * a.lineStride + std::max(a.width, a.lineStride);
    a.headStride = stride(a, "h", row, row);
    a.batches = window.images;
    int64_t image = a.ownHeads * a.headStride;
    a.batchStride = stride(a, "s", image, image);
    place(std::move(a));
  }

private:
  /// The weakest alignment of starts that the guard accepts.
  void place(OperandRegion region) {
    constexpr int64_t kApart = int64_t(1) << 36;
    region.base = int64_t(regions.size() + 1) * kApart +
                  trial.alignOf(region.name) * sizeOf(region.type);
    regions.push_back(std::move(region));
  }

  /// A distance in `region` that is an argument of the plan, of more than
  /// `min` elements. A plan without that argument supports only `dense` ones.
  int64_t stride(const OperandRegion &region, StringRef what, int64_t min,
                 int64_t dense) {
    std::string argument = strideArgument(what, region.name);
    bool isStated = llvm::is_contained(subject.plan.args, argument) ||
                    region.name[0] == 'e';
    if (!isStated)
      return dense;
    int64_t unit = trial.alignOf(argument);
    int64_t distance = oddMultiple(min + trial.room, unit);
    while (isTaken(distance))
      distance += 2 * unit;
    taken.push_back(distance);
    return distance;
  }

  /// True if the distance equals an earlier one, or an extent.
  bool isTaken(int64_t distance) const {
    return llvm::is_contained(taken, distance) ||
           llvm::is_contained({trial.m, trial.n, trial.k, trial.batch},
                              distance);
  }

  /// Inner batches lie between the lines of all operands but B, as in
  /// attention.
  void addBatches(OperandRegion &region, StringRef batches) {
    region.heads = trial.heads;
    if (batches.contains('h')) {
      region.ownHeads = trial.heads;
      int64_t all = region.lines * region.lineStride;
      if (region.name == "b") {
        region.headStride = stride(region, "h", all, all);
      } else {
        region.headStride = stride(region, "h", region.width, region.width);
        all = region.headStride * trial.heads;
        region.lineStride = stride(region, "ld", all, all);
      }
    }
    if (batches.contains('b')) {
      region.batches = trial.batch / trial.heads;
      int64_t all = std::max(region.lines * region.lineStride,
                             region.ownHeads * region.headStride);
      region.batchStride = stride(region, "s", all, all);
    }
  }

  const Subject &subject;
  const Trial &trial;
  std::vector<int64_t> taken;
};
} // namespace

std::string simulate::ownBatches(const Subject &subject,
                                 const Operand &operand) {
  // With one batch the problem defines the matrix that all of it shares, with
  // two the launch does.
  const Problem &problem = subject.problem;
  if (problem.groups)
    return &operand == &problem.b ? "b" : "";
  if (!problem.batch || operand.shared)
    return "";
  const std::string &ofTwo =
      &operand == &problem.a ? subject.batchesA : subject.batchesB;
  return ofTwo.empty() ? "b" : ofTwo;
}

std::vector<int32_t> simulate::endsOf(const Subject &subject,
                                      const Trial &trial) {
  const Problem &problem = subject.problem;
  if ((!problem.groups && !problem.isRaggedSum) || !trial.ends.empty())
    return trial.ends;
  std::vector<int32_t> ends(trial.batch, int32_t(trial.m));
  if (problem.isRaggedSum)
    ends.back() = int32_t(trial.k);
  return ends;
}

/// Kinds of indices: from the last row back, rows that repeat, numbers of no row
/// on both sides among others, and rows in no order.
static unsigned kindOfIndex(const Trial &trial) { return trial.form % 4; }

int64_t simulate::rowsOfA(const Subject &subject, const Trial &trial) {
  if (!subject.problem.isIndexed)
    return trial.m;
  const int64_t rows[] = {trial.m + 3, trial.m / 3 + 1, trial.m / 2 + 2,
                          2 * trial.m + 1};
  return rows[kindOfIndex(trial)];
}

std::vector<int64_t> simulate::indexOf(const Subject &subject,
                                       const Trial &trial) {
  if (!subject.problem.isIndexed)
    return {};
  int64_t rows = rowsOfA(subject, trial);
  const int64_t none[] = {-1, rows, INT32_MIN, INT32_MAX, rows + 1, -rows};
  std::vector<int64_t> index(trial.m);
  for (int64_t i = 0; i < trial.m; ++i) {
    const int64_t numbers[] = {rows - 1 - i, i / 3,
                               i % 3 ? i * 5 % rows
                                     : none[i / 3 % std::size(none)],
                               (i * 37 + 11) % rows};
    index[i] = numbers[kindOfIndex(trial)];
  }
  return index;
}

std::vector<OperandRegion> simulate::placeOperands(const Subject &subject,
                                                   const Trial &trial) {
  const Problem &problem = subject.problem;
  auto [m, n, k] = std::tuple(trial.m, trial.n, depthOf(subject, trial));
  auto isRow = [](const Operand &operand) {
    return operand.order == Order::row;
  };
  bool hasHeads = llvm::is_contained(subject.plan.args, "heads");
  Trial ofB = trial;
  std::vector<int32_t> ends = endsOf(subject, trial);
  if (problem.groups)
    ofB.batch = ends.size(), ofB.heads = 1;
  Placement placement(subject, ofB);
  if (readsWindows(subject))
    placement.addImages(windowOf(subject, trial));
  else
    placement.add("a", problem.a.type, rowsOfA(subject, trial), k,
                  isRow(problem.a), ownBatches(subject, problem.a));
  placement.add("b", problem.b.type, k, n, isRow(problem.b),
                ownBatches(subject, problem.b));
  placement.add("c", problem.c, m, n, true,
                !problem.batch ? ""
                : hasHeads     ? "bh"
                               : "b");
  for (auto [i, operand] : llvm::enumerate(subject.operands)) {
    StringRef dims = operand.second;
    bool hasM = dims.contains('m'), hasN = dims.contains('n');
    placement.add("e" + std::to_string(i), operand.first, hasM && hasN ? m : 1,
                  hasN   ? n
                  : hasM ? m
                         : 1,
                  true, dims);
  }
  if (!ends.empty())
    placement.add("segments", ElementType::i32, 1, ends.size(), true, "");
  if (problem.isIndexed)
    placement.add("index", ElementType::i32, 1, m, true, "");
  return std::move(placement.regions);
}
