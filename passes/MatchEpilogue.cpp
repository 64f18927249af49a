//===- MatchEpilogue.cpp - Before and after the sum -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On tensors a matmul starts from what its destination was filled with and is
// followed by elementwise ops. Both are read here: the start as init(zero) or
// as a vector that is added, the ops as steps of an epilogue for as long as
// each is the only user of the result before it. Reshapes of the result in
// between are followed, because they move no element.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Match.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// The start
//===----------------------------------------------------------------------===//

/// Sets where the sum of `contraction` starts, and the tensor to write if
/// nothing follows it.
static Value analyzeStart(const Contraction &contraction, Epilogue &epilogue) {
  linalg::LinalgOp op = contraction.op;
  Value start = op.getDpsInits().front();
  Value destination;
  if (isZeroFill(start, destination)) {
    epilogue.init = MatmulInit::zero;
    return destination;
  }
  // A vector that every row starts from is as well added at the end.
  std::optional<std::pair<Value, AffineMap>> copied = copiedInput(start);
  if (!copied || copied->second.isPermutation())
    return start;
  FailureOr<Source> source = resolveSource(copied->first, copied->second);
  if (failed(source) || source->constant)
    return start;
  FailureOr<View> view = viewOf(*source, contraction.lettersC);
  if (failed(view))
    return start;
  epilogue.init = MatmulInit::zero;
  epilogue.addend = 0;
  epilogue.operands.push_back(*view);
  return start.getDefiningOp<linalg::LinalgOp>().getDpsInits().front();
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

namespace {
/// Follows the result of a contraction down the program.
class Chain {
public:
  Chain(const Contraction &contraction, Epilogue &epilogue, Value destination)
      : epilogue(epilogue), result(contraction.op->getResult(0)),
        letters(contraction.lettersC), last(contraction.op),
        destination(destination), lastLetters(letters) {}

  /// Takes as many steps as can be taken.
  void follow() {
    while (Operation *user = onlyUser())
      if (!followReshape(user) && !takeStep(user))
        return;
  }

  linalg::LinalgOp getLast() const { return last; }
  Value getDestination() const { return destination; }
  StringRef getLastLetters() const { return lastLetters; }

private:
  Operation *onlyUser() const;
  bool followReshape(Operation *user);
  bool takeStep(Operation *user);
  std::string whyNot(linalg::LinalgOp op) const;
  std::string addArguments(linalg::LinalgOp op, Epilogue &next);

  Epilogue &epilogue;
  Value result;        ///< what the chain has reached
  std::string letters; ///< of the dimensions of `result`
  linalg::LinalgOp last;
  Value destination;
  std::string lastLetters;
};
} // namespace

/// The only op that uses the result, if it stands in the same block.
Operation *Chain::onlyUser() const {
  Operation *user = nullptr;
  for (Operation *other : result.getUsers()) {
    if (user && other != user)
      return nullptr;
    user = other;
  }
  return user && user->getBlock() == last->getBlock() ? user : nullptr;
}

/// Letters after a reshape whose `groups` join dimensions of `letters`; nothing
/// if a group has several.
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

bool Chain::followReshape(Operation *user) {
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
    std::optional<std::string> collapsed =
        collapseLetters(letters, collapse.getReassociationIndices());
    if (!collapsed)
      return false;
    letters = *collapsed;
    result = collapse.getResult();
    return true;
  }
  auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
  if (!expand || expand.getSrc() != result)
    return false;
  RankedTensorType type = expand.getResultType();
  std::string expanded(type.getRank(), kUnit);
  for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
    for (int64_t part : group)
      if (type.getDimSize(part) != 1)
        expanded[part] = letters[dim];
  letters = expanded;
  result = expand.getResult();
  return true;
}

/// Why the body of `op` can not be part of an epilogue; empty if it can.
static std::string refuseBody(linalg::LinalgOp op) {
  std::string why;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (!isEpilogueOp(&inner, &why))
      return why;
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBlock() &&
          !operand.getDefiningOp<arith::ConstantOp>())
        return "it uses a value from outside that is no constant";
  }
  return "";
}

/// Why `op` is no elementwise op on the result; empty if it is one.
std::string Chain::whyNot(linalg::LinalgOp op) const {
  if (op.getNumLoops() != op.getNumParallelLoops())
    return "it is not elementwise";
  if (op->getNumResults() != 1)
    return "it has more than one result";
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  if (!map.isPermutation())
    return "its result is not indexed by a permutation";
  bool readsResult = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.get() != result)
      continue;
    readsResult |= op.payloadUsesValueFromOperand(&operand);
    if (op.getMatchingIndexingMap(&operand) != map)
      return "it reads the matmul's result by another map than it writes";
  }
  if (!readsResult)
    return "it does not read the matmul's result";
  if (!toElementType(getElementTypeOrSelf(init->get())))
    return "its result is none of f16, bf16, f32";
  bool inPlace = init->get() == result;
  if (!inPlace && op.payloadUsesValueFromOperand(init))
    return "it reads its destination";
  if (inPlace && result.getType() != destination.getType())
    return "it works in place on a reshaped result";
  return refuseBody(op);
}

/// Reads the block arguments of `op` into a new step of `next`. Returns why
/// that is not possible, or nothing.
std::string Chain::addArguments(linalg::LinalgOp op, Epilogue &next) {
  Step step;
  step.op = op;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand &operand : op->getOpOperands()) {
    Step::Argument &argument = step.arguments.emplace_back();
    argument.isSum = operand.get() == result || op.isDpsInit(&operand);
    if (argument.isSum || !op.payloadUsesValueFromOperand(&operand))
      continue;
    FailureOr<Source> source = resolveSource(
        operand.get(),
        op.getMatchingIndexingMap(&operand).compose(inversePermutation(map)));
    std::string name = "operand " + std::to_string(operand.getOperandNumber());
    if (failed(source))
      return name + " is indexed in a way that no broadcast is";
    argument.constant = source->constant;
    if (source->constant)
      continue;
    if (!toElementType(getElementTypeOrSelf(source->value)))
      return name + " is none of f16, bf16, f32";
    FailureOr<View> view = viewOf(*source, letters);
    if (failed(view))
      return name + " has part of a dimension of the matmul only";
    argument.operand = next.operands.size();
    next.operands.push_back(*view);
  }
  next.steps.push_back(std::move(step));
  return "";
}

bool Chain::takeStep(Operation *user) {
  auto op = dyn_cast<linalg::LinalgOp>(user);
  if (!op)
    return false;
  std::string why = whyNot(op);
  Epilogue next = epilogue;
  if (why.empty())
    why = addArguments(op, next);
  if (!why.empty()) {
    if (op.getNumLoops() == op.getNumParallelLoops())
      remarkMissed(op, "not-fused", "not fused into the matmul: " + why);
    return false;
  }
  epilogue = std::move(next);
  if (Value init = op.getDpsInits().front(); init != result)
    destination = init;
  result = op->getResult(0);
  last = op;
  lastLetters = letters;
  return true;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Where the sum starts from a tensor that is not the one written, that tensor
/// becomes an operand.
static void readStartAsOperand(const Contraction &contraction,
                               Epilogue &epilogue) {
  linalg::LinalgOp op = contraction.op;
  Value start = op.getDpsInits().front();
  if (epilogue.init == MatmulInit::zero || epilogue.c.value == start)
    return;
  epilogue.init = MatmulInit::zero;
  epilogue.addend = epilogue.operands.size();
  // C's dimensions in C's order: this is one view for each letter.
  epilogue.operands.push_back(*makeView(start, contraction.lettersC));
}

Epilogue match::analyzeEpilogue(const Contraction &contraction) {
  Epilogue epilogue;
  Value destination = analyzeStart(contraction, epilogue);
  Chain chain(contraction, epilogue, destination);
  chain.follow();
  epilogue.last = chain.getLast();
  // Reshapes keep the order of C's dimensions, so this succeeds as for C
  // itself.
  epilogue.c = *makeMatrix(chain.getDestination(), chain.getLastLetters(),
                           contraction.orderOfC());
  readStartAsOperand(contraction, epilogue);
  return epilogue;
}

Epilogue match::plainEpilogue(const Contraction &contraction) {
  Epilogue epilogue;
  epilogue.c = contraction.c;
  epilogue.last = contraction.op;
  return epilogue;
}

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

/// `value` in another floating-point type.
static Value convert(OpBuilder &builder, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

/// Clones the body of a step's op; `sum` is the element that it works on.
static Value cloneStep(OpBuilder &builder, const Step &step, Value sum,
                       ValueRange operands) {
  linalg::LinalgOp op = step.op;
  IRMapping mapping;
  auto cloneConstant = [&](Location loc, TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, loc, value);
  };
  for (auto [argument, meaning] :
       llvm::zip(op.getBlock()->getArguments(), step.arguments)) {
    if (argument.use_empty())
      continue;
    mapping.map(argument, meaning.isSum ? sum
                          : meaning.constant
                              ? cloneConstant(op.getLoc(), meaning.constant)
                              : operands[meaning.operand]);
  }
  auto mapped = [&](Value value) {
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    if (constant && !mapping.contains(value))
      mapping.map(value, cloneConstant(constant.getLoc(), constant.getValue()));
  };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    llvm::for_each(inner.getOperands(), mapped);
    builder.clone(inner, mapping);
  }
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  mapped(yielded);
  return mapping.lookup(yielded);
}

/// True if the region only rounds the sum, which it does without a region.
static bool isRoundingOnly(Block &block) {
  Value value = block.getTerminator()->getOperand(0);
  if (auto truncation = value.getDefiningOp<arith::TruncFOp>();
      truncation && !truncation.getRoundingmodeAttr())
    value = truncation.getIn();
  return value == block.getArgument(0) && block.getNumArguments() == 1;
}

void match::buildEpilogue(OpBuilder &builder, MatmulOp op,
                          const Contraction &contraction,
                          const Epilogue &epilogue) {
  if (!epilogue.addend && epilogue.steps.empty())
    return;
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op.getLoc();
  Block *block = builder.createBlock(&op.getEpilogue());
  Value sum = block->addArgument(op.getAcc(), loc);
  for (Value operand : op.getEpilogueOperands())
    block->addArgument(getElementTypeOrSelf(operand), loc);
  ValueRange operands = block->getArguments().drop_front();

  if (epilogue.addend) {
    Value addend =
        convert(builder, loc, operands[*epilogue.addend], op.getAcc());
    sum = arith::AddFOp::create(builder, loc, sum, addend);
  }
  linalg::LinalgOp matmul = contraction.op;
  if (!epilogue.steps.empty())
    sum =
        convert(builder, loc, sum, getElementTypeOrSelf(matmul->getResult(0)));
  for (const Step &step : epilogue.steps)
    sum = cloneStep(builder, step, sum, operands);
  sum = convert(builder, loc, sum, getElementTypeOrSelf(op.getC()));
  YieldOp::create(builder, loc, sum);
  if (isRoundingOnly(*block))
    block->erase();
}
