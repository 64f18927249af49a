//===- ReorderFactors.cpp - Order of two products of three factors --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factors of two products in a row are tensors with named dimensions. Any
// two of them may be multiplied first: the dimensions that neither the third
// one nor the result has are then summed.
//
//   (x[m, k] * W[k, n]) * v[n]    =    x[m, k] * (W[k, n] * v[n])
//
// Rows of groups have a name for the group. A row is of one group, so there are
// not more pairs of a row and a group than rows.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Reorder/Factors.h"
#include "passes/Support.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace hone;
using namespace hone::reorder;

namespace {
/// The two factors that are multiplied first, and their result's names.
struct Plan {
  const Factor *first, *second, *last;
  Names names;
  uint64_t cost;
};
} // namespace

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// The multiplications of a product with these names.
static uint64_t costOf(const Chain &chain, ArrayRef<Name> left,
                       ArrayRef<Name> right) {
  llvm::SmallSet<Name, 8> names(left.begin(), left.end());
  names.insert(right.begin(), right.end());
  if (chain.ragged && names.contains(chain.ragged->first))
    names.erase(chain.ragged->second);
  uint64_t cost = 1;
  for (Name name : names)
    cost = llvm::SaturatingMultiply(cost, uint64_t(chain.extents.at(name)));
  return cost;
}

static uint64_t costNow(const Chain &chain) {
  return llvm::SaturatingAdd(
      costOf(chain, chain.inner.factors[0].names, chain.inner.factors[1].names),
      costOf(chain, chain.inner.result, chain.third().names));
}

static Plan planOf(const Chain &chain, const Factor &first,
                   const Factor &second, const Factor &last) {
  Plan plan{&first, &second, &last, {}, 0};
  auto isKept = [&](Name name) {
    return llvm::is_contained(last.names, name) ||
           llvm::is_contained(chain.outer.result, name);
  };
  // Batches first, then the rest of each.
  for (Name name : first.names)
    if (isKept(name) && llvm::is_contained(second.names, name))
      plan.names.push_back(name);
  for (const Factor *factor : {&first, &second})
    for (Name name : factor->names)
      if (isKept(name) && !llvm::is_contained(plan.names, name))
        plan.names.push_back(name);
  plan.cost = llvm::SaturatingAdd(costOf(chain, first.names, second.names),
                                  costOf(chain, plan.names, last.names));
  return plan;
}

/// The cheapest other order. Ragged rows stay with their A.
static Plan bestPlan(const Chain &chain) {
  const auto &[x, w] = chain.inner.factors;
  const Factor &v = chain.third();
  Plan best =
      chain.place == 0 ? planOf(chain, w, v, x) : planOf(chain, v, w, x);
  if (chain.ragged)
    return best;
  Plan other =
      chain.place == 0 ? planOf(chain, x, v, w) : planOf(chain, v, x, w);
  return other.cost < best.cost ? other : best;
}

//===----------------------------------------------------------------------===//
// Permission
//===----------------------------------------------------------------------===//

/// True if the program permits another order of all float ops in `op`: as in
/// LLVM, factors move out of sums with `reassoc` and `nsz`.
static bool permitsOrder(Operation *op) {
  if (isa<MatmulOp>(op))
    return false;
  return llvm::all_of(
      cast<linalg::LinalgOp>(op).getBlock()->without_terminator(),
      [](Operation &inner) {
        auto fast = dyn_cast<arith::ArithFastMathInterface>(inner);
        return !fast || isa<arith::ExtFOp>(inner) ||
               bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(),
                                  arith::FastMathFlags::reassoc |
                                      arith::FastMathFlags::nsz);
      });
}

/// The obstacle to another order, or an empty string.
static std::string obstacleOf(const Chain &chain, bool isPermitted) {
  for (auto [name, extent] : chain.extents)
    if (ShapedType::isDynamic(extent) || extent == 0)
      return "an extent is 0, or known when the program runs";
  bool isFloat =
      isa<FloatType>(getElementTypeOrSelf(chain.outer.op->getResult(0)));
  if (isFloat && !isPermitted &&
      (chain.rounding || !permitsOrder(chain.inner.op) ||
       !permitsOrder(chain.outer.op)))
    return "another order of float products rounds otherwise; use reorder=all";
  Operation *inner = chain.inner.op;
  if (!inner->hasOneUse() || (chain.rounding && !chain.rounding->hasOneUse()))
    return "its result has other readers";
  for (Name name : chain.inner.result)
    if (!llvm::is_contained(chain.inner.factors[0].names, name) &&
        !llvm::is_contained(chain.inner.factors[1].names, name))
      return "its result repeats a row or a column";
  if (!chain.ragged)
    return "";
  // Else no matmul has the result.
  const Names &result = chain.outer.result;
  bool isPlain =
      chain.place == 0 && startsFromZero(chain.outer.op) && !result.empty() &&
      result.size() <= 2 && result[0] == chain.ragged->first &&
      !llvm::is_contained(chain.third().names, result[0]) &&
      (result.size() < 2 || llvm::is_contained(chain.third().names, result[1]));
  return isPlain ? "" : "its groups have no product of this form";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The sum of `left * right` into `start`, in the type of its elements.
static Value writeProduct(OpBuilder &builder, Location loc, const Factor &left,
                          const Factor &right, const Factor &start) {
  Names loops = start.names;
  for (const Factor *factor : {&left, &right})
    for (Name name : factor->names)
      if (!llvm::is_contained(loops, name))
        loops.push_back(name);
  SmallVector<AffineMap> maps;
  for (const Factor *factor : {&left, &right, &start}) {
    SmallVector<AffineExpr> at;
    for (Name name : factor->names)
      at.push_back(
          builder.getAffineDimExpr(llvm::find(loops, name) - loops.begin()));
    maps.push_back(AffineMap::get(loops.size(), 0, at, builder.getContext()));
  }
  SmallVector<utils::IteratorType> kinds(loops.size(),
                                         utils::IteratorType::reduction);
  std::fill_n(kinds.begin(), start.names.size(), utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      builder, loc, start.value.getType(), ValueRange{left.value, right.value},
      start.value, maps, kinds, [](OpBuilder &b, Location loc, ValueRange v) {
        Type sum = v[2].getType();
        Value left = convertScalar(b, loc, v[0], sum);
        Value right = convertScalar(b, loc, v[1], sum);
        Value result;
        if (isa<FloatType>(sum))
          result = arith::AddFOp::create(
              b, loc, v[2], arith::MulFOp::create(b, loc, left, right));
        else
          result = arith::AddIOp::create(
              b, loc, v[2], arith::MulIOp::create(b, loc, left, right));
        linalg::YieldOp::create(b, loc, result);
      });
  return op.getResult(0);
}

/// The product that comes first, rounded as the program rounds.
static Value writeFirst(OpBuilder &builder, const Chain &chain,
                        const Plan &plan) {
  Location loc = chain.inner.op->getLoc();
  auto matmul = dyn_cast<MatmulOp>(chain.inner.op);
  Type sum = matmul ? matmul.getAcc()
                    : getElementTypeOrSelf(chain.inner.op->getResult(0));
  Type element = getElementTypeOrSelf(plan.first->value);
  SmallVector<int64_t> shape;
  for (Name name : plan.names)
    shape.push_back(chain.extents.at(name));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sum));
  Value empty = tensor::EmptyOp::create(builder, loc, shape, sum);
  Value start = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  Value result = writeProduct(builder, loc, *plan.first, *plan.second,
                              {start, plan.names});
  if (sum == element)
    return result;
  auto type = RankedTensorType::get(shape, element);
  return arith::TruncFOp::create(builder, loc, type, result);
}

/// The ragged product of A and the matrices of `b`, with these names.
static Value writeRagged(OpBuilder &builder, const Chain &chain, Value b,
                         ArrayRef<Name> names) {
  auto inner = cast<MatmulOp>(chain.inner.op);
  Location loc = inner.getLoc();
  auto type = cast<RankedTensorType>(chain.outer.op->getResult(0).getType());
  bool isVector = type.getRank() == 1;
  Name row = chain.inner.factors[0].names[1];
  std::string letters;
  for (Name name : names)
    letters += name == chain.ragged->second ? 'b' : name == row ? 'k' : 'n';
  auto matrices = cast<RankedTensorType>(b.getType());
  SmallVector<int64_t> shape(matrices.getShape());
  if (isVector) {
    letters += 'n';
    shape.push_back(1);
    b = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, matrices.getElementType()),
        b, ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  }
  Value c = tensor::EmptyOp::create(
      builder, loc,
      ArrayRef<int64_t>{type.getDimSize(0), isVector ? 1 : type.getDimSize(1)},
      type.getElementType());
  auto product = MatmulOp::create(builder, loc, inner, inner.getA(), b, c,
                                  inner.getFurther());
  product.setLetters(inner.getLettersA(), letters, "mn");
  Value result = product->getResult(0);
  if (isVector)
    result = tensor::CollapseShapeOp::create(
        builder, loc, type, result, ArrayRef<ReassociationIndices>{{0, 1}});
  return result;
}

static void write(RewriterBase &rewriter, const Chain &chain,
                  const Plan &plan) {
  Operation *outer = chain.outer.op;
  rewriter.setInsertionPoint(outer);
  Value first = writeFirst(rewriter, chain, plan);
  Value result;
  if (chain.ragged) {
    result = writeRagged(rewriter, chain, first, plan.names);
  } else {
    Factor start = {cast<linalg::LinalgOp>(outer).getDpsInits()[0],
                    chain.outer.result};
    bool isLeft = plan.last == &chain.inner.factors[1];
    Factor pair = {first, plan.names};
    result = writeProduct(rewriter, outer->getLoc(), isLeft ? pair : *plan.last,
                          isLeft ? *plan.last : pair, start);
  }
  rewriter.replaceOp(outer, result);
  if (chain.rounding)
    rewriter.eraseOp(chain.rounding);
  rewriter.eraseOp(chain.inner.op);
}

//===----------------------------------------------------------------------===//
// The sweep
//===----------------------------------------------------------------------===//

/// Rewrites the chain that ends with `op` if that pays; else leaves a remark if
/// an obstacle is all that forbids it, and if it `reports`.
static bool rewriteChain(RewriterBase &rewriter, Operation *op,
                         bool isPermitted, bool reports) {
  for (unsigned place : {0, 1}) {
    std::optional<Chain> chain = Chain::read(op, place);
    if (!chain)
      continue;
    std::string obstacle = obstacleOf(*chain, isPermitted);
    bool isKnown = llvm::none_of(chain->extents, [](auto &each) {
      return ShapedType::isDynamic(each.second);
    });
    uint64_t before = isKnown ? costNow(*chain) : 0;
    std::optional<Plan> plan;
    if (isKnown)
      plan = bestPlan(*chain);
    if (plan && plan->cost >= before)
      continue;
    if (plan && obstacle.empty()) {
      remarkPassed(op, "factors-reordered",
                   "multiplies " + Twine(plan->cost) + " times instead of " +
                       Twine(before));
      write(rewriter, *chain, *plan);
      return true;
    }
    if (reports)
      remarkMissed(op, "not-reordered", obstacle);
  }
  return false;
}

static bool sweep(RewriterBase &rewriter, Operation *module, bool isPermitted,
                  bool reports) {
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (isa<MatmulOp, linalg::LinalgOp>(op) && op->getNumResults() == 1)
      ops.push_back(op);
  });
  // The last product of a row first: its own result is then still read once.
  for (Operation *op : llvm::reverse(ops))
    if (rewriteChain(rewriter, op, isPermitted, reports))
      return true;
  return false;
}

bool reorder::reorderFactors(RewriterBase &rewriter, Operation *module,
                             bool isPermitted) {
  bool hasChanged = false;
  // Every change multiplies less often.
  while (sweep(rewriter, module, isPermitted, /*reports=*/false))
    hasChanged = true;
  sweep(rewriter, module, isPermitted, /*reports=*/true);
  return hasChanged;
}
