//===- RowOps.cpp - Ops that compute each row of a result by itself -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products, elementwise ops, and reductions within rows. Rows are the first
// dimension.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Match/MatchContraction.h"
#include "passes/Reorder/Reorder.h"

using namespace mlir;
using namespace hone;
using namespace hone::reorder;

static RankedTensorType withRows(Type type, int64_t count) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[0] = count;
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// True if the elements of `value` are of no op, or all one number.
static bool isAlike(Value value) {
  SplatElementsAttr number;
  return isa_and_present<tensor::EmptyOp, linalg::FillOp>(
             value.getDefiningOp()) ||
         matchPattern(value, m_Constant(&number));
}

/// The same elements in `count` rows.
static Value writeAlike(OpBuilder &builder, Location loc, Value value,
                        int64_t count) {
  auto type = withRows(value.getType(), count);
  SplatElementsAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return arith::ConstantOp::create(builder, loc, number.resizeSplat(type));
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill ? linalg::FillOp::create(builder, loc, fill.value(), empty)
                    .getResult(0)
              : empty;
}

/// Adds an operand with rows.
static void addOperand(RowOp &to, unsigned number) {
  (isAlike(to.op->getOperand(number)) ? to.alikeOperands : to.rowOperands)
      .push_back(number);
}

static std::optional<RowOp> readLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.hasIndexSemantics() || isa<linalg::FillOp>(op) ||
      op->hasAttr(HoneDialect::kScheduleAttrName) ||
      op->hasAttr(HoneDialect::kRangesAttrName))
    return std::nullopt;
  auto maps = op.getIndexingMapsArray();
  bool areLoops = llvm::all_of(
      maps, [](AffineMap map) { return map.isProjectedPermutation(); });
  if (!areLoops || maps.back().getNumResults() == 0 ||
      !llvm::all_of(op.getBlock()->without_terminator(),
                    [](Operation &inner) { return isPure(&inner); }))
    return std::nullopt;
  unsigned loop = maps.back().getDimPosition(0);
  RowOp result{op};
  for (auto [number, map] : llvm::enumerate(ArrayRef(maps).drop_back())) {
    if (!map.isFunctionOfDim(loop))
      continue;
    if (map.getDimPosition(0) != loop)
      return std::nullopt;
    addOperand(result, number);
  }
  result.isProduct = match::looksLikeMatmul(op);
  return result;
}

static std::optional<RowOp> readMatmul(MatmulOp op) {
  if (!op.hasTensors() || op.getScheduleAttr() || op.getWindowAttr() ||
      op.isBatched() || op.getLettersC() != "mn")
    return std::nullopt;
  RowOp result{op};
  result.isProduct = true;
  unsigned first = 3; // after A, B and C
  if (op.getGather())
    result.rowOperands.push_back(op->getNumOperands() - 1);
  else if (op.getLettersA() == "mk")
    result.rowOperands.push_back(0);
  else
    return std::nullopt;
  for (unsigned i = 0; i < op.getEpilogueOperands().size(); ++i) {
    StringRef letters = op.getDimsOf(i);
    if (!letters.contains('m'))
      continue;
    if (letters.front() != 'm')
      return std::nullopt;
    result.rowOperands.push_back(first + i);
  }
  return result;
}

std::optional<RowOp> RowOp::read(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return readMatmul(matmul);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return readLinalg(linalgOp);
  bool isElementwise =
      OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 &&
      isa<RankedTensorType>(op->getResult(0).getType()) && isPure(op) &&
      cast<RankedTensorType>(op->getResult(0).getType()).getRank() > 0;
  if (!isElementwise)
    return std::nullopt;
  RowOp result{op};
  for (auto [number, type] : llvm::enumerate(op->getOperandTypes()))
    if (isa<RankedTensorType>(type))
      addOperand(result, number);
  return result;
}

int64_t RowOp::getRows() const {
  return cast<RankedTensorType>(getResult().getType()).getDimSize(0);
}

bool RowOp::hasElements() const {
  auto type = cast<RankedTensorType>(getResult().getType());
  return type.hasStaticShape() && type.getNumElements() > 0;
}

bool RowOp::startsAlike() const {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getInit() == Init::zero || isAlike(matmul.getC());
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return !linalgOp || isAlike(linalgOp.getDpsInits()[0]) ||
         !linalgOp.payloadUsesValueFromOperand(linalgOp.getDpsInitOperand(0));
}

Operation *RowOp::write(OpBuilder &builder, int64_t count,
                        function_ref<Value(Value)> rowsOf) const {
  // An operand may occur twice, and be a whole once.
  SmallVector<Value> operands(op->getOperands());
  for (unsigned number : rowOperands)
    operands[number] = rowsOf(operands[number]);
  for (unsigned number : alikeOperands)
    operands[number] =
        writeAlike(builder, op->getLoc(), operands[number], count);
  if (auto inPlace = dyn_cast<DestinationStyleOpInterface>(op)) {
    Value &start = operands[inPlace.getDpsInitOperand(0)->getOperandNumber()];
    start = startsAlike() ? writeAlike(builder, op->getLoc(), start, count)
                          : rowsOf(start);
  }
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(withRows(op->getResult(0).getType(), count));
  return copy;
}
