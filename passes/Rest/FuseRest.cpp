//===- FuseRest.cpp - Fusion of elementwise ops into their readers --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's fusion, with two decisions of Hone. An op with several readers is
// computed once per reader if it is cheap and all readers can take it in: a
// layer norm then reads its input three times, from a cache, and stores nothing
// in between. An op whose reader would recompute it for each result, as a
// contraction would, is computed once.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Memory/Buffers.h"
#include "passes/Passes.h"
#include "passes/Rest/HostScalars.h"
#include "passes/Rest/Rest.h"
#include "passes/Support.h"

namespace hone {
#define GEN_PASS_DEF_FUSEREST
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// The ops of a body that compute something.
static int64_t workOf(linalg::GenericOp op) {
  int64_t work = 0;
  op.getRegion().walk([&](Operation *inner) {
    work += !isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp,
                 linalg::YieldOp>(inner);
  });
  return work;
}

/// True if `reader` reads an element of its operand at several points and sums
/// some of them up: a contraction.
static bool isContracted(linalg::GenericOp reader, OpOperand &operand) {
  if (reader.getNumReductionLoops() == 0)
    return false;
  AffineMap map = reader.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> extents = reader.getStaticLoopRanges();
  for (auto [loop, type] : llvm::enumerate(reader.getIteratorTypesArray()))
    if (type == utils::IteratorType::parallel && extents[loop] != 1 &&
        !map.isFunctionOfDim(loop))
      return true;
  return false;
}

/// True if the op that defines `operand` should be computed by its reader.
static bool isWorthFusing(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto reader = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !reader || !linalg::areElementwiseOpsFusable(operand))
    return false;
  // A loop runs once for each element.
  AffineMap map = reader.getMatchingIndexingMap(operand);
  if (!producer.getBody()->getOps<scf::ForOp>().empty() &&
      (!map.isPermutation() || reader.getNumReductionLoops() > 0))
    return false;
  // A reduction would load all elements of an unrolled one in a single thread.
  if (reader.getNumReductionLoops() > 0 &&
      llvm::range_size(producer.getBody()->getOps<tensor::ExtractOp>()) > 2)
    return false;
  // A producer without inputs computes from positions, as masks do.
  bool isCheap = workOf(producer) == 0 || producer.getNumDpsInputs() == 0;
  return isCheap || !isContracted(reader, *operand);
}

//===----------------------------------------------------------------------===//
// Copies for each reader
//===----------------------------------------------------------------------===//

/// Gives each reader of `op` an op of its own, if all of them can take it in.
/// If some reader needs the result in memory, the others read it there, unless
/// the result is only a conversion of its input to another type.
static void copyForReaders(RewriterBase &rewriter, linalg::GenericOp op) {
  constexpr int64_t kMaxWork = 48;
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      op->hasOneUse())
    return;
  SmallVector<OpOperand *> fused;
  bool isStored = false;
  for (OpOperand &use : op->getUses()) {
    if (isWorthFusing(&use))
      fused.push_back(&use);
    else
      isStored |= !isa<tensor::DimOp>(use.getOwner());
  }
  int64_t work = workOf(op);
  if (isStored ? work > 0 : work * int64_t(fused.size()) > kMaxWork)
    return;
  for (OpOperand *use : fused) {
    rewriter.setInsertionPoint(op);
    Operation *copy = rewriter.clone(*op);
    rewriter.modifyOpInPlace(use->getOwner(),
                             [&] { use->set(copy->getResult(0)); });
  }
  if (op->use_empty())
    rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A reshape between two ops is in the way of their fusion; the loops of the
/// second can be those of the first.
static bool isReshapeInTheWay(OpOperand *operand) {
  auto isElementwise = [](Operation *op) {
    auto generic = dyn_cast_if_present<linalg::GenericOp>(op);
    return generic && generic.getNumReductionLoops() == 0;
  };
  Operation *producer = operand->get().getDefiningOp();
  if (!producer || !producer->hasOneUse())
    return false;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(producer))
    return isElementwise(collapse.getSrc().getDefiningOp()) &&
           collapse.getSrc().hasOneUse();
  return isElementwise(producer) &&
         isa<tensor::ExpandShapeOp>(operand->getOwner()) &&
         llvm::all_of(operand->getOwner()->getUsers(),
                      llvm::IsaPred<linalg::GenericOp>);
}

namespace {
struct FuseRestPass : hone::impl::FuseRestBase<FuseRestPass> {
  using FuseRestBase::FuseRestBase;

  void runOnOperation() override {
    auto run = [&](const Arch &gpu) { return fuseAll(gpu); };
    if (failed(forGpu(getOperation(), arch, run)))
      signalPassFailure();
  }

private:
  LogicalResult fuseAll(const Arch &gpu) {
    if (failed(separateScalars()) || failed(simplify()))
      return failure();
    // Readers first: an op that takes in another passes its operands on.
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : llvm::reverse(ops))
      if (op.hasPureTensorSemantics() && !op->use_empty())
        copyForReaders(rewriter, op);
    if (failed(fuse()))
      return failure();
    // Ops after a reduction can fuse with it once it is unrolled.
    unrollReductions(getOperation(), gpu);
    if (failed(fuse()))
      return failure();
    separateFills(rewriter);
    return success();
  }

  /// Separates the scalars of the host from those of the device
  /// (HostScalars.h).
  LogicalResult separateScalars() {
    auto apply = [&](function_ref<void(RewritePatternSet &)> populate) {
      RewritePatternSet patterns(&getContext());
      populate(patterns);
      return applyPatternsGreedily(getOperation(), std::move(patterns));
    };
    bool changed = true;
    while (std::exchange(changed, false)) {
      if (failed(apply(populateHostScalarPatterns)))
        return failure();
      for (func::FuncOp function : hostFunctions(getOperation()))
        changed |= carryScalars(function);
    }
    if (failed(apply(scf::populateUpliftWhileToForPatterns)))
      return failure();
    return apply([](RewritePatternSet &patterns) {
      populateScalarOperandPatterns(patterns);
      populateSinkScalarPatterns(patterns);
      linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    });
  }

  /// Makes every op generic and removes unused results.
  LogicalResult simplify() {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      bool isNamed = !isa<linalg::GenericOp, linalg::FillOp>(op);
      if (isNamed && op.hasPureTensorSemantics())
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      // An op without a generic form stays as it is.
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::populateInlineConstantOperandsPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  /// Gives each sum its own fill: fusion would copy a shared one.
  void separateFills(RewriterBase &rewriter) {
    SmallVector<linalg::FillOp> fills;
    getOperation().walk([&](linalg::FillOp op) { fills.push_back(op); });
    for (linalg::FillOp fill : fills) {
      SmallVector<OpOperand *> uses =
          llvm::to_vector(llvm::make_pointer_range(fill->getUses()));
      for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1)) {
        rewriter.setInsertionPoint(fill);
        Operation *copy = rewriter.clone(*fill);
        rewriter.modifyOpInPlace(use->getOwner(),
                                 [&] { use->set(copy->getResult(0)); });
      }
    }
  }

  LogicalResult fuse() {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          return operand->get().hasOneUse() && isWorthFusing(operand);
        });
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns,
                                                      isReshapeInTheWay);
    linalg::populateInlineConstantOperandsPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
