//===- Function.cpp - Function that a rest kernel has to compute ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays, steps, and the elements and terms of a step at a point.
//
//===----------------------------------------------------------------------===//

#include "Function.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace hone::simulate;
using namespace hone::simulate::rest;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

int64_t Array::elementBytes() const {
  return (widthOf(type.getElementType()) + 7) / 8;
}

unsigned GenericStep::inputs() const {
  return linalg::GenericOp(op).getNumDpsInputs();
}
unsigned GenericStep::results() const {
  return linalg::GenericOp(op).getNumDpsInits();
}

Polynomial GenericStep::countOf(ArrayRef<unsigned> loops) const {
  Polynomial count(1);
  for (unsigned loop : loops)
    count = count * extents[loop];
  return count;
}

void Function::readStrides(Array &array) {
  auto [strides, offset] = array.type.getStridesAndOffset();
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    if (!ShapedType::isDynamic(stride)) {
      array.strides.push_back(stride);
      continue;
    }
    Symbol symbol = terms.symbols.addUnknown(
        "p" + std::to_string(array.argument) + "s" + std::to_string(dim));
    array.openStrides[dim] = symbol;
    array.strides.push_back(Polynomial::of(symbol));
  }
}

llvm::Error Function::readArrays() {
  auto add = [&](Value value, unsigned argument, StringRef table) {
    Array array;
    array.value = value;
    array.type = cast<MemRefType>(value.getType());
    array.argument = argument;
    array.table = table.str();
    readStrides(array);
    memory.push_back(std::move(array));
  };
  for (BlockArgument argument : function.getArguments())
    if (isa<MemRefType>(argument.getType()))
      add(argument, argument.getArgNumber(), "");
  for (Operation &op : function.getBody().front())
    if (auto get = dyn_cast<memref::GetGlobalOp>(op))
      add(get, 0, get.getName());
    else if (!isa<linalg::GenericOp, func::ReturnOp>(op) &&
             !op.hasTrait<OpTrait::ConstantLike>())
      return llvm::createStringError("its function holds a '" +
                                     op.getName().getStringRef().str() + "'");
  return llvm::Error::success();
}

std::optional<unsigned> Function::arrayOf(Value memref) const {
  for (auto [i, array] : llvm::enumerate(memory))
    if (array.value == memref)
      return i;
  return std::nullopt;
}

std::optional<unsigned> Function::tableNamed(StringRef symbol) const {
  for (auto [i, array] : llvm::enumerate(memory))
    if (!array.table.empty() && array.table == symbol)
      return i;
  return std::nullopt;
}

std::optional<unsigned> Function::arrayOf(const GenericStep &step,
                                          unsigned number) const {
  return arrayOf(linalg::GenericOp(step.op)->getOperand(number));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Extents along which one loop runs are equal, as linalg requires.
void Function::unifyExtents() {
  llvm::EquivalenceClasses<std::pair<unsigned, unsigned>> same;
  for (auto [i, array] : llvm::enumerate(memory))
    for (unsigned dim = 0; dim < array.type.getRank(); ++dim)
      same.insert({i, dim});
  for (GenericStep &step : all) {
    std::map<unsigned, std::pair<unsigned, unsigned>> first;
    for (OpOperand &operand : step.op->getOpOperands()) {
      auto array = arrayOf(operand.get());
      AffineMap map = step.op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!array || !loop)
          continue;
        std::pair<unsigned, unsigned> own(*array, dim);
        auto [found, isNew] = first.try_emplace(loop.getPosition(), own);
        same.unionSets(found->second, own);
      }
    }
  }
  std::map<std::pair<unsigned, unsigned>, Polynomial> known;
  for (auto [i, array] : llvm::enumerate(memory))
    for (auto [dim, size] : llvm::enumerate(array.type.getShape()))
      if (!ShapedType::isDynamic(size))
        known.try_emplace(same.getLeaderValue({unsigned(i), unsigned(dim)}),
                          size);
  for (auto [i, array] : llvm::enumerate(memory))
    for (auto [dim, size] : llvm::enumerate(array.type.getShape())) {
      auto leader = same.getLeaderValue({unsigned(i), unsigned(dim)});
      if (ShapedType::isDynamic(size) && !known.count(leader))
        known[leader] = Polynomial::of(terms.symbols.addExtent(
            "p" + std::to_string(array.argument) + "d" + std::to_string(dim)));
      array.extents.push_back(ShapedType::isDynamic(size) ? known.at(leader)
                                                          : Polynomial(size));
    }
}

llvm::Error Function::readSteps() {
  for (auto op : function.getOps<linalg::GenericOp>()) {
    GenericStep &step = all.emplace_back();
    step.op = op;
    for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
      (type == utils::IteratorType::parallel ? step.parallel : step.reduced)
          .push_back(loop);
  }
  unifyExtents();
  for (GenericStep &step : all) {
    SmallVector<int64_t> ranges = step.op.getStaticLoopRanges();
    for (auto [loop, range] : llvm::enumerate(ranges)) {
      std::optional<Polynomial> extent;
      if (!ShapedType::isDynamic(range))
        extent = Polynomial(range);
      for (OpOperand &operand : step.op->getOpOperands()) {
        auto array = arrayOf(operand.get());
        AffineMap map = step.op.getMatchingIndexingMap(&operand);
        for (auto [dim, expr] : llvm::enumerate(map.getResults()))
          if (array && !extent &&
              expr == getAffineDimExpr(loop, map.getContext()))
            extent = memory[*array].extents[dim];
      }
      if (!extent)
        return llvm::createStringError("a loop of its function has no extent");
      step.extents.push_back(*extent);
    }
  }
  return llvm::Error::success();
}

/// Both dialects use the same bits.
unsigned rest::fastMathOf(Operation *op) {
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(op))
    if (auto attribute = flags.getFastMathFlagsAttr())
      return unsigned(attribute.getValue());
  if (auto flags = dyn_cast<LLVM::FastmathFlagsInterface>(op))
    if (auto attribute = flags.getFastmathAttr())
      return unsigned(attribute.getValue());
  return 0;
}

llvm::Expected<std::unique_ptr<Function>> Function::read(func::FuncOp op,
                                                         Terms &terms) {
  std::unique_ptr<Function> function(new Function(op, terms));
  if (!op.getBody().hasOneBlock())
    return llvm::createStringError("its function has branches");
  if (llvm::Error error = function->readArrays())
    return std::move(error);
  if (llvm::Error error = function->readSteps())
    return std::move(error);
  op.walk([&](Operation *each) { function->flags |= fastMathOf(each); });
  return function;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// A value of a body, or an argument or a constant from outside of it.
std::optional<TermId> Function::valueOf(Value value,
                                        llvm::DenseMap<Value, TermId> &values) {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &function.getBody().front()
               ? std::optional(terms.scalar(argument.getArgNumber(),
                                            argument.getType(),
                                            argument.getType()))
               : std::nullopt;
  return terms.apply(value.getDefiningOp(), {});
}

std::optional<TermId> Function::loadIn(Operation *op,
                                       llvm::DenseMap<Value, TermId> &values) {
  auto load = cast<memref::LoadOp>(op);
  auto array = arrayOf(load.getMemRef());
  if (!array)
    return std::nullopt;
  Polynomial bytes;
  for (auto [index, stride] :
       llvm::zip_equal(load.getIndices(), memory[*array].strides)) {
    auto position = valueOf(index, values);
    if (!position)
      return std::nullopt;
    bytes = bytes + terms.numberOf(*position) * stride;
  }
  bytes = bytes * memory[*array].elementBytes();
  if (!bytes.isValid())
    return std::nullopt;
  loaded.push_back(terms.load(*array, bytes, load.getType()));
  return loaded.back();
}

std::optional<SmallVector<TermId>> Function::evaluate(const GenericStep &step,
                                                      const Point &point,
                                                      ArrayRef<TermId> before) {
  linalg::GenericOp op = step.op;
  llvm::DenseMap<Value, TermId> values;
  for (BlockArgument argument : op.getBody()->getArguments()) {
    unsigned number = argument.getArgNumber();
    auto value = number < step.inputs()
                     ? elementOf(step, number, point)
                     : std::optional(before[number - step.inputs()]);
    if (!value)
      return std::nullopt;
    values[argument] = *value;
  }
  loaded.clear();
  return evaluateBlock(*op.getBody(), point, values, /*depth=*/0);
}

std::optional<SmallVector<TermId>>
Function::valuesOf(ValueRange range, llvm::DenseMap<Value, TermId> &values) {
  SmallVector<TermId> terms;
  for (Value value : range)
    if (auto known = valueOf(value, values))
      terms.push_back(*known);
    else
      return std::nullopt;
  return terms;
}

/// The values that a block of a body yields, inside `depth` loops.
std::optional<SmallVector<TermId>>
Function::evaluateBlock(Block &block, const Point &point,
                        llvm::DenseMap<Value, TermId> &values, unsigned depth) {
  for (Operation &inner : block.without_terminator()) {
    std::optional<TermId> value;
    if (auto loop = dyn_cast<scf::ForOp>(inner)) {
      if (!evaluateLoop(loop, point, values, depth))
        return std::nullopt;
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      value = terms.number(point[index.getDim()], index.getType());
    else if (isa<memref::LoadOp>(inner))
      value = loadIn(&inner, values);
    else if (auto operands = valuesOf(inner.getOperands(), values))
      value = terms.apply(&inner, *operands);
    if (!value)
      return std::nullopt;
    values[inner.getResult(0)] = *value;
  }
  return valuesOf(block.getTerminator()->getOperands(), values);
}

bool Function::evaluateLoop(scf::ForOp loop, const Point &point,
                            llvm::DenseMap<Value, TermId> &values,
                            unsigned depth) {
  auto bounds = valuesOf(
      {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, values);
  auto first = valuesOf(loop.getInitArgs(), values);
  if (!bounds || !first)
    return false;
  LoopTerms own = terms.openLoop(*bounds, *first, depth);
  values[loop.getInductionVar()] = own.counter;
  for (auto [argument, value] :
       llvm::zip_equal(loop.getRegionIterArgs(), own.values))
    values[argument] = value;
  auto yielded = evaluateBlock(*loop.getBody(), point, values, depth + 1);
  if (!yielded)
    return false;
  for (auto [result, value] :
       llvm::zip_equal(loop.getResults(), terms.closeLoop(own, *yielded)))
    values[result] = value;
  return true;
}
