//===- BringMemory.cpp - Callers of functions that take memory ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BringMemory.h.
//
//===----------------------------------------------------------------------===//

#include "BringMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Memory/Buffers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;

/// Upstream's attribute for an argument that was a result.
static constexpr StringLiteral kResultAttr = "bufferize.result";

namespace {
/// The caller of one function.
class Caller {
public:
  explicit Caller(func::FuncOp callee)
      : callee(callee), builder(callee), loc(callee.getLoc()) {}

  /// True if the function takes memory.
  bool isNeeded() {
    for (unsigned i = 0; i < callee.getNumArguments(); ++i)
      if (isResult(i) || isWorkspace(i))
        return true;
    return false;
  }

  llvm::Error write() {
    std::string name = callee.getName().str();
    bool isOnHost = boundaryOf(callee) == Boundary::host;
    SmallVector<Type> inputs, results(callee.getResultTypes());
    for (auto [i, type] : llvm::enumerate(callee.getArgumentTypes()))
      if (isResult(i))
        results.push_back(type);
      else if (!isWorkspace(i))
        inputs.push_back(type);
    SymbolTable symbols(callee->getParentOfType<ModuleOp>());
    if (failed(symbols.rename(callee, name + "_emitted")))
      return llvm::createStringError(llvm::formatv(
          "expected '{0}_emitted' to be a free name, but the module defines it",
          name));
    auto caller = func::FuncOp::create(
        builder, loc, name, builder.getFunctionType(inputs, results));
    caller.addEntryBlock();
    builder.setInsertionPointToStart(&caller.getBody().front());
    SmallVector<Value> operands, returned;
    Value workspace;
    auto argument = caller.getArguments().begin();
    for (auto [i, type] : llvm::enumerate(callee.getArgumentTypes())) {
      if (isWorkspace(i)) {
        operands.push_back(workspace = allocateWorkspace(name, type, operands));
      } else if (isResult(i)) {
        auto memref = cast<MemRefType>(type);
        if (!memref.hasStaticShape())
          return llvm::createStringError(llvm::formatv(
              "expected results of known sizes, but got {0}", type));
        operands.push_back(isOnHost ? allocateOnHost(memref)
                                    : allocate(memref, {}));
        returned.push_back(operands.back());
      } else {
        operands.push_back(*argument++);
      }
    }
    auto call = func::CallOp::create(builder, loc, callee, operands);
    if (workspace)
      gpu::DeallocOp::create(builder, loc, Type(), ValueRange(), workspace);
    SmallVector<Value> values(call.getResults());
    llvm::append_range(values, returned);
    func::ReturnOp::create(builder, loc, values);
    return llvm::Error::success();
  }

private:
  bool isResult(unsigned argument) const {
    return bool(func::FuncOp(callee).getArgAttr(argument, kResultAttr));
  }
  bool isWorkspace(unsigned argument) const {
    return bool(func::FuncOp(callee).getArgAttr(argument, kWorkspaceAttr));
  }

  Value allocateOnHost(MemRefType type) {
    return memref::AllocOp::create(builder, loc, type);
  }
  Value allocate(MemRefType type, ValueRange sizes) {
    return gpu::AllocOp::create(builder, loc, type, Type(), ValueRange(), sizes,
                                ValueRange())
        .getMemref();
  }

  /// The function `NAME_workspace` of the module returns the size.
  Value allocateWorkspace(StringRef name, Type type, ValueRange arguments) {
    auto memref = cast<MemRefType>(type);
    if (memref.hasStaticShape())
      return allocate(memref, {});
    auto query = callee->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
        (name + "_workspace").str());
    Value bytes =
        func::CallOp::create(builder, loc, query, arguments).getResult(0);
    Value size =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), bytes);
    return allocate(memref, size);
  }

  func::FuncOp callee;
  OpBuilder builder;
  Location loc;
};
} // namespace

llvm::Error hone::bringMemory(ModuleOp emitted) {
  SmallVector<func::FuncOp> functions;
  for (auto function : emitted.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  for (func::FuncOp function : functions) {
    Caller caller(function);
    if (caller.isNeeded())
      if (llvm::Error error = caller.write())
        return error;
  }
  return llvm::Error::success();
}
