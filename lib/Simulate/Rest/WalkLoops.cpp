//===- WalkLoops.cpp - Loops over the points of a step --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of points that threads take in turn; see Walk.h.
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "dialects/Kernel/Kernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Rows and chunks
//===----------------------------------------------------------------------===//

Polynomial Walk::digitsOf(ArrayRef<unsigned> loops, ArrayRef<int64_t> by,
                          int64_t slice, Point &point) {
  Polynomial number;
  auto add = [&](unsigned loop, const Polynomial &extent) {
    Polynomial digit;
    if (extent.constant() != 1)
      digit = Polynomial::of(terms.symbols.addDigit(
          "i" + std::to_string(current) + std::to_string(loop), extent - 1));
    number = number * extent + digit;
    return digit;
  };
  // Of a line, slices run slowest.
  Polynomial slices;
  if (slice)
    slices = add(loops.back(), *step()->extents[loops.back()].constant() /
                                   (by.front() * slice));
  for (auto [i, loop] : llvm::enumerate(loops)) {
    size_t fromLast = loops.size() - 1 - i;
    int64_t own = fromLast < by.size() ? by[fromLast] : 1;
    Polynomial extent = step()->extents[loop];
    if (slice && fromLast == 0)
      extent = slice;
    else if (own > 1)
      extent = *extent.constant() / own;
    point[loop] = add(loop, extent) * own;
    if (fromLast == 0)
      point[loop] = point[loop] + slices * (own * slice);
  }
  return number;
}

/// Makes the block's number that of a row; false if blocks are not rows.
bool Walk::bindRows(scf::ForOp loop) {
  now.isRows = true;
  now.isReducing = loop.getNumRegionIterArgs() > 0;
  if (!launch.grid.exact)
    return fail(loop, Fault::plan,
                "shares a row of each block, but the number of blocks is not "
                "that of rows");
  const Polynomial &rows = *launch.grid.exact;
  size_t count = now.isReducing ? step()->parallel.size() : 0;
  auto product = [&] {
    return step()->countOf(ArrayRef(step()->parallel).take_front(count));
  };
  while (!now.isReducing && count < step()->parallel.size() &&
         !(product() == rows))
    ++count;
  if (!(product() == rows))
    return fail(loop, Fault::coverage,
                formatv("does step {0}, which has {1} rows, in {2} blocks",
                        current, terms.symbols.str(product()),
                        terms.symbols.str(rows)));
  llvm::append_range(now.rows, ArrayRef(step()->parallel).take_front(count));
  llvm::append_range(now.shared,
                     now.isReducing
                         ? ArrayRef(step()->reduced)
                         : ArrayRef(step()->parallel).drop_front(count));
  return true;
}

/// Limits the points of a chunk along a line.
static constexpr int64_t kMaxPoints = 64;

/// Reads the shape of a chunk, as the kernel states it: the points that follow
/// from it are compared with those that the kernel takes.
bool Walk::readTile(scf::ForOp loop) {
  auto stated = loop->getAttrOfType<DenseI64ArrayAttr>(kernel::kTileAttr);
  ArrayRef<int64_t> tile;
  if (stated)
    tile = stated.asArrayRef();
  auto divides = [&](int64_t part, size_t fromLast) {
    if (part == 1)
      return true;
    size_t count = now.shared.size();
    auto extent =
        count > fromLast
            ? step()->extents[now.shared[count - 1 - fromLast]].constant()
            : std::nullopt;
    constexpr int64_t kMaxPart = 16;
    return extent && part > 0 && part <= kMaxPart && *extent % part == 0;
  };
  bool isTile = tile.size() == 3 && !now.shared.empty() && tile[2] >= 0 &&
                tile[2] <= kMaxPoints && divides(tile[0], 2) &&
                divides(tile[1], 1);
  if (!isTile)
    return fail(loop, Fault::coverage,
                "states chunks that do not divide the loops");
  now.rowsAtOnce = tile[0];
  now.columns = tile[1];
  now.slice = tile[2];
  return true;
}

/// Computes the number of points in a chunk.
bool Walk::cutChunks(scf::ForOp loop, const Polynomial &chunks) {
  Polynomial points = step()->countOf(now.shared);
  bool isLine = !loop->hasAttr(kernel::kTileAttr);
  if (!isLine && !readTile(loop))
    return false;
  if (chunks == points && isLine)
    return true;
  auto last = now.shared.empty()
                  ? std::nullopt
                  : step()->extents[now.shared.back()].constant();
  for (int64_t width = 1; last && width <= kMaxPoints; ++width)
    if (*last % (width * std::max<int64_t>(now.slice, 1)) == 0 &&
        chunks * (width * now.columns * now.rowsAtOnce) == points) {
      now.width = width;
      return true;
    }
  return fail(loop, Fault::coverage,
              formatv("takes {0} chunks of {1} points",
                      terms.symbols.str(chunks), terms.symbols.str(points)));
}

/// True if the loop's bounds are one of the two forms.
bool Walk::takesEachChunk(scf::ForOp loop, const Polynomial &chunks) {
  auto first = valueOf(loop.getLowerBound()), by = valueOf(loop.getStep());
  if (!first || !by)
    return isUnknown(loop, "has bounds that the proof does not model");
  Polynomial start = terms.numberOf(*first), stride = terms.numberOf(*by);
  Polynomial own = Polynomial::of(thread);
  bool isRows = start == own && stride == launch.threads;
  bool isFlat = start == blockNumber * launch.threads + own &&
                stride == blocks * launch.threads;
  if (!isRows && !isFlat)
    return fail(loop, Fault::coverage,
                formatv("takes chunks from {0} on, every {1}: not each once",
                        terms.symbols.str(start), terms.symbols.str(stride)));
  // The last addition must not wrap, or the loop would start again.
  unsigned width = widthOf(loop.getInductionVar().getType());
  int64_t max = width < 64 ? (int64_t(1) << (width - 1)) - 1 : INT64_MAX;
  if (width < 64 &&
      !terms.symbols.isNonNegative(Polynomial(max) - (chunks - 1 + stride)))
    return fail(loop, Fault::bounds, "may count beyond its type");
  if (isRows)
    return bindRows(loop);
  if (function.steps().size() > 1)
    return fail(loop, Fault::coverage,
                "shares points among blocks, which do not wait for each other "
                "between steps");
  if (!launch.grid.isPositive)
    return fail(loop, Fault::coverage, "may be launched without a block");
  now.shared.assign(step()->parallel);
  return true;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// Adds the elements that a term is made of.
void Walk::allow(TermId id, std::set<TermId> &readable) {
  SmallVector<TermId> leaves;
  terms.leavesOf(id, leaves);
  for (TermId leaf : leaves)
    if (terms[leaf].kind == Term::load)
      readable.insert(leaf);
}

/// Computes the expected results, and the elements that may be read for them.
bool Walk::evaluatePoints(Operation *op, ArrayRef<TermId> before) {
  now.expected.clear();
  for (const Point &point : now.points) {
    SmallVector<TermId> own(before);
    for (unsigned i = 0; own.size() < step()->results(); ++i)
      own.push_back(elementOf(i, point));
    auto results = function.evaluate(*step(), point, own);
    if (!results)
      return isUnknown(op, "computes a value that the proof does not model");
    for (unsigned i = 0; i < step()->inputs(); ++i)
      allow(*function.elementOf(*step(), i, point), now.readable);
    for (TermId result : *results)
      allow(result, now.readable);
    now.readable.insert(function.loads().begin(), function.loads().end());
    now.expected.push_back(*results);
  }
  return true;
}

/// True if the function's accesses at a point are in bounds, and in the block's
/// row where several steps follow each other.
bool Walk::checkPoint(Operation *op, const Point &point) {
  if (std::string why = function.whyOutside(*step(), point); !why.empty())
    return fail(op, Fault::bounds, why);
  std::string why = function.whyOtherRow(*step(), point, blockNumber, blocks);
  return why.empty() || fail(op, Fault::overwritten, why);
}

/// The points of any chunk: positions along rows and shared loops, and 0 along
/// the other loops.
bool Walk::preparePoints(scf::ForOp loop) {
  Point point(step()->extents.size());
  Polynomial row = digitsOf(now.rows, {}, /*slice=*/0, point);
  if (now.isRows)
    blockNumber = row;
  Polynomial chunk = digitsOf(
      now.shared, {now.width, now.columns, now.rowsAtOnce}, now.slice, point);
  computed.clear();
  Type type = loop.getInductionVar().getType();
  fixed[loop.getInductionVar()] = terms.number(chunk, type);
  int64_t sizes[] = {now.width, now.columns, now.rowsAtOnce};
  for (int64_t i = 0; i < now.width * now.columns * now.rowsAtOnce; ++i) {
    now.points.push_back(point);
    int64_t left = i;
    for (size_t from = 0; from < std::min(std::size(sizes), now.shared.size());
         left /= sizes[from++]) {
      unsigned along = now.shared[now.shared.size() - 1 - from];
      now.points.back()[along] = point[along] + left % sizes[from];
    }
  }
  if (!now.isReducing)
    for (unsigned i : step()->reduced)
      if (step()->extents[i].constant() != 1)
        now.inner.push_back(i);
  for (const Point &each : now.points) {
    for (unsigned i = 0; i < step()->inputs() + step()->results(); ++i)
      if (!function.elementOf(*step(), i, each))
        return isUnknown(loop, "has positions that the proof cannot express");
    for (unsigned i = 0; i < step()->results(); ++i)
      now.readable.insert(elementOf(i, each));
    if (!checkPoint(loop, each))
      return false;
  }
  if (std::string why = function.whyNotApart(*step()); !why.empty())
    return fail(loop, Fault::coverage, "has a result that " + why);
  return true;
}

void Walk::walkChunks(scf::ForOp loop) {
  auto bound = valueOf(loop.getUpperBound());
  if (!bound || isMasked || !startAccess(loop)) {
    if (findings.empty())
      isUnknown(loop, "is a loop that the proof does not model");
    return;
  }
  Polynomial chunks = terms.numberOf(*bound);
  if (!takesEachChunk(loop, chunks) || !cutChunks(loop, chunks))
    return;
  bool isEmpty = chunks.constant() == 0;
  if (isEmpty && !now.isReducing)
    return endStep();
  if (isEmpty) {
    isUnknown(loop, "adds up nothing");
    return;
  }
  if (!preparePoints(loop))
    return;
  if (now.isReducing)
    startParts(loop);
  else if (now.inner.empty())
    evaluatePoints(loop, {});
  inChunks = true;
  walk(*loop.getBody());
  inChunks = false;
  if (findings.empty())
    now.isReducing ? finishParts(loop) : finishPoints(loop);
}

void Walk::finishPoints(scf::ForOp loop) {
  size_t expected = now.points.size() * step()->results();
  if (now.stored.size() != expected) {
    fail(loop, Fault::coverage,
         formatv("writes {0} of {1} results of its points", now.stored.size(),
                 expected));
    return;
  }
  endStep();
}

/// A loop in the body of the step: any of its rounds.
void Walk::walkBodyLoop(scf::ForOp loop) {
  SmallVector<TermId> bounds, first, yielded;
  auto take = [&](ValueRange values, SmallVector<TermId> &taken) {
    for (Value value : values)
      if (auto term = valueOf(value))
        taken.push_back(*term);
    return taken.size() == values.size() ||
           isUnknown(loop, "has values that the proof does not model");
  };
  if (!take({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
            bounds) ||
      !take(loop.getInitArgs(), first))
    return;
  LoopTerms own = terms.openLoop(bounds, first, bodyDepth);
  fixed[loop.getInductionVar()] = own.counter;
  for (auto [argument, value] :
       llvm::zip_equal(loop.getRegionIterArgs(), own.values))
    fixed[argument] = value;
  ++bodyDepth;
  walk(*loop.getBody());
  --bodyDepth;
  if (!findings.empty() ||
      !take(loop.getBody()->getTerminator()->getOperands(), yielded))
    return;
  for (auto [result, value] :
       llvm::zip_equal(loop.getResults(), terms.closeLoop(own, yielded)))
    fixed[result] = value;
}

void Walk::walkLoop(scf::ForOp loop) {
  if (!inChunks)
    walkChunks(loop);
  else if (now.depth < now.inner.size())
    walkInner(loop);
  else
    walkBodyLoop(loop);
}
