//===- Matmul.cpp - Letters, problem and effects of hone.matmul -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the canonical Problem from the op: its types give the dimensions, and
// its layouts (MatmulLayout.cpp) the order of the matrices.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "hone/Schedule/EpilogueFunction.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<ElementType> hone::toAnyElementType(Type type) {
  if (type.isSignlessInteger(8))
    return ElementType::i8;
  if (type.isSignlessInteger(32))
    return ElementType::i32;
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float16Type) { return ElementType::f16; })
      .Case([](BFloat16Type) { return ElementType::bf16; })
      .Case([](Float32Type) { return ElementType::f32; })
      .Case([](Float8E4M3FNType) { return ElementType::e4m3; })
      .Case([](Float8E5M2Type) { return ElementType::e5m2; })
      .Default(std::nullopt);
}

Type hone::toType(MLIRContext *context, ElementType element) {
  switch (element) {
  case ElementType::f16:
    return Float16Type::get(context);
  case ElementType::bf16:
    return BFloat16Type::get(context);
  case ElementType::f32:
    return Float32Type::get(context);
  case ElementType::e4m3:
    return Float8E4M3FNType::get(context);
  case ElementType::e5m2:
    return Float8E5M2Type::get(context);
  case ElementType::i8:
    return IntegerType::get(context, 8);
  case ElementType::i32:
    return IntegerType::get(context, 32);
  }
  llvm_unreachable("an element type");
}

std::optional<ElementType> hone::toElementType(Type type) {
  std::optional<ElementType> element = toAnyElementType(type);
  return element && isResult(*element) ? element : std::nullopt;
}

std::optional<ElementType> hone::toFactorType(Type type) {
  std::optional<ElementType> element = toAnyElementType(type);
  return element && isFactor(*element) ? element : std::nullopt;
}

Type hone::accumulatorOf(Type factor) {
  if (factor.isInteger())
    return IntegerType::get(factor.getContext(), 32);
  return Float32Type::get(factor.getContext());
}

//===----------------------------------------------------------------------===//
// Letters
//===----------------------------------------------------------------------===//

std::string hone::usualLetters(size_t rank, StringRef matrix) {
  size_t batches = rank < matrix.size() ? 0 : rank - matrix.size();
  return (kBatchLetters.take_front(batches) + matrix).str();
}

std::string hone::batchesFirst(StringRef letters) {
  std::string result;
  for (char batch : kBatchLetters)
    if (letters.contains(batch))
      result += batch;
  for (char letter : letters)
    if (!kBatchLetters.contains(letter))
      result += letter;
  return result;
}

Order hone::orderOf(StringRef letters, StringRef matrix) {
  return letters.find(matrix[0]) < letters.find(matrix[1]) ? Order::row
                                                           : Order::col;
}

static std::string lettersOf(std::optional<DimsAttr> dims, ShapedType type,
                             StringRef matrix) {
  return dims ? dims->getLetters().str() : usualLetters(type.getRank(), matrix);
}

std::string MatmulOp::getLettersA() {
  if (getWindowAttr())
    return "mk";
  return lettersOf(getDimsA(), getA().getType(),
                   getOrderA() == Order::row ? "mk" : "km");
}
std::string MatmulOp::getLettersB() {
  return lettersOf(getDimsB(), getB().getType(),
                   getOrderB() == Order::row ? "kn" : "nk");
}
std::string MatmulOp::getLettersC() {
  return lettersOf(getDimsC(), getC().getType(), "mn");
}

void MatmulOp::setLetters(StringRef a, StringRef b, StringRef c) {
  // Letters that rank and order determine are omitted.
  auto dims = [&](StringRef letters, StringRef matrix) {
    return letters == usualLetters(letters.size(), matrix)
               ? DimsAttr()
               : DimsAttr::get(getContext(), letters);
  };
  setOrderA(orderOf(a, "mk"));
  setOrderB(orderOf(b, "kn"));
  setDimsAAttr(dims(a, getOrderA() == Order::row ? "mk" : "km"));
  setDimsBAttr(dims(b, getOrderB() == Order::row ? "kn" : "nk"));
  setDimsCAttr(dims(c, "mn"));
}

RangedSchedule MatmulOp::getSchedules() {
  RangesAttr ranges = getRangesAttr();
  return {ranges ? ranges.getValue() : ScheduleRanges(),
          getScheduleAttr().getValue()};
}

StringRef MatmulOp::getBatches() {
  size_t count = llvm::count_if(getLettersC(), [](char letter) {
    return kBatchLetters.contains(letter);
  });
  return kBatchLetters.take_front(count);
}

int64_t MatmulOp::getExtent(char letter) {
  for (const auto &[letters, type] :
       {std::pair(getWindowAttr() ? std::string() : getLettersA(),
                  getA().getType()),
        std::pair(getLettersB(), getB().getType()),
        std::pair(getLettersC(), getC().getType())})
    if (size_t dim = letters.find(letter);
        dim != std::string::npos && !type.isDynamicDim(dim) &&
        // Any number of rows may be gathered from.
        !(getGather() && letter == 'm' && letters != getLettersC()))
      return type.getDimSize(dim);
  return ShapedType::kDynamic;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

int64_t hone::extentOfAll(ArrayRef<int64_t> sizes) {
  int64_t extent = 1;
  for (int64_t size : sizes)
    if (ShapedType::isDynamic(size) || extent == kDynamic)
      extent = kDynamic;
    else if (__builtin_mul_overflow(extent, size, &extent) ||
             extent > kLargestExtent)
      extent = kLargestExtent + 1;
  return extent;
}

static int64_t toExtent(int64_t size) {
  return ShapedType::isDynamic(size) ? kDynamic : size;
}

/// Describes A or B, whose matrix has its dimensions in `order`.
static Operand describe(ShapedType type, Order order,
                        const MatrixLayout &layout, bool shared) {
  Operand operand;
  operand.type = *toFactorType(type.getElementType());
  bool laterIsInner = layout.inner > layout.outer;
  operand.order =
      (order == Order::row) == laterIsInner ? Order::row : Order::col;
  operand.align = layout.align;
  operand.shared = shared;
  return operand;
}

Problem MatmulOp::getProblem() {
  Problem problem;
  problem.m = toExtent(getExtent('m'));
  problem.n = toExtent(getExtent('n'));
  problem.k = toExtent(getExtent('k'));
  // Batches count together: differences of their strides are not part of a
  // problem.
  SmallVector<int64_t> batches;
  for (char batch : getBatches())
    batches.push_back(getExtent(batch));
  if (isBatched())
    problem.batch = extentOfAll(batches);
  auto isShared = [&](StringRef letters) {
    return isBatched() &&
           letters.find_first_of(kBatchLetters) == StringRef::npos;
  };
  problem.a = describe(getA().getType(), getOrderA(), getLayoutA(),
                       isShared(getLettersA()));
  problem.a.access = getImageAccess();
  problem.b = describe(getB().getType(), getOrderB(), getLayoutB(),
                       isShared(getLettersB()));
  problem.isRaggedSum = isRaggedSum();
  if (getRagged() && !isRaggedSum())
    problem.groups = toExtent(getExtent(kBatchLetters[0]));
  problem.isIndexed = getGather();
  problem.acc = *toElementType(getAcc());
  if (auto products = getProductsAttr())
    problem.products = products.getValue();
  if (auto numbers = getNumbersAttr())
    problem.numbers = numbers.getValue();
  problem.c = *toElementType(getC().getType().getElementType());
  problem.alignC = getLayoutC().align;
  problem.init = getInit();
  problem.epilogue = getEpilogueFunction().str();
  return problem;
}

StringRef MatmulOp::getDimsOf(unsigned i) {
  return cast<DimsAttr>(getEpilogueDims()[i]).getLetters();
}

//===----------------------------------------------------------------------===//
// Building and interfaces
//===----------------------------------------------------------------------===//

void MatmulOp::build(OpBuilder &, OperationState &state, MatmulOp other,
                     Value a, Value b, Value c, ValueRange further) {
  state.addOperands({a, b, c});
  state.addOperands(further);
  if (isa<RankedTensorType>(c.getType()))
    state.addTypes(c.getType());
  state.addAttributes(other->getAttrs());
  IRMapping mapping;
  other.getEpilogue().cloneInto(state.addRegion(), mapping);
}

void MatmulOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (hasTensors())
    return;
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (!isDpsInit(&operand) || getInit() == Init::read)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  effects.emplace_back(MemoryEffects::Write::get(), &getCMutable());
}

/// A matmul faults on no value, so one on tensors may be speculated.
Speculation::Speculatability MatmulOp::getSpeculatability() {
  return hasTensors() ? Speculation::Speculatable
                      : Speculation::NotSpeculatable;
}

void MatmulOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  for (BlockArgument argument : region.getArguments())
    setName(argument, argument.getArgNumber() == 0 ? "sum" : "in");
}
