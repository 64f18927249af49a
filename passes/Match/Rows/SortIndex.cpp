//===- SortIndex.cpp - Index of rows, sorted on the device ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A merge sort in kernels of the rest, each of whose elements is computed from
// reads alone. Its tables are keys and places: the indices as 32 bits without a
// sign, and where they were. For n indices:
//
//   1. ranks[i]: how many of the chunk of 64 sort before index i
//   2. runs[p]: the index of the chunk whose rank is p's, and its place
//   3. merged[p], for runs of 64, 128, ...: a binary search finds how many of
//      the first p elements of two runs are in the first
//   4. begins[d], once for all rows: a binary search for the first of row d
//
// Negative indices are beyond all rows, like those that are too large, so they
// come last and belong to no row. Equal ones keep their order. Indices of 64
// bits become keys by one more kernel, into which conversions can be fused.
//
// These are ceil(log2(n / 64)) + 3 launches. An element takes 64 steps in each
// of the first two, whose loads are those of its neighbors, and then two loads
// in each of log2(run) + 1 steps for each run that is merged:
//
//   n          launches   steps of an element
//   10 000           11   128 + 84
//   100 000          14   128 + 132
//   1 000 000        17   128 + 189
//   4 000 000        19   128 + 232
//
// A radix sort has 5 launches for each digit of 7 bits. Its elements walk
// through chunks that are not those of their neighbors, and through a tree of
// counts, so that they load more than the merges from two digits on.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "passes/Match/Rows/Tables.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone::match;

/// The indices that the first two kernels sort. Twice as many save a launch, and
/// take twice the steps there.
static constexpr int64_t kChunk = 64;
/// Comparisons of all elements that look through an index, in the time of a
/// launch on an H200; fewer elements take as long as so many.
static constexpr double kStepsOfLaunch = 3e6, kFewElements = 16384;

namespace {

/// Writes the kernels for indices.
class Sort {
public:
  Sort(OpBuilder &builder, Location loc, int64_t count)
      : b(builder), loc(loc), count(count) {}

  SortedIndices::Tables sorted(Value to) {
    Value keys = keysOf(to);
    SortedIndices::Tables tables = runsOf(keys, ranksOf(keys));
    for (int64_t run = kChunk; run < count; run *= 2)
      tables = merged(tables, run);
    return tables;
  }

  Value beginsIn(Value keys, int64_t rows) {
    return vectors(rows + 1, 1, [&](Number row) -> NumberList {
      return {searchIn(row.constant(0), row.constant(count),
                       llvm::bit_floor(uint64_t(count)), [&](Number number) {
                         return (number + -1).of(keys) < row;
                       })};
    })[0];
  }

private:
  /// Vectors whose elements are computed from their positions.
  ResultRange vectors(int64_t size, unsigned results,
                      function_ref<NumberList(Number)> body) {
    return makeTables(b, loc, OpFoldResult(b.getIndexAttr(size)), results,
                      [&](ArrayRef<Number> at) { return body(at[0]); });
  }

  /// The end of a run from `begin` on.
  Number endOf(Number begin, int64_t run) {
    return (begin + run).min(begin.constant(count));
  }

  /// The indices in 32 bits. Indices that do not fit become the largest number.
  Value keysOf(Value to) {
    Type type = getElementTypeOrSelf(to.getType());
    if (type.isInteger(32))
      return to;
    Value out =
        tensor::EmptyOp::create(b, loc, ArrayRef(count), b.getI32Type());
    AffineMap map = b.getMultiDimIdentityMap(1);
    auto op = linalg::GenericOp::create(
        b, loc, out.getType(), to, out, {map, map},
        utils::IteratorType::parallel,
        [&](OpBuilder &inside, Location, ValueRange values) {
          Number index{&inside, loc, values[0]};
          index =
              index.min(index.constant(std::numeric_limits<uint32_t>::max()));
          index = index.make<arith::TruncIOp>(b.getI32Type(), index.value);
          linalg::YieldOp::create(inside, loc, index.value);
        });
    return op.getResult(0);
  }

  Value ranksOf(Value keys) {
    return vectors(count, 1, [&](Number at) -> NumberList {
      Number own = at.of(keys), begin = at.roundedDown(kChunk);
      auto countIn = [&](Number begin, Number end, Number rank,
                         arith::CmpIPredicate predicate) {
        return loopOver(begin, end, rank, [&](Number other, Number rank) {
          return other.of(keys).is(predicate, own).choose(rank + 1, rank);
        });
      };
      Number rank =
          countIn(begin, at, at.constant(0), arith::CmpIPredicate::ule);
      return {
          countIn(at, endOf(begin, kChunk), rank, arith::CmpIPredicate::ult)};
    })[0];
  }

  SortedIndices::Tables runsOf(Value keys, Value ranks) {
    auto tables = vectors(count, 2, [&](Number at) -> NumberList {
      Number begin = at.roundedDown(kChunk), rank = at - begin;
      Number place = loopOver(begin, endOf(begin, kChunk), begin,
                              [&](Number other, Number found) {
                                return other.of(ranks)
                                    .is(arith::CmpIPredicate::eq, rank)
                                    .choose(other, found);
                              });
      return {place.of(keys), place};
    });
    return {tables[0], tables[1]};
  }

  /// Merges each two neighbors among runs. Of equal keys the first run's are
  /// first.
  SortedIndices::Tables merged(SortedIndices::Tables runs, int64_t run) {
    auto tables = vectors(count, 2, [&](Number at) -> NumberList {
      Number begin = at.roundedDown(2 * run), middle = endOf(begin, run),
             end = endOf(begin, 2 * run), place = at - begin;
      Number low = place - place.min(end - middle),
             high = place.min(middle - begin);
      // Where there is nothing to find, the element itself is compared.
      Number isOpen = low < high, sum = middle + place;
      Number last = isOpen.choose(begin + -1, at - low),
             other = isOpen.choose(sum, at + low);
      Number taken = searchIn(low, high, run, [&](Number number) {
        return (last + number).of(runs.keys) <= (other - number).of(runs.keys);
      });
      // The next of each run, or that of the other one where a run ends.
      Number first = begin + taken, second = sum - taken;
      Number a = (first < middle).choose(first, second),
             c = (second < end).choose(second, first);
      Number keyA = a.of(runs.keys), keyC = c.of(runs.keys);
      return {keyA.min(keyC), (keyA <= keyC).choose(a, c).of(runs.places)};
    });
    return {tables[0], tables[1]};
  }

  OpBuilder &b;
  Location loc;
  int64_t count;
};

} // namespace

bool SortedIndices::areSearched(int64_t count, int64_t rows, int64_t columns) {
  // NumberList have 32 bits, also that after the last of two runs.
  constexpr int64_t kMax = int64_t(1) << 30;
  if (ShapedType::isDynamic(count) || ShapedType::isDynamic(rows) ||
      count > kMax || rows >= kMax)
    return true;
  if (ShapedType::isDynamic(columns))
    columns = 1;
  double launches = 3 + llvm::Log2_64_Ceil(llvm::divideCeil(count, kChunk));
  double elements = std::max(double(rows) * double(columns), kFewElements);
  return double(count) * elements <= launches * kStepsOfLaunch;
}

SortedIndices::Order SortedIndices::of(Value to, int64_t rows) {
  OpBuilder builder(to.getContext());
  Sort sort(builder, to.getLoc(),
            cast<RankedTensorType>(to.getType()).getDimSize(0));
  Tables &tables = sorted[to];
  if (!tables.keys) {
    builder.setInsertionPointAfterValue(to);
    tables = sort.sorted(to);
  }
  Value &begins = firsts[{to, rows}];
  if (!begins) {
    builder.setInsertionPointAfterValue(tables.keys);
    begins = sort.beginsIn(tables.keys, rows);
  }
  return {begins, tables.places};
}
