//===- ValuesCopies.cpp - Copies and sums of a run ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between global memory, shared memory and registers, by the copy engine
// and by threads; sums that blocks exchange.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Machine.h"
#include "../Windows.h"
#include "Codec.h"
#include "Provenance.h"
#include "Values.h"
#include "ValuesOfAgent.h"
#include "dialects/Kernel/PartialMap.h"
#include "hone/Numerics/Tolerance.h"
#include <cstring>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//

/// The start of the matrix at `batches`; nothing if the map has none there.
std::optional<int64_t> ValuesOfAgent::matrixAt(const MapValue &map,
                                               mlir::ValueRange batches) {
  int64_t start = map.base;
  for (auto [i, batch] : llvm::enumerate(batches)) {
    int64_t at = reg(batch).number;
    if (at < 0 || at >= map.dims[2 + i])
      return std::nullopt;
    start += at * map.strides[1 + i];
  }
  return start;
}

/// The address to which the copy engine writes the byte of `address`: it
/// permutes 16-byte chunks by the bits of the address above 128 bytes.
static int64_t swizzled(int64_t address, int64_t bytes) {
  int64_t chunks = bytes / kChunkBytes; // 8, 4 or 2
  return address ^
         (address / kPanelBytes % std::max<int64_t>(chunks, 1)) * kChunkBytes;
}

/// The lines of a box are pixels, wherever the window's next position is.
void ValuesOfAgent::loadWindow(LoadOp op, const MapValue &map) {
  MapType type = op.getMap().getType();
  int64_t size = type.getElement().getIntOrFloatBitWidth() / 8;
  int64_t part = op.getPart() ? reg(op.getPart()).number : 0;
  int64_t column = int32_t(reg(op.getColumn()).number);
  auto in = [&](Value value) { return reg(value).number; };
  const Pixels start = Pixels::of(op, map, in);
  int64_t rowBytes = type.getWidth() * size;
  for (const LoadBox &box :
       boxesOf(op, slotBase(op.getRing(), op.getSlot()), part)) {
    Pixels pixels = start;
    for (int64_t line = 0; line < type.getLines(); ++line, pixels.advance())
      for (int64_t byte = 0; byte < rowBytes; byte += kChunkBytes) {
        uint8_t chunk[kChunkBytes] = {};
        int64_t channel = column + box.elementOffset + byte / size;
        for (int64_t i = 0; i < kChunkBytes / size; ++i)
          if (auto pixel = pixels.address();
              pixel && channel + i >= 0 && channel + i < map.dims[0]) {
            if (const uint8_t *bytes =
                    values.address(*pixel + (channel + i) * size, size))
              std::memcpy(chunk + i * size, bytes, size);
            if (type.getRounded())
              roundToTf32(chunk + i * size);
          }
        int64_t to = swizzled(box.shared + line * rowBytes + byte, map.swizzle);
        for (int block : machine.receiversOf(agent, op))
          std::memcpy(shared(block, to, kChunkBytes), chunk, kChunkBytes);
      }
  }
}

void ValuesOfAgent::load(LoadOp op) {
  const MapValue &map = *values.launch->params[reg(op.getMap()).number].map;
  if (map.isWindow())
    return loadWindow(op, map);
  MapType type = op.getMap().getType();
  int64_t size = type.getElement().getIntOrFloatBitWidth() / 8;
  int64_t part = op.getPart() ? reg(op.getPart()).number : 0;
  std::optional<int64_t> matrix = matrixAt(map, op.getBatches());
  int64_t rowBytes = type.getWidth() * size;
  llvm::SmallVector<int, 4> receivers = machine.receiversOf(agent, op);
  int64_t firstLine = int32_t(reg(op.getLine()).number);
  int64_t firstColumn = int32_t(reg(op.getColumn()).number);
  int64_t lines = type.getLines(), inChunk = kChunkBytes / size;
  bool isRounded = type.getRounded();
  // The elements of a chunk that are inside of the matrix.
  auto readChunk = [&](int64_t row, int64_t col, uint8_t *chunk) {
    if (!matrix || row < 0 || row >= map.dims[1])
      return;
    int64_t from = *matrix + row * map.strides[0] + col * size;
    bool isWhole = col >= 0 && col + inChunk <= map.dims[0] && !isRounded;
    if (const uint8_t *bytes = values.address(from, kChunkBytes);
        bytes && isWhole) {
      std::memcpy(chunk, bytes, kChunkBytes);
      return;
    }
    for (int64_t i = 0; i < inChunk; ++i)
      if (col + i >= 0 && col + i < map.dims[0]) {
        if (const uint8_t *bytes = values.address(from + i * size, size))
          std::memcpy(chunk + i * size, bytes, size);
        if (isRounded)
          roundToTf32(chunk + i * size);
      }
  };
  for (const LoadBox &box :
       boxesOf(op, slotBase(op.getRing(), op.getSlot()), part))
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t byte = 0; byte < rowBytes; byte += kChunkBytes) {
        uint8_t chunk[kChunkBytes] = {};
        readChunk(firstLine + box.line + line,
                  firstColumn + box.elementOffset + byte / size, chunk);
        int64_t to = swizzled(box.shared + line * rowBytes + byte, map.swizzle);
        for (int block : receivers)
          std::memcpy(shared(block, to, kChunkBytes), chunk, kChunkBytes);
      }
}

void ValuesOfAgent::storeBytes(int64_t address, const void *bytes,
                               int64_t count) {
  if (!values.store(address, bytes, count))
    machine.complain(agent, Fault::coverage,
                     "stores other numbers where tiles that stand back have "
                     "stored before");
}

void ValuesOfAgent::storeAsync(StoreAsyncOp op) {
  const MapValue &map = *values.launch->params[reg(op.getMap()).number].map;
  MapType type = op.getMap().getType();
  int64_t size = type.getElement().getIntOrFloatBitWidth() / 8;
  int64_t rowBytes = type.getWidth() * size;
  std::optional<int64_t> matrix = matrixAt(map, op.getBatches());
  if (!matrix)
    return;
  RingType ring = op.getRing().getType();
  int64_t base = slotBase(op.getRing(), op.getSlot()) +
                 reg(op.getFrom()).number * ring.getPanelWidth();
  int64_t columns = map.storedColumns(size);
  int64_t firstLine = int32_t(reg(op.getLine()).number);
  int64_t firstColumn = int32_t(reg(op.getColumn()).number);
  int64_t ringWidth = ring.getWidth(), width = type.getWidth();
  int64_t panelBytes = ring.getPanelBytes();
  for (int64_t line = 0; line < type.getLines(); ++line)
    for (int64_t i = 0; i < ringWidth; ++i) {
      int64_t row = firstLine + line, col = firstColumn + i;
      if (row >= map.dims[1] || col >= columns)
        break;
      int64_t from =
          base + i / width * panelBytes + line * rowBytes + i % width * size;
      int64_t to = *matrix + row * map.strides[0] + col * size;
      storeBytes(to, shared(agent.block, swizzled(from, map.swizzle), size),
                 size);
    }
}

//===----------------------------------------------------------------------===//
// Copies by threads
//===----------------------------------------------------------------------===//

void ValuesOfAgent::copy(CopyOp op) {
  if (op.getTransposed())
    return copyTransposed(op);
  RingType ring = op.getRing().getType();
  const Register &matrix = reg(op.getMatrix());
  auto [lines, width, stride] =
      std::tuple(matrix.extra[0], matrix.extra[1], matrix.extra[2]);
  int64_t size = ring.getElement().getIntOrFloatBitWidth() / 8;
  int64_t bytes = copiedBytes(op.getMatrix().getType().getAlign());
  int64_t base = slotBase(op.getRing(), op.getSlot());
  int64_t pieces = ring.getSlotBytes() / bytes;
  int64_t lineBytes = ring.getLineBytes(), ringLines = ring.getLines();
  int64_t firstLine = reg(op.getLine()).number;
  int64_t firstColumn = reg(op.getColumn()).number;
  // The machine reports an access outside of the index.
  auto indexAt = [&](int64_t at) {
    const std::vector<int64_t> &index = values.launch->index;
    return at < int64_t(index.size()) ? index[at] : -1;
  };
  for (int64_t index = 0; index * threads < pieces; ++index)
    for (int64_t thread = 0;
         thread < std::min(threads, pieces - index * threads); ++thread) {
      auto [line, byte] =
          pieceOf<int64_t>(thread, index, threads, lineBytes, bytes);
      int64_t row = firstLine + line, col = firstColumn + byte / size;
      uint8_t *to = shared(
          agent.block,
          base + byteOffset<int64_t>(line, byte, lineBytes, ringLines), bytes);
      std::memset(to, 0, bytes);
      int64_t count = std::clamp<int64_t>(width - col, 0, bytes / size) * size;
      if (op.getIndex())
        row = lineThrough(row, indexAt, reg(op.getCount()).number, lines);
      if (row < 0 || row >= lines || !count)
        continue;
      int64_t from = matrix.number + (row * stride + col) * size;
      if (const uint8_t *found = values.address(from, count))
        std::memcpy(to, found, count);
    }
}

void ValuesOfAgent::store(StoreOp op) {
  AccType type = op.getAcc().getType();
  const Register &matrix = reg(op.getMatrix());
  ElementType element = toElement(type.getElement());
  Tile &acc = tile(op.getAcc());
  Places places = placesIn(type);
  int64_t line = reg(op.getLine()).number, column = reg(op.getColumn()).number;
  withCodec(element, [&](auto codec) {
    for (size_t i = 0; i < acc.elements.size(); ++i) {
      auto [inRow, inCol] = places[i];
      int64_t row = inRow + line, col = inCol + column;
      if (row >= matrix.extra[0] || col >= matrix.extra[1])
        continue;
      uint8_t bytes[4];
      codec.store(acc.elements[i], bytes);
      storeBytes(matrix.number + (row * matrix.extra[2] + col) * codec.bytes(),
                 bytes, codec.bytes());
    }
  });
}

double ValuesOfAgent::add(ElementType type, double one, double other) const {
  return values.provenance ? values.provenance->add(one, other)
                           : addAs(type, one, other);
}

//===----------------------------------------------------------------------===//
// Sums in shared memory
//===----------------------------------------------------------------------===//

void ValuesOfAgent::put(PartialPutOp op) {
  AccType type = op.getAcc().getType();
  Tile &acc = tile(op.getAcc());
  int64_t line = reg(op.getLine()).number, column = reg(op.getColumn()).number;
  int64_t cols = op.getPartial().getType().getCols();
  bool transposed = op.getTransposed();
  Places elements = placesIn(type);
  auto offsetOf = [&](int64_t thread, int64_t index) {
    auto [row, col] = elements.at(thread, index);
    if (transposed)
      std::swap(row, col);
    return partialOffset<int64_t>(line + row, column + col, cols);
  };
  writeShared(toElement(type.getElement()), reg(op.getPartial()).number,
              offsetsOf(op, line, column, acc.count, offsetOf), acc);
}

void ValuesOfAgent::sum(PartialSumOp op) {
  PartialType partial = op.getPartial().getType();
  AccType type = op.getAcc().getType();
  Tile &sum = result(op.getAcc());
  int64_t parts = op.getParts();
  SmallVector<int, 4> blocks = machine.sharersOf(agent, op);
  int64_t partLines = partial.getRows() / parts, cols = type.getCols();
  ElementType element = toElement(type.getElement());
  int64_t base = reg(op.getPartial()).number;
  Places elements = placesIn(type);
  std::fill(sum.elements.begin(), sum.elements.end(), 0.0);
  for (int block : blocks)
    for (int64_t part = 0; part < parts; ++part) {
      int64_t line = reg(op.getLine()).number + part * partLines;
      auto offsetOf = [&](int64_t thread, int64_t index) {
        auto [row, col] = elements.at(thread, index);
        return partialOffset<int64_t>(line + row, col, cols);
      };
      const Offsets &places = offsetsOf(op, line, 0, sum.count, offsetOf);
      for (auto [total, at] : llvm::zip_equal(sum.elements, places.of))
        total =
            add(element, total, decode(element, shared(block, base + at, 4)));
    }
}

//===----------------------------------------------------------------------===//
// Sums in global memory
//===----------------------------------------------------------------------===//

void ValuesOfAgent::putSums(SumsPutOp op) {
  AccType type = op.getAcc().getType();
  SumsType sums = op.getSums().getType();
  Tile &acc = tile(op.getAcc());
  ElementType element = toElement(type.getElement());
  Places places = placesIn(type);
  int64_t base = reg(op.getSums()).number, column = reg(op.getColumn()).number;
  int64_t cols = sums.getCols();
  int64_t first =
      reg(op.getSlot()).number * sums.getRows() + reg(op.getLine()).number;
  for (size_t i = 0; i < acc.elements.size(); ++i) {
    auto [row, col] = places[i];
    int64_t to = (first + row) * cols + column + col;
    if (uint8_t *bytes = values.address(base + to * 4, 4))
      encode(element, acc.elements[i], bytes);
  }
}

void ValuesOfAgent::totalSums(SumsTotalOp op) {
  AccType type = op.getAcc().getType();
  SumsType sums = op.getSums().getType();
  Tile &total = result(op.getAcc());
  ElementType element = toElement(type.getElement());
  Places places = placesIn(type);
  int64_t base = reg(op.getSums()).number, firstLine = reg(op.getLine()).number;
  int64_t rows = sums.getRows(), cols = sums.getCols();
  std::fill(total.elements.begin(), total.elements.end(), -0.0);
  for (int64_t slot = reg(op.getFirst()).number, end = reg(op.getEnd()).number;
       slot < end; ++slot)
    for (size_t i = 0; i < total.elements.size(); ++i) {
      auto [row, col] = places[i];
      int64_t line = slot * rows + firstLine + row;
      const uint8_t *bytes = values.address(base + (line * cols + col) * 4, 4);
      total.elements[i] =
          add(element, total.elements[i],
              bytes ? decode(element, bytes) : unwritten(element));
    }
}
