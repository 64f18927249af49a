//===- Prepare.cpp - Preparation of functions for C -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass between bufferization and placement that converts public functions to
// the form in which C calls them:
//
// - a function called by the module itself gets a private copy, which keeps its
//   results;
// - a result that is an argument is removed: a product in tensors takes its
//   destination as an argument and returns it, but bufferized, the argument
//   changes, and a copy of it would cost memory and time;
// - other results are in the caller's memory;
// - arguments that change are marked, and functions whose products have other
//   numbers than the default.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "dialects/Hone/Hone.h"
#include "passes/Memory/Buffers.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace hone;

/// The argument that every return has as result `index`; null if there is none.
static Value returnedArgument(MutableArrayRef<func::ReturnOp> returns,
                              unsigned index) {
  Value argument = returns.front().getOperand(index);
  bool isArgument = isa<BlockArgument>(argument) &&
                    isa<MemRefType>(argument.getType()) &&
                    isa<func::FuncOp>(argument.getParentBlock()->getParentOp());
  bool isAlways = llvm::all_of(returns, [&](func::ReturnOp op) {
    return op.getOperand(index) == argument;
  });
  return isArgument && isAlways ? argument : Value();
}

static void dropReturnedArguments(func::FuncOp function) {
  SmallVector<func::ReturnOp> returns;
  function.walk([&](func::ReturnOp op) { returns.push_back(op); });
  llvm::BitVector dropped(function.getNumResults());
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (!returns.empty() && returnedArgument(returns, index))
      dropped.set(index);
  if (dropped.none())
    return;
  for (func::ReturnOp op : returns)
    op->eraseOperands(dropped);
  (void)function.eraseResults(dropped);
}

/// True if `operand` of a call is an argument that the callee changes.
static bool isWrittenBy(func::FuncOp callee, OpOperand &operand) {
  return bool(callee.getArgAttr(operand.getOperandNumber(), kWrittenAttr));
}

/// Marks the arguments that `function` changes, including by its callees'
/// marks. True if one is new.
static bool markWritten(func::FuncOp function) {
  BufferRoots roots(function);
  bool isNew = false;
  auto mark = [&](Value value) {
    for (Value root : roots.of(value)) {
      auto argument = dyn_cast<BlockArgument>(root);
      if (!argument || argument.getOwner() != &function.getBody().front() ||
          function.getArgAttr(argument.getArgNumber(), kWrittenAttr))
        continue;
      function.setArgAttr(argument.getArgNumber(), kWrittenAttr,
                          UnitAttr::get(function.getContext()));
      isNew = true;
    }
  };
  function.walk([&](Operation *op) {
    func::FuncOp callee = calledFunction(op);
    for (Touch touch : touchesOf(op))
      if (callee ? isWrittenBy(callee, *touch.operand) : touch.writes)
        mark(touch.operand->get());
  });
  return isNew;
}

static void markWritten(ArrayRef<func::FuncOp> functions) {
  bool isNew = true;
  while (isNew) {
    isNew = false;
    for (func::FuncOp function : functions)
      isNew |= markWritten(function);
  }
}

/// Products are already matched, and not yet kernels.
static void markNumbers(func::FuncOp function) {
  std::set<std::string> names;
  function.walk([&](MatmulOp op) {
    NumbersAttr stated = op.getNumbersAttr();
    names.insert((stated ? stated.getValue() : Numbers()).str());
  });
  if (names.empty() || (names.size() == 1 && *names.begin() == Numbers().str()))
    return;
  function->setAttr(
      kProductNumbersAttr,
      StringAttr::get(function.getContext(), llvm::join(names, " and ")));
}

namespace {
struct PrepareExport : PassWrapper<PrepareExport, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrepareExport)

  StringRef getName() const override { return "PrepareExport"; }

  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation())) {
      if (!function.isPublic())
        continue;
      if (failed(separateCallers(getOperation(), function)))
        return signalPassFailure();
      dropReturnedArguments(function);
      markNumbers(function);
    }
    if (failed(takeDestinations(getOperation())))
      return signalPassFailure();
    markWritten(hostFunctions(getOperation()));
  }
};
} // namespace

std::unique_ptr<Pass> hone::createPrepareExport() {
  return std::make_unique<PrepareExport>();
}
