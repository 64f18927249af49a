//===- InsertWaits.cpp - Waits of the host for the device -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op starts its device work but does not wait for it. This pass walks the
// program forwards and tracks the reads and writes that may still be pending on
// each root. Host code that conflicts with a pending access gets a `hone.wait`
// in front, after which nothing is pending.
//
// Control flow that runs no device work is one step: its wait is in front of
// it, not inside of a loop. At a join, the accesses that are pending on either
// path are pending. A loop is iterated until nothing is added. A state only
// ever grows, and conflicts are looked up in the final one, so there may be a
// redundant wait, but never a missing one.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/Memory/Buffers.h"
#include "passes/Passes.h"
#include "passes/Support.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace hone {
#define GEN_PASS_DEF_INSERTWAITS
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {

/// The first pending read and write of a root; null for none.
struct Pending {
  Operation *read = nullptr, *write = nullptr;
};

/// The accesses that may be pending at a point of the program.
class State {
public:
  bool isEmpty() const { return pending.empty(); }
  void clear() { pending.clear(); }
  void add(Value root, const Touch &touch) {
    Pending &entry = pending[root];
    Operation *op = touch.operand->getOwner();
    if (touch.reads && !entry.read)
      entry.read = op;
    if (touch.writes && !entry.write)
      entry.write = op;
  }
  /// Adds the pending accesses of `other`; true if this state grew.
  bool join(const State &other) {
    bool grown = false;
    for (const auto &[root, theirs] : other.pending) {
      Pending &ours = pending[root];
      grown |= (theirs.read && !ours.read) || (theirs.write && !ours.write);
      ours.read = ours.read ? ours.read : theirs.read;
      ours.write = ours.write ? ours.write : theirs.write;
    }
    return grown;
  }
  /// The pending op that conflicts with such an access; null if there is none.
  Operation *conflict(Value root, bool reads, bool writes) const {
    Pending entry = pending.lookup(root);
    if ((reads || writes) && entry.write)
      return entry.write;
    return writes ? entry.read : nullptr;
  }

private:
  llvm::SmallDenseMap<Value, Pending> pending;
};

/// The ops before which the host must wait, each with the pending op.
using Waits = llvm::MapVector<Operation *, Operation *>;

/// Finds the waits of one function.
class WaitFinder {
public:
  explicit WaitFinder(func::FuncOp function)
      : function(function), roots(function) {}

  Waits find() {
    (void)run(function.getBody(), State());
    return std::move(waits);
  }

private:
  /// Runs a region from `in`; returns the state where control leaves it.
  State run(Region &region, const State &in);
  void step(Operation *op, State &state);
  void stepInside(Operation *op, State &state);
  State runRegions(Operation *op, const State &in);
  void addPending(Operation *op, State &state);
  bool isWait(Operation *op) const;
  Operation *conflictOf(Operation *op, const State &state) const;
  Operation *conflictOfReturn(Operation *op, const State &state) const;
  void waitBefore(Operation *op, Operation *pending, State &state) {
    waits.insert({op, pending});
    state.clear();
  }

  func::FuncOp function;
  BufferRoots roots;
  Waits waits;
};

struct InsertWaitsPass : hone::impl::InsertWaitsBase<InsertWaitsPass> {
  using InsertWaitsBase::InsertWaitsBase;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

/// Makes the device work that `op` starts pending.
void WaitFinder::addPending(Operation *op, State &state) {
  for (const Touch &touch : touchesOf(op))
    if (touch.side != Side::host)
      for (Value root : roots.of(touch.operand->get()))
        state.add(root, touch);
}

/// After the return, the caller may read host memory from the results, and
/// change that of the arguments.
Operation *WaitFinder::conflictOfReturn(Operation *op,
                                        const State &state) const {
  if (boundaryOf(function) != Boundary::host)
    return nullptr;
  SmallVector<Value> seen(op->getOperands());
  llvm::append_range(seen, op->getParentRegion()->getArguments());
  for (Value value : seen) {
    if (!isa<BaseMemRefType>(value.getType()))
      continue;
    for (Value root : roots.of(value))
      if (Operation *pending = state.conflict(root, true, true))
        return pending;
  }
  return nullptr;
}

/// The pending op that must end before `op` and its regions run.
Operation *WaitFinder::conflictOf(Operation *op, const State &state) const {
  if (state.isEmpty())
    return nullptr;
  if (isFunctionReturn(op))
    return conflictOfReturn(op, state);
  Operation *found = nullptr;
  op->walk([&](Operation *inner) {
    for (const Touch &touch : touchesOf(inner))
      if (touch.side == Side::host)
        for (Value root : roots.of(touch.operand->get()))
          if (!found)
            found = state.conflict(root, touch.reads, touch.writes);
    // Host memory is freed at once; the device's is freed in stream order.
    if (auto dealloc = dyn_cast<memref::DeallocOp>(inner))
      for (Value root : roots.of(dealloc.getMemref()))
        if (!found)
          found = state.conflict(root, true, true);
  });
  return found;
}

/// True if nothing is pending after `op`: a wait, or the deallocation of shared
/// memory, which the runtime frees when the device is done. Memory of no bytes
/// is a null pointer, whose free returns at once.
bool WaitFinder::isWait(Operation *op) const {
  auto dealloc = dyn_cast<gpu::DeallocOp>(op);
  if (!dealloc || dealloc.getAsyncToken())
    return isa<WaitOp>(op);
  return llvm::all_of(roots.of(dealloc.getMemref()), [](Value root) {
    auto alloc = root.getDefiningOp<gpu::AllocOp>();
    return alloc && alloc.getHostShared() && alloc.getType().hasStaticShape() &&
           alloc.getType().getNumElements() > 0;
  });
}

void WaitFinder::step(Operation *op, State &state) {
  if (isWait(op)) {
    state.clear();
    return;
  }
  bool isSequence =
      op->getNumRegions() && !isa<MatmulOp>(op) && startsDeviceWork(op);
  if (isSequence)
    return stepInside(op, state);
  if (Operation *pending = conflictOf(op, state))
    waitBefore(op, pending, state);
  addPending(op, state);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Runs an op whose regions start device work. A wait that only the first
/// iteration of a loop needs is placed in front of the loop.
void WaitFinder::stepInside(Operation *op, State &state) {
  if (isa<LoopLikeOpInterface>(op) && !state.isEmpty()) {
    Waits before = waits;
    (void)runRegions(op, State());
    Waits alone = std::exchange(waits, before);
    (void)runRegions(op, state);
    Waits both = std::exchange(waits, before);
    for (auto [place, pending] : both)
      if (!alone.count(place)) {
        waitBefore(op, pending, state);
        break;
      }
  }
  state = runRegions(op, state);
}

/// The successors of the start of `op`, or of the end of `region`.
static SmallVector<RegionSuccessor> successorsOf(Operation *op,
                                                 Region *region) {
  SmallVector<RegionSuccessor> successors;
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (branch && region)
    branch.getSuccessorRegions(*region, successors);
  else if (branch)
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  return successors;
}

State WaitFinder::runRegions(Operation *op, const State &in) {
  State out;
  llvm::MapVector<Region *, State> entries;
  llvm::SetVector<Region *> worklist;
  bool isKnown = isa<RegionBranchOpInterface>(op);
  auto enter = [&](Region *region, const State &state) {
    bool isNew = !entries.count(region);
    if (entries[region].join(state) || isNew)
      worklist.insert(region);
  };
  auto leave = [&](Region *from, const State &state) {
    // If an op does not define its control flow, any region may follow any
    // other.
    if (!isKnown) {
      out.join(state);
      for (Region &region : op->getRegions())
        enter(&region, state);
      return;
    }
    for (RegionSuccessor successor : successorsOf(op, from)) {
      if (Region *next = successor.getSuccessor())
        enter(next, state);
      else
        out.join(state);
    }
  };
  Waits before = waits;
  leave(nullptr, in);
  while (!worklist.empty()) {
    Region *region = worklist.pop_back_val();
    leave(region, run(*region, entries[region]));
  }
  // The waits follow from the final states.
  waits = std::move(before);
  for (auto &[region, state] : entries)
    (void)run(*region, state);
  return out;
}

State WaitFinder::run(Region &region, const State &in) {
  State out;
  if (region.empty())
    return in;
  llvm::MapVector<Block *, State> entries;
  llvm::SetVector<Block *> worklist;
  entries[&region.front()] = in;
  worklist.insert(&region.front());
  auto runBlock = [&](Block *block) {
    State state = entries[block];
    for (Operation &op : *block)
      step(&op, state);
    return state;
  };
  Waits before = waits;
  while (!worklist.empty()) {
    Block *block = worklist.pop_back_val();
    State state = runBlock(block);
    if (block->hasNoSuccessors())
      out.join(state);
    for (Block *next : block->getSuccessors()) {
      bool isNew = !entries.count(next);
      if (entries[next].join(state) || isNew)
        worklist.insert(next);
    }
  }
  // The same as in runRegions.
  if (!region.hasOneBlock()) {
    waits = std::move(before);
    for (auto &[block, state] : entries)
      (void)runBlock(block);
  }
  return out;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The op that depends on the scalar `value`, through arithmetic; null if there
/// is none.
static Operation *decidedBy(Value value) {
  llvm::SetVector<Operation *> users;
  users.insert_range(value.getUsers());
  for (unsigned i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    bool isArithmetic = isPure(user) && user->getNumResults() > 0 &&
                        user->getNumRegions() == 0 &&
                        llvm::all_of(user->getResultTypes(), [](Type type) {
                          return type.isIntOrIndexOrFloat();
                        });
    if (!isArithmetic)
      return isa<RegionBranchTerminatorOpInterface>(user) ? user->getParentOp()
                                                          : user;
    users.insert_range(user->getUsers());
  }
  return nullptr;
}

/// Explains a wait of host code that is not an op of its own reason: an element
/// that the host reads. Each cause is reported once.
static void explainWait(Operation *op, llvm::StringSet<> &told) {
  op->walk([&](memref::LoadOp load) {
    Operation *decided = decidedBy(load.getResult());
    std::string text =
        "left to the host: it reads an element that the device computes";
    if (decided)
      text += (", on which '" + decided->getName().getStringRef() + "' depends")
                  .str();
    std::string place;
    llvm::raw_string_ostream(place) << load.getLoc();
    if (told.insert(place + text).second)
      remarkMissed(load, "left-on-host", text);
  });
}

/// With `rest=gpu`, linalg ops are functions by now.
static bool hasRest(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp each) {
    return each->hasAttr(kernel::kRestAttr);
  });
}

/// Inserts the waits of every function.
static void insertWaits(ModuleOp module) {
  llvm::StringSet<> told;
  bool explains = hasRest(module);
  for (func::FuncOp function : hostFunctions(module)) {
    if (!startsDeviceWork(function))
      continue;
    if (explains)
      function.walk([&](LoopLikeOpInterface loop) {
        if (startsDeviceWork(loop))
          remarkMissed(loop, "left-on-host",
                       "left to the host: the loop starts its kernels one "
                       "iteration after the other");
      });
    for (auto [op, pending] : WaitFinder(function).find()) {
      OpBuilder builder(op);
      WaitOp::create(builder, op->getLoc());
      remarkMissed(op, "wait",
                   Twine("the host waits in front of '") +
                       op->getName().getStringRef() + "' for '" +
                       pending->getName().getStringRef() + "'");
      if (explains)
        explainWait(op, told);
    }
  }
}

void InsertWaitsPass::runOnOperation() {
  auto run = [&](const Arch &) {
    insertWaits(getOperation());
    return success();
  };
  if (failed(forGpu(getOperation(), arch, run)))
    signalPassFailure();
}
