//===- RestGroups.cpp - Groups of ops that share a kernel -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RestGroups.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Rest/RestGroups.h"
#include "mlir/Transforms/RegionUtils.h"
#include <utility>

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Memory that ops access
//===----------------------------------------------------------------------===//

void RestTouched::add(Operation *op, const BufferRoots &roots) {
  op->walk([&](Operation *inner) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    bool isKnown = isMemoryEffectFree(inner) || effects ||
                   inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                   isa<func::CallOp>(inner);
    isUnknown |= !isKnown;
    for (Touch touch : touchesOf(inner))
      for (Value root : roots.of(touch.operand->get())) {
        if (touch.reads)
          read.insert(root);
        if (touch.writes)
          written.insert(root);
      }
    // Freeing memory counts as writing it.
    if (isDealloc(inner))
      written.insert_range(roots.of(inner->getOperand(0)));
  });
}

bool RestTouched::meet(const Roots &a, const Roots &b) {
  return llvm::any_of(a, [&](Value root) { return b.contains(root); });
}

bool RestTouched::conflicts(const RestTouched &other) const {
  return isUnknown || other.isUnknown || meet(written, other.read) ||
         meet(written, other.written) || meet(read, other.written);
}

bool RestTouched::feeds(const RestTouched &other) const {
  return meet(written, other.read);
}

bool RestTouched::writesTo(ArrayRef<Value> roots) const {
  return llvm::any_of(roots,
                      [&](Value root) { return written.contains(root); });
}

bool RestGroup::has(Operation *op) const {
  return llvm::any_of(steps,
                      [&](const RestStep &step) { return step.op == op; });
}

void RestGroup::add(const RestStep &step, const BufferRoots &roots) {
  auto place = llvm::find_if(steps, [&](RestStep &other) {
    Operation *op = step.op;
    return op->isBeforeInBlock(other.op);
  });
  steps.insert(place, step);
  touched.add(step.op, roots);
  bool isReduction =
      step.reducesRows() && !hidesRows && !ShapedType::isDynamic(step.rows());
  if (!rows && isReduction)
    rows = step.rows();
}

llvm::SetVector<Value> hone::valuesOf(ArrayRef<RestStep> steps) {
  llvm::SetVector<Value> values;
  for (const RestStep &step : steps) {
    values.insert_range(step.op->getOperands());
    linalg::GenericOp op = step.op;
    getUsedValuesDefinedAbove(op.getRegion(), values);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Moves fills down to the first op that conflicts with them, so that they join
/// its group.
void RestGrouper::sinkFills() {
  for (const RestStep &step : llvm::reverse(steps)) {
    linalg::GenericOp op = step.op;
    bool isFill = llvm::none_of(op.getInputs(), [](Value input) {
      return isa<MemRefType>(input.getType());
    });
    if (!isFill || !step.reduced.empty())
      continue;
    RestTouched own;
    own.add(op, roots);
    Operation *next = op->getNextNode();
    for (; next && !next->hasTrait<OpTrait::IsTerminator>();
         next = next->getNextNode()) {
      RestTouched other;
      other.add(next, roots);
      if (own.conflicts(other))
        break;
    }
    if (next)
      op->moveBefore(next);
  }
}

/// The memory of which `value` is all, in any shape; null for a part of it.
static Value wholeOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// True if all steps fall into the same number of rows, and no step accesses
/// memory that another step writes outside of its own row.
bool RestGrouper::sharesRows(RestGroup &group) const {
  for (RestStep &step : group.steps) {
    if (!step.splitRows(group.rows))
      return false;
    for (OpOperand &operand : step.op->getOpOperands()) {
      SmallVector<Value, 1> from = roots.of(operand.get());
      bool isShared = group.touched.writesTo(from);
      if (!isShared || !isa<MemRefType>(operand.get().getType()))
        continue;
      if (from.size() != 1 || wholeOf(operand.get()) != from.front() ||
          !step.staysInRow(operand))
        return false;
    }
    // A load in a body may access any row.
    bool loadsShared = false;
    step.op.getRegion().walk([&](memref::LoadOp load) {
      loadsShared |= group.touched.writesTo(roots.of(load.getMemRef()));
    });
    if (loadsShared)
      return false;
  }
  return true;
}

static int64_t countArgs(ArrayRef<RestStep> steps) {
  int64_t count = 0;
  for (Value value : valuesOf(steps))
    count += launchArgsOf(value.getType());
  return count;
}

/// True if one kernel can run the steps.
bool RestGrouper::fits(RestGroup &group) const {
  if (countArgs(group.steps) > kMaxRestArgs)
    return false;
  // The rows are known once a step reduces them.
  if (!group.rows)
    return true;
  // A limit on a row: one block runs it alone.
  constexpr int64_t kMaxOfRow = 1 << 16;
  return sharesRows(group) &&
         llvm::all_of(group.steps, [&](const RestStep &step) {
           return step.countOf(step.shared()) <= kMaxOfRow;
         });
}

/// True if moving `op` to the group's end is safe: no op in between, except
/// those of the group, conflicts with it.
bool RestGrouper::canMoveDown(Operation *op, const RestGroup &group) const {
  RestTouched own;
  own.add(op, roots);
  Operation *end = group.steps.back().op;
  for (Operation *next = op->getNextNode(); next != end;
       next = next->getNextNode()) {
    RestTouched other;
    other.add(next, roots);
    if (!group.has(next) && own.conflicts(other))
      return false;
  }
  return true;
}

/// Adds the passed ops that compute inputs of the group.
void RestGrouper::takeIn(RestGroup &group, ArrayRef<Operation *> passed) const {
  for (bool isGrown = true; std::exchange(isGrown, false);)
    for (Operation *op : llvm::reverse(passed)) {
      RestTouched own;
      own.add(op, roots);
      if (group.has(op) || !own.feeds(group.touched) || !canMoveDown(op, group))
        continue;
      group.add(*stepOf(op), roots);
      isGrown = true;
    }
}

/// The step `first`, and the later steps that share its rows. Without a step
/// that reduces rows there is nothing to share.
RestGroup RestGrouper::groupFrom(const RestStep &first) const {
  // Ops further apart than this have little in common.
  constexpr unsigned kMaxOps = 256;
  RestGroup group;
  group.hidesRows = hidesRows;
  group.add(first, roots);
  RestGroup best = group;
  SmallVector<Operation *> passed;
  Operation *next = first.op->getNextNode();
  for (unsigned i = 0; i < kMaxOps && next; ++i, next = next->getNextNode()) {
    RestTouched touched;
    touched.add(next, roots);
    const RestStep *step = stepOf(next);
    if (!group.touched.conflicts(touched)) {
      if (step)
        passed.push_back(next);
      continue;
    }
    if (!step)
      break;
    RestGroup longer = group;
    longer.add(*step, roots);
    RestGroup whole = longer;
    takeIn(whole, passed);
    if (fits(whole))
      group = std::move(whole);
    else if (fits(longer))
      group = std::move(longer);
    else
      break;
    if (group.rows)
      best = group;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// One after the other
//===----------------------------------------------------------------------===//

RestGrouper::RestGrouper(func::FuncOp function, std::vector<RestStep> given,
                         bool hidesRows)
    : steps(std::move(given)), hidesRows(hidesRows), roots(function) {
  sinkFills();
  for (auto [number, step] : llvm::enumerate(steps))
    numbers[step.op] = number;
  // Sinking has changed the order.
  function.walk([&](linalg::GenericOp op) {
    if (numbers.count(op))
      left.push_back(op);
  });
  std::reverse(left.begin(), left.end());
}

const RestStep *RestGrouper::stepOf(Operation *op) const {
  auto found = numbers.find(op);
  return found == numbers.end() ? nullptr : &steps[found->second];
}

std::optional<RestGroup> RestGrouper::next() {
  while (!left.empty()) {
    const RestStep *first = stepOf(left.pop_back_val());
    if (!first)
      continue;
    RestGroup group = groupFrom(*first);
    for (const RestStep &step : group.steps)
      numbers.erase(step.op);
    return group;
  }
  return std::nullopt;
}
