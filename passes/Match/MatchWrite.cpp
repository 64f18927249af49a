//===- MatchWrite.cpp - Writer of matched matmuls -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `hone.matmul` is written at the last op that moves into it, so that all
// its operands exist there. The ops that it replaces are erased.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Match/Match.h"
#include "passes/Support.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// No op is used after it was erased: it leaves the worklist before that, and
/// only operands of a live op enter the worklist.
void match::eraseDead(RewriterBase &rewriter, ArrayRef<Operation *> ops) {
  llvm::SmallSetVector<Operation *, 8> worklist(ops.begin(), ops.end());
  while (!worklist.empty()) {
    Operation *dead = worklist.pop_back_val();
    // An op that is still used returns with its last user.
    if (!isOpTriviallyDead(dead))
      continue;
    for (Value operand : dead->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        worklist.insert(definition);
    rewriter.eraseOp(dead);
  }
}

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

namespace {
/// Writes the steps into a block that has the sum and the operands.
class RegionWriter {
public:
  RegionWriter(OpBuilder &builder, ValueRange operands)
      : builder(builder), operands(operands) {}

  /// Sets the scalar that replaces a result of the program.
  void define(Value result, Value scalar) { scalars.map(result, scalar); }
  Value get(Value result) const { return scalars.lookup(result); }

  Value get(Location loc, const Argument &argument);
  void write(const Step &step);

private:
  Value writeBody(const Step &step, linalg::LinalgOp op);
  Value writeTensorOp(const Step &step);
  Value constant(Location loc, TypedAttr value) {
    return arith::ConstantOp::create(builder, loc, value);
  }

  OpBuilder &builder;
  ValueRange operands;
  IRMapping scalars;
};
} // namespace

Value RegionWriter::get(Location loc, const Argument &argument) {
  if (argument.result)
    return scalars.lookup(argument.result);
  if (argument.constant)
    return constant(loc, argument.constant);
  Value value = operands[*argument.operand];
  for (Type type : argument.casts)
    value = convertScalar(builder, loc, value, type);
  return value;
}

/// Clones the body of a linalg op. Captured values are written at their first
/// use.
Value RegionWriter::writeBody(const Step &step, linalg::LinalgOp op) {
  IRMapping mapping;
  for (auto [operand, argument] :
       llvm::zip(op->getOpOperands(), step.arguments)) {
    // An unused scalar or init operand may have no argument.
    if (!op.payloadUsesValueFromOperand(&operand))
      continue;
    mapping.map(op.getMatchingBlockArgument(&operand),
                get(op.getLoc(), argument));
  }
  auto capture = [&](Value value) {
    if (mapping.contains(value))
      return;
    for (auto &[captured, argument] : step.captures)
      if (captured == value)
        mapping.map(value, get(op.getLoc(), argument));
  };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    llvm::for_each(inner.getOperands(), capture);
    builder.clone(inner, mapping);
  }
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  capture(yielded);
  return mapping.lookup(yielded);
}

/// Writes an op on whole tensors as the same op on scalars.
Value RegionWriter::writeTensorOp(const Step &step) {
  IRMapping mapping;
  for (auto [operand, argument] :
       llvm::zip(step.op->getOperands(), step.arguments))
    if (!mapping.contains(operand))
      mapping.map(operand, get(step.op->getLoc(), argument));
  Operation *clone = builder.clone(*step.op, mapping);
  Value result = clone->getResult(0);
  result.setType(getElementTypeOrSelf(result.getType()));
  return result;
}

void RegionWriter::write(const Step &step) {
  auto op = dyn_cast<linalg::LinalgOp>(step.op);
  define(step.op->getResult(0), op ? writeBody(step, op) : writeTensorOp(step));
}

/// True if the region only rounds the sum, which needs no region.
static bool isRoundingOnly(Block &block) {
  Value value = block.getTerminator()->getOperand(0);
  if (auto truncation = value.getDefiningOp<arith::TruncFOp>();
      truncation && !truncation.getRoundingmodeAttr())
    value = truncation.getIn();
  return value == block.getArgument(0) && block.getNumArguments() == 1;
}

/// Writes the scalar ops of all steps, one after the other, between the sum and
/// the stored value. Values have the program's types, so that the region rounds
/// where the program does.
static void buildEpilogue(OpBuilder &builder, MatmulOp op,
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

  RegionWriter writer(builder, block->getArguments().drop_front());
  if (epilogue.addend) {
    Value addend = convertScalar(
        builder, loc, writer.get(loc, *epilogue.addend), op.getAcc());
    sum = isa<IntegerType>(op.getAcc())
              ? Value(arith::AddIOp::create(builder, loc, sum, addend))
              : Value(arith::AddFOp::create(builder, loc, sum, addend));
  }
  if (!epilogue.steps.empty()) {
    linalg::LinalgOp matmul = contraction.op;
    Value result = matmul->getResult(0);
    writer.define(
        result, convertScalar(builder, loc, sum, getElementTypeOrSelf(result)));
    for (const Step &step : epilogue.steps)
      writer.write(step);
    sum = writer.get(epilogue.last->getResult(0));
  }
  sum = convertScalar(builder, loc, sum, getElementTypeOrSelf(op.getC()));
  YieldOp::create(builder, loc, sum);
  if (isRoundingOnly(*block))
    block->erase();
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

namespace {
/// Writes one matmul and removes the ops that it replaces.
class Writer {
public:
  Writer(RewriterBase &rewriter, const Contraction &contraction,
         const Epilogue &epilogue)
      : rewriter(rewriter), contraction(contraction), epilogue(epilogue),
        loc(rewriter.getFusedLoc(locations(contraction, epilogue))),
        c(epilogue.c) {}

  FailureOr<MatmulOp> write(std::string &why);

private:
  static SmallVector<Location> locations(Contraction contraction,
                                         const Epilogue &epilogue);
  void createC();
  LogicalResult reshapeOperands(std::string &why);
  void eraseOperands(Operation *before);
  MatmulOp writeMatmul();
  void replaceProgram(MatmulOp matmul);

  RewriterBase &rewriter;
  const Contraction &contraction;
  const Epilogue &epilogue;
  Location loc;
  View c;
  SmallVector<Value> operands; ///< A, B, C and the epilogue's, canonical
};
} // namespace

/// The locations of the matmul and of all ops that move into it.
SmallVector<Location> Writer::locations(Contraction contraction,
                                        const Epilogue &epilogue) {
  SmallVector<Location> result = {contraction.op.getLoc()};
  for (const Step &step : epilogue.steps)
    result.push_back(step.op->getLoc());
  return result;
}

/// The reason why no matmul can have these memrefs; empty if one can.
static std::string refuseLayouts(const Contraction &contraction,
                                 ArrayRef<Value> matrices) {
  auto type = dyn_cast<MemRefType>(matrices[2].getType());
  if (!type)
    return "";
  if (!layoutOf(cast<ShapedType>(matrices[0].getType()), contraction.a.letters))
    return "neither rows nor columns of A are contiguous";
  if (!layoutOf(cast<ShapedType>(matrices[1].getType()), contraction.b.letters))
    return "neither rows nor columns of B are contiguous";
  if (type.getStridesAndOffset().first.back() != 1 &&
      type.getShape().back() != 1)
    return "neither rows nor columns of C are contiguous";
  if (hasDistinctElements(type) == false)
    return "elements of C overlap in memory";
  return "";
}

/// Creates a tensor like `c`, which cannot hold the result.
void Writer::createC() {
  auto type = cast<RankedTensorType>(c.value.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(type.isDynamicDim(dim)
                        ? sizeOf(rewriter, loc, c.value, dim)
                        : rewriter.getIndexAttr(type.getDimSize(dim)));
  c.value =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
}

LogicalResult Writer::reshapeOperands(std::string &why) {
  if (epilogue.newC)
    createC();
  SmallVector<View> views = {contraction.a, contraction.b, c};
  llvm::append_range(views, epilogue.operands);
  for (const View &view : views) {
    if (std::optional<Image> image = imageOf(view.value)) {
      operands.push_back(image->value);
      continue;
    }
    FailureOr<Value> value = toCanonical(rewriter, loc, view, why);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  why = refuseLayouts(contraction, operands);
  return success(why.empty());
}

/// Undoes reshapeOperands: erases the ops between `before` and the last op.
void Writer::eraseOperands(Operation *before) {
  Operation *last = epilogue.last;
  while (last->getPrevNode() != before)
    rewriter.eraseOp(last->getPrevNode());
}

/// The attribute of the products; null for exact ones, the default.
static ProductsAttr productsOf(MLIRContext *context, Products products) {
  return products == Products::exact ? ProductsAttr()
                                     : ProductsAttr::get(context, products);
}

/// The attribute of the numbers; null for the default.
static NumbersAttr numbersOf(MLIRContext *context, const Numbers &numbers) {
  return numbers.isDefault() ? NumbersAttr()
                             : NumbersAttr::get(context, numbers);
}

MatmulOp Writer::writeMatmul() {
  SmallVector<Attribute> dims;
  for (const View &view : epilogue.operands)
    dims.push_back(DimsAttr::get(rewriter.getContext(), view.letters));
  SmallVector<Type> results;
  if (Type type = operands[2].getType(); isa<RankedTensorType>(type))
    results.push_back(type);
  std::optional<Image> image = imageOf(contraction.a.value);
  linalg::LinalgOp op = contraction.op;
  auto pinned = op->getAttrOfType<ScheduleAttr>(HoneDialect::kScheduleAttrName);
  auto ranges = op->getAttrOfType<RangesAttr>(HoneDialect::kRangesAttrName);
  auto matmul = MatmulOp::create(
      rewriter, loc, results, operands[0], operands[1], operands[2],
      ArrayRef(operands).drop_front(3), Order::row, Order::row, epilogue.init,
      accumulatorOf(getElementTypeOrSelf(operands[0].getType())),
      productsOf(rewriter.getContext(), contraction.products),
      numbersOf(rewriter.getContext(), contraction.numbers),
      rewriter.getArrayAttr(dims), /*arch=*/ArchAttr(), pinned, ranges,
      /*dimsA=*/DimsAttr(), /*dimsB=*/DimsAttr(), /*dimsC=*/DimsAttr(),
      image ? image->window : WindowAttr());
  matmul.setLetters(contraction.a.letters, contraction.b.letters,
                    epilogue.c.letters);
  return matmul;
}

/// Replaces the last op's result by that of the matmul, and erases the ops that
/// moved.
void Writer::replaceProgram(MatmulOp matmul) {
  linalg::LinalgOp op = contraction.op;
  if (!matmul.hasTensors()) {
    rewriter.eraseOp(op);
    if (epilogue.overwritten)
      rewriter.eraseOp(epilogue.overwritten);
    return;
  }
  Value result = fromCanonical(rewriter, loc, matmul.getResults().front(), c);
  rewriter.replaceAllUsesWith(epilogue.last->getResult(0), result);
  SmallVector<Operation *> moved = {op};
  for (const Step &step : epilogue.steps)
    moved.push_back(step.op);
  eraseDead(rewriter, moved);
}

FailureOr<MatmulOp> Writer::write(std::string &why) {
  rewriter.setInsertionPoint(epilogue.last);
  Operation *before = epilogue.last->getPrevNode();
  if (failed(reshapeOperands(why))) {
    eraseOperands(before);
    return failure();
  }
  MatmulOp matmul = writeMatmul();
  buildEpilogue(rewriter, matmul, contraction, epilogue);
  replaceProgram(matmul);
  return matmul;
}

FailureOr<MatmulOp> match::write(RewriterBase &rewriter,
                                 const Contraction &contraction,
                                 const Epilogue &epilogue, std::string &why) {
  return Writer(rewriter, contraction, epilogue).write(why);
}
