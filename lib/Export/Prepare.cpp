//===- Prepare.cpp - What a caller is to know of arguments ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product in tensors takes its destination as an argument and returns it.
// Bufferized, the argument changes, and returning it once more would cost the
// caller memory and a copy.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Buffers.h"

using namespace mlir;
using namespace hone;

/// The argument that every return gives as result `index`; null if there is
/// none.
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

/// Functions that the module itself calls keep their results.
static void dropReturnedArguments(ModuleOp module, func::FuncOp function) {
  if (!SymbolTable::symbolKnownUseEmpty(function, module))
    return;
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

static void markWritten(func::FuncOp function) {
  BufferRoots roots(function);
  auto mark = [&](Value value) {
    for (Value root : roots.of(value))
      if (auto argument = dyn_cast<BlockArgument>(root);
          argument && argument.getOwner() == &function.getBody().front())
        function.setArgAttr(argument.getArgNumber(), kWrittenAttr,
                            UnitAttr::get(function.getContext()));
  };
  function.walk([&](Operation *op) {
    for (Touch touch : touchesOf(op))
      if (touch.writes)
        mark(touch.operand->get());
  });
}

void hone::prepareExport(ModuleOp module) {
  for (func::FuncOp function : hostFunctions(module)) {
    if (!function.isPublic())
      continue;
    dropReturnedArguments(module, function);
    markWritten(function);
  }
}
