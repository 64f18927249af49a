//===- ValuesLines.cpp - Numbers of copies of unaligned lines -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Word by word and thread by thread, by the same maps as the lowering
// (LineMap.h).
//
//===----------------------------------------------------------------------===//

#include "../Machine/Machine.h"
#include "Elements.h"
#include "Values.h"
#include "ValuesOfAgent.h"
#include "dialects/Kernel/LineMap.h"
#include <cstring>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

/// The 4 bytes that start `shift` bytes after the beginning of `low`.
static uint32_t funnel(uint32_t low, uint32_t high, int64_t shift) {
  return (uint64_t(high) << 32 | low) >> shift * 8;
}

static uint32_t wordAt(const uint8_t *bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// Writes of threads to global memory, which go to an operand.
void ValuesOfAgent::putGlobal(int64_t address, const void *bytes,
                              int64_t count) {
  if (values.address(address, count))
    storeBytes(address, bytes, count);
  else
    machine.complain(agent, Fault::bounds,
                     "writes a word that lies outside of the result");
}

void ValuesOfAgent::storeLines(StoreLinesOp op) {
  RingType ring = op.getRing().getType();
  const Register &matrix = reg(op.getMatrix());
  int64_t rows = matrix.extra[0], width = matrix.extra[1],
          stride = matrix.extra[2];
  int64_t size = ring.getElement().getIntOrFloatBitWidth() / 8;
  int64_t lanes = lanesOf(ring.getLineBytes());
  int64_t together = linesAtATime(ring.getLineBytes(), threads);
  int64_t column = reg(op.getColumn()).number;
  int64_t count = std::min(width - column, ring.getWidth());
  if (count <= 0)
    return;
  int64_t base = slotBase(op.getRing(), op.getSlot());
  auto staged = [&](int64_t line, int64_t byte, int64_t count) {
    int64_t offset = byteOffset<int64_t>(reg(op.getFrom()).number + line, byte,
                                         ring.getLineBytes(), ring.getLines());
    return shared(agent.block, base + offset, count);
  };
  int64_t lastWord = ring.getLineBytes() / kWordBytes - 1;
  auto word = [&](int64_t line, int64_t number) {
    return wordAt(
        staged(line, std::min(number, lastWord) * kWordBytes, kWordBytes));
  };
  auto storeShare = [&](int64_t line, int64_t lane) {
    int64_t row = reg(op.getLine()).number + line;
    if (row >= rows)
      return;
    int64_t start = matrix.number + (row * stride + column) * size;
    int64_t head = size == kWordBytes ? 0 : headOf(start % kWordBytes, size);
    for (int64_t i = 0; i < wordsOfLane(ring.getLineBytes()); ++i) {
      int64_t number = lane + i * lanes;
      int64_t first = firstOfWord(number, head, size);
      uint32_t bits =
          funnel(word(line, number), word(line, number + 1), head * size);
      if (first + kWordBytes / size - 1 < count)
        putGlobal(start + first * size, &bits, kWordBytes);
    }
    auto storeEdge = [&](int64_t element) {
      putGlobal(start + element * size, staged(line, element * size, size),
                size);
    };
    int64_t isLast = (lane + 1) / lanes;
    Edge<int64_t> edge = edgeOf(isLast, count);
    if (size == 2 && (lane == 0 || isLast) && head == edge.odd)
      storeEdge(edge.element);
    int64_t heads = std::min(head, count);
    if (size == 1 && lane < heads)
      storeEdge(lane);
    if (size == 1 && lane < (count - heads) % kWordBytes)
      storeEdge(count - 1 - lane);
  };
  for (int64_t first = 0; first < int64_t(op.getLines()); first += together)
    for (int64_t thread = 0; thread < threads; ++thread)
      if (first + thread / lanes < int64_t(op.getLines()))
        storeShare(first + thread / lanes, thread % lanes);
}

/// Splits the numbers whose bits are in `words`; returns the low parts.
static std::vector<uint32_t> splitWords(MutableArrayRef<uint32_t> words) {
  std::vector<float> values;
  for (uint32_t word : words)
    values.push_back(llvm::bit_cast<float>(word));
  std::vector<float> low = splitInTwo(values);
  std::vector<uint32_t> rest;
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = llvm::bit_cast<uint32_t>(values[i]);
    rest.push_back(llvm::bit_cast<uint32_t>(low[i]));
  }
  return rest;
}

/// `count` words from an element on; nothing after the end of the line is read.
std::vector<uint32_t> ValuesOfAgent::readWords(const Register &source,
                                               int64_t size, int64_t line,
                                               int64_t column, int64_t count) {
  int64_t start = source.number + (line * source.extra[2] + column) * size;
  int64_t shift = start % kWordBytes, first = start - shift;
  int64_t last = lastWordOf(shift, (source.extra[1] - column) * size);
  std::vector<uint32_t> words;
  for (int64_t i = 0; i <= count; ++i) {
    // A word at the end of an operand is only partly known.
    uint8_t bytes[kWordBytes];
    int64_t address = first + std::min(i, last) * kWordBytes;
    for (int64_t byte = 0; byte < kWordBytes; ++byte) {
      const uint8_t *found = values.address(address + byte, 1);
      bytes[byte] = found ? *found : 0xff;
    }
    words.push_back(wordAt(bytes));
  }
  for (int64_t i = 0; i < count; ++i)
    words[i] = funnel(words[i], words[i + 1], shift);
  words.pop_back();
  return words;
}

void ValuesOfAgent::writePiece(Value target, Value low, int64_t size,
                               int64_t line, int64_t column,
                               MutableArrayRef<uint32_t> words) {
  auto write = [&](Value matrix, ArrayRef<uint32_t> words) {
    const Register &to = reg(matrix);
    putGlobal(to.number + (line * to.extra[2] + column) * size, words.data(),
              words.size() * kWordBytes);
  };
  if (low)
    write(low, splitWords(words));
  write(target, words);
}

/// The same elements, of type `from` in `words`, as elements of type `to`.
static std::vector<uint32_t> convertWords(ArrayRef<uint32_t> words,
                                          ElementType from, ElementType to) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
  int64_t count = words.size() * kWordBytes / sizeOf(from);
  std::vector<uint32_t> converted(count * sizeOf(to) / kWordBytes);
  auto *written = reinterpret_cast<uint8_t *>(converted.data());
  for (int64_t i = 0; i < count; ++i)
    encode(to, decode(from, bytes + i * sizeOf(from)),
           written + i * sizeOf(to));
  return converted;
}

void ValuesOfAgent::copyLines(CopyLinesOp op) {
  const Register &source = reg(op.getSource());
  ElementType from = toElement(op.getSource().getType().getElement());
  ElementType to = toElement(op.getTarget().getType().getElement());
  const int64_t size = sizeOf(from);
  int64_t ofPiece = pieceElements(sizeOf(to));
  int64_t wordsOfPiece = ofPiece * size / kWordBytes;
  int64_t perLine = llvm::divideCeilSigned(source.extra[1], ofPiece);
  auto copyPiece = [&](int64_t number) {
    int64_t line = number / perLine, column = number % perLine * ofPiece;
    std::vector<uint32_t> words =
        readWords(source, size, line, column, wordsOfPiece);
    if (from != to)
      words = convertWords(words, from, to);
    writePiece(op.getTarget(), op.getLow(), sizeOf(to), line, column, words);
  };
  for (int64_t index = 0; index < kPiecesOfThread; ++index)
    for (int64_t thread = 0; thread < threads; ++thread) {
      int64_t number =
          pieceInRun<int64_t>(reg(op.getRun()).number, index, thread, threads);
      if (number < source.extra[0] * perLine)
        copyPiece(number);
    }
}

void ValuesOfAgent::transposeLines(TransposeLinesOp op) {
  const Register &source = reg(op.getSource());
  const int64_t size =
      op.getSource().getType().getElement().getIntOrFloatBitWidth() / 8;
  int64_t lines = source.extra[0], width = source.extra[1];
  int64_t columns = turnedColumns(threads, size);
  int64_t perBand = llvm::divideCeilSigned(width, columns);
  int64_t run = reg(op.getRun()).number;
  auto turnBlock = [&](int64_t thread, int64_t block) {
    int64_t line =
        run / perBand * kTurnedLines + turnedLine<int64_t>(thread, block, size);
    int64_t column =
        run % perBand * columns + turnedColumn<int64_t>(thread, size);
    std::vector<uint32_t> words;
    for (int64_t i = 0; i < pieceElements(size); ++i)
      words.push_back(readWords(source, size, std::min(line + i, lines - 1),
                                std::min(column, width - 1), /*count=*/1)
                          .front());
    for (int64_t i = 0; i < kWordBytes / size; ++i) {
      if (line >= lines || column + i >= width)
        continue;
      std::vector<uint32_t> piece;
      for (int64_t word = 0; word < kPieceWords - 1; ++word)
        piece.push_back(turnedWord<uint32_t>(words, word, i, size));
      writePiece(op.getTarget(), op.getLow(), size, column + i, line, piece);
    }
  };
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t block = 0; block < size; ++block)
      turnBlock(thread, block);
}

/// Word by word, each to its own line.
void ValuesOfAgent::copyTransposed(CopyOp op) {
  constexpr int64_t kBytes = 4;
  RingType ring = op.getRing().getType();
  const Register &matrix = reg(op.getMatrix());
  auto [lines, width, stride] =
      std::tuple(matrix.extra[0], matrix.extra[1], matrix.extra[2]);
  int64_t base = slotBase(op.getRing(), op.getSlot());
  int64_t words = ring.getSlotBytes() / kBytes;
  for (int64_t index = 0; index * threads < words; ++index)
    for (int64_t thread = 0;
         thread < std::min(threads, words - index * threads); ++thread) {
      auto word = wordOfCopy<int64_t>(thread, index, threads, ring.getLines());
      int64_t row = reg(op.getLine()).number + word.k;
      int64_t col = reg(op.getColumn()).number + word.row;
      uint8_t *to = shared(agent.block,
                           base + byteOffset<int64_t>(word.row, word.k * kBytes,
                                                      ring.getLineBytes(),
                                                      ring.getLines()),
                           kBytes);
      std::memset(to, 0, kBytes);
      if (row >= lines || col >= width)
        continue;
      int64_t from = matrix.number + (row * stride + col) * kBytes;
      if (const uint8_t *found = values.address(from, kBytes))
        std::memcpy(to, found, kBytes);
    }
}
