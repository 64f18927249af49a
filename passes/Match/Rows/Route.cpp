//===- Route.cpp - Tokens, sorted by experts on the device ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counting sort in kernels of the rest, each of whose elements is computed
// from reads alone. An expert out of range counts as the one after the last, so
// g runs from 0 to `groups`. Pairs are in chunks of neighbors:
//
//   1. counts[q, g]: how many pairs of chunk q have an expert of at most g
//   2. sums[q, g]: the same for chunk q and all after it; sums[0] are the ends
//   3. places[j]: a binary search in sums[0] finds the expert of the j-th pair,
//      another one in its columns finds the chunk, and a loop the pair
//
// These are three launches, and two for so few pairs that they are one chunk.
// The steps of an element are a chunk, the number of chunks, and a chunk again.
// A merge sort (SortIndex.cpp) has ceil(log2(n / 64)) + 3 launches for any
// number of groups; here there are few.
//
// Where rows are added to tokens, the index needs no sort: a token has K pairs,
// one after the other. Their places in the order of experts are those of the
// smallest expert, the next one, and so on:
//
//   numbers[t * K + r]: the pair of token t whose expert is r-th; its place is
//     the end of its group, minus those in its chunk and after it, plus those
//     in front of it in the chunk
//
// On the host a loop counts, and another one has the next place of each group.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Match/Rows/Tables.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// So many pairs and fewer are one chunk.
static constexpr int64_t kOneChunk = 256;
/// The chunks of an unknown number of pairs.
static constexpr int64_t kOpenChunk = 256;

namespace {

/// Writes the tables for pairs. Chunk q begins with pair `q * chunk`.
class Route {
public:
  Route(OpBuilder &builder, Location loc, RoutedRows::Tables tables)
      : b(builder), loc(loc), tables(tables) {
    pairs = tensor::getMixedSize(b, loc, tables.experts, 0);
    auto known = getConstantIntValue(pairs);
    chunk = kOpenChunk;
    if (known && *known <= kOneChunk)
      chunk = llvm::PowerOf2Ceil(std::max<int64_t>(*known, 1));
    else if (known)
      chunk = std::max<int64_t>(64, int64_t(1) << (llvm::Log2_64(*known) / 2));
    if (known)
      chunks = std::max<int64_t>(llvm::divideCeil(*known, chunk), 1);
  }

  /// Writes the first two tables.
  Value sumsOfChunks() {
    // At least one chunk, whose first line is read.
    OpFoldResult lines = chunks ? OpFoldResult(b.getIndexAttr(*chunks))
                                : OpFoldResult(openChunks());
    OpFoldResult sizes[] = {lines, b.getIndexAttr(tables.groups + 1)};
    Value counts =
        makeTables(b, loc, sizes, 1, [&](ArrayRef<Number> at) -> NumberList {
          Number begin = at[0] * chunk;
          return {countIn(begin, endOf(begin),
                          [&](Number i) { return key(i) <= at[1]; })};
        })[0];
    if (chunks == 1)
      return counts;
    return makeTables(b, loc, sizes, 1, [&](ArrayRef<Number> at) -> NumberList {
      return {loopOver(at[0], lastChunk(at[0]) + 1, at[0].constant(0),
                       [&](Number q, Number sum) {
                         return sum + elementAt(counts, {q, at[1]});
                       })};
    })[0];
  }

  /// The rows and places.
  ResultRange order() {
    return makeTables(b, loc, pairs, 2, [&](ArrayRef<Number> at) -> NumberList {
      Number place = at[0], zero = place.constant(0);
      Number group =
          searchIn(zero, zero.constant(tables.groups),
                   llvm::bit_floor(uint64_t(tables.groups)),
                   [&](Number g) { return sum(zero, g + -1) <= place; });
      // Those of the group from this place on.
      Number left = sum(zero, group) - place, q = zero;
      if (chunks != 1)
        q = searchIn(zero, lastChunk(zero),
                     chunks ? llvm::bit_floor(uint64_t(*chunks - 1))
                            : int64_t(1) << 23,
                     [&](Number q) { return left <= countFrom(q, group); });
      Number begin = q * chunk;
      Number found =
          loopOver(begin, endOf(begin), {countFrom(q, group) - left, begin},
                   [&](Number i, ArrayRef<Number> now) -> NumberList {
                     Number isOwn = key(i) == group;
                     Number isFound = isOwn & (now[0] == now[0].constant(0));
                     return {isOwn.choose(now[0] + -1, now[0]),
                             isFound.choose(i, now[1])};
                   })[1];
      return {found / tables.choices, found};
    });
  }

  /// Rows, places and ends by loops.
  SmallVector<Value> loops() {
    auto table = [&](OpFoldResult size) -> Value {
      return tensor::EmptyOp::create(b, loc, size, b.getI32Type());
    };
    Number zero{&b, loc, arith::ConstantIntOp::create(b, loc, 0, 32)};
    Value next = table(b.getIndexAttr(tables.groups + 2));
    next = linalg::FillOp::create(b, loc, zero.value, next).getResult(0);
    Number end = count(zero), groups = zero.constant(tables.groups + 1);
    // The first place of each group, and of the one after the last.
    auto counted = [&](Number i, Number next) {
      Number after = key(i) + 1;
      return put(next, after, after.of(next.value) + 1);
    };
    Number first = loopOver(zero, end, {&b, loc, next}, counted);
    first = loopOver(zero, groups, first, [&](Number g, Number next) {
      Number after = g + 1;
      return put(next, after, after.of(next.value) + g.of(next.value));
    });
    Number each{&b, loc, table(pairs)};
    auto placed = [&](Number i, ArrayRef<Number> now) -> NumberList {
      Number group = key(i), place = group.of(now[0].value);
      return {put(now[0], group, place + 1),
              put(now[1], place, i / tables.choices), put(now[2], place, i)};
    };
    NumberList last = loopOver(zero, end, {first, each, each}, placed);
    return {last[1].value, last[2].value, last[0].value};
  }

  /// The places of the pairs of each token.
  Value numbers() {
    return makeTables(b, loc, pairs, 1, [&](ArrayRef<Number> at) -> NumberList {
      Number i = pairOf(at[0]), group = key(i), q = i / chunk;
      Number before = countIn(
          q * chunk, i, [&](Number other) { return key(other) == group; });
      return {sum(i.constant(0), group) - countFrom(q, group) + before};
    })[0];
  }

private:
  Value openChunks() {
    Value size = cast<Value>(pairs);
    auto index = [&](int64_t number) {
      return arith::ConstantIndexOp::create(b, loc, number);
    };
    size = arith::MaxUIOp::create(b, loc, size, index(1));
    return arith::CeilDivUIOp::create(b, loc, size, index(chunk));
  }

  /// The number of pairs.
  Number count(Number here) {
    if (auto known = getConstantIntValue(pairs))
      return here.constant(*known);
    return here.make<arith::IndexCastOp>(b.getI32Type(), cast<Value>(pairs));
  }
  Number endOf(Number begin) { return (begin + chunk).min(count(begin)); }
  Number lastChunk(Number here) {
    if (chunks)
      return here.constant(*chunks - 1);
    Number size = count(here);
    return (size + -1).min(size) / chunk;
  }

  Number put(Number table, Number place, Number element) {
    Value at =
        place.make<arith::IndexCastUIOp>(b.getIndexType(), place.value).value;
    return place.make<tensor::InsertOp>(element.value, table.value,
                                        ValueRange(at));
  }

  /// The expert of a pair.
  Number key(Number pair) {
    Number own = pair.of(tables.experts);
    own = own.min(own.constant(tables.groups));
    return own.value.getType().isInteger(32)
               ? own
               : own.make<arith::TruncIOp>(b.getI32Type(), own.value);
  }

  Number sum(Number chunk, Number group) {
    return elementAt(tables.sums, {chunk, group});
  }

  /// How many pairs of this chunk and all after it are of this group.
  Number countFrom(Number chunk, Number group) {
    Number zero = group.constant(0), isFirst = group == zero;
    Number before = sum(chunk, isFirst.choose(zero, group + -1));
    return sum(chunk, group) - isFirst.choose(zero, before);
  }

  /// The pair of a token whose expert is so many-th.
  Number pairOf(Number place) {
    int64_t choices = tables.choices;
    if (choices == 1)
      return place;
    Number begin = place / choices * choices, end = begin + choices;
    return loopOver(begin, end, begin, [&](Number i, Number found) {
      Number own = key(i);
      Number rank =
          countIn(begin, i, [&](Number other) { return key(other) <= own; });
      rank = rank +
             countIn(i, end, [&](Number other) { return key(other) < own; });
      return (begin + rank == place).choose(i, found);
    });
  }

  OpBuilder &b;
  Location loc;
  RoutedRows::Tables tables;
  OpFoldResult pairs;
  int64_t chunk;
  std::optional<int64_t> chunks; ///< if known
};

} // namespace

void RoutedRows::expand(IRRewriter &rewriter, RouteOp op, RowForm form) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value experts = op.getExperts();
  if (cast<RankedTensorType>(experts.getType()).getRank() == 2)
    experts = tensor::CollapseShapeOp::create(
        rewriter, loc, experts, SmallVector<ReassociationIndices>{{0, 1}});
  Tables tables = {experts, nullptr, int64_t(op.getGroups()), op.getChoices(),
                   nullptr};
  SmallVector<Value> results;
  Value ends;
  if (form == RowForm::loop) {
    results = Route(rewriter, loc, tables).loops();
    ends = results.pop_back_val();
  } else {
    ends = tables.sums = Route(rewriter, loc, tables).sumsOfChunks();
    results = llvm::to_vector_of<Value>(Route(rewriter, loc, tables).order());
  }
  // The first of the numbers, or of the first line.
  int64_t rank = cast<RankedTensorType>(ends.getType()).getRank();
  SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)),
      sizes(rank, rewriter.getIndexAttr(1)),
      steps(rank, rewriter.getIndexAttr(1));
  sizes.back() = rewriter.getIndexAttr(tables.groups);
  results.push_back(tensor::ExtractSliceOp::create(
      rewriter, loc, cast<RankedTensorType>(op.getEnds().getType()), ends,
      offsets, sizes, steps));
  if (tables.sums)
    routes[results.front()] = tables;
  rewriter.replaceOp(op, results);
}

const RoutedRows::Tables *RoutedRows::of(Value to) {
  auto found = routes.find(to);
  if (found == routes.end())
    return nullptr;
  Tables &tables = found->second;
  if (!tables.numbers) {
    OpBuilder builder(to.getContext());
    builder.setInsertionPointAfterValue(to);
    tables.numbers = Route(builder, to.getLoc(), tables).numbers();
  }
  return &tables;
}
