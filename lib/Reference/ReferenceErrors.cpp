//===- ReferenceErrors.cpp - Arithmetic that carries its errors -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, products and quotients have formulas of their own; every other op is
// evaluated three times for each operand: at its value, and a little above and
// below. The rounding type of an op is recorded before types are replaced.
// Decisions are in ErrorCarrierDecisions.cpp.
//
//===----------------------------------------------------------------------===//

#include "ErrorCarrier.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::detail;

/// The name of a type that is not an ElementType.
static constexpr StringLiteral kDouble = "f64";
/// The type an op rounds to, kept on the op while types are replaced.
static constexpr StringLiteral kRounds = "hone.rounds";

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool isPair(Type type) { return isa<ComplexType>(type); }

Number ErrorCarrier::unpack(Operation *at, Value value) {
  return {emitted(at, complex::ReOp::create(builder, at->getLoc(), value)),
          emitted(at, complex::ImOp::create(builder, at->getLoc(), value))};
}

Value ErrorCarrier::pack(Number number) {
  auto type =
      ComplexType::get(Float64Type::get(number.value.builder->getContext()));
  return complex::CreateOp::create(builder, number.value.loc, type,
                                   number.value.value, number.error.value);
}

std::optional<ElementType> ErrorCarrier::roundingOf(Operation *op) const {
  auto note = op->getAttrOfType<StringAttr>(kRounds);
  return note ? parseElementType(note.getValue()) : std::nullopt;
}

/// True if `op` computes an f64 that may need more bits.
static bool roundsToDouble(Operation *op) {
  auto note = op->getAttrOfType<StringAttr>(kRounds);
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  return note && note.getValue() == kDouble &&
         !(row && row->error == ScalarOp::Error::operand);
}

/// A clone of `op` on f64.
Value ErrorCarrier::call(Operation *op, ArrayRef<Value> operands) {
  Operation *clone = builder.clone(*op);
  clone->removeAttr(kRounds);
  clone->setOperands(operands);
  Value result = clone->getResult(0);
  if (isPair(result.getType()))
    result.setType(Float64Type::get(op->getContext()));
  return result;
}

/// The error of an op without a row, which is one of the math dialect that no
/// kernel computes, counts as that of an approximation.
static ScalarOp::Error errorKindOf(Operation *op) {
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  bool isMath = isa_and_nonnull<math::MathDialect>(op->getDialect());
  return row      ? row->error
         : isMath ? ScalarOp::Error::approximated
                  : ScalarOp::Error::function;
}

Number ErrorCarrier::evaluateFunction(Operation *op) {
  SmallVector<Value> values;
  SmallVector<std::optional<Number>> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(isPair(operand.getType())
                           ? std::optional(unpack(op, operand))
                           : std::nullopt);
    values.push_back(operands.back() ? operands.back()->value.value : operand);
  }
  ScalarOp::Error kind = errorKindOf(op);
  bool isApproximated = kind >= ScalarOp::Error::approximated;
  Emitted value = emitted(op, call(op, values));
  Emitted zero = constantLike(value, 0), error = zero;
  Number operandsTogether = {zero, zero};
  auto constant = [&](double number) { return constantLike(value, number); };
  double unit = unitRoundoff(ElementType::f32);
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::optional<Number> &operand = operands[i];
    if (!operand)
      continue;
    Emitted reach = operand->error;
    if (isApproximated) {
      Emitted size = absolute(operand->value);
      Emitted isFinite = isBelow(size, constant(HUGE_VAL));
      reach = reach +
              choose(isFinite, size * constant(kArgumentUnits * unit), zero);
    }
    reach = reach * constant(kDeviations);
    auto at = [&](Emitted place) {
      SmallVector<Value> moved(values);
      moved[i] = place.value;
      return emitted(op, call(op, moved));
    };
    error = error + spread(value, at(operand->value + reach),
                           at(operand->value - reach));
    operandsTogether = {operandsTogether.value + operand->value,
                        errorsOf(operandsTogether, *operand)};
  }
  if (isApproximated)
    error = error + absolute(value) * constant(kFunctionUnits * unit);
  if (kind == ScalarOp::Error::approximatedNearZero)
    error = error + constant(kFunctionUnits * unit);
  return settle<Emitted>({value, error}, operandsTogether.error);
}

Number ErrorCarrier::fromInteger(Operation *op) {
  Value from = op->getOperand(0);
  Emitted value = emitted(op, call(op, from));
  Emitted error = constantLike(value, 0);
  if (Value doubt = doubts.lookup(from)) {
    bool isBit = from.getType().isInteger(1);
    error = choose(emitted(op, doubt),
                   constantLike(value, isBit ? 1 : HUGE_VAL), error);
  }
  return {value, error};
}

Number ErrorCarrier::evaluate(Operation *op) {
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return fromInteger(op);
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  if (row && row->error == ScalarOp::Error::operand) {
    Number x = unpack(op, op->getOperand(0));
    // A conversion of an f64 to itself.
    if (row->converts())
      return x;
    return {emitted(op, call(op, x.value.value)), x.error};
  }
  if (!row || !row->hasFormula())
    return evaluateFunction(op);
  Number x = unpack(op, op->getOperand(0)), y = unpack(op, op->getOperand(1));
  return settle(applyFormula(*row, x, y), errorsOf(x, y));
}

/// The term added to a sum in a linalg op; null for other ops.
static Value termOf(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op->getParentOp());
  if (!generic || !isa<arith::AddFOp>(op) ||
      generic.getNumReductionLoops() == 0)
    return nullptr;
  for (unsigned i : {0, 1}) {
    auto sum = dyn_cast<BlockArgument>(op->getOperand(i));
    if (sum && sum.getOwner() == generic.getBody() &&
        sum.getArgNumber() >= generic.getNumDpsInputs())
      return op->getOperand(1 - i);
  }
  return nullptr;
}

/// A kernel may add in another order, so an exact or small partial sum here has
/// no meaning for its partial sums; only integers stay exact. No partial sum
/// exceeds the sum of the terms' magnitudes, so each term gets one rounding.
Number ErrorCarrier::inAnyOrder(double roundoff, Number sum, Emitted term) {
  auto constant = [&](double value) { return constantLike(term, value); };
  auto isWhole = [&](Emitted x) {
    Value rounded = math::RoundEvenOp::create(builder, x.loc, x.value);
    return both(isSame(x.with(rounded), x),
                isBelow(absolute(x), constant(1 / roundoff)));
  };
  Emitted zero = constant(0), unit = constant(roundoff);
  Emitted size = absolute(sum.value), more = unit * absolute(term);
  more = more + choose(isSame(sum.error, zero), unit * size, zero);
  Emitted isFinite = isBelow(size, constant(HUGE_VAL));
  more = choose(isFinite, more, zero);
  Emitted isExact = both(isWhole(sum.value), isWhole(term));
  return {sum.value, sum.error + choose(isExact, zero, more)};
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

void ErrorCarrier::noteRoundings() {
  module.walk([&](Operation *op) {
    if (op->getNumResults() != 1)
      return;
    Type type = op->getResult(0).getType();
    StringRef name = type.isF16()    ? "f16"
                     : type.isBF16() ? "bf16"
                     : type.isF32()  ? "f32"
                     : type.isF64()  ? kDouble
                                     : "";
    if (!name.empty())
      op->setAttr(kRounds, builder.getStringAttr(name));
  });
}

void ErrorCarrier::replaceTypes() {
  AttrTypeReplacer replacer;
  using Replaced = std::pair<Type, WalkResult>;
  replacer.addReplacement([](FloatType type) -> Replaced {
    return {ComplexType::get(Float64Type::get(type.getContext())),
            WalkResult::skip()};
  });
  // Constants are rebuilt from their original values.
  using Kept = std::pair<Attribute, WalkResult>;
  replacer.addReplacement(
      [](FloatAttr attr) -> Kept { return {attr, WalkResult::skip()}; });
  replacer.addReplacement(
      [](ElementsAttr attr) -> Kept { return {attr, WalkResult::skip()}; });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

static APFloat toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// The floats of a constant, also from a resource of the file.
static llvm::Expected<DenseFPElementsAttr> floatsOf(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    bool isSplat;
    if (!blob || !DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                                      blob->getData(), isSplat))
      return llvm::createStringError(llvm::formatv(
          "expected the elements of dense_resource<{0}> in the file, but got "
          "{1} bytes; print the module without eliding its resources",
          resource.getRawHandle().getKey(), blob ? blob->getData().size() : 0));
    value = DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                blob->getData());
  }
  if (auto floats = dyn_cast<DenseFPElementsAttr>(value))
    return floats;
  return llvm::createStringError(
      "expected constants with their elements in the module, but got others");
}

/// Replaces a constant by a constant of f64 that is converted to pairs, element
/// by element.
llvm::Error ErrorCarrier::rewriteConstant(arith::ConstantOp op) {
  Location loc = op.getLoc();
  auto f64 = Float64Type::get(op.getContext());
  auto pairOf = [&](OpBuilder &b, Value value) -> Value {
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(f64, 0));
    return complex::CreateOp::create(b, loc, ComplexType::get(f64), value,
                                     zero);
  };
  if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
    Value value = arith::ConstantOp::create(
        builder, loc, FloatAttr::get(f64, toDouble(number.getValue())));
    op.getResult().replaceAllUsesWith(pairOf(builder, value));
    op.erase();
    return llvm::Error::success();
  }
  auto floats = floatsOf(op);
  if (!floats)
    return floats.takeError();
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return llvm::createStringError(
        "expected constants that are tensors, but got others");
  auto widened = floats->mapValues(f64, [](const APFloat &value) {
    return toDouble(value).bitcastToAPInt();
  });
  Value value = arith::ConstantOp::create(builder, loc,
                                          cast<TypedAttr>(Attribute(widened)));
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto pairs = linalg::GenericOp::create(
      builder, loc, TypeRange(type), ValueRange(value), ValueRange(empty),
      ArrayRef{map, map}, loops, [&](OpBuilder &b, Location, ValueRange args) {
        linalg::YieldOp::create(b, loc, pairOf(b, args[0]));
      });
  op.getResult().replaceAllUsesWith(pairs.getResult(0));
  op.erase();
  return llvm::Error::success();
}

static bool hasPairs(Operation *op) {
  auto isPairs = [](Type type) { return isPair(getElementTypeOrSelf(type)); };
  return llvm::any_of(op->getOperandTypes(), isPairs) ||
         llvm::any_of(op->getResultTypes(), isPairs);
}

llvm::Error ErrorCarrier::rewrite(Operation *op) {
  builder.setInsertionPoint(op);
  bool isArithmetic =
      isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
  if (!isArithmetic)
    return llvm::Error::success();
  if (!hasPairs(op)) {
    spreadDoubt(op);
    return llvm::Error::success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return rewriteConstant(constant);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    rewriteSelect(select);
    return llvm::Error::success();
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    rewriteCompare(compare);
    return llvm::Error::success();
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    rewriteToInteger(op);
    return llvm::Error::success();
  }
  if (op->getNumResults() != 1 || !isPair(op->getResult(0).getType()) ||
      isa<arith::BitcastOp>(op))
    return llvm::createStringError(llvm::formatv(
        "expected a function whose ops have a meaning on f64, but got {0}",
        op->getName()));
  Number result = evaluate(op);
  if (std::optional<ElementType> type = roundingOf(op)) {
    result = decisions == Decisions::turned ? overflowInto(*type, result)
                                            : roundInto(*type, result);
    hasDecisions = true; // to overflow or not
    if (Value term = termOf(op))
      result = inAnyOrder(unitRoundoff(*type), result, unpack(op, term).value);
  } else if (roundsToDouble(op)) {
    result = roundIntoDouble(result);
    if (Value term = termOf(op))
      result = inAnyOrder(kDoubleRoundoff, result, unpack(op, term).value);
  }
  op->getResult(0).replaceAllUsesWith(pack(result));
  op->erase();
  return llvm::Error::success();
}

llvm::Error ErrorCarrier::run() {
  noteRoundings();
  replaceTypes();
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (llvm::Error error = rewrite(op))
      return error;
  lookForDecisions();
  return llvm::Error::success();
}

llvm::Error hone::carryErrors(ModuleOp module, Decisions decisions,
                              bool &hasDecisions) {
  ErrorCarrier carrier(module, decisions);
  if (llvm::Error error = carrier.run())
    return error;
  hasDecisions = carrier.hasDecisions;
  return llvm::Error::success();
}
