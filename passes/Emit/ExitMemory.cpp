//===- ExitMemory.cpp - Memory that an exit frees -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that is allocated where a call fails depends on the path there, so
// a function keeps it in variables: one for each op that allocates. A variable
// is set after its op, and null once the memory is freed. LLVM turns the
// variables into registers.
//
// A loop that carries memory from one iteration to the next may hold two blocks
// of one op; an exit frees only the newer one.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "passes/Emit/Emit.h"
#include "passes/Emit/Failures.h"

using namespace mlir;
using namespace hone;

/// The memory that `op` frees; null if it frees none.
static Value freedBy(Operation *op) {
  if (auto dealloc = dyn_cast<gpu::DeallocOp>(op))
    return dealloc.getMemref();
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
    return dealloc.getMemref();
  return {};
}

/// Looks through ops that return the same memory.
static Value sourceOf(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      memory = view.getViewSource();
    else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
      memory = metadata.getSource();
    else
      break;
  }
  return memory;
}

ExitMemory::ExitMemory(func::FuncOp function) : function(function) {
  llvm::DenseMap<Value, bool> freed;
  function.walk([&](Operation *op) {
    if (Value memory = freedBy(op))
      freed[sourceOf(memory)] = isa<gpu::DeallocOp>(op);
  });
  function.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<gpu::AllocOp>(op))
      addSite(alloc.getMemref(), /*isOfDevice=*/true);
    else if (auto alloc = dyn_cast<memref::AllocOp>(op))
      addSite(alloc.getMemref(), /*isOfDevice=*/false);
    else if (isa<CallOpInterface>(op))
      for (Value result : op->getResults())
        if (auto known = freed.find(result); known != freed.end())
          addSite(result, known->second);
  });
}

void ExitMemory::addSite(Value memory, bool isOfDevice) {
  // Loops that stay loops free the memory that they allocate.
  if (memory.getDefiningOp()->getParentOp() == function)
    sites.push_back({memory, isOfDevice, Value()});
}

/// Declares a variable for a site, initially null.
void ExitMemory::declare(Site &site) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = site.memory.getLoc();
  Type type = site.memory.getType();
  site.held = memref::AllocaOp::create(builder, loc, MemRefType::get({}, type));
  memref::StoreOp::create(builder, loc, zeroOf(builder, loc, type), site.held,
                          ValueRange());
}

/// Sets the insertion point after `op`, or after its check.
static void setAfterCheck(OpBuilder &builder, Operation *op) {
  builder.setInsertionPointAfter(op);
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (isRequire(next))
      return builder.setInsertionPointAfter(next);
    // The check of an op follows it directly.
    if (!isa<LLVM::LLVMDialect>(next->getDialect()))
      return;
  }
}

static Value pointerTo(OpBuilder &builder, Location loc, Value memory) {
  return memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memory);
}

/// Clears the variables of the memory that `release` frees. If the value may be
/// one of several, a comparison of addresses decides.
void ExitMemory::trackRelease(Operation *release, Value memory) {
  OpBuilder builder(release);
  Location loc = release->getLoc();
  Value source = sourceOf(memory);
  auto known =
      llvm::find_if(sites, [&](Site &site) { return site.memory == source; });
  for (Site &site : sites) {
    bool isOther = known != sites.end()
                       ? &site != known
                       : site.isOfDevice != isa<gpu::DeallocOp>(release);
    if (isOther)
      continue;
    Value left = zeroOf(builder, loc, site.memory.getType());
    if (known == sites.end()) {
      Value held = memref::LoadOp::create(builder, loc, site.held);
      Value isSame = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, pointerTo(builder, loc, held),
          pointerTo(builder, loc, memory));
      left = arith::SelectOp::create(builder, loc, isSame, left, held);
    }
    memref::StoreOp::create(builder, loc, left, site.held, ValueRange());
  }
}

void ExitMemory::track() {
  if (sites.empty())
    return;
  SmallVector<Operation *> releases;
  function.walk([&](Operation *op) {
    if (freedBy(op))
      releases.push_back(op);
  });
  for (Site &site : llvm::reverse(sites))
    declare(site);
  for (Site &site : sites) {
    OpBuilder builder(function.getContext());
    setAfterCheck(builder, site.memory.getDefiningOp());
    Location loc = site.memory.getLoc();
    memref::StoreOp::create(builder, loc, site.memory, site.held, ValueRange());
  }
  for (Operation *release : releases)
    trackRelease(release, freedBy(release));
}

void ExitMemory::free(OpBuilder &builder, Location loc) {
  bool isOrdered = false;
  function.walk(
      [&](gpu::AsyncOpInterface op) { isOrdered |= bool(op.getAsyncToken()); });
  // A pending copy may still access memory of the host.
  bool hasHost = llvm::any_of(sites, [](Site &s) { return !s.isOfDevice; });
  auto module = function->getParentOfType<ModuleOp>();
  if (hasHost && module.lookupSymbol("honeCopy"))
    LLVM::CallOp::create(builder, loc,
                         declareRuntime(module, "honeSynchronize", {}),
                         ValueRange());
  // A null variable has nothing to free.
  for (Site &site : llvm::reverse(sites)) {
    Value memory = memref::LoadOp::create(builder, loc, site.held);
    if (!site.isOfDevice)
      memref::DeallocOp::create(builder, loc, memory);
    else if (isOrdered)
      freeOnStream(builder, loc, memory);
    else
      gpu::DeallocOp::create(builder, loc, Type(), ValueRange(), memory);
  }
}
