//===- ReadFactors.cpp - Two products of three factors --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "passes/Match/MatchContraction.h"
#include "passes/Reorder/Factors.h"

using namespace mlir;
using namespace hone;
using namespace hone::reorder;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool reorder::startsFromZero(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getInit() == Init::zero;
  Value start = cast<linalg::LinalgOp>(op).getDpsInits()[0];
  if (auto fill = start.getDefiningOp<linalg::FillOp>())
    start = fill.value();
  return matchPattern(start, m_PosZeroFloat()) || matchPattern(start, m_Zero());
}

static bool isPinned(Operation *op) {
  return op->hasAttr(HoneDialect::kScheduleAttrName) ||
         op->hasAttr(HoneDialect::kRangesAttrName) ||
         op->hasAttr(HoneDialect::kProductsAttrName) ||
         op->hasAttr(HoneDialect::kNumbersAttrName);
}

/// Reads a linalg op that multiplies elements of two tensors of one type, and
/// sums in the type of its result.
static std::optional<Pair> readLinalg(linalg::LinalgOp op, Name &next) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.hasIndexSemantics() || isPinned(op))
    return std::nullopt;
  auto product = match::readBody(op);
  auto maps = op.getIndexingMapsArray();
  Type sum = getElementTypeOrSelf(op->getResult(0));
  bool isPlain =
      product && match::isPlain(op, *product) && product->sumType == sum &&
      product->wideLeft.getType() == sum &&
      product->left.getType() == product->right.getType() &&
      (isa<FloatType>(sum) || product->left.getType() == sum) &&
      llvm::all_of(maps,
                   [](AffineMap map) { return map.isProjectedPermutation(); });
  if (!isPlain)
    return std::nullopt;
  auto namesOf = [&](AffineMap map) {
    Names names;
    for (AffineExpr expr : map.getResults())
      names.push_back(next + cast<AffineDimExpr>(expr).getPosition());
    return names;
  };
  Pair result{op};
  for (unsigned i : {0, 1})
    result.factors[i] = {op->getOperand(i), namesOf(maps[i])};
  result.result = namesOf(maps[2]);
  next += op.getNumLoops();
  return result;
}

/// Reads a matmul of ragged rows. Its A has a name for the group, too.
static std::optional<Pair> readRagged(MatmulOp op, Name &next) {
  if (!op.hasTensors() || !op.getRagged() || op.isRaggedSum() ||
      op.hasEpilogue() || op.getScheduleAttr() || op.getLettersA() != "mk" ||
      op.getLettersC() != "mn" || op.getInit() != Init::zero)
    return std::nullopt;
  auto namesOf = [&](StringRef letters) {
    Names names;
    for (char letter : letters)
      names.push_back(next + StringRef("mkbn").find(letter));
    return names;
  };
  Pair result{op};
  result.factors[0] = {op.getA(), namesOf("mkb")};
  result.factors[1] = {op.getB(), namesOf(op.getLettersB())};
  result.result = namesOf("mn");
  next += 4;
  return result;
}

static std::optional<Pair> readPair(Operation *op, Name &next) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return readRagged(matmul, next);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp ? readLinalg(linalgOp, next) : std::nullopt;
}

/// The input of an op that rounds floats, or null.
static Value roundedBy(Operation *op) {
  if (auto round = dyn_cast<arith::TruncFOp>(op))
    return isa<RankedTensorType>(round.getType()) ? round.getIn() : Value();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumReductionLoops() != 0 ||
      generic.getNumDpsInputs() != 1 || !generic.hasPureTensorSemantics() ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  auto round = generic.getBody()
                   ->getTerminator()
                   ->getOperand(0)
                   .getDefiningOp<arith::TruncFOp>();
  return round && round.getIn() == generic.getBody()->getArgument(0)
             ? generic.getDpsInputs()[0]
             : Value();
}

/// Gives each dimension of the inner result the name that the outer product has
/// for it.
static void unifyNames(Chain &chain) {
  DenseMap<Name, Name> others;
  const Names &outside = chain.outer.factors[chain.place].names;
  for (auto [name, other] : llvm::zip(chain.inner.result, outside))
    others[name] = other;
  if (isa<MatmulOp>(chain.inner.op) && isa<MatmulOp>(chain.outer.op))
    others[chain.inner.factors[0].names[2]] = outside[2];
  auto rename = [&](Names &names) {
    for (Name &name : names)
      name = others.lookup_or(name, name);
  };
  rename(chain.inner.factors[0].names);
  rename(chain.inner.factors[1].names);
  rename(chain.inner.result);
  if (isa<MatmulOp>(chain.inner.op)) {
    const Names &names = chain.inner.factors[0].names;
    chain.ragged = {names[0], names[2]};
  }
}

static void readExtents(Chain &chain) {
  auto read = [&](const Factor &factor) {
    // Of names without a dimension, another factor has one.
    for (auto [name, extent] : llvm::zip(
             factor.names, cast<ShapedType>(factor.value.getType()).getShape()))
      chain.extents[name] = extent;
  };
  for (const Factor &factor : chain.inner.factors)
    read(factor);
  read(chain.third());
  read({chain.outer.op->getResult(0), chain.outer.result});
}

std::optional<Chain> Chain::read(Operation *op, unsigned place) {
  Chain chain;
  chain.place = place;
  Name next = 0;
  auto outer = readPair(op, next);
  if (!outer ||
      (isa<MatmulOp>(op) && (place != 0 || cast<MatmulOp>(op).getGather())))
    return std::nullopt;
  chain.outer = *outer;
  Operation *before = outer->factors[place].value.getDefiningOp();
  if (before && roundedBy(before)) {
    chain.rounding = before;
    before = roundedBy(before).getDefiningOp();
  }
  if (!before || before->getBlock() != op->getBlock())
    return std::nullopt;
  auto inner = readPair(before, next);
  if (!inner || !startsFromZero(before))
    return std::nullopt;
  chain.inner = *inner;
  // Of two ragged products, both have the same groups.
  auto ofOuter = dyn_cast<MatmulOp>(op);
  auto ofInner = dyn_cast<MatmulOp>(before);
  if (ofOuter && (!ofInner || ofInner.getEnds() != ofOuter.getEnds()))
    return std::nullopt;
  Type element = getElementTypeOrSelf(inner->factors[0].value);
  if (getElementTypeOrSelf(chain.third().value) != element ||
      getElementTypeOrSelf(outer->factors[place].value) != element ||
      (chain.rounding == nullptr) !=
          (getElementTypeOrSelf(before->getResult(0)) == element))
    return std::nullopt;
  unifyNames(chain);
  readExtents(chain);
  return chain;
}
