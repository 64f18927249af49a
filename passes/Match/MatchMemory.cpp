//===- MatchMemory.cpp - Surroundings of a contraction on memrefs ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On memrefs a contraction is matched alone, except for the zeros that fill its
// C directly before: they become init(zero). This is correct where no op reads
// or writes C in between, and where A and B are other memory. Two different
// arguments of a function are such memory: an argument that a function changes
// overlaps no other (docs/Pipeline.md).
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/AliasAnalysis/LocalAliasAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "passes/Match/Match.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The memref whose elements are all those of `value`, in another shape.
static Value wholeOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
             memref::TransposeOp>(op))
      return value;
    value = op->getOperand(0);
  }
  return value;
}

/// The memory that contains `value`.
static Value rootOf(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

static bool areApart(Value left, Value right) {
  return LocalAliasAnalysis().alias(left, right).isNo();
}

static bool isFunctionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

/// True if `op` may read, write or free elements of `memory`.
static bool touches(Operation *op, Value memory) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](MemoryEffects::EffectInstance &effect) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      return false;
    return !effect.getValue() || !areApart(effect.getValue(), memory);
  });
}

//===----------------------------------------------------------------------===//
// Zeros
//===----------------------------------------------------------------------===//

/// True if the only effect of `op` is to write +0.0, or the integer 0, to all
/// elements of `memory`.
static bool isZeroFill(Operation *op, Value memory) {
  auto fill = dyn_cast<linalg::LinalgOp>(op);
  if (!fill || !fill.hasPureBufferSemantics() || fill.getNumDpsInits() != 1 ||
      fill.getNumLoops() != fill.getNumParallelLoops())
    return false;
  OpOperand *init = fill.getDpsInitOperand(0);
  if (wholeOf(init->get()) != memory ||
      !fill.getMatchingIndexingMap(init).isPermutation())
    return false;
  Value element = fill.getBlock()->getTerminator()->getOperand(0);
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp,
                         arith::TruncIOp>(element.getDefiningOp()))
    element = element.getDefiningOp()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(element);
      argument && argument.getOwner() == fill.getBlock())
    element = fill.getMatchingOpOperand(argument)->get();
  return matchPattern(element, m_PosZeroFloat()) ||
         matchPattern(element, m_Zero());
}

/// The fill of C directly before the contraction, or null.
static Operation *findZeroFill(linalg::LinalgOp op, Value c) {
  Value memory = wholeOf(c);
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (isZeroFill(before, memory))
      return before;
    if (touches(before, memory))
      return nullptr;
  }
  return nullptr;
}

/// True if `input` may share memory with `c`.
static bool mayOverlap(Value input, Value c) {
  Value rootInput = rootOf(input), rootC = rootOf(c);
  bool areArguments = rootInput != rootC && isFunctionArgument(rootInput) &&
                      isFunctionArgument(rootC);
  return !areArguments && !areApart(input, c);
}

//===----------------------------------------------------------------------===//
// The whole analysis
//===----------------------------------------------------------------------===//

Epilogue match::analyzeMemory(const Contraction &contraction) {
  Epilogue epilogue;
  linalg::LinalgOp op = contraction.op;
  Value c = contraction.c.value;
  epilogue.c = contraction.c;
  epilogue.last = op;
  if (Operation *fill = findZeroFill(op, c)) {
    if (mayOverlap(contraction.a.value, c) ||
        mayOverlap(contraction.b.value, c)) {
      epilogue.left.emplace_back(fill, "A or B may share memory with C");
    } else {
      epilogue.init = Init::zero;
      epilogue.overwritten = fill;
    }
  }
  for (Operation *user : c.getUsers())
    if (auto consumer = dyn_cast<linalg::LinalgOp>(user);
        consumer && consumer.getNumReductionLoops() == 0 &&
        user->getBlock() == op->getBlock() && op->isBeforeInBlock(user))
      epilogue.left.emplace_back(user, "on memrefs a matmul has no epilogue");
  return epilogue;
}
