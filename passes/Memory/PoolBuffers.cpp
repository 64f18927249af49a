//===- PoolBuffers.cpp - One allocation for the buffers of a function -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the pool of each function, callees first: the pool of a callee is a
// tenant of the caller's. A pool is allocated when its function begins. It may
// also be an argument: the caller's allocator then provides it, and the
// stream's allocator is not used.
//
//===----------------------------------------------------------------------===//

#include "passes/Memory/PoolBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Memory/Buffers.h"
#include "passes/Passes.h"
#include "passes/Support.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {
#define GEN_PASS_DEF_POOLBUFFERS
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {

/// Makes the pools of one module.
class Pooler {
public:
  Pooler(ModuleOp module, Workspace workspace)
      : module(module), workspace(workspace) {}

  /// Makes the pool of `function`, and those of its callees.
  LogicalResult visit(func::FuncOp function);

private:
  LogicalResult makePool(func::FuncOp function);
  void addCalls(func::FuncOp function, std::vector<Tenant> &tenants);
  bool takesArgument(func::FuncOp function, const Places &places) const;
  LogicalResult addQuery(func::FuncOp function, const Places &places);

  ModuleOp module;
  Workspace workspace;
  llvm::DenseSet<Operation *> begun, done, recursive;
  /// The pool types of functions that take their pool as an argument.
  llvm::DenseMap<Operation *, MemRefType> arguments;
};

struct PoolBuffersPass : hone::impl::PoolBuffersBase<PoolBuffersPass> {
  using PoolBuffersBase::PoolBuffersBase;

  void runOnOperation() override {
    auto run = [&](const Arch &) {
      Pooler pooler(getOperation(), workspace);
      for (func::FuncOp function : hostFunctions(getOperation()))
        if (failed(pooler.visit(function)))
          return failure();
      return success();
    };
    if (failed(forGpu(getOperation(), arch, run)))
      signalPassFailure();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The call graph
//===----------------------------------------------------------------------===//

LogicalResult Pooler::visit(func::FuncOp function) {
  if (done.contains(function))
    return success();
  if (!begun.insert(function).second) {
    recursive.insert(function);
    return success();
  }
  SmallVector<func::FuncOp> callees;
  function.walk([&](func::CallOp call) {
    if (func::FuncOp callee = calledFunction(call);
        callee && llvm::is_contained(hostFunctions(module), callee))
      callees.push_back(callee);
  });
  for (func::FuncOp callee : callees)
    if (failed(visit(callee)))
      return failure();
  done.insert(function);
  return makePool(function);
}

/// True if the callers of `function` pass its pool.
bool Pooler::takesArgument(func::FuncOp function, const Places &places) const {
  if (function.isPublic())
    return workspace == Workspace::argument && function->hasAttr(kMemoryAttr);
  auto uses = SymbolTable::getSymbolUses(function, module);
  return places.isStatic() && places.staticBytes() > 0 &&
         !recursive.contains(function) && uses &&
         llvm::all_of(*uses, [](SymbolTable::SymbolUse use) {
           return isa<func::CallOp>(use.getUser());
         });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Adds the pool as an operand of the call.
static void passPool(func::CallOp call, Value pool) {
  call->insertOperands(call->getNumOperands(), pool);
}

/// Passes a call a pool that is allocated for it alone.
static void passOwnPool(func::CallOp call, MemRefType type,
                        func::FuncOp query) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  SmallVector<Value> sizes;
  if (!type.hasStaticShape()) {
    auto bytes = func::CallOp::create(builder, loc, query, call.getOperands());
    sizes.push_back(arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), bytes.getResult(0)));
  }
  auto pool = gpu::AllocOp::create(builder, loc, type, Type(), ValueRange(),
                                   sizes, ValueRange());
  passPool(call, pool.getMemref());
  builder.setInsertionPointAfter(call);
  gpu::DeallocOp::create(builder, loc, Type(), ValueRange(), pool.getMemref());
}

static std::string queryName(func::FuncOp function) {
  return (function.getName() + "_workspace").str();
}

/// Adds the pools of the callees of `function`.
void Pooler::addCalls(func::FuncOp function, std::vector<Tenant> &tenants) {
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls) {
    func::FuncOp callee = calledFunction(call);
    auto found = callee ? arguments.find(callee) : arguments.end();
    if (found == arguments.end())
      continue;
    MemRefType type = found->second;
    if (!type.hasStaticShape() || !isInOrder(call, function)) {
      passOwnPool(call, type,
                  module.lookupSymbol<func::FuncOp>(queryName(callee)));
      continue;
    }
    Tenant tenant;
    tenant.call = call;
    tenant.first = tenant.last = call;
    tenant.bytes = type.getNumElements();
    tenants.push_back(tenant);
  }
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Replaces the tenants by their parts of `pool`.
static void moveIn(ArrayRef<Tenant> tenants, Value pool,
                   ArrayRef<Value> offsets) {
  for (auto [tenant, offset] : llvm::zip_equal(tenants, offsets)) {
    if (func::CallOp call = tenant.call) {
      OpBuilder builder(call);
      auto type = MemRefType::get({tenant.bytes}, builder.getI8Type());
      passPool(call, memref::ViewOp::create(builder, call.getLoc(), type, pool,
                                            offset, ValueRange()));
      continue;
    }
    gpu::AllocOp alloc = tenant.alloc;
    OpBuilder builder(alloc);
    Value view =
        memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(), pool,
                               offset, alloc.getDynamicSizes());
    gpu::DeallocOp dealloc = tenant.dealloc;
    dealloc.erase();
    alloc.getMemref().replaceAllUsesWith(view);
    alloc.erase();
  }
}

/// Writes the function that returns the workspace size of `function`.
LogicalResult Pooler::addQuery(func::FuncOp function, const Places &places) {
  std::string name = queryName(function);
  if (Operation *other = SymbolTable::lookupSymbolIn(
          function->getParentOp(), StringAttr::get(module.getContext(), name)))
    return other->emitError("expected another name than '")
           << name << "', which gives the size of the workspace of '"
           << function.getName() << "'; use workspace=allocated or rename it";
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(function);
  Location loc = function.getLoc();
  auto query =
      func::FuncOp::create(builder, loc, name,
                           builder.getFunctionType(function.getArgumentTypes(),
                                                   builder.getI64Type()));
  // A function that C can call needs a query that C can call.
  constexpr StringLiteral kInterface = "llvm.emit_c_interface";
  if (Attribute asked = function->getAttr(kInterface))
    query->setAttr(kInterface, asked);
  builder.setInsertionPointToStart(query.addEntryBlock());
  IRMapping mapping;
  for (auto [from, to] :
       llvm::zip(function.getArguments(), query.getArguments())) {
    mapping.map(from, to);
    to.setLoc(from.getLoc());
  }
  Value bytes = places.write(builder, loc, mapping).bytes;
  bytes = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), bytes);
  func::ReturnOp::create(builder, loc, bytes);
  return success();
}

/// Allocates the pool at the insertion point, and frees it where `function`
/// returns.
static Value allocate(OpBuilder &builder, func::FuncOp function,
                      MemRefType type, Value bytes) {
  Location loc = function.getLoc();
  SmallVector<Value> sizes;
  if (!type.hasStaticShape())
    sizes.push_back(bytes);
  auto pool = gpu::AllocOp::create(builder, loc, type, Type(), ValueRange(),
                                   sizes, ValueRange());
  for (Block &block : function.getBody()) {
    if (!isFunctionReturn(block.getTerminator()))
      continue;
    OpBuilder end(block.getTerminator());
    gpu::DeallocOp::create(end, loc, Type(), ValueRange(), pool.getMemref());
  }
  return pool.getMemref();
}

LogicalResult Pooler::makePool(func::FuncOp function) {
  std::vector<Tenant> tenants = findTenants(function);
  addCalls(function, tenants);
  Places places(tenants);
  bool isArgument = takesArgument(function, places);
  if (isArgument && recursive.contains(function))
    return function.emitError("expected a function that does not call itself "
                              "to take a workspace, but got '")
           << function.getName() << "'; use workspace=allocated";
  // A pool for a single buffer gains nothing.
  bool isWorthIt = tenants.size() > 1 || (!tenants.empty() && tenants[0].call);
  if (!isArgument && !isWorthIt)
    return success();
  if (isArgument && function.isPublic() && failed(addQuery(function, places)))
    return failure();

  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  IRMapping mapping;
  Places::Values values = places.write(builder, loc, mapping);
  auto type = MemRefType::get(
      {places.isStatic() ? places.staticBytes() : ShapedType::kDynamic},
      builder.getI8Type());
  Value pool;
  if (isArgument) {
    unsigned at = function.getNumArguments();
    auto mark = builder.getDictionaryAttr(
        builder.getNamedAttr(kWorkspaceAttr, builder.getUnitAttr()));
    auto name = NameLoc::get(builder.getStringAttr("workspace"), loc);
    if (failed(function.insertArgument(at, type, mark, name)))
      return failure();
    pool = function.getArgument(at);
    arguments[function] = type;
  } else {
    pool = allocate(builder, function, type, values.bytes);
  }
  moveIn(tenants, pool, values.offsets);
  return success();
}
