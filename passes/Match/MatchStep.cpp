//===- MatchStep.cpp - One elementwise op, read in letters ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op can be a step of an epilogue if it computes every element of its result
// from one element of the matmul's result, of earlier steps, and of the sources
// of broadcasts. It may be any linalg op without a reduction, or an arith or
// math op on whole tensors. Its loops get the letters of the values it reads.
// Where all of these agree, they give the letters of its result, in any order.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Match/Match.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// Letters that dimensions of a result have.
static constexpr StringRef kLettersOfC = "bhijmn";

unsigned OperandPool::add(const View &view) {
  for (auto [index, other] : llvm::enumerate(views))
    if (other.value == view.value && other.letters == view.letters &&
        other.groups == view.groups)
      return index;
  views.push_back(view);
  return views.size() - 1;
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Letters after a reshape whose `groups` join dimensions of `letters`; nothing
/// if a group has several letters.
static std::optional<std::string>
collapseLetters(StringRef letters, ArrayRef<ReassociationIndices> groups) {
  std::string result;
  for (const ReassociationIndices &group : groups) {
    char letter = kUnit;
    for (int64_t dim : group) {
      if (letters[dim] == kUnit)
        continue;
      if (letter != kUnit && letter != letters[dim])
        return std::nullopt;
      letter = letters[dim];
    }
    result += letter;
  }
  return result;
}

static std::string expandLetters(StringRef letters, tensor::ExpandShapeOp op) {
  RankedTensorType type = op.getResultType();
  std::string expanded(type.getRank(), kUnit);
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
    for (int64_t part : group)
      if (type.getDimSize(part) != 1)
        expanded[part] = letters[dim];
  return expanded;
}

FailureOr<Reached> match::followReshape(Operation *op,
                                        const ReachedMap &reached) {
  if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op))
    return failure();
  auto found = reached.find(op->getOperand(0));
  if (found == reached.end() ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return failure();
  Reached result = found->second;
  // The destination of a reshape has another shape.
  result.destination = {};
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    result.letters = expandLetters(result.letters, expand);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    std::optional<std::string> letters =
        collapseLetters(result.letters, collapse.getReassociationIndices());
    if (!letters)
      return failure();
    result.letters = *letters;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

namespace {
/// Reads one op.
class StepReader {
public:
  StepReader(Operation *op, const ReachedMap &reached, OperandPool &pool,
             std::string &why)
      : op(op), linalgOp(dyn_cast<linalg::LinalgOp>(op)), reached(reached),
        pool(pool), why(why) {
    step.op = op;
  }

  FailureOr<Step> read(Reached &result);

private:
  LogicalResult readLoops();
  LogicalResult readLinalgLoops();
  LogicalResult readTensorLoops();
  LogicalResult nameLoops();
  LogicalResult nameLoopsOf(OpOperand &operand, const Reached &value);
  LogicalResult nameResult(Reached &result);
  LogicalResult addArguments(StringRef letters);
  LogicalResult addBody();
  LogicalResult addCapture(Value value);
  FailureOr<Argument> argumentOf(Value value, AffineMap map,
                                 StringRef resultLetters, const Twine &name);
  Value destinationOf(StringRef letters);

  /// The reached value of `operand`, if it is one and the op reads it.
  const Reached *reachedBy(OpOperand &operand);
  bool reads(OpOperand &operand) {
    return !linalgOp || linalgOp.payloadUsesValueFromOperand(&operand);
  }
  SmallVector<unsigned> loopsOf(AffineMap map) const;
  std::string inOrder(ArrayRef<unsigned> loops, char letter) const;
  LogicalResult refuse(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  Operation *op;
  linalg::LinalgOp linalgOp; ///< null for an op on whole tensors
  const ReachedMap &reached;
  OperandPool &pool;
  std::string &why;

  SmallVector<AffineMap> maps; ///< of each operand
  AffineMap mapOfResult;
  SmallVector<int64_t> extents;
  std::string letters; ///< of each loop; 0 if it has no letter
  SmallVector<unsigned> order;
  Step step;
};
} // namespace

const Reached *StepReader::reachedBy(OpOperand &operand) {
  auto found = reached.find(operand.get());
  return found != reached.end() && reads(operand) ? &found->second : nullptr;
}

LogicalResult StepReader::readLinalgLoops() {
  if (linalgOp.getNumLoops() != linalgOp.getNumParallelLoops())
    return refuse("it is not elementwise");
  if (op->getNumResults() != 1)
    return refuse(op->getNumResults() == 0 ? "it does not work on tensors alone"
                                           : "it has more than one result");
  maps = linalgOp.getIndexingMapsArray();
  extents = linalgOp.getStaticLoopRanges();
  mapOfResult = linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  if (!mapOfResult.isPermutation())
    return refuse("its result is not indexed by a permutation");
  return success();
}

LogicalResult StepReader::readTensorLoops() {
  if (op->getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(op))
    return refuse("it is not elementwise");
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return refuse("it is not elementwise");
  MLIRContext *context = op->getContext();
  unsigned rank = type.getRank();
  mapOfResult = AffineMap::getMultiDimIdentityMap(rank, context);
  for (Value operand : op->getOperands())
    maps.push_back(isa<RankedTensorType>(operand.getType())
                       ? mapOfResult
                       : AffineMap::get(rank, 0, context));
  extents = llvm::to_vector(type.getShape());
  return success();
}

LogicalResult StepReader::readLoops() {
  return linalgOp ? readLinalgLoops() : readTensorLoops();
}

/// The loops that index a value, without those of one element.
SmallVector<unsigned> StepReader::loopsOf(AffineMap map) const {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && extents[dim.getPosition()] != 1)
      loops.push_back(dim.getPosition());
  return loops;
}

LogicalResult StepReader::nameLoopsOf(OpOperand &operand,
                                      const Reached &value) {
  AffineMap map = maps[operand.getOperandNumber()];
  auto type = cast<RankedTensorType>(operand.get().getType());
  std::string named(extents.size(), 0);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (loop)
      named[loop.getPosition()] = value.letters[dim];
    else if (type.getDimSize(dim) != 1)
      return refuse("it does not read the matmul's result element by element");
  }
  SmallVector<unsigned> loops = loopsOf(map);
  if (letters.empty()) {
    letters = named;
    order = loops;
  }
  auto agrees = [&](unsigned loop) { return named[loop] == letters[loop]; };
  bool same = llvm::all_of(order, agrees) && llvm::all_of(loops, agrees);
  for (char letter : kLettersOfC)
    same &= inOrder(order, letter) == inOrder(loops, letter);
  return same ? success()
              : refuse("it reads the matmul's result in two orders");
}

/// The loops of `letter` in the order of `loops`, for comparisons.
std::string StepReader::inOrder(ArrayRef<unsigned> loops, char letter) const {
  std::string result;
  for (unsigned loop : loops)
    if (letters[loop] == letter)
      result += std::to_string(loop) + " ";
  return result;
}

LogicalResult StepReader::nameLoops() {
  for (OpOperand &operand : op->getOpOperands())
    if (const Reached *value = reachedBy(operand))
      if (failed(nameLoopsOf(operand, *value)))
        return failure();
  if (letters.empty())
    return refuse("it does not read the matmul's result");
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    if (extent == 1)
      letters[loop] = kUnit;
    if (letters[loop] == 0)
      return refuse("it repeats the matmul's result");
  }
  return success();
}

/// Names the letters of the result. The parts of a split letter stay in one
/// order; the letters themselves may be permuted.
LogicalResult StepReader::nameResult(Reached &result) {
  SmallVector<unsigned> written = loopsOf(mapOfResult);
  for (char letter : kLettersOfC)
    if (inOrder(written, letter) != inOrder(order, letter))
      return refuse("it permutes parts of a dimension of the matmul");
  result.letters.clear();
  for (AffineExpr expr : mapOfResult.getResults())
    result.letters += letters[cast<AffineDimExpr>(expr).getPosition()];
  result.result = op->getResult(0);
  result.destination = destinationOf(result.letters);
  return success();
}

/// The tensor that can hold the result, if there is one.
Value StepReader::destinationOf(StringRef resultLetters) {
  if (!linalgOp)
    return {};
  OpOperand *init = linalgOp.getDpsInitOperand(0);
  auto found = reached.find(init->get());
  if (found == reached.end())
    return reads(*init) ? Value() : init->get();
  // An in-place op keeps the destination if it is the same matrix.
  Value before = found->second.destination;
  bool same = before && before.getType() == init->get().getType() &&
              found->second.letters == resultLetters;
  return same ? before : Value();
}

//===----------------------------------------------------------------------===//
// The elements
//===----------------------------------------------------------------------===//

FailureOr<Argument> StepReader::argumentOf(Value value, AffineMap map,
                                           StringRef resultLetters,
                                           const Twine &name) {
  Argument argument;
  // A transposition may part dimensions of the matmul: its result is read then.
  FailureOr<View> view = failure();
  FailureOr<Source> source =
      resolveSource(value, map, [&](const Source &source) {
        FailureOr<View> here = viewOf(source, resultLetters);
        if (succeeded(here))
          view = here;
        return succeeded(here);
      });
  if (failed(source))
    return refuse(name + " is indexed in a way that no broadcast is");
  argument.constant = source->constant;
  argument.casts = source->casts;
  if (source->constant)
    return argument;
  if (!toElementType(getElementTypeOrSelf(source->value.getType())))
    return refuse(name + " is not f16, bf16 or f32");
  if (failed(view))
    return refuse(name + " has part of a dimension of the matmul only");
  argument.operand = pool.add(*view);
  return argument;
}

LogicalResult StepReader::addArguments(StringRef resultLetters) {
  for (OpOperand &operand : op->getOpOperands()) {
    Argument &argument = step.arguments.emplace_back();
    if (!reads(operand))
      continue;
    if (const Reached *value = reachedBy(operand)) {
      argument.result = value->result;
      continue;
    }
    unsigned number = operand.getOperandNumber();
    FailureOr<Argument> source = argumentOf(
        operand.get(), maps[number].compose(inversePermutation(mapOfResult)),
        resultLetters, "operand " + Twine(number));
    if (failed(source))
      return failure();
    argument = *source;
  }
  return success();
}

LogicalResult StepReader::addCapture(Value value) {
  for (auto &[captured, argument] : step.captures)
    if (captured == value)
      return success();
  FailureOr<Argument> argument =
      argumentOf(value, AffineMap::get(op->getContext()), /*resultLetters=*/"",
                 "a scalar that it uses from outside");
  if (failed(argument))
    return failure();
  step.captures.emplace_back(value, *argument);
  return success();
}

/// Checks the scalar ops, and reads the values that they capture.
LogicalResult StepReader::addBody() {
  if (!linalgOp)
    return success(isEpilogueOp(op, &why));
  Block *body = linalgOp.getBlock();
  for (Operation &inner : *body) {
    if (!inner.hasTrait<OpTrait::IsTerminator>() && !isEpilogueOp(&inner, &why))
      return failure();
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != body && failed(addCapture(operand)))
        return failure();
  }
  return success();
}

FailureOr<Step> StepReader::read(Reached &result) {
  if (failed(readLoops()) || failed(nameLoops()) ||
      failed(nameResult(result)) || failed(addBody()) ||
      failed(addArguments(result.letters)))
    return failure();
  return step;
}

FailureOr<Step> match::readStep(Operation *op, const ReachedMap &reached,
                                OperandPool &pool, Reached &result,
                                std::string &why) {
  return StepReader(op, reached, pool, why).read(result);
}
