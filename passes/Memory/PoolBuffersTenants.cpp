//===- PoolBuffersTenants.cpp - Buffers of a pool, and their lifetimes ----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer is in use from the first op that touches it to the last one, not
// from its allocation to its deallocation, which is at the end of a block.
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Memory/Buffers.h"
#include "passes/Memory/PoolBuffers.h"
#include "passes/Support.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool hone::isInOrder(Operation *op, func::FuncOp function) {
  for (Operation *parent = op->getParentOp(); parent != function;
       parent = parent->getParentOp())
    if (!isa<RegionBranchOpInterface>(parent) ||
        parent->hasTrait<OpTrait::HasParallelRegion>())
      return false;
  return true;
}

/// True if `a` is in use when an op in its block, or nested in one, uses `b`.
static bool isWithin(const Tenant &a, const Tenant &b) {
  Block *block = a.first->getBlock();
  Operation *begin = block->findAncestorOpInBlock(*b.first);
  Operation *end = block->findAncestorOpInBlock(*b.last);
  return begin && !end->isBeforeInBlock(a.first) &&
         !a.last->isBeforeInBlock(begin);
}

bool hone::areTogether(const Tenant &a, const Tenant &b) {
  // Of two buffers in sibling blocks, one is done when the other begins.
  return isWithin(a, b) || isWithin(b, a);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// True if the function's arguments alone determine `value`.
static bool isKnownAtEntry(Value value, func::FuncOp function,
                           llvm::DenseMap<Value, bool> &known) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &function.front();
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  bool isKnown = op->getNumRegions() == 0 && isPure(op) &&
                 llvm::all_of(op->getOperands(), [&](Value operand) {
                   return isKnownAtEntry(operand, function, known);
                 });
  return known[value] = isKnown;
}

static int64_t knownBytes(gpu::AllocOp alloc) {
  MemRefType type = alloc.getType();
  int64_t bytes = *bytesOfElement(type.getElementType());
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? 1 : size;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

namespace {
/// The ops that use a buffer.
struct TenantUses {
  SmallVector<Operation *> touches;
  SmallVector<gpu::DeallocOp> deallocs;
  /// True if another op may free it, or keeps it for later.
  bool isElsewhere = false;
};
} // namespace

static llvm::MapVector<Value, TenantUses> collectUses(func::FuncOp function) {
  BufferRoots roots(function);
  llvm::MapVector<Value, TenantUses> uses;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<BaseMemRefType>(operand.getType()))
        continue;
      SmallVector<Value, 1> all = roots.of(operand);
      auto dealloc = dyn_cast<gpu::DeallocOp>(op);
      for (Value root : all) {
        TenantUses &entry = uses[root];
        if (dealloc && all.size() == 1 && !dealloc.getAsyncToken())
          entry.deallocs.push_back(dealloc);
        else if (isDealloc(op) || isFunctionReturn(op))
          entry.isElsewhere = true;
        else if (!viewSourceOf(op))
          entry.touches.push_back(op);
      }
    }
  });
  return uses;
}

/// Finds the ops between which `tenant` is in use in the block of its
/// allocation; false if it is used elsewhere.
static bool measure(Tenant &tenant, ArrayRef<Operation *> touches) {
  Block *block = tenant.alloc->getBlock();
  for (Operation *touch : touches) {
    Operation *op = block->findAncestorOpInBlock(*touch);
    if (!op || op->isBeforeInBlock(tenant.alloc) ||
        tenant.dealloc->isBeforeInBlock(op))
      return false;
    if (!tenant.first || op->isBeforeInBlock(tenant.first))
      tenant.first = op;
    if (!tenant.last || tenant.last->isBeforeInBlock(op))
      tenant.last = op;
  }
  if (!tenant.first)
    tenant.first = tenant.last = tenant.alloc;
  return true;
}

std::vector<Tenant> hone::findTenants(func::FuncOp function) {
  std::vector<Tenant> tenants;
  llvm::DenseMap<Value, bool> known;
  for (auto &[root, uses] : collectUses(function)) {
    auto alloc = root.getDefiningOp<gpu::AllocOp>();
    if (!alloc || alloc.getHostShared() || alloc.getAsyncToken() ||
        !alloc.getSymbolOperands().empty() || !isContiguous(alloc.getType()) ||
        alloc.getType().getMemorySpace() ||
        !bytesOfElement(alloc.getType().getElementType()))
      continue;
    bool isEnded = !uses.isElsewhere && uses.deallocs.size() == 1 &&
                   uses.deallocs[0]->getBlock() == alloc->getBlock();
    bool isSized = llvm::all_of(alloc.getDynamicSizes(), [&](Value size) {
      return isKnownAtEntry(size, function, known);
    });
    if (!isEnded || !isSized || !isInOrder(alloc, function))
      continue;
    Tenant tenant;
    tenant.alloc = alloc;
    tenant.dealloc = uses.deallocs[0];
    tenant.bytes = knownBytes(alloc);
    tenant.isOpen = !alloc.getDynamicSizes().empty();
    if (measure(tenant, uses.touches))
      tenants.push_back(tenant);
  }
  return tenants;
}
