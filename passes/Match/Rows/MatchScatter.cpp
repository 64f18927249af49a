//===- MatchScatter.cpp - Rows that are added through an index ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone.scatter_rows` becomes linalg ops on sums of f32. For a CPU, a loop:
//
//   scf.for %i iter_args(%sums = destination)
//     %sums[to[%i]] += weights[%i] * rows[%i]       if C has row to[%i]
//
// For a GPU, where no two threads may add to one element, and each sum has to
// be in order, a loop for each element of the result. The compiler sorts an
// index that is constant, so the loop has the numbers of one row:
//
//   sums[d, n] = destination[d, n] + sum over p of
//     weights[order[p]] * rows[order[p], n]     begins[d] <= p < begins[d + 1]
//
// Kernels sort another index (SortIndex.cpp). That of a `hone.route` needs no
// sort (Route.cpp): of K choices, begins[d] = d * K. An element looks through a
// short index, and through one of unknown extent:
//
//   sums[d, n] = destination[d, n] + sum over i of
//     (to[i] == d ? weights[i] * rows[i, n] : 0)
//
// The maximum has the same forms.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/Match/Rows/Tables.h"
#include "passes/Support.h"
#include <numeric>

using namespace mlir;
using namespace hone;
using hone::match::RoutedRows;
using hone::match::SortedIndices;

namespace {

/// A sorted index.
struct ScatterOrder {
  SortedIndices::Order tables;
  /// If not 0, each row has so many numbers, and `begins` is null.
  int64_t choices = 0;
  /// The rows of a loop's step, and of the last steps.
  int64_t many = 16, few = 4;
};

/// Sorts the index of `op` by counting; nothing if it is not constant, or if
/// the number of rows of the result is unknown.
std::optional<ScatterOrder> constantOrderOf(OpBuilder &builder,
                                            ScatterRowsOp op) {
  DenseIntElementsAttr index;
  int64_t rows = cast<RankedTensorType>(op.getType()).getDimSize(0);
  if (!matchPattern(op.getTo(), m_Constant(&index)) ||
      ShapedType::isDynamic(rows))
    return std::nullopt;
  SmallVector<int64_t> to = llvm::map_to_vector(
      index, [](const APInt &number) { return number.getSExtValue(); });
  auto isRow = [&](int64_t row) { return row >= 0 && row < rows; };
  ScatterOrder order;
  SmallVector<int32_t> begins(rows + 1, 0);
  for (int64_t row : to)
    if (isRow(row))
      ++begins[row + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  // Loads at once take registers, but shorten the time of the longest row.
  int64_t longest = 0, all = begins.back();
  for (auto [begin, end] : llvm::zip(begins, drop_begin(begins)))
    longest = std::max<int64_t>(longest, end - begin);
  if (longest * 256 > all)
    order.many = 32;
  SmallVector<int32_t> next(ArrayRef(begins).drop_back()), numbers(all);
  for (auto [number, row] : llvm::enumerate(to))
    if (isRow(row))
      numbers[next[row]++] = number;
  auto table = [&](ArrayRef<int32_t> numbers) {
    return arith::ConstantOp::create(builder, op.getLoc(),
                                     builder.getI32TensorAttr(numbers));
  };
  order.tables = {table(begins), table(numbers)};
  return order;
}

/// Writes one op's rows.
class RowScatter {
public:
  RowScatter(IRRewriter &rewriter, ScatterRowsOp op, SortedIndices &indices,
             RoutedRows &routes)
      : rewriter(rewriter), op(op), indices(indices), routes(routes),
        loc(op.getLoc()), f32(rewriter.getF32Type()) {
    inputs = {op.getRows(), op.getTo()};
    if (op.getWeights())
      inputs.push_back(op.getWeights());
  }

  void expand(RowForm form) {
    rewriter.setInsertionPoint(op);
    std::optional<ScatterOrder> order;
    if (form == RowForm::tables)
      order = orderOf();
    if (order) {
      rewriter.replaceOp(op, addInOrder(*order));
      return;
    }
    Value sums = converted(op.getDestination(), f32);
    sums = form == RowForm::loop ? addInLoop(sums) : reduce(sums);
    Type type = getElementTypeOrSelf(op.getResult().getType());
    rewriter.replaceOp(op, converted(sums, type));
  }

private:
  using Body = function_ref<Value(OpBuilder &, ValueRange)>;

  std::optional<ScatterOrder> orderOf() {
    if (auto order = constantOrderOf(rewriter, op))
      return order;
    Value to = op.getTo();
    if (const RoutedRows::Tables *tables = routes.of(to))
      return ScatterOrder{{nullptr, tables->numbers},
                          tables->choices,
                          std::min<int64_t>(tables->choices, 16)};
    int64_t count = cast<RankedTensorType>(to.getType()).getDimSize(0);
    auto type = cast<RankedTensorType>(op.getType());
    int64_t rows = type.getDimSize(0);
    if (SortedIndices::areSearched(count, rows, type.getDimSize(1)))
      return std::nullopt;
    return ScatterOrder{indices.of(to, rows)};
  }

  /// Results for each element of `to`; values are `operands`', with these maps,
  /// and the last that of `to`.
  Value generic(ValueRange operands, Value to, ArrayRef<AffineMap> maps,
                ArrayRef<utils::IteratorType> loops, Body body) {
    auto result = linalg::GenericOp::create(
        rewriter, loc, to.getType(), operands, to, maps, loops,
        [&](OpBuilder &b, Location, ValueRange values) {
          linalg::YieldOp::create(b, loc, body(b, values));
        });
    return result.getResult(0);
  }

  /// The value itself if it has this type.
  Value converted(Value value, Type type) {
    if (getElementTypeOrSelf(value.getType()) == type)
      return value;
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, value), type);
    AffineMap map = rewriter.getMultiDimIdentityMap(2);
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    return generic(value, empty, {map, map}, loops,
                   [&](OpBuilder &b, ValueRange values) {
                     return convertScalar(b, loc, values[0], type);
                   });
  }

  /// A map to some of `dims` dimensions.
  AffineMap mapOf(unsigned dims, ArrayRef<unsigned> results) {
    return AffineMap::get(
        dims, 0,
        llvm::map_to_vector(
            results,
            [&](unsigned dim) { return rewriter.getAffineDimExpr(dim); }),
        rewriter.getContext());
  }

  /// An element of a row with its weight, if there is one.
  Value weighted(OpBuilder &b, Value element, ValueRange weights) {
    Value value = convertScalar(b, loc, element, f32);
    return weights.empty()
               ? value
               : arith::MulFOp::create(b, loc, value, weights[0]).getResult();
  }

  /// The sum, or the maximum.
  Value combined(OpBuilder &b, Value sum, Value term) {
    if (op.getMaximum())
      return arith::MaximumFOp::create(b, loc, sum, term);
    return arith::AddFOp::create(b, loc, sum, term);
  }

  Value reduce(Value sums) {
    // Dimensions: the row, the column, and the row of the source.
    SmallVector<AffineMap> maps = {mapOf(3, {2, 1}), mapOf(3, {2})};
    if (inputs.size() > 2)
      maps.push_back(mapOf(3, {2}));
    maps.push_back(mapOf(3, {0, 1}));
    SmallVector<utils::IteratorType> loops(3, utils::IteratorType::parallel);
    loops.back() = utils::IteratorType::reduction;
    return generic(
        inputs, sums, maps, loops,
        [&](OpBuilder &b, ValueRange values) -> Value {
          Value row = linalg::IndexOp::create(b, loc, 0);
          Value to =
              arith::IndexCastOp::create(b, loc, values[1].getType(), row);
          Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              values[1], to);
          Value term = weighted(b, values[0], values.drop_front(2).drop_back());
          Value next = combined(b, values.back(), term);
          return arith::SelectOp::create(b, loc, isOwn, next, values.back());
        });
  }

  Value addInOrder(const ScatterOrder &order) {
    Value destination = op.getDestination();
    Type type = getElementTypeOrSelf(destination);
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, destination), type);
    AffineMap map = rewriter.getMultiDimIdentityMap(2);
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    return generic(destination, empty, {map, map}, loops,
                   [&](OpBuilder &b, ValueRange values) {
                     Value sum = convertScalar(b, loc, values[0], f32);
                     sum = addRows(b, order, sum);
                     return convertScalar(b, loc, sum, type);
                   });
  }

  /// Adds the rows that belong to an element: many at once, and then a few at
  /// once.
  Value addRows(OpBuilder &b, const ScatterOrder &order, Value sum) {
    Value numbers = order.tables.numbers;
    Value row = linalg::IndexOp::create(b, loc, 0),
          column = linalg::IndexOp::create(b, loc, 1);
    Value begin = beginOf(b, order, row),
          end = beginOf(b, order, plus(b, row, 1));
    Value many = arith::ConstantIndexOp::create(b, loc, order.many);
    Value count = arith::SubIOp::create(b, loc, end, begin);
    Value left = arith::RemUIOp::create(b, loc, count, many);
    Value middle = arith::SubIOp::create(b, loc, end, left);
    auto termAt = [&](OpBuilder &b, Value at) {
      return term(b, numbers, at, column);
    };
    sum = addSteps(b, begin, middle, order.many, sum, termAt, /*isWhole=*/true);
    return addSteps(b, middle, end, order.few, sum, termAt, /*isWhole=*/false);
  }

  /// Adds the terms of places, `count` in a step, whose loads do not depend on
  /// each other. Unless all steps are whole, a place beyond the end is the first
  /// of its step, and is not added.
  Value addSteps(OpBuilder &b, Value begin, Value end, int64_t count, Value sum,
                 function_ref<Value(OpBuilder &, Value)> termAt, bool isWhole) {
    Value step = arith::ConstantIndexOp::create(b, loc, count);
    auto loop = scf::ForOp::create(b, loc, begin, end, step, sum);
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
    Value first = loop.getInductionVar();
    sum = loop.getRegionIterArg(0);
    for (int64_t i = 0; i < count; ++i) {
      Value at = plus(inside, first, i), isOwn;
      if (!isWhole) {
        isOwn = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::ult,
                                      at, end);
        at = arith::SelectOp::create(inside, loc, isOwn, at, first);
      }
      Value next = combined(inside, sum, termAt(inside, at));
      sum = isWhole ? next
                    : arith::SelectOp::create(inside, loc, isOwn, next, sum);
    }
    scf::YieldOp::create(inside, loc, sum);
    return loop.getResult(0);
  }

  /// Where the numbers of this row begin.
  Value beginOf(OpBuilder &b, const ScatterOrder &order, Value row) {
    if (!order.choices)
      return elementOf(b, order.tables.begins, row);
    Value all = b.createOrFold<tensor::DimOp>(loc, order.tables.numbers, 0);
    Value choices = arith::ConstantIndexOp::create(b, loc, order.choices);
    Value begin = arith::MulIOp::create(b, loc, row, choices);
    return arith::MinUIOp::create(b, loc, begin, all);
  }

  Value plus(OpBuilder &b, Value at, int64_t distance) {
    return arith::AddIOp::create(
        b, loc, at, arith::ConstantIndexOp::create(b, loc, distance));
  }

  /// The element of the row at `place`, with its weight.
  Value term(OpBuilder &b, Value numbers, Value place, Value column) {
    Value row = elementOf(b, numbers, place);
    SmallVector<Value> weights;
    if (op.getWeights())
      weights.push_back(
          tensor::ExtractOp::create(b, loc, op.getWeights(), row));
    return weighted(b,
                    tensor::ExtractOp::create(b, loc, op.getRows(),
                                              ValueRange{row, column}),
                    weights);
  }

  Value elementOf(OpBuilder &b, Value table, Value at) {
    Value element = tensor::ExtractOp::create(b, loc, table, at);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  /// One row of `value`, or none.
  Value rowOf(Value value, OpFoldResult row, OpFoldResult count) {
    OpFoldResult start = rewriter.getIndexAttr(0),
                 one = rewriter.getIndexAttr(1);
    return tensor::ExtractSliceOp::create(
        rewriter, loc, value, ArrayRef{row, start},
        ArrayRef{count, tensor::getMixedSize(rewriter, loc, value, 1)},
        ArrayRef{one, one});
  }

  Value addInLoop(Value start) {
    Value zero = index(0), one = index(1);
    Value count = tensor::DimOp::create(rewriter, loc, op.getRows(), 0);
    Value rows = tensor::DimOp::create(rewriter, loc, start, 0);
    auto loop = scf::ForOp::create(rewriter, loc, zero, count, one, start);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value i = loop.getInductionVar(), sums = loop.getRegionIterArg(0);
    Value to = tensor::ExtractOp::create(rewriter, loc, op.getTo(), i);
    to = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), to);
    // Without signs, a negative number is large.
    Value isRow = arith::CmpIOp::create(rewriter, loc,
                                        arith::CmpIPredicate::ult, to, rows);
    auto choose = [&](Value yes) -> OpFoldResult {
      return arith::SelectOp::create(rewriter, loc, isRow, yes, zero)
          .getResult();
    };
    OpFoldResult row = choose(to), size = choose(one);
    SmallVector<Value> weights;
    if (op.getWeights())
      weights.push_back(
          tensor::ExtractOp::create(rewriter, loc, op.getWeights(), i));
    AffineMap map = rewriter.getMultiDimIdentityMap(2);
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    Value sum = generic(
        rowOf(op.getRows(), i, size), rowOf(sums, row, size), {map, map}, loops,
        [&](OpBuilder &b, ValueRange values) -> Value {
          return combined(b, values[1], weighted(b, values[0], weights));
        });
    OpFoldResult unit = rewriter.getIndexAttr(1);
    Value next = tensor::InsertSliceOp::create(
        rewriter, loc, sum, sums,
        ArrayRef{row, OpFoldResult(rewriter.getIndexAttr(0))},
        ArrayRef{size, tensor::getMixedSize(rewriter, loc, sums, 1)},
        ArrayRef{unit, unit});
    scf::YieldOp::create(rewriter, loc, next);
    return loop.getResult(0);
  }

  IRRewriter &rewriter;
  ScatterRowsOp op;
  SortedIndices &indices;
  RoutedRows &routes;
  Location loc;
  Type f32;
  /// Rows, index and weights, if there are any.
  SmallVector<Value> inputs;
};

} // namespace

bool hone::expandRowOps(Operation *root, RowForm form) {
  SmallVector<RouteOp> toRoute;
  SmallVector<ScatterRowsOp> toScatter;
  root->walk([&](RouteOp op) { toRoute.push_back(op); });
  root->walk([&](ScatterRowsOp op) { toScatter.push_back(op); });
  IRRewriter rewriter(root->getContext());
  RoutedRows routes;
  for (RouteOp op : toRoute)
    routes.expand(rewriter, op, form);
  SortedIndices indices;
  for (ScatterRowsOp op : toScatter)
    RowScatter(rewriter, op, indices, routes).expand(form);
  return !toRoute.empty() || !toScatter.empty();
}
