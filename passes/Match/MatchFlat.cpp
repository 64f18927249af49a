//===- MatchFlat.cpp - Batches that the program collapsed -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontends collapse sequences and heads into one batch, because their product
// has only one, and transpose the operands for that:
//
//   q: 4x128x12x64 -- transpose --> 4x12x128x64 -- collapse --> 48x128x64
//
// The same product of the original operands has two batches, with the tokens
// between them, and needs no transpose. The op is rewritten with one loop for
// each part of the batch.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Match/Match.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Places to split
//===----------------------------------------------------------------------===//

/// For each loop, the low ends of pieces that are followed by another loop.
using Boundaries = SmallVector<llvm::SmallSet<int64_t, 2>>;

/// Adds the low ends of pieces that are followed by another loop.
static void addApart(const Access &access, Boundaries &boundaries) {
  Pieces all;
  for (const Pieces &pieces : access.dims)
    llvm::append_range(all, pieces);
  for (auto [outer, inner] : llvm::zip(ArrayRef(all).drop_back(!all.empty()),
                                       ArrayRef(all).drop_front(!all.empty())))
    if (outer.low > 1 && outer.loop != inner.loop)
      boundaries[outer.loop].insert(outer.low);
}

/// The operands whose order determines the split.
struct Reasons {
  bool a, b;
};

/// The extents of the parts of each loop, outermost first; nothing if none is
/// split. Only batches are split.
static std::optional<SmallVector<SmallVector<int64_t>>>
findParts(linalg::LinalgOp op, Reasons reasons) {
  Boundaries boundaries(op.getNumLoops());
  for (auto [operand, isReason] :
       llvm::enumerate(std::array{reasons.a, reasons.b}))
    for (const Access &access :
         isReason ? accessesOf(op, operand) : SmallVector<Access>())
      addApart(access, boundaries);
  SmallVector<SmallVector<int64_t>> parts;
  bool isAny = false;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    int64_t extent = op.getStaticLoopRanges()[loop];
    SmallVector<int64_t> lows(boundaries[loop].begin(), boundaries[loop].end());
    llvm::erase_if(lows,
                   [=](int64_t low) { return low <= 1 || low >= extent; });
    llvm::sort(lows, std::greater<>());
    bool isBatch = llvm::all_of(op.getIndexingMapsArray(), [=](AffineMap map) {
      return map.isFunctionOfDim(loop);
    });
    SmallVector<int64_t> &sizes = parts.emplace_back();
    int64_t high = extent;
    for (int64_t low : isBatch ? ArrayRef(lows) : ArrayRef<int64_t>()) {
      if (high % low != 0)
        return std::nullopt;
      sizes.push_back(high / low);
      high = low;
      isAny = true;
    }
    sizes.push_back(high);
  }
  return isAny ? std::optional(parts) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The new op
//===----------------------------------------------------------------------===//

namespace {
/// Writes an op with split loops.
class Unflattener {
public:
  Unflattener(OpBuilder &builder, linalg::LinalgOp op,
              ArrayRef<SmallVector<int64_t>> parts)
      : builder(builder), op(op), parts(parts) {
    for (const SmallVector<int64_t> &sizes : parts) {
      starts.push_back(loops);
      loops += sizes.size();
    }
  }

  Unflattened write();

private:
  AffineMap mapOf(OpOperand &operand);
  SmallVector<ReassociationIndices> groupsOf(OpOperand &operand);
  RankedTensorType typeOf(OpOperand &operand);
  Value expand(OpOperand &operand);

  OpBuilder &builder;
  linalg::LinalgOp op;
  ArrayRef<SmallVector<int64_t>> parts;
  SmallVector<unsigned> starts; ///< the first of the loops of each
  unsigned loops = 0;
};
} // namespace

AffineMap Unflattener::mapOf(OpOperand &operand) {
  SmallVector<AffineExpr> results;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
    unsigned loop = map.getDimPosition(dim);
    for (size_t part = 0; part < parts[loop].size(); ++part)
      results.push_back(builder.getAffineDimExpr(starts[loop] + part));
  }
  return AffineMap::get(loops, 0, results, builder.getContext());
}

SmallVector<ReassociationIndices> Unflattener::groupsOf(OpOperand &operand) {
  SmallVector<ReassociationIndices> groups;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  int64_t next = 0;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
    ReassociationIndices &group = groups.emplace_back();
    for (size_t i = 0; i < parts[map.getDimPosition(dim)].size(); ++i)
      group.push_back(next++);
  }
  return groups;
}

RankedTensorType Unflattener::typeOf(OpOperand &operand) {
  SmallVector<int64_t> shape;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    llvm::append_range(shape, parts[map.getDimPosition(dim)]);
  return RankedTensorType::get(shape, getElementTypeOrSelf(operand.get()));
}

Value Unflattener::expand(OpOperand &operand) {
  RankedTensorType type = typeOf(operand);
  if (type == operand.get().getType())
    return operand.get();
  // A filled operand is filled again: the fill shows that a sum starts from
  // zero.
  auto fill = operand.get().getDefiningOp<linalg::FillOp>();
  if (!fill || op.isDpsInput(&operand))
    return tensor::ExpandShapeOp::create(builder, op.getLoc(), type,
                                         operand.get(), groupsOf(operand));
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                        type.getElementType());
  return linalg::FillOp::create(builder, op.getLoc(), fill.value(), empty)
      .getResult(0);
}

Unflattened Unflattener::write() {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    values.push_back(expand(operand));
    maps.push_back(mapOf(operand));
  }
  SmallVector<utils::IteratorType> kinds;
  for (auto [kind, sizes] : llvm::zip(op.getIteratorTypesArray(), parts))
    kinds.append(sizes.size(), kind);
  OpOperand *init = op.getDpsInitOperand(0);
  auto generic = linalg::GenericOp::create(builder, op.getLoc(), typeOf(*init),
                                           ArrayRef(values).drop_back(),
                                           values.back(), maps, kinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  Value result = generic.getResult(0);
  if (result.getType() != init->get().getType())
    result = tensor::CollapseShapeOp::create(
        builder, op.getLoc(), cast<RankedTensorType>(init->get().getType()),
        result, groupsOf(*init));
  return {generic, result};
}

//===----------------------------------------------------------------------===//
// The benefit of a split
//===----------------------------------------------------------------------===//

/// The number of ops between a value that a matmul reads and the operand, which
/// holds the same elements.
static size_t distanceOf(linalg::LinalgOp op, unsigned operand,
                         const View &view) {
  SmallVector<Access> accesses = accessesOf(op, operand);
  for (auto [distance, access] : llvm::enumerate(llvm::reverse(accesses)))
    if (access.value == view.value)
      return distance;
  return accesses.size();
}

static size_t batchesOf(const Contraction &contraction) {
  return llvm::count_if(contraction.c.letters,
                        [](char c) { return kBatchLetters.contains(c); });
}

/// True if the new op is a matmul whose batches kernels support, and reads
/// earlier values than the old one.
static bool isBetter(linalg::LinalgOp op, linalg::LinalgOp anew) {
  std::string why;
  FailureOr<Contraction> after = analyze(anew, /*mayConvert=*/false,
                                         /*mayCopy=*/false, why);
  if (failed(after) || !after->copied.empty() ||
      batchesOf(*after) > kKernelBatches)
    return false;
  FailureOr<Contraction> before = analyze(op, /*mayConvert=*/false,
                                          /*mayCopy=*/false, why);
  if (failed(before) || !before->copied.empty())
    return true;
  return distanceOf(anew, 0, after->a) + distanceOf(anew, 1, after->b) <
         distanceOf(op, 0, before->a) + distanceOf(op, 1, before->b);
}

FailureOr<Unflattened> match::unflatten(RewriterBase &rewriter,
                                        linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.hasDynamicShape() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return failure();
  // Both operands' transposes, or else one of them.
  constexpr Reasons kReasons[] = {{true, true}, {true, false}, {false, true}};
  Operation *before = op->getPrevNode();
  for (Reasons reasons : kReasons) {
    auto parts = findParts(op, reasons);
    if (!parts)
      continue;
    rewriter.setInsertionPoint(op);
    Unflattened anew = Unflattener(rewriter, op, *parts).write();
    if (isBetter(op, anew.op))
      return anew;
    while (op->getPrevNode() != before)
      rewriter.eraseOp(op->getPrevNode());
  }
  return failure();
}
