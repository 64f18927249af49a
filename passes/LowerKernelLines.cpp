//===- LowerKernelLines.cpp - Lines that start anywhere -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.store.lines` and `kernel.copy.lines`. Both move aligned words
// of 4 bytes and shift them where a line starts in the middle of one: two words
// next to each other, and a funnel shift by as many bits as the line starts
// late. No branch depends on where a line starts. LineMap.h says who moves what.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/LineMap.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

/// The fields of a matrix.
struct Lines {
  Lines(KernelEmitter &emit, Value matrix)
      : start(emit.field(matrix, 0)), lines(emit.index(emit.field(matrix, 1))),
        width(emit.index(emit.field(matrix, 2))),
        stride(emit.field(matrix, 3)) {}

  Value start;
  IndexValue lines, width;
  Value stride;
};

/// What both ops compute for each thread.
class LineEmitter {
protected:
  LineEmitter(OpBuilder &builder, Location loc) : emit(builder, loc) {}

  /// The pointer to [`row`, `column`]. Lines may lie backwards, so nothing says
  /// that this does not wrap.
  Value pointerTo(const Lines &matrix, IndexValue row, IndexValue column,
                  Type element) {
    OpBuilder &b = emit.builder;
    Type i64 = b.getI64Type();
    Value line =
        arith::MulIOp::create(b, emit.loc, Value(row.to(i64)), matrix.stride);
    Value at = arith::AddIOp::create(b, emit.loc, line, Value(column.to(i64)));
    return emit.element(matrix.start, at, element);
  }

  /// The bytes between the beginning of the word in which `pointer` is, and it.
  IndexValue shiftOf(Value pointer) {
    OpBuilder &b = emit.builder;
    Value address =
        LLVM::PtrToIntOp::create(b, emit.loc, b.getI64Type(), pointer);
    return emit.index(address).to(b.getI32Type()) % kWordBytes;
  }

  /// 1 if a 2-byte element at `pointer` is the second half of a word, else 0.
  IndexValue oddOf(Value pointer) { return shiftOf(pointer) / 2; }

  /// The 4 bytes that start `shift` bytes behind the beginning of `low`.
  Value funnel(Value low, Value high, IndexValue shift) {
    constexpr int64_t kByte = 8;
    return LLVM::FshrOp::create(emit.builder, emit.loc, high, low,
                                Value(shift * kByte));
  }

  Value both(Value a, Value b) {
    return arith::AndIOp::create(emit.builder, emit.loc, a, b);
  }

  void storeIf(Value condition, Value value, Value pointer, int64_t align) {
    OpBuilder &b = emit.builder;
    auto branch = scf::IfOp::create(b, emit.loc, condition);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    LLVM::StoreOp::create(b, emit.loc, value, pointer, align);
  }

  KernelEmitter emit;
};

//===----------------------------------------------------------------------===//
// kernel.store.lines
//===----------------------------------------------------------------------===//

/// One thread's share: words of some lines, and with them the edges of lines of
/// 2-byte elements.
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
        slot(emit.index(adaptor.getRing()) +
             emit.index(adaptor.getSlot()) * ring.getSlotBytes()),
        lane(emit.threadOf(op) % lanes), line(emit.threadOf(op) / lanes),
        count(emit.i32(0)), edge{emit.i32(0), emit.i32(0)} {}

  void run() {
    OpBuilder &b = emit.builder;
    // Nothing is stored behind the last column, and `count` is not 0.
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
  /// A line on its way from shared memory: this thread's words, and the element
  /// that it stores alone.
  struct InFlight {
    IndexValue line, odd;
    Value start;
    SmallVector<Value> words;
    Value edge;
  };

  /// The last round may have fewer lines than there are threads for.
  bool isRagged() const { return lines % together; }

  Value addressOf(IndexValue line, IndexValue byte) {
    IndexValue staged = isRagged() ? line.min(emit.i32(lines - 1)) : line;
    return emit.shared(slot + byteOffset(from + staged, byte,
                                         ring.getLineBytes(), ring.getLines()));
  }

  /// Volatile, because LLVM would move the load to the one store that needs it,
  /// where each thread waits for one line after the other.
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
    IndexValue odd = bytes == 2 ? oddOf(start) : emit.i32(0);
    InFlight flight = {line, odd, start, {}, Value()};
    for (int64_t i = 0; i < wordsOfLane(ring.getLineBytes()); ++i) {
      Value word = wordAt(line, wordOfLane(i));
      if (bytes == 2)
        word = funnel(word, wordAt(line, wordOfLane(i) + 1), odd * 2);
      flight.words.push_back(word);
    }
    if (bytes == 2)
      flight.edge = loadStaged(line, edge.element * bytes, b.getI16Type());
    return flight;
  }

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
      IndexValue first = wordOfLane(i), last = first;
      if (bytes == 2) {
        first = pairOf(first, flight.odd);
        last = first + 1;
      }
      store(last.lessThan(count), word, first, kWordBytes);
    }
    if (bytes != 2)
      return;
    Value isItsOdd = arith::CmpIOp::create(
        b, emit.loc, arith::CmpIPredicate::eq, flight.odd, edge.odd);
    store(both(isEnd, isItsOdd), flight.edge, edge.element, bytes);
  }

  /// All lines are read before the first one is stored, which hides most of
  /// the way.
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
  /// Threads of a line, lines of the group at a time, how often, and how many
  /// in all.
  int64_t lanes, together, rounds, lines;
  Lines matrix;
  IndexValue firstRow, firstColumn, from, slot;
  /// This thread's first word of a line, and its first line.
  IndexValue lane, line;
  /// Elements of a line that are in the matrix.
  IndexValue count;
  Edge<IndexValue> edge;
  Value isEnd;
};

struct LowerStoreLines : OpConversionPattern<StoreLinesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreLinesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StoreLinesEmitter(op, adaptor, rewriter).run();
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// kernel.copy.lines
//===----------------------------------------------------------------------===//

/// One thread's pieces of a run.
class CopyLinesEmitter : LineEmitter {
public:
  CopyLinesEmitter(CopyLinesOp op, CopyLinesOp::Adaptor adaptor,
                   OpBuilder &builder)
      : LineEmitter(builder, op.getLoc()),
        element(op.getSource().getType().getElement()),
        bytes(element.getIntOrFloatBitWidth() / 8),
        source(emit, adaptor.getSource()), target(emit, adaptor.getTarget()),
        runNumber(emit.index(adaptor.getRun())), threads(groupThreadsOf(op)),
        thread(emit.threadOf(op)),
        perLine((source.width + (ofPiece() - 1)) / ofPiece()),
        pieces(source.lines * perLine) {
    if (op.getLow())
      low.emplace(emit, adaptor.getLow());
  }

  /// All words of all pieces are read before the first piece is written: that
  /// many are in flight.
  void run() {
    SmallVector<Piece> mine;
    for (int64_t index = 0; index < kPiecesOfThread; ++index)
      mine.push_back(load(pieceInRun(runNumber, index, thread, threads)));
    for (Piece &piece : mine)
      store(piece);
  }

private:
  struct Piece {
    Value isThere;
    IndexValue line, column;
    SmallVector<Value> words;
  };

  int64_t ofPiece() const { return pieceElements(bytes); }

  /// Behind the last piece the last one is read again and not written, which
  /// costs no branch.
  Piece load(IndexValue number) {
    Value isThere = number.lessThan(pieces);
    IndexValue last = pieces + -1;
    IndexValue some = number.min(last);
    IndexValue line = some / perLine;
    IndexValue column = (some - line * perLine) * ofPiece();
    Value start = pointerTo(source, line, column, element);
    return {isThere, line, column,
            wordsFrom(start, (source.width - column) * bytes)};
  }

  /// The 16 bytes from `start` on, of which `left` are in the line.
  SmallVector<Value> wordsFrom(Value start, IndexValue left) {
    bool isWhole = bytes == kWordBytes;
    IndexValue shift = isWhole ? emit.i32(0) : shiftOf(start);
    OpBuilder &b = emit.builder;
    Type byte = b.getI8Type(), word = b.getI32Type(), i64 = b.getI64Type();
    Value first = start;
    if (!isWhole) {
      // Back to the beginning of the word.
      Value back =
          arith::SubIOp::create(b, emit.loc, emit.i64(0), shift.to(i64));
      first = emit.element(start, back, byte);
    }
    IndexValue lastWord = lastWordOf(shift, left);
    SmallVector<Value> words;
    for (int64_t i = 0; i < kPieceWords - isWhole; ++i) {
      IndexValue at = emit.i32(i).min(lastWord).to(i64);
      words.push_back(LLVM::LoadOp::create(
          b, emit.loc, word, emit.element(first, at, word), kWordBytes));
    }
    if (isWhole)
      return words;
    for (int64_t i = 0; i + 1 < kPieceWords; ++i)
      words[i] = funnel(words[i], words[i + 1], shift);
    words.pop_back();
    return words;
  }

  void store(Piece &piece) {
    if (!low)
      return storeWords(piece, piece.words, target);
    SmallVector<Value> rest;
    for (Value &word : piece.words)
      rest.push_back(emit.toTf32(emit.splitOff(word)));
    storeWords(piece, piece.words, target);
    storeWords(piece, rest, *low);
  }

  void storeWords(const Piece &piece, ArrayRef<Value> words, const Lines &to) {
    OpBuilder &b = emit.builder;
    Value all = LLVM::PoisonOp::create(
        b, emit.loc, VectorType::get(words.size(), b.getI32Type()));
    for (auto [i, word] : llvm::enumerate(words))
      all = LLVM::InsertElementOp::create(b, emit.loc, all, word, emit.i32(i));
    storeIf(piece.isThere, all,
            pointerTo(to, piece.line, piece.column, element), kChunkBytes);
  }

  Type element;
  int64_t bytes;
  Lines source, target;
  /// Of what is split.
  std::optional<Lines> low;
  IndexValue runNumber;
  int64_t threads;
  IndexValue thread;
  /// Pieces of a line, and of all.
  IndexValue perLine, pieces;
};

struct LowerCopyLines : OpConversionPattern<CopyLinesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyLinesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CopyLinesEmitter(op, adaptor, rewriter).run();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void hone::populateLinePatterns(const TypeConverter &types,
                                RewritePatternSet &patterns) {
  patterns.add<LowerStoreLines, LowerCopyLines>(types, patterns.getContext());
}
