//===- Async.cpp - Verifiers of roles, barriers and engines ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that need a single op of AsyncOps.td: boxes fit slots, accumulators
// fit the tensor cores, and an op is in a role that can run it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/AddressMap.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/Verifiers.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hone::kernel;

/// Lines of a box of the copy engine.
constexpr int64_t kMaxLines = 256;
/// Blocks of a cluster.
constexpr uint32_t kMaxBlocks = 16;
/// Rows that one group's product has.
constexpr int64_t kGroupRows = 64;

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult MapType::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t lines, int64_t width, Type element,
                              int64_t rank, bool rounded, bool window) {
  if (!isSlotElement(element))
    return emitError() << "expected element type " << kSlotElements
                       << ", but got " << element;
  if (lines < 1 || lines > kMaxLines)
    return emitError() << "expected a box of 1 to " << kMaxLines
                       << " lines, but got " << lines;
  int64_t bytes = width * bytesOf(element);
  bool isOdd = bytes % kChunkBytes == 0 && bytes / kChunkBytes % 2;
  if (bytes != 32 && bytes != 64 && bytes != kPanelBytes && !isOdd)
    return emitError() << "expected lines of 32, 64, 128 or an odd multiple of "
                          "16 bytes, but got "
                       << bytes;
  if (width > kMaxLines)
    return emitError() << "expected a box of at most " << kMaxLines
                       << " columns, but got " << width;
  int64_t min = window ? 3 : 2;
  if (rank < min || rank > 5)
    return emitError() << "expected rank " << min << " to 5, but got " << rank;
  if (rounded && !element.isF32())
    return emitError() << "expected f32 where the engine rounds to tf32, but "
                          "got "
                       << element;
  return success();
}

LogicalResult BarriersType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t slots, int64_t arrivals) {
  constexpr int64_t kMaxSlots = 64, kMaxArrivals = 1 << 20;
  if (slots < 1 || slots > kMaxSlots)
    return emitError() << "expected 1 to " << kMaxSlots << " barriers, but got "
                       << slots;
  if (arrivals < 1 || arrivals >= kMaxArrivals)
    return emitError() << "expected 1 to " << kMaxArrivals - 1
                       << " arrivals, but got " << arrivals;
  return success();
}

//===----------------------------------------------------------------------===//
// Names of results
//===----------------------------------------------------------------------===//

void MmaWaitOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults())
    setName(getResult(0), "acc");
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

int64_t RoleOp::getFirstWarp() {
  int64_t first = 0;
  for (auto role : getOperation()->getBlock()->getOps<RoleOp>()) {
    if (role == *this)
      break;
    first += role.getWarps();
  }
  return first;
}

LogicalResult RoleOp::verify() {
  int64_t warps = getWarps();
  if (warps < 1 || warps > 32 || (warps > 4 && warps % 4))
    return emitOpError("expected 1 to 4 warps or a multiple of 4, but got ")
           << warps;
  if (warps >= 4 && getFirstWarp() % 4)
    return emitOpError("expected a role of ")
           << warps << " warps to start at a multiple of 4, but it starts at "
           << getFirstWarp() << "; put smaller roles after it";
  if (std::optional<uint32_t> registers = getRegisters()) {
    if (*registers < 24 || *registers > 256 || *registers % 8)
      return emitOpError("expected registers to be a multiple of 8 from 24 to "
                         "256, but got ")
             << *registers;
    if (warps % 4)
      return emitOpError("expected a register budget on a role of whole groups "
                         "of 4 warps, but got ")
             << warps << " warps";
  }
  Block &body = getBody().front();
  bool hasGroup = body.getNumArguments() == 1 &&
                  body.getArgument(0).getType().isInteger(32);
  if (getOneThread() ? body.getNumArguments() != 0 : !hasGroup)
    return emitOpError("expected ")
           << (getOneThread() ? "no region argument for one thread"
                              : "one i32 region argument, the group")
           << ", but got " << body.getNumArguments();
  return success();
}

/// The op must be in a role that determines the issuing thread.
static LogicalResult verifyIssuer(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  if (role && (role.getOneThread() || role.getWarps() % 4 == 0))
    return success();
  return op->emitOpError("expected a role with one_thread, or of groups of 4 "
                         "warps, around it");
}

LogicalResult GroupBarrierOp::verify() { return verifyGroup(*this); }

LogicalResult RoleBarrierOp::verify() { return verifyGroup(*this); }

LogicalResult BarriersOp::verify() {
  return verifyOffset(*this, getOffsetAttr().getInt(),
                      BarriersType::kBarrierBytes);
}

LogicalResult WorkerOp::verify() {
  if (getBlocks() >= 1 && getBlocks() <= kMaxBlocks)
    return success();
  return emitOpError("expected clusters of 1 to ")
         << kMaxBlocks << " blocks, but got " << int32_t(getBlocks());
}

LogicalResult ArriveOp::verify() {
  if (getEverywhere() < 1 || getEverywhere() > kMaxBlocks)
    return emitOpError("expected 1 to ")
           << kMaxBlocks << " blocks, but got " << getEverywhere();
  if (getBlocks() && getEverywhere() > 1)
    return emitOpError("expected a mask or a number of blocks, but got both");
  // A thread arrives in each block.
  return isRemote() ? verifyGroup(*this) : success();
}

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//

/// A box must have a panel's width, and its coordinates the map's rank.
static LogicalResult verifyMap(Operation *op, MapType map, RingType ring,
                               int64_t batches) {
  if (map.getElement() != ring.getElement())
    return op->emitOpError("expected a ring of ")
           << map.getElement() << ", but got one of " << ring.getElement();
  int64_t panel = ring.getPanelWidth() / bytesOf(ring.getElement());
  if (map.getWidth() != panel)
    return op->emitOpError("expected boxes of ")
           << panel << " columns, as a panel of the ring has, but got "
           << map.getWidth();
  if (map.getRank() != 2 + batches)
    return op->emitOpError("expected ")
           << map.getRank() << " coordinates, as the map has, but got "
           << 2 + batches;
  return success();
}

/// A tile that is fetched, or a part of it.
template <typename OpT>
static LogicalResult verifyTile(OpT op) {
  MapType map = op.getMap().getType();
  RingType ring = op.getRing().getType();
  if (failed(verifyIssuer(op)) ||
      failed(verifyMap(op, map, ring, op.getBatches().size())))
    return failure();
  if (int64_t(op.getOffsets().size()) != map.getOffsets())
    return op.emitOpError("expected ")
           << map.getOffsets() << " offsets, one for each dimension of pixels"
           << " of a window, but got " << op.getOffsets().size();
  int64_t parts = op.getParts(), lines = map.getLines();
  if ((parts == 1) != !op.getPart())
    return op.emitOpError("expected a part where there are several, but got ")
           << (op.getPart() ? "one of 1" : "none");
  if (parts < 1 || ring.getLines() % (lines * parts))
    return op.emitOpError("expected a slot of ")
           << lines << " lines, those of a box, for each of " << parts
           << " parts, but got " << ring.getLines();
  // The pixel at which a later box starts is not a sum of coordinates.
  if (map.getWindow() && ring.getLines() != lines * parts)
    return op.emitOpError("expected one box of ")
           << ring.getLines() / parts << " lines for each part of a window, "
           << "but got boxes of " << lines;
  return success();
}

LogicalResult PrefetchOp::verify() { return verifyTile(*this); }

LogicalResult LoadOp::verify() {
  RingType ring = getRing().getType();
  if (failed(verifyTile(*this)))
    return failure();
  if (getBlocks() && getParts() == 1)
    return emitOpError("expected a part where other blocks get it, too");
  if (getBarriers().getType().getSlots() != ring.getSlots())
    return emitOpError("expected a barrier for each of ")
           << ring.getSlots() << " slots, but got "
           << getBarriers().getType().getSlots();
  return success();
}

LogicalResult StoreAsyncOp::verify() {
  if (failed(verifyGroup(*this)))
    return failure();
  if (getMap().getType().getRounded())
    return emitOpError("expected a map that does not round, but got ")
           << getMap().getType();
  if (getMap().getType().getWindow())
    return emitOpError("expected a map without a window, but got ")
           << getMap().getType();
  return verifyMap(*this, getMap().getType(), getRing().getType(),
                   getBatches().size());
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// Checks that a slot has `rows` rows or columns, and more than `step` steps of
/// k.
static LogicalResult verifySlot(Operation *op, RingType ring, bool transposed,
                                int64_t step, int64_t rows, StringRef side) {
  if (transposed && bytesOf(ring.getElement()) != 2)
    return op->emitOpError("expected slots of ")
           << side << " whose lines run along k, as those of all but 2 bytes do"
           << ", but got transposed ones of " << ring.getElement();
  if (ring.getPanelWidth() != kPanelBytes)
    return op->emitOpError("expected slots of ")
           << side << " with panels of 128 bytes, but got "
           << ring.getPanelWidth();
  int64_t have = transposed ? ring.getWidth() : ring.getLines();
  int64_t depth = transposed ? ring.getLines() : ring.getWidth();
  if (have < rows)
    return op->emitOpError("expected slots of ")
           << side << " with at least " << rows << " rows, but got " << have;
  int64_t ofStep = stepOf(bytesOf(ring.getElement()));
  if ((step + 1) * ofStep > depth)
    return op->emitOpError("expected a step below ")
           << depth / ofStep << ", the k" << ofStep << " steps of a slot of "
           << side << ", but got " << step;
  return success();
}

/// Checks that hold for rows from registers and from a slot.
static LogicalResult verifyAsync(Operation *op, Type a, Type b, AccType acc) {
  if (failed(verifyGroup(op)))
    return failure();
  if (!multiplyEachOther(a, b))
    return op->emitOpError("expected both factors of one element type, or of "
                           "floats of 8 bits, but got ")
           << a << " and " << b;
  Type sum = hone::accumulatorOf(a);
  if (acc.getElement() != sum || acc.getRows() != kGroupRows ||
      acc.getCols() > 256 || acc.getWarpsM() != 4 || acc.getWarpsN() != 1 ||
      acc.getRun())
    return op->emitOpError("expected an accumulator of 64 rows and at most 256 "
                           "columns of ")
           << nameOfSum(sum) << " over 4 x 1 warps, but got " << acc;
  constexpr int64_t kMaxByEight = 32, kUnit = 16;
  if (sum.isInteger() && acc.getCols() > kMaxByEight && acc.getCols() % kUnit)
    return op->emitOpError("expected a multiple of ")
           << kUnit << " columns above " << kMaxByEight << " of " << a
           << ", but got " << acc.getCols();
  return success();
}

/// Checks the slot of a product's columns.
template <typename OpT>
static LogicalResult verifyColumns(OpT op) {
  int64_t cols = op.getResult().getType().getCols();
  if (op.getTransposedB() && cols % 64)
    return op.emitOpError("expected a multiple of 64 columns where k numbers "
                          "the lines of b, but got ")
           << cols;
  return verifySlot(op, op.getRingB().getType(), op.getTransposedB(),
                    op.getStep(), cols, "b");
}

LogicalResult MmaAsyncOp::verify() {
  RingType a = getRingA().getType(), b = getRingB().getType();
  if (failed(verifyAsync(*this, a.getElement(), b.getElement(),
                         getResult().getType())) ||
      failed(
          verifySlot(*this, a, getTransposedA(), getStep(), kGroupRows, "a")))
    return failure();
  return verifyColumns(*this);
}

LogicalResult MmaFetchedOp::verify() {
  FragmentType a = getA().getType();
  if (!a.isA() || a.getRows() != kGroupRows || a.getWarpsM() != 4 ||
      a.getWarpsN() != 1 || a.getDepth())
    return emitOpError("expected a fragment \"a\" of ")
           << kGroupRows << " rows over 4 x 1 warps, but got " << a;
  if (failed(verifyAsync(*this, a.getElement(),
                         getRingB().getType().getElement(),
                         getResult().getType())))
    return failure();
  return verifyColumns(*this);
}

LogicalResult AccAddOp::verify() {
  if (getSum().getType().getElement().isF32())
    return success();
  return emitOpError("expected accumulators of f32, but got ")
         << getSum().getType();
}

LogicalResult MmaWaitOp::verify() {
  if (getAccs().getTypes() != getResults().getTypes())
    return emitOpError("expected a result for each accumulator");
  return verifyGroup(*this);
}

//===----------------------------------------------------------------------===//
// Registers to shared memory
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  AccType from = getAcc().getType(), to = getPart().getType();
  if (from.getRows() != to.getRows() || from.getElement() != to.getElement() ||
      from.getWarpsM() != to.getWarpsM() ||
      from.getWarpsN() != to.getWarpsN() || from.getRun() || to.getRun())
    return emitOpError("expected a result that has fewer columns and is "
                       "otherwise like ")
           << from << ", but got " << to;
  int64_t first = getFrom();
  if (first % 8 || first + to.getWarpCols() > from.getWarpCols())
    return emitOpError("expected columns that start at a multiple of 8 and end "
                       "by ")
           << from.getWarpCols() << ", but got " << first << " and "
           << to.getWarpCols() << " more";
  return success();
}

/// A tile must fit the lines of a slot, as they are or as columns.
static LogicalResult verifyStaged(Operation *op, AccType acc, RingType ring,
                                  bool transposed) {
  if (acc.getRun())
    return op->emitOpError("expected an accumulator without runs, but got ")
           << acc;
  if (acc.getElement() != ring.getElement())
    return op->emitOpError("expected a ring of ")
           << acc.getElement() << ", but got one of " << ring.getElement();
  int64_t lines = transposed ? acc.getCols() : acc.getRows();
  int64_t width = transposed ? acc.getRows() : acc.getCols();
  if (ring.getLines() < lines || ring.getWidth() != width)
    return op->emitOpError("expected slots of ")
           << lines << " lines or more, of " << width << " elements, but got "
           << ring;
  return success();
}

LogicalResult StageOp::verify() {
  return verifyStaged(*this, getAcc().getType(), getRing().getType(),
                      getTransposed());
}

LogicalResult UnstageOp::verify() {
  return verifyStaged(*this, getAcc().getType(), getRing().getType(),
                      getTransposed());
}
