//===- CarryBuffers.cpp - Buffers that loops hand on ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a loop computes its next state from the current one, bufferization
// allocates the next one in each iteration, and the host finds out which buffer
// to free. Two buffers suffice, which take turns:
//
//   %a, %b = memref.alloc()
//   scf.for iter_args(%state = %first, %next = %a, %spare = %b)
//     ... writes %next, reads %state
//     scf.yield %next, %spare, %next
//
// %state is never %next: it is the %next of the iteration before.
//
// Deallocation carries a condition with every buffer: whether the loop owns it.
// Where it never does, the conditions are false, and nothing is left to decide.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Memory/Buffers.h"
#include "passes/Passes.h"
#include "passes/Support.h"
#include "llvm/ADT/SetVector.h"

namespace hone {
#define GEN_PASS_DEF_CARRYBUFFERS
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

/// The allocation in the body of `loop` that becomes its value `number`; null
/// if it may become another value too, or has no known size.
static memref::AllocOp nextOf(scf::ForOp loop, unsigned number,
                              const BufferRoots &roots) {
  auto alloc = loop.getYieldedValues()[number].getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != loop.getBody() ||
      !alloc.getType().hasStaticShape() || !isContiguous(alloc.getType()))
    return {};
  for (auto [other, value] : llvm::enumerate(loop.getYieldedValues()))
    if (other != number && isa<BaseMemRefType>(value.getType()) &&
        llvm::is_contained(roots.of(value), alloc.getMemref()))
      return {};
  return alloc;
}

/// Lets two buffers take turns; returns the new loop.
static scf::ForOp takeTurns(RewriterBase &rewriter, scf::ForOp loop,
                            memref::AllocOp alloc) {
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> buffers;
  for (int i = 0; i < 2; ++i)
    buffers.push_back(rewriter.clone(*alloc)->getResult(0));
  auto exchange = [](OpBuilder &, Location, ArrayRef<BlockArgument> fresh) {
    return SmallVector<Value>{fresh[1], fresh[0]};
  };
  auto longer = cast<scf::ForOp>(
      *cast<LoopLikeOpInterface>(loop.getOperation())
           .replaceWithAdditionalYields(rewriter, buffers,
                                        /*replaceInitOperandUsesInLoop=*/
                                        false, exchange));
  Value next = longer.getRegionIterArgs().drop_back().back();
  rewriter.replaceOp(alloc, next);
  return longer;
}

static void carryBuffers(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(function.getContext());
  for (scf::ForOp loop : loops) {
    BufferRoots roots(function);
    SmallVector<memref::AllocOp> carried;
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      if (memref::AllocOp alloc = nextOf(loop, i, roots))
        carried.push_back(alloc);
    for (memref::AllocOp alloc : carried)
      loop = takeTurns(rewriter, loop, alloc);
  }
}

//===----------------------------------------------------------------------===//
// Ownership
//===----------------------------------------------------------------------===//

/// True if `value` is false, given that those in `known` are.
static bool isFalse(Value value, const llvm::SetVector<Value> &known) {
  if (known.contains(value) || matchPattern(value, m_Zero()))
    return true;
  // A condition of a retained buffer is one of those of the op.
  auto dealloc = value.getDefiningOp<bufferization::DeallocOp>();
  return dealloc && llvm::all_of(dealloc.getConditions(), [&](Value own) {
           return isFalse(own, known);
         });
}

/// Replaces the conditions that a loop carries and that are always false.
static void dropOwnership(RewriterBase &rewriter, scf::ForOp loop) {
  llvm::SetVector<Value> known;
  for (auto [argument, first] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    if (argument.getType().isInteger(1) && matchPattern(first, m_Zero()))
      known.insert(argument);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [argument, next] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
      if (known.contains(argument) && !isFalse(next, known)) {
        known.remove(argument);
        changed = true;
      }
  }
  if (known.empty())
    return;
  rewriter.setInsertionPoint(loop);
  Value no = arith::ConstantIntOp::create(rewriter, loop.getLoc(), 0, 1);
  auto *yield = loop.getBody()->getTerminator();
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    Value argument = loop.getRegionIterArg(i);
    if (!known.contains(argument))
      continue;
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(i, no); });
    rewriter.replaceAllUsesWith(argument, no);
    rewriter.replaceAllUsesWith(loop.getResult(i), no);
  }
}

namespace {
struct CarryBuffersPass : hone::impl::CarryBuffersBase<CarryBuffersPass> {
  using CarryBuffersBase::CarryBuffersBase;

  void runOnOperation() override {
    auto run = [&](const Arch &) {
      IRRewriter rewriter(&getContext());
      for (func::FuncOp function : hostFunctions(getOperation())) {
        carryBuffers(function);
        function.walk([&](scf::ForOp loop) { dropOwnership(rewriter, loop); });
      }
      return success();
    };
    if (failed(forGpu(getOperation(), arch, run)))
      signalPassFailure();
  }
};
} // namespace
