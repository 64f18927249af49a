//===- TakeDestinations.cpp - Results in memory of the caller's -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call in the module can pass memory for a result of static shape only.
// Upstream's pass rejects other calls, so the functions they call keep their
// results.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Memory/Buffers.h"
#include "passes/Passes.h"

namespace hone {
#define GEN_PASS_DEF_TAKEDESTINATIONS
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

/// True if the shapes of all results are static.
static bool hasStaticResults(func::FuncOp function) {
  return llvm::all_of(function.getResultTypes(), [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return !memref || memref.hasStaticShape();
  });
}

LogicalResult hone::separateCallers(ModuleOp module, func::FuncOp function) {
  if (SymbolTable::symbolKnownUseEmpty(function, module))
    return success();
  func::FuncOp copy = function.clone();
  copy.setPrivate();
  SymbolTable symbols(module);
  StringAttr name = symbols.insert(copy, std::next(function->getIterator()));
  return SymbolTable::replaceAllSymbolUses(function, name, module);
}

LogicalResult hone::takeDestinations(ModuleOp module) {
  bufferization::BufferResultsToOutParamsOpts options;
  options.filterFn = [](func::FuncOp *function) {
    return function->isPublic() || hasStaticResults(*function);
  };
  options.addResultAttribute = true;
  options.hoistStaticAllocs = options.hoistDynamicAllocs = true;
  options.modifyPublicFunctions = true;
  return bufferization::promoteBufferResultsToOutParams(module, options);
}

namespace {
struct TakeDestinationsPass
    : hone::impl::TakeDestinationsBase<TakeDestinationsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (func::FuncOp function : hostFunctions(module))
      if (function.isPublic() && !hasStaticResults(function) &&
          failed(separateCallers(module, function)))
        return signalPassFailure();
    if (failed(takeDestinations(module)))
      signalPassFailure();
  }
};
} // namespace
