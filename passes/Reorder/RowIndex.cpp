//===- RowIndex.cpp - Rows of a tensor that are read through an index -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontends compute a row's number in the body of a `linalg.generic`: they
// convert it, clamp it, add the length to a negative one, or assert that it is
// in range. All of these ops are copied with the gather, so it means the same
// for another source of equal length. Numbers are known if the ops fold.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Reorder/Reorder.h"

using namespace mlir;
using namespace hone;
using namespace hone::reorder;

/// The loop that `value` counts, and the ops that it is computed by: an index
/// to which zeros may be added.
static std::optional<unsigned> loopOf(Value value,
                                      SmallVectorImpl<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (op)
    ops.push_back(op);
  if (auto index = dyn_cast_if_present<linalg::IndexOp>(op))
    return index.getDim();
  auto add = dyn_cast_if_present<arith::AddIOp>(op);
  if (!add)
    return std::nullopt;
  bool isLeft = matchPattern(add.getRhs(), m_Zero());
  if (!isLeft && !matchPattern(add.getLhs(), m_Zero()))
    return std::nullopt;
  return loopOf(isLeft ? add.getLhs() : add.getRhs(), ops);
}

/// True if `op` has a loop for each dimension of its result, in order, and its
/// inputs are indexed by the first one alone.
static bool readsByRow(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumLoops() == 0 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !op.getRegionOutputArgs().front().use_empty())
    return false;
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    for (unsigned loop = 1; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop))
        return false;
    return true;
  });
}

std::optional<RowIndex> RowIndex::read(Operation *op) {
  RowIndex result;
  if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
    auto type = gather.getIndicesType();
    bool hasRows =
        gather.getGatherDims() == ArrayRef<int64_t>{0} && type.getRank() == 2 &&
        type.getDimSize(1) == 1 &&
        gather.getResultType().getRank() == gather.getSourceType().getRank();
    if (!hasRows || type.getElementType().isUnsignedInteger())
      return std::nullopt;
    result.source = gather.getSource();
    result.index = gather.getIndices();
    result.rows = type.getDimSize(0);
    return result;
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !readsByRow(generic))
    return std::nullopt;
  Block *body = generic.getBody();
  auto element =
      body->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!element || element->getBlock() != body ||
      element.getIndices().size() != generic.getNumLoops() ||
      generic->isAncestor(element.getTensor().getParentBlock()->getParentOp()))
    return std::nullopt;
  result.ofElement.insert(element);
  for (unsigned dim = 1; dim < generic.getNumLoops(); ++dim) {
    SmallVector<Operation *> ops;
    if (loopOf(element.getIndices()[dim], ops) != dim)
      return std::nullopt;
    result.ofElement.insert(ops.begin(), ops.end());
  }
  for (Operation &inner : body->without_terminator()) {
    bool isOfElement = result.ofElement.contains(&inner);
    auto loop = dyn_cast<linalg::IndexOp>(inner);
    if ((!isOfElement && loop && loop.getDim() != 0) ||
        (!isPure(&inner) && !isa<cf::AssertOp>(inner)))
      return std::nullopt;
    for (Operation *user : inner.getUsers())
      if (isOfElement && !result.ofElement.contains(user) &&
          user != body->getTerminator())
        return std::nullopt;
  }
  // The number of the row is computed by other ops.
  if (Operation *number = element.getIndices()[0].getDefiningOp())
    if (result.ofElement.contains(number))
      return std::nullopt;
  result.source = element.getTensor();
  result.generic = generic;
  auto type = cast<RankedTensorType>(generic->getResult(0).getType());
  result.rows = type.getDimSize(0);
  // A part of each row is not a row.
  if (type.getShape().drop_front() !=
      result.source.getType().getShape().drop_front())
    return std::nullopt;
  return result;
}

std::optional<RowIndex> RowIndex::readClause(MatmulOp op) {
  if (!op.getGather() || !op.hasTensors())
    return std::nullopt;
  RowIndex result;
  result.source = cast<TypedValue<RankedTensorType>>(op.getA());
  result.index = cast<TypedValue<RankedTensorType>>(Value(op.getIndex()));
  result.rows = result.index.getType().getDimSize(0);
  result.isClause = true;
  return result;
}

RowIndex RowIndex::write(OpBuilder &builder, Location loc,
                         ArrayRef<int64_t> numbers) {
  SmallVector<int32_t, 0> words(numbers.begin(), numbers.end());
  auto type =
      RankedTensorType::get(int64_t(words.size()), builder.getI32Type());
  RowIndex result;
  result.index = cast<TypedValue<RankedTensorType>>(
      arith::ConstantOp::create(builder, loc,
                                DenseElementsAttr::get(type, ArrayRef(words)))
          .getResult());
  result.rows = numbers.size();
  return result;
}

//===----------------------------------------------------------------------===//
// Numbers that are known
//===----------------------------------------------------------------------===//

namespace {
/// The constants of a body's values, for one row after the other.
class BodyValues {
public:
  explicit BodyValues(linalg::GenericOp op) : op(op) {}

  /// The number that `index` has in row `row`, if all of its ops fold.
  std::optional<int64_t>
  evaluate(int64_t row, Value index,
           const llvm::SmallPtrSetImpl<Operation *> &others) {
    known.clear();
    for (OpOperand *input : op.getDpsInputOperands())
      known[op.getMatchingBlockArgument(input)] = elementOf(*input, row);
    for (Operation &inner : op.getBody()->without_terminator())
      if (!others.contains(&inner) && !evaluate(inner, row))
        return std::nullopt;
    auto number = dyn_cast_if_present<IntegerAttr>(constantOf(index));
    return number ? std::optional(number.getInt()) : std::nullopt;
  }

private:
  Attribute constantOf(Value value) {
    Attribute constant = known.lookup(value);
    if (!constant)
      matchPattern(value, m_Constant(&constant));
    return constant;
  }

  /// The element of an input whose index is the row, or 0.
  Attribute elementOf(OpOperand &input, int64_t row) {
    DenseElementsAttr elements;
    if (!matchPattern(input.get(), m_Constant(&elements)))
      return {};
    int64_t at = 0;
    AffineMap map = op.getMatchingIndexingMap(&input);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      at *= elements.getType().getDimSize(dim);
      if (expr == getAffineDimExpr(0, op.getContext()))
        at += row;
      else if (expr != getAffineConstantExpr(0, op.getContext()))
        return {};
    }
    return elements.getValues<Attribute>()[at];
  }

  /// False if `inner` has no known result, or is an assertion that fails.
  bool evaluate(Operation &inner, int64_t row) {
    SmallVector<Attribute> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(constantOf(operand));
    if (isa<cf::AssertOp>(inner)) {
      auto holds = dyn_cast_if_present<IntegerAttr>(operands[0]);
      return holds && !holds.getValue().isZero();
    }
    if (isa<linalg::IndexOp>(inner)) {
      known[inner.getResult(0)] =
          IntegerAttr::get(IndexType::get(op.getContext()), row);
      return true;
    }
    SmallVector<OpFoldResult> results;
    if (failed(inner.fold(operands, results)) || results.empty())
      return inner.hasTrait<OpTrait::ConstantLike>();
    for (auto [value, result] : llvm::zip(inner.getResults(), results))
      known[value] = isa<Attribute>(result) ? cast<Attribute>(result)
                                            : constantOf(cast<Value>(result));
    return true;
  }

  linalg::GenericOp op;
  DenseMap<Value, Attribute> known;
};
} // namespace

std::optional<RowNumbers> RowIndex::getNumbers() {
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(getSourceRows()))
    return std::nullopt;
  RowNumbers numbers;
  auto isWithin = [&](int64_t number) {
    return number >= 0 && number < getSourceRows();
  };
  if (generic) {
    BodyValues values(generic);
    auto element = generic.getBody()
                       ->getTerminator()
                       ->getOperand(0)
                       .getDefiningOp<tensor::ExtractOp>();
    for (int64_t row = 0; row < rows; ++row) {
      auto number = values.evaluate(row, element.getIndices()[0], ofElement);
      if (!number || !isWithin(*number))
        return std::nullopt;
      numbers.push_back(*number);
    }
    return numbers;
  }
  DenseIntElementsAttr elements;
  if (!matchPattern(index, m_Constant(&elements)))
    return std::nullopt;
  for (const APInt &each : elements.getValues<APInt>()) {
    int64_t number = each.getSExtValue();
    if (!isWithin(number) && !isClause)
      return std::nullopt;
    numbers.push_back(isWithin(number) ? number : kNoRow);
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The number of the row in the body of a gather; `values` are the elements of
/// its inputs.
Value RowIndex::writeNumber(OpBuilder &builder, Location loc,
                            ValueRange values) {
  if (generic) {
    IRMapping mapping;
    Block *body = generic.getBody();
    mapping.map(body->getArguments().take_front(values.size()), values);
    for (Operation &inner : body->without_terminator())
      if (!ofElement.contains(&inner))
        builder.clone(inner, mapping);
    auto element =
        body->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
    return mapping.lookupOrDefault(element.getIndices()[0]);
  }
  Value number = values[0];
  if (!number.getType().isIndex())
    number = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        number);
  if (!isClause)
    return number;
  Value end = arith::ConstantIndexOp::create(builder, loc, getSourceRows());
  Value isRow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                      number, end);
  return arith::SelectOp::create(builder, loc, isRow, number, end);
}

Value RowIndex::gather(OpBuilder &builder, Location loc, Value from) {
  auto type = cast<RankedTensorType>(from.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = rows;
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  unsigned rank = type.getRank();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (generic) {
    for (OpOperand *input : generic.getDpsInputOperands()) {
      inputs.push_back(input->get());
      maps.push_back(AffineMap::get(
          rank, 0, generic.getMatchingIndexingMap(input).getResults(),
          builder.getContext()));
    }
  } else {
    inputs.push_back(index);
    SmallVector<AffineExpr> at = {builder.getAffineDimExpr(0)};
    at.resize(index.getType().getRank(), builder.getAffineConstantExpr(0));
    maps.push_back(AffineMap::get(rank, 0, at, builder.getContext()));
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      builder, loc, empty.getType(), inputs, empty, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange values) {
        SmallVector<Value> at = {writeNumber(b, loc, values.drop_back())};
        for (unsigned dim = 1; dim < rank; ++dim)
          at.push_back(linalg::IndexOp::create(b, loc, dim));
        Value element = tensor::ExtractOp::create(b, loc, from, at);
        linalg::YieldOp::create(b, loc, element);
      });
  return op.getResult(0);
}
