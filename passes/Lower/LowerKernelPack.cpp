//===- LowerKernelPack.cpp - Copies of matrices before the product --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.copy.lines` and `kernel.transpose.lines`, the ops of the
// kernels that pack; see LowerKernelLines.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/LowerKernelLines.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

/// The code for words and pieces that both ops share: one thread's part of a
/// run.
template <typename Op>
class BetweenMatricesEmitter : protected LineEmitter {
protected:
  BetweenMatricesEmitter(Op op, typename Op::Adaptor adaptor,
                         OpBuilder &builder)
      : LineEmitter(builder, op.getLoc()),
        element(op.getSource().getType().getElement()),
        bytes(element.getIntOrFloatBitWidth() / 8),
        copied(op.getTarget().getType().getElement()),
        copiedBytes(copied.getIntOrFloatBitWidth() / 8),
        source(emit, adaptor.getSource()), target(emit, adaptor.getTarget()),
        runNumber(emit.index(adaptor.getRun())), threads(groupThreadsOf(op)),
        thread(emit.threadOf(op)) {
    if (op.getLow())
      low.emplace(emit, adaptor.getLow());
  }

  int64_t ofPiece() const { return pieceElements(copiedBytes); }

  /// The number of words of the source that make a piece of the target.
  int64_t wordsOfPiece() const {
    return (kPieceWords - 1) * bytes / copiedBytes;
  }

  /// `count` words from [`line`, `column`] on. Nothing after the end of the
  /// line is read.
  SmallVector<Value> wordsFrom(IndexValue line, IndexValue column,
                               int64_t count) {
    bool isWhole = bytes == kWordBytes;
    OpBuilder &b = emit.builder;
    Type byte = b.getI8Type(), word = b.getI32Type(), i64 = b.getI64Type();
    Value first = pointerTo(source, line, column, element);
    IndexValue shift = emit.i32(0);
    if (!isWhole) {
      // Move back to the beginning of the word.
      shift = shiftOf(first);
      Value back =
          arith::SubIOp::create(b, emit.loc, emit.i64(0), shift.to(i64));
      first = emit.element(first, back, byte);
    }
    IndexValue last = lastWordOf(shift, (source.width - column) * bytes);
    SmallVector<Value> words;
    for (int64_t i = 0; i < count + !isWhole; ++i) {
      IndexValue at = emit.i32(i).min(last).to(i64);
      words.push_back(LLVM::LoadOp::create(
          b, emit.loc, word, emit.element(first, at, word), kWordBytes));
    }
    if (isWhole)
      return words;
    for (int64_t i = 0; i < count; ++i)
      words[i] = funnel(words[i], words[i + 1], shift);
    words.pop_back();
    return words;
  }

  /// Stores a piece of a line of the target, or both parts of it.
  void storePiece(Value isThere, IndexValue line, IndexValue column,
                  SmallVector<Value> words) {
    if (copied != element)
      words = widenBytes(emit, words, element, copied);
    SmallVector<Value> rest;
    if (low)
      for (Value &word : words)
        rest.push_back(emit.toTf32(emit.splitOff(word)));
    storeWords(isThere, words, pointerTo(target, line, column, copied));
    if (low)
      storeWords(isThere, rest, pointerTo(*low, line, column, copied));
  }

  Type element;
  int64_t bytes;
  /// The element type of the target: that of the source, or a wider one.
  Type copied;
  int64_t copiedBytes;
  Lines source, target;
  /// The second part of a split matrix.
  std::optional<Lines> low;
  IndexValue runNumber;
  int64_t threads;
  IndexValue thread;

private:
  void storeWords(Value isThere, ArrayRef<Value> words, Value pointer) {
    OpBuilder &b = emit.builder;
    Value all = LLVM::PoisonOp::create(
        b, emit.loc, VectorType::get(words.size(), b.getI32Type()));
    for (auto [i, word] : llvm::enumerate(words))
      all = LLVM::InsertElementOp::create(b, emit.loc, all, word, emit.i32(i));
    storeIf(isThere, all, pointer, kChunkBytes);
  }
};

class CopyLinesEmitter : BetweenMatricesEmitter<CopyLinesOp> {
public:
  CopyLinesEmitter(CopyLinesOp op, CopyLinesOp::Adaptor adaptor,
                   OpBuilder &builder)
      : BetweenMatricesEmitter(op, adaptor, builder),
        perLine((source.width + (ofPiece() - 1)) / ofPiece()),
        pieces(source.lines * perLine) {}

  /// Reads all words of all pieces before it writes the first piece, so that
  /// many loads are in flight.
  void run() {
    SmallVector<Piece> mine;
    for (int64_t index = 0; index < kPiecesOfThread; ++index)
      mine.push_back(load(pieceInRun(runNumber, index, thread, threads)));
    for (const Piece &piece : mine)
      storePiece(piece.isThere, piece.line, piece.column, piece.words);
  }

private:
  struct Piece {
    Value isThere;
    IndexValue line, column;
    SmallVector<Value> words;
  };

  /// After the last piece, the last one is read again and not written, which
  /// costs no branch.
  Piece load(IndexValue number) {
    Value isThere = number.lessThan(pieces);
    IndexValue last = pieces + -1;
    IndexValue some = number.min(last);
    IndexValue line = some / perLine;
    IndexValue column = (some - line * perLine) * ofPiece();
    return {isThere, line, column, wordsFrom(line, column, wordsOfPiece())};
  }

  /// The number of pieces in a line, and in total.
  IndexValue perLine, pieces;
};

class TransposeLinesEmitter : BetweenMatricesEmitter<TransposeLinesOp> {
public:
  TransposeLinesEmitter(TransposeLinesOp op, TransposeLinesOp::Adaptor adaptor,
                        OpBuilder &builder)
      : BetweenMatricesEmitter(op, adaptor, builder),
        columns(turnedColumns(threads, bytes)),
        perBand((source.width + (columns - 1)) / columns),
        firstLine(runNumber / perBand * kTurnedLines),
        column((runNumber - runNumber / perBand * perBand) * columns +
               turnedColumn(thread, bytes)) {}

  /// Reads all words before it writes the first piece.
  void run() {
    SmallVector<SmallVector<IndexValue>> blocks;
    for (int64_t block = 0; block < bytes; ++block)
      blocks.push_back(load(block));
    for (int64_t block = 0; block < bytes; ++block)
      for (int64_t i = 0; i < kWordBytes / bytes; ++i)
        store(block, i, blocks[block]);
  }

private:
  IndexValue lineOf(int64_t block) {
    return firstLine + turnedLine(thread, block, bytes);
  }

  /// After the last line and column, these are read again and not written.
  SmallVector<IndexValue> load(int64_t block) {
    IndexValue lastColumn = source.width + -1, lastLine = source.lines + -1;
    SmallVector<IndexValue> words;
    for (int64_t i = 0; i < ofPiece(); ++i)
      words.push_back(emit.index(wordsFrom((lineOf(block) + i).min(lastLine),
                                           column.min(lastColumn), /*count=*/1)
                                     .front()));
    return words;
  }

  void store(int64_t block, int64_t element, ArrayRef<IndexValue> lines) {
    SmallVector<Value> words;
    for (int64_t word = 0; word < kPieceWords - 1; ++word)
      words.push_back(turnedWord(lines, word, element, bytes));
    IndexValue line = column + element;
    Value isThere =
        both(line.lessThan(source.width), lineOf(block).lessThan(source.lines));
    storePiece(isThere, line, lineOf(block), words);
  }

  /// The columns of a run, and the number of runs in the same lines.
  int64_t columns;
  IndexValue perBand;
  /// The run's first line, and this thread's column in the source.
  IndexValue firstLine, column;
};

template <typename Op, typename Emitter>
void lowerBetweenMatrices(Op op, typename Op::Adaptor adaptor,
                          KernelLowering &emit) {
  Emitter(op, adaptor, emit.builder).run();
}

} // namespace

void hone::populatePackPatterns(const TypeConverter &types,
                                RewritePatternSet &patterns) {
  addLowerings<lowerBetweenMatrices<CopyLinesOp, CopyLinesEmitter>,
               lowerBetweenMatrices<TransposeLinesOp, TransposeLinesEmitter>>(
      types, patterns);
}
