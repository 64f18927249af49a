//===- MachineLines.cpp - Copies of unaligned lines -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses of ops on lines of any alignment, and the check that a kernel
// loads only bytes that an earlier kernel has copied.
//
//===----------------------------------------------------------------------===//

#include "../Workspace.h"
#include "Machine.h"
#include "dialects/Kernel/LineMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The workspace
//===----------------------------------------------------------------------===//

bool Output::fill(int64_t address, int64_t bytes) {
  filled.resize(workspace.bytes());
  int64_t first = address - workspace.base;
  bool isNew = true;
  for (int64_t at = first; at < first + bytes; ++at) {
    isNew &= !filled[at];
    filled[at] = true;
  }
  return isNew;
}

bool Output::isFilled(int64_t address, int64_t bytes) const {
  int64_t first = address - workspace.base;
  for (int64_t at = first; at < first + bytes; ++at)
    if (at >= int64_t(filled.size()) || !filled[at])
      return false;
  return true;
}

bool Output::hasFilled(int64_t address, int64_t bytes) const {
  if (filled.empty())
    return false;
  int64_t first = address - workspace.base;
  for (int64_t at = first; at < first + bytes; ++at)
    if (at < int64_t(filled.size()) && filled[at])
      return true;
  return false;
}

/// Checks that an earlier kernel has copied the bytes that are loaded from the
/// workspace.
void Machine::checkFilled(Agent &agent, LoadOp op, int64_t part) {
  const auto &map = launch.params[number(agent, op.getMap())].map;
  const OperandRegion &scratch = *launch.find("ws");
  if (!map || map->isWindow() || !scratch.contains(map->base, 1))
    return;
  MapType type = op.getMap().getType();
  int64_t size = type.getElement().getIntOrFloatBitWidth() / 8;
  int64_t start = map->base;
  for (auto [i, batch] : llvm::enumerate(op.getBatches())) {
    int64_t at = number(agent, batch);
    if (at >= map->dims[2 + i])
      return;
    start += at * map->strides[1 + i];
  }
  for (const LoadBox &box : boxesOf(op, /*slotBase=*/0, part)) {
    int64_t column = int32_t(number(agent, op.getColumn())) + box.elementOffset;
    int64_t count = std::min(type.getWidth(), map->dims[0] - column);
    int64_t first = int32_t(number(agent, op.getLine())) + box.line;
    int64_t after = std::min(first + type.getLines(), map->dims[1]);
    for (int64_t line = first; line < after && count > 0; ++line) {
      int64_t from = start + line * map->strides[0] + column * size;
      if (scratch.contains(from, count * size) &&
          output.isFilled(from, count * size))
        continue;
      return complain(
          agent, Fault::unfilled,
          formatv("loads line {0} of an operand from the workspace, "
                  "where no kernel before has copied all of it",
                  line));
    }
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void Machine::storeLines(Agent &agent, StoreLinesOp op) {
  touchGlobal(agent);
  std::optional<SlotPlace> from = slot(agent, op.getRing(), op.getSlot());
  if (!from)
    return;
  int64_t lines = op.getLines();
  Ranges ranges = from->lines(number(agent, op.getFrom()), lines);
  for (ByteRange range : ranges)
    inShared(agent, range);
  readShared(agent, agent.block, ranges, byThreads(agent));
  if (!isScopeLeader(agent))
    return;
  const Register &matrix = agent.registers[program.registerOf(op.getMatrix())];
  auto [rows, width, stride] =
      std::tuple(matrix.extra[0], matrix.extra[1], matrix.extra[2]);
  RingType ring = op.getRing().getType();
  int64_t bytes = ring.getElement().getIntOrFloatBitWidth() / 8;
  int64_t line = number(agent, op.getLine());
  int64_t column = number(agent, op.getColumn());
  writeResult(agent, matrix.number + (line * stride + column) * bytes,
              std::min(lines, rows - line),
              std::min(ring.getWidth(), width - column), stride);
}

/// Checks and marks `bytes` that are copied to `to`, in pieces of 16.
void Machine::fillPieces(Agent &agent, int64_t to, int64_t bytes) {
  if (to % kChunkBytes)
    return complain(agent, Fault::bounds,
                    formatv("copies to a line that does not start at a "
                            "multiple of {0} bytes",
                            kChunkBytes));
  int64_t written = llvm::alignTo(bytes, kChunkBytes);
  if (std::string why = Workspace(launch).faultOfData(to, written);
      !why.empty())
    return complain(agent, Fault::bounds, std::move(why));
  if (!output.fill(to, bytes))
    complain(agent, Fault::overwritten,
             "copies to a place that was copied to already");
}

/// Checks that the op reads `count` elements of a line of its source.
bool Machine::readsLine(Agent &agent, const Register &source, int64_t line,
                        int64_t column, int64_t count, int64_t size) {
  int64_t from = source.number + (line * source.extra[2] + column) * size;
  if (launch.hasLines(from, 1, count, 1, size))
    return true;
  complain(agent, Fault::bounds,
           "copies from outside of an operand: the matrix is larger than the "
           "operand");
  return false;
}

/// The source and targets of an op that copies lines; nothing if another
/// thread executes the op for the whole block.
template <typename Op>
std::optional<CopiedLines> Machine::copiedLines(Agent &agent, Op op) {
  touchGlobal(agent);
  if (!isScopeLeader(agent))
    return std::nullopt;
  auto registerOf = [&](Value matrix) {
    return agent.registers[program.registerOf(matrix)];
  };
  Type element = op.getSource().getType().getElement();
  CopiedLines copied = {registerOf(op.getSource()),
                        int64_t(element.getIntOrFloatBitWidth() / 8),
                        {}};
  for (Value target : {Value(op.getTarget()), Value(op.getLow())})
    if (target)
      copied.targets.push_back(registerOf(target));
  return copied;
}

void Machine::copyLines(Agent &agent, CopyLinesOp op) {
  std::optional<CopiedLines> copied = copiedLines(agent, op);
  if (!copied)
    return;
  const auto &[source, size, targets] = *copied;
  int64_t lines = source.extra[0], width = source.extra[1];
  // The type of the copy, whose elements may be wider.
  Type copy = op.getTarget().getType().getElement();
  int64_t copiedSize = copy.getIntOrFloatBitWidth() / 8;
  int64_t ofPiece = pieceElements(copiedSize);
  int64_t perLine = llvm::divideCeilSigned(width, ofPiece);
  int64_t pieces = lines * perLine;
  int64_t piece = number(agent, op.getRun()) * runPieces(program.threads);
  int64_t after = std::min(piece + runPieces(program.threads), pieces);
  if (piece >= pieces)
    return complain(
        agent, Fault::bounds,
        formatv("copies from piece {0} on, of a matrix of {1}", piece, pieces));
  while (piece < after) {
    int64_t line = piece / perLine, column = piece % perLine * ofPiece;
    int64_t nextLine = (line + 1) * perLine;
    int64_t count =
        after < nextLine ? (after - piece) * ofPiece : width - column;
    if (!readsLine(agent, source, line, column, count, size))
      return;
    for (const Register &to : targets)
      fillPieces(agent, to.number + (line * to.extra[2] + column) * copiedSize,
                 count * copiedSize);
    piece = std::min(after, nextLine);
  }
}

void Machine::transposeLines(Agent &agent, TransposeLinesOp op) {
  std::optional<CopiedLines> copied = copiedLines(agent, op);
  if (!copied)
    return;
  const auto &[source, size, targets] = *copied;
  int64_t lines = source.extra[0], width = source.extra[1];
  int64_t columns = turnedColumns(program.threads, size);
  int64_t perBand = llvm::divideCeilSigned(width, columns);
  int64_t run = number(agent, op.getRun());
  int64_t line = run / perBand * kTurnedLines, column = run % perBand * columns;
  if (line >= lines)
    return complain(
        agent, Fault::bounds,
        formatv("copies from line {0} on, of a matrix of {1}", line, lines));
  int64_t after = std::min(line + kTurnedLines, lines);
  int64_t count = std::min(columns, width - column);
  for (int64_t at = line; at < after; ++at)
    if (!readsLine(agent, source, at, column, count, size))
      return;
  for (const Register &to : targets)
    for (int64_t at = column; at < column + count; ++at)
      fillPieces(agent, to.number + (at * to.extra[2] + line) * size,
                 (after - line) * size);
}
