//===- MachineProducts.cpp - Fragments, accumulators and their products ---===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers that threads read, and products that are pending while threads
// continue: their inputs must not change, in slots and in registers, and their
// sums may not be used.
//
//===----------------------------------------------------------------------===//

#include "../Values/Values.h"
#include "Machine.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

/// The index of an accumulator's number that counts the elements of k in its
/// sums, whether threads or tensor cores added them. Tensor cores cut off bits
/// of their addends at the precision of the sum, so a sum must be short when
/// they report it.
static constexpr int kHeld = 2;
/// The count of unwritten accumulators.
static constexpr int64_t kNothing = -1;

void Machine::readFragment(Agent &agent, ReadOp op) {
  std::optional<SlotPlace> from = slot(agent, op.getRing(), op.getSlot());
  if (!from)
    return;
  Access access = byThreads(agent);
  int64_t first = op.getRows() ? number(agent, op.getRows()) : 0;
  // After the end of K the next slot may be unwritten, and the read value
  // unused.
  bool isWritten = true;
  auto report = [&](Fault fault, std::string text, int other) {
    if (fault == Fault::unfilled && other < 0)
      isWritten = false;
    else
      complain(agent, fault, std::move(text), other);
  };
  for (ByteRange range : readRanges(op, *from, first)) {
    if (range.end > from->base + from->ring.getSlotBytes())
      return complain(agent, Fault::bounds,
                      "reads bytes after the end of a slot");
    blocks[agent.block].shadow.read(range, access, agent.knowledge, report);
  }
  fillFragment(agent, op.getFragment(), isWritten ? 0 : kNeverWritten);
}

/// A fragment: its state, the time when threads wrote it, and the product that
/// may still read it.
void Machine::fillFragment(Agent &agent, Value fragment, int64_t state) {
  Register &filled = agent.registers[program.registerOf(fragment)];
  Line products = groups[agent.groupNumber].products;
  if (filled.extra[1] &&
      !agent.knowledge.past.includes({products, uint32_t(filled.extra[1])}))
    complain(agent, Fault::pending,
             "fills registers that a product under way may still read; "
             "expected a kernel.mma.wait for its group");
  filled = {state, {agent.order, 0, 0}};
}

void Machine::expectWritten(Agent &agent, Value fragment) {
  if (number(agent, fragment) == kNeverWritten)
    complain(agent, Fault::unfilled,
             "multiplies elements of shared memory that was never written");
}

void Machine::expectSums(Agent &agent, int64_t held) {
  if (held == kNothing)
    complain(agent, Fault::unfilled,
             "uses accumulators that were never written");
}

/// Only the wait's result orders registers after their products: the compiler
/// may move code that uses an earlier value of them before the wait.
void Machine::useAccumulators(Agent &agent, Operation *op) {
  Line products = groups[agent.groupNumber].products;
  // Sums from other threads count as long sums.
  constexpr int64_t kLong = int64_t(1) << 40;
  int64_t held = isa<AccUndefinedOp>(op)                         ? kNothing
                 : isa<PartialSumOp, SumsTotalOp, UnstageOp>(op) ? kLong
                                                                 : 0;
  for (Value operand : op->getOperands()) {
    if (!isa<AccType>(operand.getType()))
      continue;
    Register &acc = agent.registers[program.registerOf(operand)];
    if (acc.number &&
        !agent.knowledge.past.includes({products, uint32_t(acc.number)}))
      complain(agent, Fault::pending,
               "uses accumulators whose products may still be under way; "
               "expected a kernel.mma.wait for their group");
    else if (acc.number)
      complain(agent, Fault::pending,
               "uses accumulators as they were before the kernel.mma.wait for "
               "their products; expected the result of the wait");
    acc.extra[0] = agent.order;
    expectSums(agent, acc.extra[kHeld]);
    held = std::min(held + std::max<int64_t>(acc.extra[kHeld], 0), kLong);
  }
  for (Value result : op->getResults())
    if (isa<AccType>(result.getType()))
      agent.registers[program.registerOf(result)] = {0, {agent.order, 0, held}};
}

/// The reads of a slot by a pending product.
void Machine::readByProduct(Agent &agent, Value ring, Value index, int64_t step,
                            bool transposed, int64_t first, int64_t rows,
                            int here) {
  std::optional<SlotPlace> from = slot(agent, ring, index);
  if (!from)
    return;
  Ranges ranges = stepRanges(*from, step, transposed, first, rows);
  int64_t end = from->base + from->ring.getSlotBytes();
  for (ByteRange range : ranges)
    if (range.end > end)
      return complain(agent, Fault::bounds,
                      "multiplies bytes after the end of a slot");
  readShared(agent, agent.block, ranges, {productOf(agent), true, 0, here});
}

/// The event that the next products are done.
Epoch Machine::productOf(const Agent &agent) const {
  return {groups[agent.groupNumber].products, agent.productGroups + 1};
}

/// For factors that threads split, a block has three products of parts. The
/// small ones come first, so that few of their bits are cut off.
static int64_t productsOfBlock(Operation *op) {
  constexpr int64_t kOfParts = 3;
  auto fetched = dyn_cast<MmaFetchedOp>(op);
  return fetched && fetched.getA().getDefiningOp<SplitOp>() ? kOfParts : 1;
}

int64_t Machine::countProducts(Agent &agent, int64_t before, int64_t added) {
  int64_t sum = before + added;
  int64_t max = launch.maxInCores * productsOfBlock(program.steps[agent.at].op);
  if (max && sum > max)
    complain(agent, Fault::value,
             formatv("has the tensor cores add up {0} elements of k to a sum "
                     "of {1}, of which they keep fewer bits than the problem "
                     "permits; expected threads to add sums of at most {2}",
                     added, before, max));
  return sum;
}

void Machine::multiplyFragments(Agent &agent, MmaOp op) {
  int64_t before =
      agent.registers[program.registerOf(op.getAcc())].extra[kHeld];
  useAccumulators(agent, op);
  int64_t bytes = op.getA().getType().getElement().getIntOrFloatBitWidth() / 8;
  // For split or apart factors, threads add up the sums.
  bool isByThreads = op.getSplit() || op.getApart();
  agent.registers[program.registerOf(op.getResult())].extra[kHeld] =
      isByThreads ? before + stepOf(bytes)
                  : countProducts(agent, before, stepOf(bytes));
}

/// Starts a product, with its rows in a slot or in registers.
template <typename OpT>
void Machine::startProduct(Agent &agent, OpT op, int here) {
  Register &acc = agent.registers[program.registerOf(op.getAcc())];
  if (!agent.lastMmaFence || acc.extra[0] > agent.lastMmaFence)
    complain(agent, Fault::fence,
             "takes accumulators that threads have touched since the last "
             "kernel.mma.fence");
  readByProduct(agent, op.getRingB(), op.getSlotB(), op.getStep(),
                op.getTransposedB(), number(agent, op.getCols()),
                op.getAcc().getType().getCols(), here);
  Epoch done = productOf(agent);
  blocks[agent.block].outstanding[done.line] = {done.number, here};
  bool keeps = !op.getKeep() || number(agent, op.getKeep());
  if (keeps)
    expectSums(agent, acc.extra[kHeld]);
  int64_t bytes =
      op.getRingB().getType().getElement().getIntOrFloatBitWidth() / 8;
  int64_t held = countProducts(
      agent, keeps ? std::max<int64_t>(acc.extra[kHeld], 0) : 0, stepOf(bytes));
  agent.registers[program.registerOf(op.getResult())] = {done.number,
                                                         {0, 0, held}};
}

void Machine::mmaAsync(Agent &agent, MmaAsyncOp op) {
  constexpr int64_t kRows = 64;
  int here = event(agent);
  readByProduct(agent, op.getRingA(), op.getSlotA(), op.getStep(),
                op.getTransposedA(), number(agent, op.getRows()), kRows, here);
  startProduct(agent, op, here);
}

void Machine::mmaFetched(Agent &agent, MmaFetchedOp op) {
  expectWritten(agent, op.getA());
  Register &rows = agent.registers[program.registerOf(op.getA())];
  if (!agent.lastMmaFence || rows.extra[0] > agent.lastMmaFence)
    complain(agent, Fault::fence,
             "takes rows that threads have read since the last "
             "kernel.mma.fence");
  Epoch done = productOf(agent);
  rows.extra[1] = done.number;
  release(agent);
  groups[agent.groupNumber].fetched[done.number].learn(
      {agent.number, agent.now - 1});
  startProduct(agent, op, event(agent));
}

void Machine::split(Agent &agent, SplitOp op) {
  int64_t state = number(agent, op.getFragment());
  fillFragment(agent, op.getHigh(), state);
  fillFragment(agent, op.getLow(), state);
}

//===----------------------------------------------------------------------===//
// Sums in shared memory
//===----------------------------------------------------------------------===//

void Machine::stage(Agent &agent, Operation *op) {
  llvm::TypeSwitch<Operation *>(op).Case<StageOp, UnstageOp>([&](auto op) {
    std::optional<SlotPlace> place = slot(agent, op.getRing(), op.getSlot());
    if (!place)
      return;
    Ranges ranges = stagedRanges(op, *place, number(agent, op.getLine()));
    if (isa<StageOp>(op))
      writeSums(agent, ranges);
    else
      readShared(agent, agent.block, ranges, byThreads(agent));
  });
}

void Machine::putPartial(Agent &agent, PartialPutOp op) {
  writeSums(agent, putRanges(op, number(agent, op.getPartial()),
                             number(agent, op.getLine()),
                             number(agent, op.getColumn())));
}

void Machine::writeSums(Agent &agent, ArrayRef<ByteRange> ranges) {
  if (llvm::all_of(ranges,
                   [&](ByteRange range) { return inShared(agent, range); }))
    writeShared(agent, agent.block, ranges, byThreads(agent));
}

void Machine::sumPartials(Agent &agent, PartialSumOp op) {
  PartialType type = op.getPartial().getType();
  int64_t parts = op.getParts(), lines = type.getRows() / parts;
  for (int block : sharersOf(agent, op))
    for (int64_t part = 0; part < parts; ++part)
      readShared(agent, block,
                 partialRanges(type, number(agent, op.getPartial()),
                               number(agent, op.getLine()) + part * lines,
                               op.getAcc().getType().getRows(), /*first=*/0,
                               type.getCols()),
                 byThreads(agent));
}
