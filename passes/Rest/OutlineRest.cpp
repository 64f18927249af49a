//===- OutlineRest.cpp - Functions that become kernels of the rest --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ops that kernels can run, reports why others are left, and moves
// each group (RestGroups.h) into a function.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Passes.h"
#include "passes/Rest/RestGroups.h"
#include "passes/Support.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace hone {
#define GEN_PASS_DEF_OUTLINEREST
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Selection of ops
//===----------------------------------------------------------------------===//

/// `op` as a generic one on memrefs; null if it is none.
static linalg::GenericOp generalize(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.hasPureBufferSemantics() ? generic : nullptr;
  auto named = dyn_cast<linalg::LinalgOp>(op);
  if (named && named.hasPureBufferSemantics()) {
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, named);
    return succeeded(generic) ? *generic : nullptr;
  }
  // A copy without gaps is for the copy engine.
  auto copy = dyn_cast<memref::CopyOp>(op);
  if (!copy || isContiguousCopy(op) ||
      !isa<MemRefType>(copy.getSource().getType()) ||
      !isa<MemRefType>(copy.getTarget().getType()))
    return nullptr;
  auto loops = linalg::makeMemRefCopyOp(rewriter, op->getLoc(),
                                        copy.getSource(), copy.getTarget());
  rewriter.eraseOp(op);
  return loops;
}

/// Writes out the affine maps in a body as arithmetic.
static void expandMaps(RewriterBase &rewriter, linalg::GenericOp op) {
  op.getRegion().walk([&](affine::AffineApplyOp apply) {
    rewriter.setInsertionPoint(apply);
    auto values = affine::expandAffineMap(
        rewriter, apply.getLoc(), apply.getAffineMap(), apply.getMapOperands());
    if (values)
      rewriter.replaceOp(apply, *values);
  });
}

/// Moves extents of memory out of a body: the host has them.
static void hoistExtents(RewriterBase &rewriter, linalg::GenericOp op) {
  auto isOutside = [&](Value value) {
    return !op->isProperAncestor(value.getParentBlock()->getParentOp()) &&
           value.getParentBlock() != op.getBody();
  };
  op.getRegion().walk([&](memref::DimOp dim) {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index || !isOutside(dim.getSource()))
      return;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<memref::DimOp>(dim, dim.getSource(), *index);
  });
}

static std::vector<RestStep> findSteps(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<Operation *> ops;
  auto collect = [&] {
    ops.clear();
    function.walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp>(op))
        ops.push_back(op);
    });
  };
  collect();
  llvm::DenseMap<Operation *, std::string> asserting;
  for (Operation *op : ops)
    if (linalg::GenericOp generic = generalize(rewriter, op)) {
      expandMaps(rewriter, generic);
      hoistExtents(rewriter, generic);
      asserting[generic] = splitAssertions(rewriter, generic);
    }
  collect();
  std::vector<RestStep> steps;
  for (Operation *op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || !generic.hasPureBufferSemantics())
      continue;
    std::string why = asserting.lookup(op);
    if (why.empty())
      why = whyNotRest(generic);
    if (why.empty())
      steps.push_back(RestStep::of(generic));
    else
      remarkMissed(generic, "left-on-host", "left to the host: " + why);
  }
  return steps;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// True for a value that each function recomputes for itself: a constant or a
/// small table.
static bool isCopied(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  constexpr int64_t kMaxBytes = 4096;
  auto get = dyn_cast<memref::GetGlobalOp>(op);
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!get || !type.getLayout().isIdentity())
    return false;
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, get.getNameAttr());
  return global && global.getConstant() &&
         isa_and_present<DenseElementsAttr>(
             global.getInitialValue().value_or(Attribute())) &&
         type.getNumElements() * 8 <= kMaxBytes;
}

/// Names `function` after a hash of its body, or returns the existing function
/// of that name.
static func::FuncOp unify(ModuleOp module, func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  function.setName("_");
  function->print(os, OpPrintingFlags().useLocalScope());
  std::string name = "hone_rest_" + llvm::utohexstr(llvm::xxh3_64bits(text),
                                                    /*LowerCase=*/true, 16);
  if (auto found = module.lookupSymbol<func::FuncOp>(name)) {
    function.erase();
    return found;
  }
  function.setName(name);
  return function;
}

/// Makes one function of the group's ops, and replaces the last op with a call
/// of it.
static void outline(func::FuncOp function, const RestGroup &group) {
  Operation *last = group.steps.back().op;
  SmallVector<Value> taken, copied;
  for (Value value : valuesOf(group.steps))
    (isCopied(value) ? copied : taken).push_back(value);
  SmallVector<Type> types(ValueRange(taken).getTypes());

  auto module = function->getParentOfType<ModuleOp>();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = last->getLoc();
  auto outlined = func::FuncOp::create(builder, loc, "_",
                                       builder.getFunctionType(types, {}));
  outlined.setPrivate();
  int64_t rows = group.hidesRows           ? kHiddenRows
                 : group.steps.size() == 1 ? 0
                                           : group.rows;
  outlined->setAttr(kernel::kRestAttr, builder.getI64IntegerAttr(rows));
  builder.setInsertionPointToStart(outlined.addEntryBlock());
  IRMapping mapping;
  mapping.map(taken, outlined.getArguments());
  for (Value value : copied)
    builder.clone(*value.getDefiningOp(), mapping);
  for (const RestStep &step : group.steps) {
    builder.clone(*step.op, mapping);
    linalg::GenericOp op = step.op;
    for (Value output : op.getOutputs())
      if (auto argument = dyn_cast<BlockArgument>(mapping.lookup(output)))
        outlined.setArgAttr(argument.getArgNumber(), kRestWrittenAttr,
                            builder.getUnitAttr());
  }
  func::ReturnOp::create(builder, loc);
  outlined = unify(module, outlined);

  builder.setInsertionPoint(last);
  func::CallOp::create(builder, loc, outlined, taken);
  for (const RestStep &step : group.steps) {
    Operation *op = step.op;
    op->erase();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct OutlineRestPass : hone::impl::OutlineRestBase<OutlineRestPass> {
  using OutlineRestBase::OutlineRestBase;

  void runOnOperation() override {
    auto run = [&](const Arch &) {
      for (func::FuncOp function : hostFunctions(getOperation())) {
        RestGrouper groups(function, findSteps(function), invariant);
        while (std::optional<RestGroup> group = groups.next())
          outline(function, *group);
      }
      return success();
    };
    if (failed(forGpu(getOperation(), arch, run)))
      signalPassFailure();
  }
};
} // namespace
