//===- MatchStart.cpp - Start value of the sum ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linalg contraction adds to its destination. The fill of the destination
// decides the meaning: zeros, from any op, add nothing; a bias that
// was broadcast, copied or converted into it can be added at the end, from its
// origin; any other value is the old value of C.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Match/Match.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// The tensor that `value` was written to by an op that does not read it.
static Value overwrittenTensor(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return {};
  OpOperand *init = op.getTiedOpOperand(cast<OpResult>(value));
  return op.payloadUsesValueFromOperand(init) ? Value() : init->get();
}

/// True if an op has written `source` into `start`, element by element or
/// repeated, so that reading the source directly saves that op.
static bool isFilledFrom(Value start, const Source &source,
                         StringRef lettersC) {
  size_t dims = source.dims.size() - llvm::count(source.dims, kOne);
  bool repeats = dims < lettersC.size() - lettersC.count(kUnit);
  return repeats || !source.casts.empty() ||
         (source.value != start && start.getDefiningOp<linalg::LinalgOp>());
}

bool match::isZeroToAdd(TypedAttr constant) {
  if (auto number = dyn_cast_if_present<FloatAttr>(constant))
    return number.getValue().isPosZero();
  auto whole = dyn_cast_if_present<IntegerAttr>(constant);
  return whole && whole.getValue().isZero();
}

Value match::analyzeStart(const Contraction &contraction, Epilogue &epilogue,
                          OperandPool &pool) {
  linalg::LinalgOp op = contraction.op;
  Value start = op.getDpsInits().front();
  epilogue.startsUndefined = start.getDefiningOp<tensor::EmptyOp>() != nullptr;
  auto type = cast<RankedTensorType>(start.getType());
  FailureOr<Source> source =
      resolveSource(start, AffineMap::getMultiDimIdentityMap(type.getRank(),
                                                             op.getContext()));
  if (failed(source))
    return start;
  if (source->constant) {
    if (!isZeroToAdd(source->constant))
      return start;
    epilogue.init = Init::zero;
    return overwrittenTensor(start);
  }
  if (!isFilledFrom(start, *source, contraction.lettersC) ||
      !toElementType(getElementTypeOrSelf(source->value.getType())))
    return start;
  FailureOr<View> view = viewOf(*source, contraction.lettersC);
  if (failed(view))
    return start;
  epilogue.init = Init::zero;
  epilogue.addend.emplace();
  epilogue.addend->operand = pool.add(*view);
  epilogue.addend->casts = source->casts;
  return overwrittenTensor(start);
}
