//===- MachineMemory.cpp - Reads and writes of memory ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory is checked by the shadow, global memory by its bounds.
//
//===----------------------------------------------------------------------===//

#include "../Values/Values.h"
#include "../Windows.h"
#include "Machine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

std::optional<SlotPlace> Machine::slot(Agent &agent, Value ring, Value slot) {
  auto type = cast<RingType>(ring.getType());
  int64_t index = number(agent, slot);
  int64_t bytes = type.getSlotBytes();
  SlotPlace place = {type, number(agent, ring) + index * bytes};
  if (index >= type.getSlots()) {
    complain(agent, Fault::bounds,
             formatv("uses slot {0} of a ring of {1}", index, type.getSlots()));
    return std::nullopt;
  }
  if (!inShared(agent, {place.base, place.base + bytes}))
    return std::nullopt;
  if (recorder)
    recordSlot(agent, ring, index);
  return place;
}

bool Machine::inShared(Agent &agent, ByteRange range) {
  if (range.begin >= 0 && range.end <= launch.sharedBytes)
    return true;
  complain(agent, Fault::bounds,
           formatv("uses bytes {0} to {1} of shared memory, but the launch "
                   "has {2}",
                   range.begin, range.end, launch.sharedBytes));
  return false;
}

Access Machine::byThreads(Agent &agent) {
  return {nowOf(agent), /*async=*/false, instanceOf(agent), event(agent)};
}

void Machine::readShared(Agent &agent, int block, ArrayRef<ByteRange> ranges,
                         Access access) {
  for (ByteRange range : ranges)
    blocks[block].shadow.read(range, access, agent.knowledge,
                              complaints(agent));
  if (block != agent.block)
    blocks[block].outstanding[access.epoch.line] = {access.epoch.number,
                                                    access.event};
}

void Machine::writeShared(Agent &agent, int block, ArrayRef<ByteRange> ranges,
                          Access access) {
  for (ByteRange range : ranges) {
    for (ByteRange bytes : blocks[block].barrierBytes)
      if (range.begin < bytes.end && bytes.begin < range.end)
        complain(agent, Fault::overwritten,
                 formatv("overwrites barriers at byte {0}", bytes.begin));
    blocks[block].shadow.write(range, access, agent.knowledge,
                               complaints(agent));
  }
}

void Machine::countRound(const void *ring, int64_t block, int64_t slot) {
  ++rounds[{ring, block, slot}];
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// depend_c1. It is not enough that another thread has waited if this one has
/// learnt of it by bytes that arrived: visibility passes only between threads.
void Machine::touchGlobal(Agent &agent) {
  Epoch done = {depended, 1};
  if (!launch.mayOverlap || agent.knowledge.seen.includes(done))
    return;
  if (!agent.knowledge.past.includes(done))
    return complain(agent, Fault::depend,
                    "touches global memory, but the kernels before may not be "
                    "done; expected a kernel.depend.wait before it");
  complain(agent, Fault::depend,
           "touches global memory, but writes of the kernels before may not be "
           "visible to it; expected a kernel.depend.wait before it, or a "
           "barrier at which threads arrive after such a wait");
}

void Machine::writeResult(Agent &agent, int64_t address, int64_t rows,
                          int64_t cols, int64_t stride) {
  if (rows <= 0 || cols <= 0)
    return;
  const OperandRegion &c = *launch.find("c");
  int64_t bytes = sizeOf(c.type);
  if (!c.hasLines(address, rows, cols, stride))
    return complain(agent, Fault::bounds,
                    formatv("stores {0} x {1} elements {2} bytes from the "
                            "start of the result, and not all of them are "
                            "elements of it: it has {3} bytes, and lines of "
                            "{4} elements",
                            rows, cols, address - c.base, c.bytes(), c.width));
  int before = output.write((address - c.base) / bytes, rows, cols, stride,
                            event(agent));
  // Values::store checks that both stores have the same numbers.
  if (before >= 0 && !program.standsBack)
    complain(agent, Fault::coverage, "stores part of the result again", before);
}

/// Each line that the index has is one of the operand.
void Machine::checkIndexedLines(Agent &agent, CopyOp op) {
  const Register &matrix = agent.registers[program.registerOf(op.getMatrix())];
  const OperandRegion *index = launch.find("index");
  int64_t count = number(agent, op.getCount());
  if (!index || number(agent, op.getIndex()) != index->base ||
      count > int64_t(launch.index.size()))
    return complain(agent, Fault::bounds,
                    "reads numbers of lines outside of the index of A's rows");
  int64_t bytes =
      op.getRing().getType().getElement().getIntOrFloatBitWidth() / 8;
  int64_t column = number(agent, op.getColumn());
  int64_t cols = std::min(op.getTileWidth(), matrix.extra[1] - column);
  for (int64_t i = 0; i < op.getTileLines(); ++i) {
    int64_t line = lineThrough(
        number(agent, op.getLine()) + i,
        [&](int64_t row) { return launch.index[row]; }, count, matrix.extra[0]);
    int64_t first = matrix.number + (line * matrix.extra[2] + column) * bytes;
    if (line >= 0 && !launch.hasLines(first, 1, cols, matrix.extra[2], bytes))
      return complain(agent, Fault::bounds,
                      "copies a line that the index has, but the operand has "
                      "not: the matrix is larger than the operand");
  }
}

/// Lines that are aligned to at least 4 bytes are copied in pieces, which the
/// hardware requires to be aligned; it reads nothing outside of the matrix.
void Machine::checkCopyBounds(Agent &agent, CopyOp op) {
  const Register &matrix = agent.registers[program.registerOf(op.getMatrix())];
  auto [lines, width, stride] =
      std::tuple(matrix.extra[0], matrix.extra[1], matrix.extra[2]);
  RingType ring = op.getRing().getType();
  int64_t bytes = ring.getElement().getIntOrFloatBitWidth() / 8;
  int64_t line = number(agent, op.getLine());
  int64_t column = number(agent, op.getColumn());
  int64_t last = op.getIndex() ? number(agent, op.getCount()) : lines;
  int64_t rows = std::min(op.getTileLines(), last - line);
  int64_t cols = std::min(op.getTileWidth(), width - column);
  if (rows <= 0 || cols <= 0)
    return;
  if (op.getIndex())
    checkIndexedLines(agent, op);
  int64_t first = matrix.number + (line * stride + column) * bytes;
  if (!op.getIndex() && !launch.hasLines(first, rows, cols, stride, bytes))
    return complain(agent, Fault::bounds,
                    "copies from outside of an operand, and no map clips the "
                    "copy: the matrix is larger than the operand");
  checkAlignment(agent, op.getMatrix());
  // Pieces of less than 4 bytes go through registers, from any address.
  constexpr int64_t kMinAsync = 4, kPiece = 16;
  int64_t align =
      std::min<int64_t>(op.getMatrix().getType().getAlign(), kPiece);
  if (!op.getTransposed() && align >= kMinAsync && column * bytes % align)
    complain(agent, Fault::bounds,
             formatv("copies from element {0} of lines on as if that were "
                     "aligned to {1} bytes",
                     column, align));
}

/// Threads access a matrix in pieces of the size of its alignment, which the
/// hardware requires to be aligned. The guard has checked the alignment.
void Machine::checkAlignment(Agent &agent, Value of) {
  const Register &matrix = agent.registers[program.registerOf(of)];
  auto type = cast<MatrixType>(of.getType());
  int64_t bytes = type.getElement().getIntOrFloatBitWidth() / 8;
  constexpr int64_t kPiece = 16;
  int64_t align = std::min<int64_t>(type.getAlign(), kPiece);
  int64_t lines = matrix.extra[0], stride = matrix.extra[2];
  if (matrix.number % align || (lines > 1 && stride * bytes % align))
    complain(agent, Fault::bounds,
             formatv("accesses lines as if they were aligned to {0} bytes, but "
                     "the guard lets others through",
                     align));
}

/// Elements of tiles beyond the edge also read an element of an operand: the
/// last one, by the op's extents.
void Machine::checkOperands(Agent &agent, EpilogueOp op) {
  AccType type = op.getAcc().getType();
  auto reachOf = [&](int dim, int64_t count) {
    int64_t first = number(agent, op.getOrigin()[dim]);
    int64_t last = number(agent, op.getExtents()[dim]) - 1;
    return std::array<int64_t, 2>{std::min(first, last),
                                  std::min(first + count - 1, last)};
  };
  auto rows = reachOf(0, type.getRows()), cols = reachOf(1, type.getCols());
  for (Value input : op.getInputs()) {
    // Operands that the engine has loaded are in registers.
    auto operand = dyn_cast<OperandType>(input.getType());
    if (!operand)
      continue;
    const Register &place = agent.registers[program.registerOf(input)];
    int64_t bytes = operand.getElement().getIntOrFloatBitWidth() / 8;
    bool hasRows = operand.getDims().contains('m');
    bool hasCols = operand.getDims().contains('n');
    for (int64_t row : rows)
      for (int64_t col : cols) {
        int64_t address =
            place.number + ((hasRows ? row * place.extra[0] : 0) +
                            (hasCols ? col * place.extra[1] : 0)) *
                               bytes;
        if (!launch.hasLines(address, 1, 1, 1, bytes))
          return complain(agent, Fault::bounds,
                          formatv("reads an operand for element ({0}, {1}), "
                                  "which the operand does not have",
                                  row, col));
      }
  }
}

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//

llvm::SmallVector<int, 4> Machine::receiversOf(Agent &agent, LoadOp op) {
  if (op.getParts() == 1)
    return {agent.block};
  llvm::SmallVector<int, 4> receivers;
  for (int64_t rank : blocksOf(agent, op.getBlocks(), op.getParts()))
    receivers.push_back(blockOf(agent, rank));
  return receivers;
}

/// The part of a tile that a block requests, if there is one.
template <typename OpT>
std::optional<int64_t> Machine::partOf(Agent &agent, OpT op) {
  int64_t parts = op.getParts();
  int64_t part = op.getPart() ? number(agent, op.getPart()) : 0;
  if (part < parts)
    return part;
  complain(agent, Fault::bounds, formatv("loads part {0} of {1}", part, parts));
  return std::nullopt;
}

/// The engine's result is undefined for a start outside of the map's corners.
template <typename OpT>
void Machine::checkWindow(Agent &agent, OpT op) {
  const auto &map = launch.params[number(agent, op.getMap())].map;
  if (!map || !map->isWindow())
    return;
  auto in = [&](Value value) { return number(agent, value); };
  if (std::string why = Pixels::of(op, *map, in).fault(); !why.empty())
    complain(agent, Fault::bounds, std::move(why));
}

/// A prefetch has no effect on contents, but must not read before the previous
/// kernels have written.
void Machine::prefetch(Agent &agent, PrefetchOp op) {
  if (!isScopeLeader(agent))
    return;
  touchGlobal(agent);
  checkWindow(agent, op);
  partOf(agent, op);
}

void Machine::load(Agent &agent, LoadOp op) {
  if (!isScopeLeader(agent))
    return;
  touchGlobal(agent);
  checkWindow(agent, op);
  std::optional<SlotPlace> to = slot(agent, op.getRing(), op.getSlot());
  std::optional<int64_t> partOfTile = partOf(agent, op);
  if (!partOfTile || !to)
    return;
  int64_t part = *partOfTile;
  checkFilled(agent, op, part);
  RingType ring = op.getRing().getType();
  MapType map = op.getMap().getType();
  int64_t width = ring.getPanelWidth();
  Ranges ranges;
  for (const LoadBox &box : boxesOf(op, to->base, part))
    ranges.push_back({box.shared, box.shared + map.getLines() * width});
  int64_t bytes = 0;
  for (ByteRange range : ranges)
    bytes += range.end - range.begin;
  int here = event(agent);
  for (int block : receiversOf(agent, op)) {
    PhaseBarrier *barrier =
        barrierAt(agent, block, op.getBarriers(), op.getSlot());
    if (!barrier)
      continue;
    Epoch end = barrier->end();
    writeShared(agent, block, ranges, {end, true, instanceOf(agent), here});
    blocks[block].outstanding[end.line] = {end.number, here};
    countRound(op.getOperation(), agent.grid - agent.block + block,
               number(agent, op.getSlot()));
    if (recorder)
      recordArrival(agent, block, op.getBarriers(), op.getSlot(), end,
                    /*isLoad=*/true);
    if (barrier->land(agent.knowledge, bytes, complaints(agent)))
      finishPhase(*barrier);
  }
}

/// The chunks of 16 bytes at the end of the map's width are stored as a whole.
void Machine::storeAsync(Agent &agent, StoreAsyncOp op) {
  if (!isScopeLeader(agent))
    return;
  touchGlobal(agent);
  std::optional<SlotPlace> from = slot(agent, op.getRing(), op.getSlot());
  const auto &map = launch.params[number(agent, op.getMap())].map;
  if (!from || !map)
    return;
  MapType type = op.getMap().getType();
  Epoch read = {agent.storesRead, agent.storeGroups + 1};
  int here = event(agent);
  Ranges ranges = from->lines(number(agent, op.getFrom()), type.getLines());
  for (ByteRange range : ranges)
    inShared(agent, range);
  readShared(agent, agent.block, ranges, {read, true, 0, here});
  blocks[agent.block].outstanding[read.line] = {read.number, here};
  int64_t line = int32_t(number(agent, op.getLine()));
  int64_t column = int32_t(number(agent, op.getColumn()));
  int64_t bytes = type.getElement().getIntOrFloatBitWidth() / 8;
  int64_t address = map->base + line * map->strides[0] + column * bytes;
  for (auto [i, batch] : llvm::enumerate(op.getBatches())) {
    int64_t at = number(agent, batch);
    if (at >= map->dims[2 + i])
      return;
    address += at * map->strides[1 + i];
  }
  writeResult(
      agent, address, std::min(type.getLines(), map->dims[1] - line),
      std::min(from->ring.getWidth(), map->storedColumns(bytes) - column),
      map->strides[0] / bytes);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void Machine::copy(Agent &agent, CopyOp op) {
  touchGlobal(agent);
  std::optional<SlotPlace> to = slot(agent, op.getRing(), op.getSlot());
  if (!to)
    return;
  Epoch done = {agent.copies, agent.copyGroups + 1};
  int here = event(agent);
  writeShared(agent, agent.block, to->lines(0, to->ring.getLines()),
              {done, false, instanceOf(agent), here});
  blocks[agent.block].outstanding[done.line] = {done.number, here};
  if (!isScopeLeader(agent))
    return;
  checkCopyBounds(agent, op);
  countRound(op.getOperation(), agent.grid, number(agent, op.getSlot()));
}

void Machine::store(Agent &agent, StoreOp op) {
  touchGlobal(agent);
  if (!isScopeLeader(agent))
    return;
  checkAlignment(agent, op.getMatrix());
  const Register &matrix = agent.registers[program.registerOf(op.getMatrix())];
  auto [lines, width, stride] =
      std::tuple(matrix.extra[0], matrix.extra[1], matrix.extra[2]);
  AccType acc = op.getAcc().getType();
  int64_t line = number(agent, op.getLine());
  int64_t column = number(agent, op.getColumn());
  int64_t bytes = acc.getElement().getIntOrFloatBitWidth() / 8;
  writeResult(agent, matrix.number + (line * stride + column) * bytes,
              std::min(acc.getRows(), lines - line),
              std::min(acc.getCols(), width - column), stride);
}
