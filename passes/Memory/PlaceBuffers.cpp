//===- PlaceBuffers.cpp - Memory of each buffer ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bufferization allocates with `memref.alloc`, which is host memory, and does
// not place arguments. This pass places every buffer of a function by the sides
// that touch it (PlaceBuffers.h), and the function gets an attribute with the
// memory that it expects of its callers. InsertWaits.cpp decides when the host
// may read elements that the device has written.
//
//===----------------------------------------------------------------------===//

#include "passes/Memory/PlaceBuffers.h"
#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "passes/Passes.h"
#include "passes/Support.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace hone {
#define GEN_PASS_DEF_PLACEBUFFERS
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {

struct PlaceBuffersPass : hone::impl::PlaceBuffersBase<PlaceBuffersPass> {
  using PlaceBuffersBase::PlaceBuffersBase;
  void runOnOperation() override;
  LogicalResult placeAll();
};

/// Places the buffers of one function.
class Placer {
public:
  explicit Placer(func::FuncOp function)
      : function(function), boundary(boundaryOf(function)),
        rewriter(function.getContext()), roots(function) {}

  LogicalResult place();

private:
  void formGroups();
  void collectUses();
  BufferGroup &groupOf(Value value) {
    return groups[leaders.at(roots.of(value).front())];
  }
  void decide(BufferGroup &group);
  void decideCopied();
  LogicalResult apply(BufferGroup &group);
  LogicalResult returnCopies(BufferGroup &group, Space space);
  LogicalResult applyRoot(BufferGroup &group, Value root);

  func::FuncOp function;
  Boundary boundary;
  IRRewriter rewriter;
  BufferRoots roots;
  llvm::DenseMap<Value, Value> leaders; ///< of a root's group
  llvm::MapVector<Value, BufferGroup> groups;
};

} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

std::optional<Space> hone::homeOf(Value root, Boundary boundary) {
  Operation *definition = root.getDefiningOp();
  if (!definition)
    return boundary == Boundary::host ? Space::host : Space::device;
  if (isa<memref::AllocOp, memref::AllocaOp>(definition))
    return std::nullopt;
  if (auto alloc = dyn_cast<gpu::AllocOp>(definition))
    return alloc.getHostShared() ? Space::shared : Space::device;
  if (isa<hone::ConstantOp, AssertionOp>(definition))
    return Space::device;
  func::FuncOp callee = calledFunction(definition);
  return callee && boundaryOf(callee) == Boundary::device ? Space::device
                                                          : Space::host;
}

void Placer::formGroups() {
  llvm::EquivalenceClasses<void *> united;
  for (Value value : roots.allValues()) {
    SmallVector<Value, 1> all = roots.of(value);
    for (Value root : all)
      united.unionSets(all.front().getAsOpaquePointer(),
                       root.getAsOpaquePointer());
  }
  for (Value value : roots.allValues())
    for (Value root : roots.of(value)) {
      if (leaders.count(root))
        continue;
      Value leader = Value::getFromOpaquePointer(
          united.getLeaderValue(root.getAsOpaquePointer()));
      leaders[root] = leader;
      groups[leader].roots.push_back(root);
    }
}

void Placer::collectUses() {
  function.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<BaseMemRefType>(operand.get().getType()))
        continue;
      if (isFunctionReturn(op))
        groupOf(operand.get()).returns.push_back(&operand);
      if (isDealloc(op))
        groupOf(operand.get()).deallocs.push_back(op);
    }
    if (isContiguousCopy(op)) {
      auto copy = cast<memref::CopyOp>(op);
      groupOf(copy.getSource()).copies.push_back(copy);
      groupOf(copy.getTarget()).copies.push_back(copy);
      groupOf(copy.getTarget()).isWritten = true;
      return;
    }
    for (Touch touch : touchesOf(op)) {
      BufferGroup &group = groupOf(touch.operand->get());
      group.isWritten |= touch.writes;
      if (touch.side == Side::host)
        group.host.push_back(touch);
      if (touch.side == Side::device)
        group.device.push_back(touch);
    }
  });
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// True if the side that touches a root decides its place: the device can have
/// a copy of a constant. A caller would free a constant that is returned.
static bool isOnBothSides(const BufferGroup &group, Value root) {
  return group.returns.empty() && isModuleConstant(root);
}

void Placer::decide(BufferGroup &group) {
  bool onHost = !group.host.empty(), onDevice = !group.device.empty();
  // Under the device's boundary the caller may pass a result to a kernel. A
  // buffer that must be on the host is copied when it is returned.
  bool isHosts = llvm::all_of(group.roots, [&](Value root) {
    return homeOf(root, boundary) == Space::host;
  });
  onDevice |=
      !group.returns.empty() && boundary == Boundary::device && !isHosts;
  for (Value root : group.roots) {
    if (isOnBothSides(group, root))
      continue;
    std::optional<Space> home = homeOf(root, boundary);
    onHost |= home == Space::host || home == Space::shared;
    onDevice |= home == Space::device || home == Space::shared;
  }
  group.space = !onDevice ? Space::host
                : onHost  ? Space::shared
                          : Space::device;
}

/// A buffer that is only copied to and from is placed on the device if the
/// other side of a copy is there: the copy is then a device copy.
void Placer::decideCopied() {
  auto isFree = [&](const BufferGroup &group) {
    return group.space == Space::host && group.host.empty() &&
           llvm::none_of(group.roots, [&](Value root) {
             return homeOf(root, boundary).has_value() &&
                    !isOnBothSides(group, root);
           });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[leader, group] : groups) {
      bool meetsDevice = llvm::any_of(group.copies, [&](memref::CopyOp copy) {
        return groupOf(copy.getSource()).space == Space::device ||
               groupOf(copy.getTarget()).space == Space::device;
      });
      if (!isFree(group) || !meetsDevice)
        continue;
      group.space = Space::device;
      changed = true;
    }
  }
}

//===----------------------------------------------------------------------===//
// Application
//===----------------------------------------------------------------------===//

/// Allocates shared memory or memory of the device, as the group requires.
static void placeAlloc(RewriterBase &rewriter, Operation *alloc,
                       const BufferGroup &group) {
  bool isShared = group.space == Space::shared;
  if (isShared && !group.host.empty()) {
    Operation *host = group.host.front().operand->getOwner();
    remarkMissed(alloc, "host-shared",
                 "buffer shared with the host, because '" +
                     host->getName().getStringRef() + "' may touch it");
  }
  rewriter.setInsertionPoint(alloc);
  Value memref = alloc->getResult(0);
  auto dynamic = isa<memref::AllocOp>(alloc)
                     ? cast<memref::AllocOp>(alloc).getDynamicSizes()
                     : cast<memref::AllocaOp>(alloc).getDynamicSizes();
  auto symbols = isa<memref::AllocOp>(alloc)
                     ? cast<memref::AllocOp>(alloc).getSymbolOperands()
                     : cast<memref::AllocaOp>(alloc).getSymbolOperands();
  auto placed = gpu::AllocOp::create(
      rewriter, alloc->getLoc(), memref.getType(), /*asyncToken=*/Type(),
      /*asyncDependencies=*/ValueRange(), dynamic, symbols, isShared);
  // A stack allocation ends at the end of its block.
  if (isa<memref::AllocaOp>(alloc)) {
    rewriter.setInsertionPoint(alloc->getBlock()->getTerminator());
    gpu::DeallocOp::create(rewriter, alloc->getLoc(), /*asyncToken=*/Type(),
                           /*asyncDependencies=*/ValueRange(),
                           placed.getMemref());
  }
  rewriter.replaceOp(alloc, placed.getMemref());
}

LogicalResult Placer::applyRoot(BufferGroup &group, Value root) {
  std::optional<Space> home = homeOf(root, boundary);
  if (!home) {
    placeAlloc(rewriter, root.getDefiningOp(), group);
    return success();
  }
  if (group.space == Space::device && home == Space::host) {
    rewriter.replaceAllUsesWith(root, deviceConstant(rewriter, root));
    return success();
  }
  if (group.space != Space::shared || home == Space::shared)
    return success();
  // A copy serves the other side while no write makes the two differ.
  bool isAlone = group.roots.size() == 1 && !group.isWritten;
  if (isAlone && copyForOtherSide(rewriter, group, root, *home))
    return success();
  return shareRoot(rewriter, group, root);
}

LogicalResult Placer::returnCopies(BufferGroup &group, Space space) {
  // One buffer may be several results: it is freed after all copies.
  llvm::MapVector<Operation *, SmallVector<Value>> returned;
  for (OpOperand *operand : group.returns) {
    returned[operand->getOwner()].push_back(operand->get());
    if (failed(returnCopy(rewriter, *operand, space)))
      return failure();
  }
  Space other = space == Space::host ? Space::device : Space::host;
  for (auto &[end, values] : returned)
    freeReturned(rewriter, group, end, values, other);
  group.returns.clear();
  return success();
}

LogicalResult Placer::apply(BufferGroup &group) {
  // Results come before roots: the changes to the roots replace recorded uses.
  Space results = boundary == Boundary::host ? Space::host : Space::device;
  bool isElsewhere = (group.space == Space::host) != (results == Space::host);
  if (isElsewhere && failed(returnCopies(group, results)))
    return failure();
  if (group.space == Space::host)
    return success();
  for (Operation *dealloc : group.deallocs) {
    if (isa<gpu::DeallocOp>(dealloc))
      continue;
    rewriter.setInsertionPoint(dealloc);
    rewriter.replaceOpWithNewOp<gpu::DeallocOp>(
        dealloc, /*asyncToken=*/Type(), /*asyncDependencies=*/ValueRange(),
        dealloc->getOperand(0));
  }
  group.deallocs.clear();
  for (Value root : group.roots)
    if (failed(applyRoot(group, root)))
      return failure();
  return success();
}

LogicalResult Placer::place() {
  formGroups();
  collectUses();
  for (auto &[leader, group] : groups)
    decide(group);
  decideCopied();
  llvm::SmallSetVector<memref::CopyOp, 8> copies;
  for (auto &[leader, group] : groups)
    if (group.space != Space::host)
      copies.insert_range(group.copies);
  for (auto &[leader, group] : groups)
    if (failed(apply(group)))
      return failure();
  for (memref::CopyOp copy : copies) {
    rewriter.setInsertionPoint(copy);
    rewriter.replaceOpWithNewOp<gpu::MemcpyOp>(
        copy, /*asyncToken=*/Type(), /*asyncDependencies=*/ValueRange(),
        /*dst=*/copy.getTarget(), /*src=*/copy.getSource());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

/// Replaces a clone by an allocation and a copy. Deallocation makes a clone
/// where a function returns a buffer that it does not own.
static void expandClone(RewriterBase &rewriter, bufferization::CloneOp op) {
  auto type = dyn_cast<MemRefType>(op.getType());
  if (!type)
    return;
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto plain =
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value copy = memref::AllocOp::create(
      rewriter, loc, plain, dynamicSizes(rewriter, loc, op.getInput()));
  memref::CopyOp::create(rewriter, loc, op.getInput(), copy);
  if (plain != type)
    copy = memref::CastOp::create(rewriter, loc, type, copy);
  rewriter.replaceOp(op, copy);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Records the memory of the arguments and results of `function`, if it has any
/// of memref type.
static void stateBoundary(func::FuncOp function, Boundary boundary) {
  auto isMemory = [](Type type) { return isa<BaseMemRefType>(type); };
  bool takes = llvm::any_of(function.getArgumentTypes(), isMemory);
  bool gives = llvm::any_of(function.getResultTypes(), isMemory);
  if (!takes && !gives)
    return;
  Builder builder(function.getContext());
  auto side =
      builder.getStringAttr(boundary == Boundary::host ? "host" : "device");
  SmallVector<NamedAttribute> memory;
  if (takes)
    memory.push_back(builder.getNamedAttr("arguments", side));
  if (gives)
    memory.push_back(builder.getNamedAttr("results", side));
  function->setAttr(kMemoryAttr, builder.getDictionaryAttr(memory));
}

/// True for a function that only compares addresses, in arrays of the host:
/// deallocation makes one to find out which buffers to free.
static bool isBookkeeping(func::FuncOp function) {
  return function.isPrivate() && !startsDeviceWork(function) &&
         llvm::all_of(function.getArgumentTypes(), [](Type type) {
           auto memref = dyn_cast<MemRefType>(type);
           return memref && (memref.getElementType().isIndex() ||
                             memref.getElementType().isInteger(1));
         });
}

void PlaceBuffersPass::runOnOperation() {
  auto run = [&](const Arch &) { return placeAll(); };
  if (failed(forGpu(getOperation(), arch, run)))
    signalPassFailure();
}

LogicalResult PlaceBuffersPass::placeAll() {
  SmallVector<func::FuncOp> functions = hostFunctions(getOperation());
  // Private functions are called by functions whose buffers are placed too.
  for (func::FuncOp function : functions)
    stateBoundary(function,
                  (arguments == MemorySide::host && function.isPublic()) ||
                          isBookkeeping(function)
                      ? Boundary::host
                      : Boundary::device);
  IRRewriter rewriter(&getContext());
  for (func::FuncOp function : functions)
    function.walk(
        [&](bufferization::CloneOp op) { expandClone(rewriter, op); });
  for (func::FuncOp function : functions) {
    if (boundaryOf(function) == Boundary::host)
      gatherArguments(function);
    if (failed(Placer(function).place()))
      return failure();
  }
  return success();
}
