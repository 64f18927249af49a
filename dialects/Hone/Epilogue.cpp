//===- Epilogue.cpp - Ops of an epilogue, and its text --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that a region may have, and the region as the function that names an
// epilogue in a Problem (include/hone/Schedule/EpilogueFunction.h).
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "hone/Schedule/EpilogueFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static std::optional<EpilogueType> toEpilogueType(Type type) {
  if (type.isSignlessInteger(1))
    return EpilogueType();
  if (type.isSignlessInteger(64))
    return EpilogueType::wide();
  std::optional<ElementType> element = toElementType(type);
  return element ? std::optional<EpilogueType>(*element) : std::nullopt;
}

/// The row of an op that an epilogue may contain; null for other ops, and for
/// constants.
static const ScalarOp *infoOf(Operation *op) {
  const ScalarOp *known = findScalarOp(op->getName().getStringRef());
  return known && known->is(ScalarOp::ofEpilogues) ? known : nullptr;
}

bool hone::isEpilogueOp(Operation *op, std::string *why) {
  auto refuse = [&](const Twine &reason) {
    if (why)
      *why = reason.str();
    return false;
  };
  bool isConstant = isa<arith::ConstantOp>(op);
  const ScalarOp *info = infoOf(op);
  if (!isConstant && !info)
    return refuse("no lowering for '" + op->getName().getStringRef() +
                  "' in an epilogue");
  auto types =
      llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes());
  // An op on tensors is classified by their elements, so that it can be tested
  // whether it may become one on scalars. A region holds none: its arguments
  // are scalars, and so are its constants.
  // The result of a comparison of integers is not an integer.
  bool ofIntegers = info && info->ofIntegers;
  size_t numbers = ofIntegers ? op->getNumOperands() : 0;
  if (ofIntegers && info->form != ScalarOp::comparison)
    ++numbers;
  for (auto [i, type] : llvm::enumerate(types)) {
    std::optional<EpilogueType> known =
        toEpilogueType(isConstant ? type : getElementTypeOrSelf(type));
    if (!known || (known->isTruth() && i < numbers)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return refuse("type '" + Twine(text) + "' of '" +
                    op->getName().getStringRef() +
                    "' is not one of f16, bf16, f32, i8, i32, i64" +
                    (ofIntegers ? "" : ", i1"));
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// As a value
//===----------------------------------------------------------------------===//

/// Element `index` of the operands. Its place distinguishes it from others of
/// its dimensions and type. Batches count together, as they do in the Problem.
static EpilogueValue operandOf(MatmulOp op, unsigned index) {
  EpilogueValue value;
  value.kind = EpilogueValue::operand;
  value.type = *toElementType(
      getElementTypeOrSelf(op.getEpilogueOperands()[index].getType()));
  value.number = index + 1;
  for (char letter : op.getDimsOf(index)) {
    bool isBatch = kBatchLetters.contains(letter);
    if (!isBatch || !StringRef(value.dims).contains('b'))
      value.dims += isBatch ? 'b' : letter;
  }
  return value;
}

static EpilogueValue constantOf(arith::ConstantOp op) {
  EpilogueValue value;
  value.kind = EpilogueValue::constant;
  value.type = *toEpilogueType(op.getType());
  if (auto real = dyn_cast<FloatAttr>(op.getValue()))
    value.bits = real.getValue().bitcastToAPInt().getZExtValue();
  else // A truth value has one bit.
    value.bits = cast<IntegerAttr>(op.getValue()).getValue().getZExtValue();
  return value;
}

/// The step of `op`, on values that have places. A value that depends on
/// itself, which is detected later, has no place; 0 is used for it.
static EpilogueValue stepOf(Operation *op,
                            const DenseMap<Value, size_t> &places) {
  EpilogueValue value;
  value.kind = EpilogueValue::step;
  value.op = infoOf(op);
  value.type = *toEpilogueType(op->getResult(0).getType());
  for (Value operand : op->getOperands())
    value.arguments.push_back(places.lookup(operand));
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    value.mode = arith::stringifyCmpFPredicate(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    value.mode = arith::stringifyCmpIPredicate(compare.getPredicate());
  if (auto truncation = dyn_cast<arith::TruncFOp>(op))
    if (auto mode = truncation.getRoundingmode())
      value.mode = arith::stringifyRoundingMode(*mode);
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
    if (auto flags = fast.getFastMathFlagsAttr();
        flags && flags.getValue() != arith::FastMathFlags::none)
      value.flags = arith::stringifyFastMathFlags(flags.getValue());
  return value;
}

EpilogueFunction MatmulOp::getEpilogueFunction() {
  EpilogueFunction function;
  if (!hasEpilogue())
    return function;
  Block &block = getEpilogue().front();
  DenseMap<Value, size_t> places;
  EpilogueValue sum;
  sum.type = *toElementType(getAcc());
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    places[argument] = function.add(i == 0 ? sum : operandOf(*this, i - 1));
  for (Operation &op : block.without_terminator()) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    places[op.getResult(0)] =
        function.add(constant ? constantOf(constant) : stepOf(&op, places));
  }
  auto yield = cast<YieldOp>(block.getTerminator());
  function.setResult(places.lookup(yield.getValue()));
  return function;
}

std::string MatmulOp::getEpilogueUse() {
  SmallVector<size_t> used = getEpilogueFunction().operandsByUse();
  std::string text;
  bool isOwn = true;
  for (auto [i, number] : llvm::enumerate(used)) {
    isOwn &= number == i + 1;
    text += (i ? " " : "") + std::to_string(number);
  }
  return isOwn ? "" : text;
}
