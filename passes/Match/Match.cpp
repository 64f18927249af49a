//===- Match.cpp - Linalg contractions to hone.matmul ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass. It finds the contractions, and has each read (MatchChoice.cpp,
// MatchEpilogue.cpp) and written (MatchWrite.cpp). An op that is not matched
// keeps its IR and gets a remark.
//
//===----------------------------------------------------------------------===//

#include "passes/Match/Match.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Passes.h"
#include "passes/RowOps.h"
#include "passes/Support.h"

namespace hone {
#define GEN_PASS_DEF_MATCH
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;
using namespace hone::match;

namespace {

struct MatchPass : hone::impl::MatchBase<MatchPass> {
  using MatchBase::MatchBase;
  void runOnOperation() override;

private:
  LogicalResult match(RewriterBase &rewriter, linalg::LinalgOp op,
                      std::string &why);
  LogicalResult matchPlain(RewriterBase &rewriter, linalg::LinalgOp op,
                           std::string &why);
  LogicalResult matchReadable(RewriterBase &rewriter, linalg::LinalgOp op,
                              std::string &why);
  LogicalResult matchScaled(RewriterBase &rewriter, linalg::LinalgOp op);
  LogicalResult matchSplit(RewriterBase &rewriter, linalg::LinalgOp op,
                           const Product &product, bool prefersWindows,
                           std::string &why);
  LogicalResult matchSplit(RewriterBase &rewriter, linalg::LinalgOp op,
                           const Product &product, std::string &why);
  FailureOr<std::pair<Contraction, Epilogue>>
  readAll(linalg::LinalgOp op, bool mayConvert, std::string &why);
  LogicalResult matchRegrouped(RewriterBase &rewriter, linalg::LinalgOp op,
                               std::optional<double> limit,
                               const std::string &reason);
  bool isGpu() const { return target && !target->isHost(); }
  bool isMatchable(RewriterBase &rewriter, linalg::LinalgOp op);
  Products productsOf(const Contraction &contraction);
  Numbers numbersOf(const Contraction &contraction) const;
  bool refuseProblem(const Contraction &contraction, const Epilogue &epilogue,
                     std::string &why);

  /// The arch that the option names; none without the option.
  std::optional<Arch> target;
  /// The option's value.
  Numbers usualNumbers;
};

} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The products from the op's attribute, or else from the option for its type.
Products MatchPass::productsOf(const Contraction &contraction) {
  ElementType type = elementTypeOf(contraction.a.value);
  if (permissionsOf(type).empty())
    return Products::exact;
  auto said = contraction.op->getAttrOfType<ProductsAttr>(
      HoneDialect::kProductsAttrName);
  if (said)
    return said.getValue();
  return type == ElementType::f32 ? Products(f32) : Products(f8);
}

/// The numbers from the op's attribute, or else from the option.
Numbers MatchPass::numbersOf(const Contraction &contraction) const {
  auto said =
      contraction.op->getAttrOfType<NumbersAttr>(HoneDialect::kNumbersAttrName);
  return said ? said.getValue() : usualNumbers;
}

/// True, with the reason, if the problem is too large for any machine, or if no
/// family has kernels for these types on the arch.
bool MatchPass::refuseProblem(const Contraction &contraction,
                              const Epilogue &epilogue, std::string &why) {
  Problem problem = outlineOf(contraction, epilogue);
  if (std::optional<std::string> fault = problem.fault()) {
    why = *fault;
    return true;
  }
  if (refuseImages(contraction, problem, target ? &*target : nullptr, why))
    return true;
  if (!target)
    return false;
  auto broken = check(defaultSchedule(problem, *target), &problem, &*target);
  if (!broken)
    return false;
  why = "no kernel for " + target->name + " takes its types: " + *broken;
  if (!contraction.mixed.empty())
    why += "; " + contraction.mixed;
  return true;
}

/// True if kernels support these operands in their current places: A and B may
/// have been exchanged.
static bool areInPlace(const Contraction &contraction) {
  return areMultiplied(elementTypeOf(contraction.a.value),
                       elementTypeOf(contraction.b.value));
}

/// Reads `op` and its surroundings. A B that needs a conversion is matched only
/// where kernels convert.
FailureOr<std::pair<Contraction, Epilogue>>
MatchPass::readAll(linalg::LinalgOp op, bool mayConvert, std::string &why) {
  FailureOr<Contraction> contraction = analyze(op, mayConvert, isGpu(), why);
  if (failed(contraction))
    return failure();
  contraction->products = productsOf(*contraction);
  contraction->numbers = numbersOf(*contraction);
  Epilogue epilogue = op.hasPureTensorSemantics()
                          ? analyzeEpilogue(*contraction)
                          : analyzeMemory(*contraction);
  if (!areInPlace(*contraction)) {
    why = "A has 8 bits and B has 16";
    return failure();
  }
  if (refuseProblem(*contraction, epilogue, why))
    return failure();
  return std::pair(*contraction, epilogue);
}

LogicalResult MatchPass::matchPlain(RewriterBase &rewriter, linalg::LinalgOp op,
                                    std::string &why) {
  // Without an arch it is unknown whether its kernels convert.
  auto all = readAll(op, /*mayConvert=*/target.has_value(), why);
  if (failed(all) && target)
    all = readAll(op, /*mayConvert=*/false, why);
  if (failed(all))
    return failure();
  auto &[contraction, epilogue] = *all;
  Type ofKernels =
      accumulatorOf(getElementTypeOrSelf(contraction.a.value.getType()));
  bool widens = contraction.sumType != ofKernels;
  std::string sumType;
  llvm::raw_string_ostream(sumType) << contraction.sumType;
  if (widens && isa<IntegerType>(ofKernels)) {
    why = "it accumulates in " + sumType + ", and kernels add integers in i32";
    return failure();
  }
  if (widens && strictAccumulator) {
    why = "it accumulates in " + sumType +
          ", which strict-accumulator does not allow to widen";
    return failure();
  }
  for (auto &[left, reason] : epilogue.left)
    remarkMissed(left, "not-fused", "not fused into the matmul: " + reason);
  FailureOr<MatmulOp> matmul = write(rewriter, contraction, epilogue, why);
  if (failed(matmul))
    return failure();
  if (epilogue.startsUndefined)
    remarkMissed(*matmul, "undefined-start",
                 "its sum starts from a tensor.empty, whose elements are "
                 "undefined; fill it first");
  remarkPassed(*matmul, "matched", matmul->getProblem().str());
  if (!contraction.copied.empty())
    remarkMissed(*matmul, "operand-copied",
                 "reads a transposed copy: " + contraction.copied);
  if (widens)
    remarkPassed(*matmul, "accumulator-widened",
                 "accumulates in f32 instead of " + sumType);
  return success();
}

/// True if the factors are elements of A and B of one type, and indexed by
/// loops.
static bool isReadable(linalg::LinalgOp op, const Product &product) {
  return isPlain(op, product) && succeeded(accessOf(op, 0)) &&
         succeeded(accessOf(op, 1)) &&
         product.left.getType() == product.right.getType();
}

/// True if the scales of `op` must stay: its attribute requires exact products,
/// or strict-accumulator forbids a wider accumulator.
static bool mustKeepScales(linalg::LinalgOp op, bool strictAccumulator) {
  auto said = op->getAttrOfType<ProductsAttr>(HoneDialect::kProductsAttrName);
  std::optional<Product> product = readBody(op);
  return (said && said.getValue() == Products::exact) ||
         (strictAccumulator && product && !product->sumType.isF32());
}

/// Matches an op whose operands have scales as the op without them, if its
/// factors are then narrower. If the match fails, the op stays unchanged.
LogicalResult MatchPass::matchScaled(RewriterBase &rewriter,
                                     linalg::LinalgOp op) {
  if (mustKeepScales(op, strictAccumulator))
    return failure();
  Operation *before = op->getPrevNode();
  FailureOr<Rescaled> moved = moveScales(rewriter, op, scales);
  if (failed(moved))
    return failure();
  std::string why;
  if (moved->isNarrower) {
    rewriter.replaceAllUsesWith(op->getResult(0), moved->result);
    if (succeeded(matchReadable(rewriter, moved->op, why))) {
      remarkPassed(op, "scale-moved",
                   "its sums, instead of A and B, are multiplied by scales");
      eraseDead(rewriter, op.getOperation());
      return success();
    }
    rewriter.replaceAllUsesWith(moved->result, op->getResult(0));
  }
  while (op->getPrevNode() != before)
    rewriter.eraseOp(op->getPrevNode());
  return failure();
}

/// Matches an op that computes its own factors by splitting it. Windows that
/// skip elements, or are not a matrix in place, need no copy if a kernel reads
/// them, which a CPU does slowly.
LogicalResult MatchPass::matchSplit(RewriterBase &rewriter, linalg::LinalgOp op,
                                    const Product &product, std::string &why) {
  if (isGpu() && mayBeCopied(op) &&
      succeeded(
          matchSplit(rewriter, op, product, /*prefersWindows=*/true, why)))
    return success();
  return matchSplit(rewriter, op, product, /*prefersWindows=*/false, why);
}

/// If the match fails, the op stays unchanged.
LogicalResult MatchPass::matchSplit(RewriterBase &rewriter, linalg::LinalgOp op,
                                    const Product &product, bool prefersWindows,
                                    std::string &why) {
  Operation *before = op->getPrevNode();
  FailureOr<linalg::LinalgOp> plain =
      split(rewriter, op, product, prefersWindows, why);
  if (succeeded(plain)) {
    rewriter.replaceAllUsesWith(op->getResults(), (*plain)->getResults());
    if (succeeded(matchScaled(rewriter, *plain)) ||
        succeeded(matchPlain(rewriter, *plain, why))) {
      if (op.hasPureTensorSemantics())
        eraseDead(rewriter, op.getOperation());
      else
        rewriter.eraseOp(op);
      return success();
    }
    rewriter.replaceAllUsesWith((*plain)->getResults(), op->getResults());
  }
  while (op->getPrevNode() != before)
    rewriter.eraseOp(op->getPrevNode());
  return failure();
}

/// Matches a plain op. If its batches were collapsed and a match of the
/// original ones saves an op, it matches those.
LogicalResult MatchPass::matchReadable(RewriterBase &rewriter,
                                       linalg::LinalgOp op, std::string &why) {
  Operation *before = op->getPrevNode();
  FailureOr<Unflattened> anew = unflatten(rewriter, op);
  if (failed(anew))
    return matchPlain(rewriter, op, why);
  rewriter.replaceAllUsesWith(op->getResult(0), anew->result);
  if (succeeded(matchPlain(rewriter, anew->op, why))) {
    eraseDead(rewriter, op.getOperation());
    return success();
  }
  rewriter.replaceAllUsesWith(anew->result, op->getResult(0));
  while (op->getPrevNode() != before)
    rewriter.eraseOp(op->getPrevNode());
  return matchPlain(rewriter, op, why);
}

/// Matches a plain op whose result has rows and columns in turns, which no
/// matmul writes, as one that writes a copy of it. With a `limit`, its cost must
/// be clearly less.
LogicalResult MatchPass::matchRegrouped(RewriterBase &rewriter,
                                        linalg::LinalgOp op,
                                        std::optional<double> limit,
                                        const std::string &reason) {
  FailureOr<Regrouped> anew = regroupResult(rewriter, op);
  if (failed(anew))
    return failure();
  std::string why;
  Operation *transpose = anew->after.getDefiningOp();
  rewriter.replaceAllUsesWith(anew->before, anew->after);
  if ((!limit || isClearlyLess(costOf(*anew), limit)) &&
      succeeded(matchReadable(rewriter, anew->op, why))) {
    remarkMissed(op, "result-reordered",
                 "its result is written in another order and transposed, "
                 "unless its reader takes it so: " +
                     reason);
    eraseDead(rewriter, anew->before.getDefiningOp());
    return success();
  }
  rewriter.replaceAllUsesWith(anew->after, anew->before);
  eraseDead(rewriter, transpose);
  return failure();
}

/// True if `op` can be matched by itself. The program stays unchanged.
bool MatchPass::isMatchable(RewriterBase &rewriter, linalg::LinalgOp op) {
  std::optional<Product> product = readBody(op);
  if (!product)
    return false;
  Operation *before = op->getPrevNode();
  std::string why;
  FailureOr<linalg::LinalgOp> plain = op;
  if (!isReadable(op, *product))
    plain = split(rewriter, op, *product, /*prefersWindows=*/false, why);
  bool isRead =
      succeeded(plain) && succeeded(readAll(*plain, /*mayConvert=*/false, why));
  while (op->getPrevNode() != before)
    rewriter.eraseOp(op->getPrevNode());
  return isRead;
}

LogicalResult MatchPass::match(RewriterBase &rewriter, linalg::LinalgOp op,
                               std::string &why) {
  std::optional<Product> product = readBody(op);
  if (!product)
    return matchPlain(rewriter, op, why);
  exposeNarrow(rewriter, op);
  if (succeeded(matchScaled(rewriter, op)))
    return success();
  if (isReadable(op, *product)) {
    std::optional<double> cost = isGpu() ? costInPlace(op) : std::nullopt;
    return success((cost && succeeded(matchRegrouped(rewriter, op, cost,
                                                     kManyBatches.str()))) ||
                   succeeded(matchReadable(rewriter, op, why)) ||
                   succeeded(matchRegrouped(rewriter, op, std::nullopt, why)));
  }
  if (succeeded(matchSplit(rewriter, op, *product, why)))
    return success();
  // A product of mixed types is a product of the types they are extended to.
  if (product->left.getType() == product->right.getType() ||
      product->wideLeft.getType() != product->wideRight.getType())
    return failure();
  Product wide = *product;
  wide.left = wide.wideLeft;
  wide.right = wide.wideRight;
  std::string whyNot;
  return matchSplit(rewriter, op, wide, whyNot);
}

namespace {
/// Records the erased ops, nested ones included: a candidate may be erased
/// together with its user before its turn comes.
struct ErasedOps : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override { erased.insert(op); }

  DenseSet<Operation *> erased;
};
} // namespace

/// Refuses launches of built kernels: no later pass before hone-lower-kernel
/// takes them.
static LogicalResult refuseBuilt(ModuleOp module) {
  WalkResult found = module.walk([](kernel::LaunchOp op) {
    op.emitError("expected products to build kernels of, but got a launch of a "
                 "built kernel; run hone-lower-kernel and hone-emit alone");
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

void MatchPass::runOnOperation() {
  if (failed(refuseBuilt(getOperation())))
    return signalPassFailure();
  if (!arch.empty()) {
    target = resolveArchOption(getOperation(), arch);
    if (!target)
      return signalPassFailure();
  }
  llvm::Expected<Numbers> usual = Numbers::parse(numbers);
  if (!usual) {
    getOperation().emitError(llvm::toString(usual.takeError()));
    return signalPassFailure();
  }
  usualNumbers = *usual;
  bool hasMoved = stateNumbers(getOperation(), usualNumbers);
  hasMoved |= matchRaggedDots(getOperation(), Products(f32), usualNumbers);
  bool isHost = target && target->isHost();
  hasMoved |=
      expandRowOps(getOperation(), isHost ? RowForm::loop : RowForm::tables);
  hasMoved |= moveNegativeDims(getOperation());
  if (findCandidates(getOperation()).empty())
    return hasMoved ? void() : markAllAnalysesPreserved();
  // The host has no kernels of i8.
  prepare(getOperation(), /*splitsZeroPoints=*/!isHost);
  if (target) {
    IRRewriter writer(&getContext());
    moveChannelsLast(writer, getOperation(), [&](linalg::LinalgOp op) {
      return isMatchable(writer, op);
    });
  }
  ErasedOps listener;
  IRRewriter rewriter(&getContext(), &listener);
  LeftAlone left;
  for (linalg::LinalgOp op : findCandidates(getOperation())) {
    if (listener.erased.contains(op))
      continue;
    std::string why;
    if (failed(match(rewriter, op, why)))
      left.add(op, why);
  }
  if (left.report(/*isError=*/require != Require::any))
    signalPassFailure();
}
