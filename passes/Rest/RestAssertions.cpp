//===- RestAssertions.cpp - Assertions in the bodies of linalg ops --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body that gathers rows may hold a `cf.assert` on the index. A kernel cannot
// end the program, so the assertion becomes an op of its own in front, which
// sets a flag of the program where it does not hold:
//
//   %flag = hone.assertion "index out of range" : memref<1xi32>
//   linalg.generic {maps = [(i) -> (i), (i) -> (0)], types = ["reduction"]}
//       ins(%indices) outs(%flag) { flag | not condition }
//
// The index of each load in the body is limited to the memory's extents, so no
// index reads outside.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Rest/Rest.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// True if `index` is the position along a loop with at most `extent` points.
static bool isWithin(linalg::GenericOp op, Value index, int64_t extent) {
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  if (!loop)
    return false;
  int64_t range = op.getStaticLoopRanges()[loop.getDim()];
  return !ShapedType::isDynamic(range) && range <= extent;
}

/// True if the memory's extents are known where an index may be out of range.
static bool canLimit(linalg::GenericOp op, memref::LoadOp load) {
  ArrayRef<int64_t> shape = load.getMemRefType().getShape();
  return llvm::all_of(llvm::zip_equal(load.getIndices(), shape), [&](auto at) {
    auto [index, extent] = at;
    return extent > 0 && !ShapedType::isDynamic(extent);
  });
}

/// Limits the indices; as unsigned numbers, so a negative one is too large.
static void limit(OpBuilder &builder, linalg::GenericOp op,
                  memref::LoadOp load) {
  builder.setInsertionPoint(load);
  for (auto [dim, extent] : llvm::enumerate(load.getMemRefType().getShape())) {
    Value index = load.getIndices()[dim];
    if (isWithin(op, index, extent))
      continue;
    Value last =
        arith::ConstantIndexOp::create(builder, load.getLoc(), extent - 1);
    load.getIndicesMutable()[dim].set(
        arith::MinUIOp::create(builder, load.getLoc(), index, last));
  }
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
using Assertions = llvm::MapVector<StringAttr, SmallVector<cf::AssertOp>>;

/// The op that checks assertions.
class Check {
public:
  Check(linalg::GenericOp op, const Assertions &assertions);

  /// False if a condition depends on the op's results.
  bool isPossible() const { return !readsResults; }
  void create(OpBuilder &builder);

private:
  void take(Value value);
  void shortenLoops();
  Value flagFor(OpBuilder &builder, StringAttr text);
  void writeBody(OpBuilder &builder, ValueRange arguments);

  linalg::GenericOp op;
  const Assertions &assertions;
  llvm::SetVector<Operation *> slice; ///< in the body
  llvm::SetVector<OpOperand *> inputs;
  llvm::SetVector<unsigned> loops;
  bool readsResults = false;
};
} // namespace

Check::Check(linalg::GenericOp op, const Assertions &assertions)
    : op(op), assertions(assertions) {
  for (const auto &[text, asserts] : assertions)
    for (cf::AssertOp each : asserts)
      take(each.getArg());
  shortenLoops();
}

/// Adds the ops, inputs and loops that `value` depends on.
void Check::take(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (operand->getOperandNumber() >= op.getNumDpsInputs())
      readsResults = true;
    else
      inputs.insert(operand);
    return;
  }
  Operation *definition = value.getDefiningOp();
  if (definition->getBlock() != op.getBody() || slice.contains(definition))
    return;
  if (auto index = dyn_cast<linalg::IndexOp>(definition))
    loops.insert(index.getDim());
  llvm::for_each(definition->getOperands(), [&](Value own) { take(own); });
  slice.insert(definition);
}

/// Keeps the loops that the conditions depend on, or all of them if the inputs
/// do not have the extents of these.
void Check::shortenLoops() {
  llvm::SmallSet<unsigned, 8> known;
  for (OpOperand *input : inputs) {
    AffineMap map = op.getMatchingIndexingMap(input);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.insert(loop);
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        known.insert(dim.getPosition());
  }
  if (llvm::all_of(loops, [&](unsigned loop) { return known.contains(loop); }))
    return;
  for (OpOperand &operand : op->getOpOperands())
    inputs.insert(&operand);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.insert(loop);
}

/// The flag with this text, at the start of the function.
Value Check::flagFor(OpBuilder &builder, StringAttr text) {
  Block &entry = op->getParentOfType<func::FuncOp>().getBody().front();
  for (auto known : entry.getOps<AssertionOp>())
    if (known.getTextAttr() == text)
      return known.getMemory();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry);
  return AssertionOp::create(builder, op.getLoc(),
                             MemRefType::get({1}, builder.getI32Type()), text);
}

void Check::writeBody(OpBuilder &builder, ValueRange arguments) {
  Location loc = op.getLoc();
  IRMapping mapping;
  for (auto [i, input] : llvm::enumerate(inputs))
    mapping.map(op.getMatchingBlockArgument(input), arguments[i]);
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (!slice.contains(&inner))
      continue;
    Operation *copy = builder.clone(inner, mapping);
    if (auto index = dyn_cast<linalg::IndexOp>(copy))
      index.setDim(llvm::find(loops, index.getDim()) - loops.begin());
  }
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  SmallVector<Value> results;
  for (const auto &[i, entry] : llvm::enumerate(assertions)) {
    Value failed;
    for (cf::AssertOp each : entry.second) {
      Value own = arith::SelectOp::create(
          builder, loc, mapping.lookupOrDefault(each.getArg()), number(0),
          number(1));
      failed = failed ? arith::OrIOp::create(builder, loc, failed, own) : own;
    }
    results.push_back(arith::OrIOp::create(
        builder, loc, arguments[inputs.size() + i], failed));
  }
  linalg::YieldOp::create(builder, loc, results);
}

void Check::create(OpBuilder &builder) {
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> dims(op.getNumLoops(),
                               getAffineConstantExpr(0, context));
  for (auto [i, loop] : llvm::enumerate(loops))
    dims[loop] = getAffineDimExpr(i, context);
  SmallVector<Value> operands, flags;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : inputs) {
    operands.push_back(input->get());
    maps.push_back(op.getMatchingIndexingMap(input).replaceDimsAndSymbols(
        dims, {}, loops.size(), 0));
  }
  for (const auto &[text, asserts] : assertions) {
    flags.push_back(flagFor(builder, text));
    maps.push_back(
        AffineMap::get(loops.size(), 0, getAffineConstantExpr(0, context)));
  }
  SmallVector<utils::IteratorType> types(loops.size(),
                                         utils::IteratorType::reduction);
  builder.setInsertionPoint(op);
  linalg::GenericOp::create(
      builder, op.getLoc(), TypeRange(), operands, flags, maps, types,
      [&](OpBuilder &inside, Location, ValueRange arguments) {
        writeBody(inside, arguments);
      });
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

std::string hone::splitAssertions(RewriterBase &rewriter,
                                  linalg::GenericOp op) {
  Assertions assertions;
  SmallVector<memref::LoadOp> loads;
  op.getRegion().walk([&](Operation *inner) {
    if (auto assertion = dyn_cast<cf::AssertOp>(inner))
      assertions[assertion.getMsgAttr()].push_back(assertion);
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      loads.push_back(load);
  });
  if (assertions.empty())
    return "";
  for (memref::LoadOp load : loads)
    if (!canLimit(op, load))
      return "an assertion guards memory of unknown extents";
  Check check(op, assertions);
  if (!check.isPossible())
    return "an assertion reads a result of the op";
  for (memref::LoadOp load : loads)
    limit(rewriter, op, load);
  // The limits are in the slice of a condition that loads.
  Check(op, assertions).create(rewriter);
  for (auto &[text, asserts] : assertions)
    for (cf::AssertOp each : asserts)
      rewriter.eraseOp(each);
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(*op.getBody())))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
  return "";
}
