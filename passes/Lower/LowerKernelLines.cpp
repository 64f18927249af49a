//===- LowerKernelLines.cpp - Stores of lines of any alignment ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.store.lines`; see LowerKernelLines.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/LowerKernelLines.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

/// One thread's share: words of some lines. Where elements are smaller than a
/// word, it also has elements at the edges of lines.
class StoreLinesEmitter : LineEmitter {
public:
  StoreLinesEmitter(StoreLinesOp op, StoreLinesOp::Adaptor adaptor,
                    OpBuilder &builder)
      : LineEmitter(builder, op.getLoc()), ring(op.getRing().getType()),
        element(ring.getElement()), bytes(element.getIntOrFloatBitWidth() / 8),
        lanes(lanesOf(ring.getLineBytes())),
        together(linesAtATime(ring.getLineBytes(), groupThreadsOf(op))),
        rounds(llvm::divideCeilSigned(int64_t(op.getLines()), together)),
        lines(op.getLines()), matrix(emit, adaptor.getMatrix()),
        firstRow(emit.index(adaptor.getLine())),
        firstColumn(emit.index(adaptor.getColumn())),
        from(emit.index(adaptor.getFrom())),
        slot(emit.slotOf(adaptor.getRing(), adaptor.getSlot(), ring)),
        lane(emit.threadOf(op) % lanes), line(emit.threadOf(op) / lanes),
        count(emit.i32(0)), edge{emit.i32(0), emit.i32(0)} {}

  void run() {
    OpBuilder &b = emit.builder;
    // Nothing is stored after the last column, and `count` is not 0.
    auto inside =
        scf::IfOp::create(b, emit.loc, firstColumn.lessThan(matrix.width));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(inside.thenBlock());
    count = (matrix.width - firstColumn).min(emit.i32(ring.getWidth()));
    if (bytes == 2) {
      IndexValue isLast = (lane + 1) / lanes;
      edge = edgeOf(isLast, count);
      isEnd = arith::OrIOp::create(b, emit.loc, lane.lessThan(emit.i32(1)),
                                   emit.i32(0).lessThan(isLast));
    }
    if (rounds <= kAtOnce)
      return storeRounds(line, rounds);
    auto loop = scf::ForOp::create(b, emit.loc, emit.i32(0),
                                   emit.i32(rounds / kAtOnce * kAtOnce),
                                   emit.i32(kAtOnce));
    {
      OpBuilder::InsertionGuard inLoop(b);
      b.setInsertionPointToStart(loop.getBody());
      storeRounds(line + emit.index(loop.getInductionVar()) * together,
                  kAtOnce);
    }
    int64_t left = rounds % kAtOnce;
    storeRounds(line + (rounds - left) * together, left);
  }

private:
  /// A line that is loaded from shared memory: this thread's words, and the
  /// element that it stores alone.
  struct InFlight {
    IndexValue line, head;
    Value start;
    SmallVector<Value> words;
    SmallVector<Value, 2> edges;
  };

  bool isWord() const { return bytes == kWordBytes; }

  /// The last round may have fewer lines than there are threads for.
  bool isRagged() const { return lines % together; }

  Value addressOf(IndexValue line, IndexValue byte) {
    IndexValue staged = isRagged() ? line.min(emit.i32(lines - 1)) : line;
    return emit.shared(slot + byteOffset(from + staged, byte,
                                         ring.getLineBytes(), ring.getLines()));
  }

  /// Volatile: otherwise LLVM would move the load to the one store that needs
  /// it, where each thread would wait for one line after the other.
  Value loadStaged(IndexValue line, IndexValue byte, Type type) {
    int64_t align = type.getIntOrFloatBitWidth() / 8;
    return LLVM::LoadOp::create(emit.builder, emit.loc, type,
                                addressOf(line, byte), align,
                                /*isVolatile=*/true);
  }

  Value wordAt(IndexValue line, IndexValue word) {
    IndexValue last = emit.i32(ring.getLineBytes() / kWordBytes - 1);
    return loadStaged(line, word.min(last) * kWordBytes,
                      emit.builder.getI32Type());
  }

  IndexValue wordOfLane(int64_t index) { return lane + index * lanes; }

  InFlight load(IndexValue line) {
    OpBuilder &b = emit.builder;
    Value start = pointerTo(matrix, firstRow + line, firstColumn, element);
    IndexValue head = isWord() ? emit.i32(0) : headOf(shiftOf(start), bytes);
    InFlight flight = {line, head, start, {}, {}};
    for (int64_t i = 0; i < wordsOfLane(ring.getLineBytes()); ++i) {
      Value word = wordAt(line, wordOfLane(i));
      if (!isWord())
        word = funnel(word, wordAt(line, wordOfLane(i) + 1), head * bytes);
      flight.words.push_back(word);
    }
    if (bytes == 2)
      flight.edges.push_back(
          loadStaged(line, edge.element * bytes, b.getI16Type()));
    if (bytes == 1)
      for (IndexValue at : {firstOfLane(), lastOfLane()})
        flight.edges.push_back(loadStaged(line, at, b.getI8Type()));
    return flight;
  }

  /// The 1-byte elements that a lane stores at the edges of a line: one of the
  /// first, and one of the last.
  IndexValue firstOfLane() { return lane.min(count + -1); }
  IndexValue lastOfLane() { return count + -1 + firstOfLane() * -1; }

  void store(const InFlight &flight) {
    OpBuilder &b = emit.builder;
    Value inside = (firstRow + flight.line).lessThan(matrix.lines);
    if (isRagged())
      inside = both(inside, flight.line.lessThan(emit.i32(lines)));
    auto store = [&](Value condition, Value value, IndexValue at,
                     int64_t size) {
      storeIf(both(inside, condition), value,
              emit.element(flight.start, at.to(b.getI64Type()), element), size);
    };
    for (auto [i, word] : llvm::enumerate(flight.words)) {
      IndexValue first = firstOfWord(wordOfLane(i), flight.head, bytes);
      store((first + (kWordBytes / bytes - 1)).lessThan(count), word, first,
            kWordBytes);
    }
    if (bytes == 2) {
      Value isItsOdd = arith::CmpIOp::create(
          b, emit.loc, arith::CmpIPredicate::eq, flight.head, edge.odd);
      store(both(isEnd, isItsOdd), flight.edges[0], edge.element, bytes);
    }
    if (bytes == 1) {
      // The `count` elements start with those of the head; whole words follow.
      IndexValue heads = flight.head.min(count);
      IndexValue tails = (count + heads * -1) % kWordBytes;
      for (auto [value, at, number] :
           {std::tuple(flight.edges[0], firstOfLane(), heads),
            {flight.edges[1], lastOfLane(), tails}})
        store(lane.lessThan(number), value, at, bytes);
    }
  }

  /// Reads all lines before it stores the first one, which hides most of the
  /// latency.
  void storeRounds(IndexValue first, int64_t rounds) {
    SmallVector<InFlight> flights;
    for (int64_t round = 0; round < rounds; ++round)
      flights.push_back(load(first + round * together));
    for (const InFlight &flight : flights)
      store(flight);
  }

  static constexpr int64_t kAtOnce = 4;

  RingType ring;
  Type element;
  int64_t bytes;
  /// Threads per line, lines of the group at a time, rounds, and lines in
  /// total.
  int64_t lanes, together, rounds, lines;
  Lines matrix;
  IndexValue firstRow, firstColumn, from, slot;
  /// This thread's first word of a line, and its first line.
  IndexValue lane, line;
  /// The number of elements of a line that are in the matrix.
  IndexValue count;
  Edge<IndexValue> edge;
  Value isEnd;
};

void lowerStoreLines(StoreLinesOp op, StoreLinesOp::Adaptor adaptor,
                     KernelLowering &emit) {
  StoreLinesEmitter(op, adaptor, emit.builder).run();
}

} // namespace

void hone::populateLinePatterns(const TypeConverter &types,
                                RewritePatternSet &patterns) {
  addLowerings<lowerStoreLines>(types, patterns);
}
