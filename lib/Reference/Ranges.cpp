//===- Ranges.cpp - Valid integer arguments of a function -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the uses of a value, which is the argument plus a constant. The
// nearest uses come first: for an id that is wrapped around if negative, the id
// itself counts, not the id plus the length of the table.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Ranges.h"
#include "dialects/Hone/Hone.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "hone/Reference/Element.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <deque>

using namespace mlir;
using namespace hone;
using llvm::formatv;

namespace {
class Follower {
public:
  Follower(const Dims &dims, IntegerRange range) : dims(dims), range(range) {}

  IntegerRange follow(Value from);

private:
  /// A value equal to the argument, or an element of it, plus `offset`.
  struct Step {
    Value value;
    int64_t offset;
  };
  void add(Value value, int64_t offset) {
    if (seen.insert(value).second)
      steps.push_front({value, offset});
  }
  void visit(OpOperand &use, int64_t offset);
  void visitIndexing(OpOperand &use, int64_t offset);
  void visitArithmetic(OpOperand &use, int64_t offset);
  void visitTerminator(OpOperand &use, int64_t offset);
  void visitLoop(scf::ForOp loop, OpOperand &use, int64_t offset);
  void visitCall(OpOperand &use, int64_t offset);
  void visitEnds(MatmulOp op, OpOperand &use, int64_t offset);
  /// Requires 0 <= argument + offset < extent.
  void bound(int64_t extent, int64_t offset);
  /// Ends of ragged rows, indices of rows and experts may be any numbers: an
  /// eighth more on both sides.
  void widen(int64_t extent, int64_t offset);

  const Dims &dims;
  IntegerRange range;
  bool isBound = false;
  bool isChanged = false; ///< in a loop
  llvm::DenseSet<Value> seen;
  std::deque<Step> steps;  ///< the nearest first
  std::vector<Step> later; ///< with another offset
};
} // namespace

/// A bound that leaves no value is ignored: the program checks before it
/// indexes.
void Follower::bound(int64_t extent, int64_t offset) {
  int64_t low = -offset, high = extent < 0 ? -offset : extent - 1 - offset;
  if (isBound)
    low = std::max(low, range.low), high = std::min(high, range.high);
  if (low > high)
    return;
  range = {low, high};
  isBound = true;
}

/// A slice's offset must leave room for the slice; other indices are of one
/// element.
void Follower::visitIndexing(OpOperand &use, int64_t offset) {
  Operation *op = use.getOwner();
  auto boundBy = [&](Value shaped, int64_t dim, int64_t size) {
    int64_t extent = dims.sizeOf(shaped, dim);
    bound(extent < 0 || size < 0 ? -1 : extent - size + 1, offset);
  };
  auto isAt = [&](OperandRange indices, Value shaped) {
    for (auto [dim, index] : llvm::enumerate(indices))
      if (indices.getBeginOperandIndex() + dim == use.getOperandNumber())
        boundBy(shaped, dim, 1);
  };
  if (auto load = dyn_cast<tensor::ExtractOp>(op))
    return isAt(load.getIndices(), load.getTensor());
  if (auto store = dyn_cast<tensor::InsertOp>(op))
    return isAt(store.getIndices(), store.getDest());
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isAt(load.getIndices(), load.getMemRef());
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return isAt(store.getIndices(), store.getMemRef());
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  if (!slice)
    return;
  Value shaped = op->getOperand(0);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    shaped = insert.getDest();
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  for (auto [dim, at] : llvm::enumerate(slice.getMixedOffsets()))
    if (slice.isDynamicOffset(dim) &&
        &op->getOpOperand(slice.getIndexOfDynamicOffset(dim)) == &use)
      boundBy(shaped, dim, getConstantIntValue(sizes[dim]).value_or(-1));
}

void Follower::visitArithmetic(OpOperand &use, int64_t offset) {
  Operation *op = use.getOwner();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp, arith::MaxSIOp, arith::MinSIOp,
          arith::MaxUIOp, arith::MinUIOp>(op))
    return add(op->getResult(0), offset);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (use.getOperandNumber() > 0)
      add(select.getResult(), offset);
    return;
  }
  bool isSum = isa<arith::AddIOp>(op);
  if (!isSum && !(isa<arith::SubIOp>(op) && use.getOperandNumber() == 0))
    return;
  Value other = op->getOperand(1 - use.getOperandNumber());
  if (std::optional<int64_t> constant = getConstantIntValue(other))
    later.push_back(
        {op->getResult(0), isSum ? offset + *constant : offset - *constant});
}

/// A bound of a loop bounds its counter.
void Follower::visitLoop(scf::ForOp loop, OpOperand &use, int64_t offset) {
  if (&use == &loop.getUpperBoundMutable())
    later.push_back({loop.getInductionVar(), offset - 1});
  else if (&use == &loop.getLowerBoundMutable())
    add(loop.getInductionVar(), offset);
  if (OpResult result = loop.getTiedLoopResult(&use)) {
    BlockArgument carried = loop.getTiedLoopRegionIterArg(&use);
    if (!isa<ShapedType>(carried.getType()))
      isChanged |= loop.getTiedLoopYieldedValue(carried)->get() != carried;
    add(carried, offset);
    add(result, offset);
  }
}

void Follower::visitTerminator(OpOperand &use, int64_t offset) {
  Operation *op = use.getOwner(), *parent = op->getParentOp();
  unsigned number = use.getOperandNumber();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(parent);
  if (linalgOp && linalgOp.hasPureBufferSemantics())
    return add(linalgOp.getDpsInits()[number], offset);
  if (linalgOp || (isa<scf::YieldOp>(op) && isa<scf::IfOp>(parent)))
    return add(parent->getResult(number), offset);
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function || !isa<func::ReturnOp>(op))
    return;
  function->getParentOfType<ModuleOp>().walk([&](func::CallOp call) {
    if (call.getCallee() == function.getName())
      add(call.getResult(number), offset);
  });
}

void Follower::widen(int64_t extent, int64_t offset) {
  if (isBound)
    return;
  extent = std::max<int64_t>(extent, 1);
  int64_t more = extent / 8 + 1;
  range = {-more - offset, extent + more - offset};
  isBound = true;
}

void Follower::visitEnds(MatmulOp op, OpOperand &use, int64_t offset) {
  if (use.get() == op.getIndex())
    widen(dims.sizeOf(op.getA(), 0), offset);
  else if (use.get() == op.getEnds())
    widen(dims.sizeOf(op.getC(), op.getLettersC().find('m')), offset);
}

void Follower::visitCall(OpOperand &use, int64_t offset) {
  auto call = cast<func::CallOp>(use.getOwner());
  auto callee = call->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
      call.getCallee());
  if (callee && !callee.isDeclaration())
    add(callee.getArgument(use.getOperandNumber()), offset);
}

void Follower::visit(OpOperand &use, int64_t offset) {
  Operation *op = use.getOwner();
  visitIndexing(use, offset);
  if (isa<arith::ArithDialect>(op->getDialect()))
    return visitArithmetic(use, offset);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop, use, offset);
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    Value carried = loop.getBeforeArguments()[use.getOperandNumber()];
    isChanged |= !isa<ShapedType>(carried.getType());
    add(carried, offset);
    return;
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    if (use.getOperandNumber() == 0)
      return;
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    add(loop.getAfterArguments()[use.getOperandNumber() - 1], offset);
    add(loop.getResult(use.getOperandNumber() - 1), offset);
    return;
  }
  if (auto generic = dyn_cast<linalg::LinalgOp>(op)) {
    add(generic.getMatchingBlockArgument(&use), offset);
    return;
  }
  if (isa<func::CallOp>(op))
    return visitCall(use, offset);
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return visitEnds(matmul, use, offset);
  if (auto route = dyn_cast<RouteOp>(op))
    return widen(route.getGroups(), offset);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return visitTerminator(use, offset);
  // Elements that are only moved, or read one by one.
  bool isMoved =
      isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ExtractSliceOp, tensor::ExtractOp, memref::CastOp,
          memref::CollapseShapeOp, memref::ExpandShapeOp, memref::SubViewOp,
          memref::LoadOp>(op);
  if (isMoved && use.getOperandNumber() == 0)
    add(op->getResult(0), offset);
}

IntegerRange Follower::follow(Value from) {
  add(from, 0);
  while (!steps.empty() || !later.empty()) {
    if (steps.empty()) {
      Step next = later.front();
      later.erase(later.begin());
      add(next.value, next.offset);
      continue;
    }
    auto [value, offset] = steps.front();
    steps.pop_front();
    for (OpOperand &use : value.getUses())
      visit(use, offset);
  }
  // The change in a loop is unknown, so only the lowest value is safe.
  if (isBound && isChanged)
    range.high = range.low;
  return range;
}

IntegerRange hone::findRange(BlockArgument argument, const Dims &dims) {
  constexpr int64_t kFew = 4;
  auto element = Element::of(getElementTypeOrSelf(argument.getType()));
  IntegerRange range = {0, kFew - 1};
  if (element && element->bits <= 8)
    range = {element->smallest(), element->largest()};
  range = Follower(dims, range).follow(argument);
  if (element)
    range = {std::clamp(range.low, element->smallest(), element->largest()),
             std::clamp(range.high, element->smallest(), element->largest())};
  return range;
}

/// A constant of the program, in any precision.
static bool isConstant(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return matchPattern(value, m_Constant());
    value = op->getOperand(0);
  }
  return false;
}

bool hone::isRootTaken(BlockArgument argument) {
  SmallVector<Value> values = {argument};
  llvm::DenseSet<Value> seen;
  auto add = [&](Value value) {
    if (seen.insert(value).second)
      values.push_back(value);
  };
  while (!values.empty()) {
    Value value = values.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *op = use.getOwner();
      const ScalarOp *row = findScalarOp(op->getName().getStringRef());
      if (row && row->is(ScalarOp::ofPositives))
        return true;
      if (auto generic = dyn_cast<linalg::LinalgOp>(op)) {
        add(generic.getMatchingBlockArgument(&use));
        // The bodies of named ops are not followed.
        if (isa<linalg::RsqrtOp, linalg::SqrtOp, linalg::LogOp>(op))
          return true;
      } else if (isa<linalg::YieldOp>(op)) {
        add(op->getParentOp()->getResult(use.getOperandNumber()));
      } else if (isa<arith::ExtFOp, arith::TruncFOp, tensor::ExpandShapeOp,
                     tensor::CollapseShapeOp, tensor::CastOp>(op) ||
                 (isa<arith::AddFOp>(op) &&
                  isConstant(op->getOperand(1 - use.getOperandNumber())))) {
        add(op->getResult(0));
      }
    }
  }
  return false;
}

llvm::Expected<std::vector<std::pair<unsigned, IntegerRange>>>
hone::parseRanges(StringRef text) {
  std::vector<std::pair<unsigned, IntegerRange>> ranges;
  for (StringRef part : llvm::split(text, ',')) {
    SmallVector<StringRef> words;
    part.split(words, ':');
    unsigned argument;
    IntegerRange range;
    if (words.size() != 3 || words[0].getAsInteger(10, argument) ||
        words[1].getAsInteger(10, range.low) ||
        words[2].getAsInteger(10, range.high) || range.low > range.high)
      return llvm::createStringError(
          formatv("expected an argument and its least and largest value, but "
                  "got '{0}'; use e.g. --range=1:0:99",
                  part));
    ranges.emplace_back(argument, range);
  }
  return ranges;
}
