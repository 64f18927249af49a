//===- PlaceBuffersCopies.cpp - Copies for the other side -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caller places an argument, and the loader a global. If the other side
// needs it and no op changes it, it is copied once, in front of the first use.
// Otherwise it is copied into shared memory that all users access instead, and
// back at the end.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Memory/PlaceBuffers.h"
#include "passes/Support.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Memory of the size of `memref`, in `space`.
static Value allocateLike(OpBuilder &builder, Location loc, Value memref,
                          Space space) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> sizes = dynamicSizes(builder, loc, memref);
  if (space == Space::host)
    return memref::AllocOp::create(builder, loc, type, sizes);
  return gpu::AllocOp::create(builder, loc, type, /*asyncToken=*/Type(),
                              /*asyncDependencies=*/ValueRange(), sizes,
                              /*symbolOperands=*/ValueRange(),
                              /*hostShared=*/space == Space::shared)
      .getMemref();
}

static void copyElements(OpBuilder &builder, Location loc, Value target,
                         Value source) {
  gpu::MemcpyOp::create(builder, loc, /*asyncToken=*/Type(),
                        /*asyncDependencies=*/ValueRange(), target, source);
}

static void free(OpBuilder &builder, Location loc, Value memref, Space space) {
  if (space == Space::host) {
    memref::DeallocOp::create(builder, loc, memref);
    return;
  }
  gpu::DeallocOp::create(builder, loc, /*asyncToken=*/Type(),
                         /*asyncDependencies=*/ValueRange(), memref);
}

static Block *blockOf(Value root) { return root.getParentBlock(); }

/// The ops in front of which the life of a value that is made in `block` ends.
/// Empty if the block is one of several and not the entry block.
static SmallVector<Operation *> endsOf(Block *block) {
  Region *region = block->getParent();
  if (region->hasOneBlock())
    return {block->getTerminator()};
  if (!block->isEntryBlock())
    return {};
  SmallVector<Operation *> ends;
  for (Block &other : *region)
    if (other.hasNoSuccessors())
      ends.push_back(other.getTerminator());
  return ends;
}

/// Sets the insertion point after the definition of `root`.
static void setInsertionPointAfter(RewriterBase &rewriter, Value root) {
  if (Operation *definition = root.getDefiningOp())
    rewriter.setInsertionPointAfter(definition);
  else
    rewriter.setInsertionPointToStart(blockOf(root));
}

/// Starts the error at `root`.
static InFlightDiagnostic refuse(Value root) {
  Operation *op = root.getDefiningOp();
  InFlightDiagnostic error =
      op ? op->emitOpError() : blockOf(root)->getParentOp()->emitOpError();
  if (auto argument = dyn_cast<BlockArgument>(root))
    error << "argument " << argument.getArgNumber() << ": ";
  return error;
}

/// Moves a global to the start, outside of every loop.
static void hoistGlobal(Value root) {
  auto global = root.getDefiningOp<memref::GetGlobalOp>();
  if (!global)
    return;
  auto function = global->getParentOfType<func::FuncOp>();
  Block &entry = function.getBody().front();
  global->moveBefore(&entry, entry.begin());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool hone::isModuleConstant(Value root) {
  auto get = root.getDefiningOp<memref::GetGlobalOp>();
  auto global = get ? SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
                          get, get.getNameAttr())
                    : nullptr;
  return global && global.getConstant() && !global.isExternal() &&
         isContiguous(root.getType());
}

Value hone::deviceConstant(RewriterBase &rewriter, Value root) {
  auto get = root.getDefiningOp<memref::GetGlobalOp>();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(
      &get->getParentOfType<func::FuncOp>().getBody().front());
  return hone::ConstantOp::create(rewriter, get.getLoc(), get.getType(),
                                  get.getNameAttr());
}

//===----------------------------------------------------------------------===//
// A copy for the other side
//===----------------------------------------------------------------------===//

namespace {
/// Redirects touches of one side to a copy of a root.
class Redirection {
public:
  Redirection(RewriterBase &rewriter, Value root)
      : rewriter(rewriter), root(root) {}

  /// Adds `operand` if it is a view of the root that can be rebuilt.
  bool add(OpOperand *operand);
  /// The op in front of which the copy must be made: in the root's block, and
  /// before all added operands. Null means directly after the root.
  Operation *first() const;
  /// Rebuilds the views on `copy`, and makes all added operands use them.
  void redirect(Value copy);

private:
  Value viewOn(Value copy, Value view);

  RewriterBase &rewriter;
  Value root;
  SmallVector<OpOperand *> operands;
  llvm::SetVector<Operation *> needed;
  llvm::DenseMap<Value, Value> made;
};
} // namespace

bool Redirection::add(OpOperand *operand) {
  SmallVector<Operation *> chain = {operand->getOwner()};
  for (Value value = operand->get(); value != root;) {
    Operation *view = value.getDefiningOp();
    Value source = viewSourceOf(view);
    if (!source || !isMemoryEffectFree(view))
      return false;
    chain.push_back(view);
    value = source;
  }
  operands.push_back(operand);
  needed.insert_range(chain);
  return true;
}

Operation *Redirection::first() const {
  Operation *first = nullptr;
  for (Operation *op : needed) {
    Operation *ancestor = blockOf(root)->findAncestorOpInBlock(*op);
    if (!ancestor)
      return nullptr;
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

Value Redirection::viewOn(Value copy, Value view) {
  if (view == root)
    return copy;
  if (Value found = made.lookup(view))
    return found;
  Operation *op = view.getDefiningOp();
  Value source = viewSourceOf(op);
  IRMapping mapping;
  mapping.map(source, viewOn(copy, source));
  rewriter.setInsertionPointAfter(op);
  return made[view] = rewriter.clone(*op, mapping)->getResult(0);
}

void Redirection::redirect(Value copy) {
  for (OpOperand *operand : operands) {
    Value view = viewOn(copy, operand->get());
    rewriter.modifyOpInPlace(operand->getOwner(), [&] { operand->set(view); });
  }
}

bool hone::copyForOtherSide(RewriterBase &rewriter, const BufferGroup &group,
                            Value root, Space home) {
  Space other = home == Space::host ? Space::device : Space::host;
  Redirection redirection(rewriter, root);
  for (const Touch &touch : other == Space::host ? group.host : group.device)
    if (!redirection.add(touch.operand))
      return false;
  if (home == Space::host && isModuleConstant(root)) {
    redirection.redirect(deviceConstant(rewriter, root));
    return true;
  }
  SmallVector<Operation *> ends = endsOf(blockOf(root));
  if (ends.empty() || !isContiguous(root.getType()))
    return false;

  hoistGlobal(root);
  Operation *user = (other == Space::host ? group.host : group.device)
                        .front()
                        .operand->getOwner();
  remarkMissed(user, "copied",
               Twine("works on a copy on the ") +
                   (other == Space::host ? "host" : "device") +
                   " of a buffer on the " +
                   (home == Space::host ? "host" : "device"));
  if (Operation *first = redirection.first())
    rewriter.setInsertionPoint(first);
  else
    setInsertionPointAfter(rewriter, root);
  Location loc = root.getLoc();
  Value copy = allocateLike(rewriter, loc, root, other);
  copyElements(rewriter, loc, copy, root);
  redirection.redirect(copy);
  for (Operation *end : endsOf(blockOf(root))) {
    rewriter.setInsertionPoint(end);
    free(rewriter, loc, copy, other);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Shared memory instead
//===----------------------------------------------------------------------===//

/// Frees `shared` in front of `end`, unless the function returns it there: a
/// result may be an argument that passes through a loop with no iterations.
static void freeUnlessReturned(RewriterBase &rewriter, const BufferGroup &group,
                               Operation *end, Value root, Value shared) {
  Location loc = root.getLoc();
  auto address = [&](Value memref) -> Value {
    return memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc,
                                                          memref);
  };
  Value isOurs;
  for (OpOperand *operand : group.returns) {
    if (operand->getOwner() != end || operand->get() == root)
      continue;
    Value differs =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne,
                              address(operand->get()), address(shared));
    isOurs =
        isOurs
            ? arith::AndIOp::create(rewriter, loc, isOurs, differs).getResult()
            : differs;
  }
  if (!isOurs)
    return free(rewriter, loc, shared, Space::shared);
  auto branch = scf::IfOp::create(rewriter, loc, isOurs);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  free(rewriter, loc, shared, Space::shared);
}

/// The caller owns the result of a call. Its elements move into shared memory,
/// which is freed, or returned, instead.
static LogicalResult shareOwned(RewriterBase &rewriter, Value root) {
  setInsertionPointAfter(rewriter, root);
  Location loc = root.getLoc();
  Value shared = allocateLike(rewriter, loc, root, Space::shared);
  Operation *allocation = shared.getDefiningOp();
  copyElements(rewriter, loc, shared, root);
  Operation *copy = shared.getDefiningOp()->getNextNode();
  free(rewriter, loc, root, Space::device);
  Operation *freed = copy->getNextNode();
  rewriter.replaceUsesWithIf(root, shared, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isSize = isa<memref::DimOp>(user) && user->isBeforeInBlock(allocation);
    return user != copy && user != freed && !isSize;
  });
  return success();
}

LogicalResult hone::shareRoot(RewriterBase &rewriter, const BufferGroup &group,
                              Value root) {
  if (!isContiguous(root.getType()))
    return refuse(root) << "expected memory without gaps where host code and "
                           "kernels use it, but got "
                        << root.getType() << "; use the identity layout";
  if (!group.host.empty()) {
    Operation *host = group.host.front().operand->getOwner();
    remarkMissed(host, "host-shared",
                 "works on memory shared with the device, a copy of the buffer "
                 "that kernels use");
  }
  bool isFromCall =
      root.getDefiningOp() && calledFunction(root.getDefiningOp());
  if (isFromCall)
    return shareOwned(rewriter, root);
  SmallVector<Operation *> ends = endsOf(blockOf(root));
  if (ends.empty())
    return refuse(root) << "expected structured control flow around memory "
                           "that host code and kernels use";
  hoistGlobal(root);
  setInsertionPointAfter(rewriter, root);
  Location loc = root.getLoc();
  Value shared = allocateLike(rewriter, loc, root, Space::shared);
  SmallPtrSet<Operation *, 8> own;
  for (Operation *user : root.getUsers())
    if (user->getBlock() == blockOf(root) &&
        user->isBeforeInBlock(shared.getDefiningOp()))
      own.insert(user);
  copyElements(rewriter, loc, shared, root);
  own.insert(shared.getDefiningOp()->getNextNode());
  rewriter.replaceUsesWithIf(root, shared, [&](OpOperand &use) {
    return !own.contains(use.getOwner()) && !isFunctionReturn(use.getOwner());
  });
  for (Operation *end : ends) {
    rewriter.setInsertionPoint(end);
    bool isConstant =
        isa_and_present<memref::GetGlobalOp>(root.getDefiningOp());
    if (group.isWritten && !isConstant)
      copyElements(rewriter, loc, root, shared);
    freeUnlessReturned(rewriter, group, end, root, shared);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult hone::returnCopy(RewriterBase &rewriter, OpOperand &operand,
                               Space space) {
  Value value = operand.get();
  if (!isContiguous(value.getType()))
    return operand.getOwner()->emitOpError(
               "expected a result without gaps, but got ")
           << value.getType() << "; use the identity layout";
  rewriter.setInsertionPoint(operand.getOwner());
  Location loc = operand.getOwner()->getLoc();
  Value result = allocateLike(rewriter, loc, value, space);
  copyElements(rewriter, loc, result, value);
  rewriter.modifyOpInPlace(operand.getOwner(), [&] { operand.set(result); });
  return success();
}

/// The value of which `value` is a view.
static Value baseOf(Value value) {
  while (Operation *view = value.getDefiningOp()) {
    Value source = viewSourceOf(view);
    if (!source)
      break;
    value = source;
  }
  return value;
}

void hone::freeReturned(RewriterBase &rewriter, const BufferGroup &group,
                        Operation *end, ArrayRef<Value> values, Space space) {
  // No other function frees memory that only this function has.
  bool isOwned = llvm::all_of(group.roots, [](Value root) {
    return isa_and_present<memref::AllocOp, gpu::AllocOp>(root.getDefiningOp());
  });
  if (!isOwned)
    return;
  llvm::SetVector<Value> bases;
  for (Value value : values)
    bases.insert(baseOf(value));
  Location loc = end->getLoc();
  rewriter.setInsertionPoint(end);
  if (bases.size() == 1)
    return free(rewriter, loc, bases.front(), space);
  // With branches and loops, two of the values may be one buffer.
  SmallVector<Value> addresses;
  for (Value base : bases)
    addresses.push_back(
        memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, base));
  for (auto [i, base] : llvm::enumerate(bases)) {
    OpBuilder::InsertionGuard guard(rewriter);
    Value isNew;
    for (Value known : ArrayRef<Value>(addresses).take_front(i)) {
      Value differs = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::ne, addresses[i], known);
      isNew =
          isNew
              ? arith::AndIOp::create(rewriter, loc, isNew, differs).getResult()
              : differs;
    }
    if (isNew) {
      auto branch = scf::IfOp::create(rewriter, loc, isNew);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    free(rewriter, loc, base, space);
  }
}
