//===- LowerKernelCopy.cpp - Global to shared memory ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.copy` and the waits for it. A copy becomes one cp.async per
// thread and piece. cp.async fills the bytes beyond its source size with zeros,
// and this clips a tile: after the matrix's last line the source size is zero,
// and at the end of a line it is the rest of the line.
//
// cp.async moves 4, 8 or 16 bytes. Lines that are aligned to less go through
// registers, in pieces of 16 bytes:
//
//   memory        |  .  .  .  0  1  2  3  4 |  5  6  7  .  .  .  .  . |
//   its chunks    |          first          |         second          |
//   shared memory               |  0  1  2  3  4  5  6  7 |
//
// A thread loads both aligned chunks that contain a piece, shifts them by the
// number of bytes before the piece, and stores the piece as a whole. This takes
// three memory accesses instead of sixteen element by element. The thread loads
// several pieces and then stores them, so that it waits for memory once and not
// for each. No branch is between two loads, because ptxas moves none across
// one.
//
// A transposed copy moves words one by one, each to its own line.
//
// Through an index, each piece first loads the number of its line, which a
// comparison without signs admits only if the matrix has that line.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Lower/LowerKernelLines.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

/// The matrix a copy reads, as values.
struct Source {
  Value start;
  IndexValue lines, width, stride;
  int64_t elementBytes;
};

/// The index through which it reads lines.
struct LineIndex {
  Value start;
  Type element;
  IndexValue count;
};

/// One thread's share of a copy.
class CopyEmitter : LineEmitter {
public:
  CopyEmitter(CopyOp op, CopyOp::Adaptor adaptor, OpBuilder &builder)
      : LineEmitter(builder, op.getLoc()), ring(op.getRing().getType()),
        source(unpack(emit, op, adaptor)), index(unpackIndex(op, adaptor)),
        firstLine(emit.index(adaptor.getLine())),
        firstColumn(emit.index(adaptor.getColumn())),
        slot(emit.slotOf(adaptor.getRing(), adaptor.getSlot(), ring)),
        thread(emit.threadOf(op)), threads(groupThreadsOf(op)),
        transposed(op.getTransposed()),
        align(transposed ? kWordBytes : op.getMatrix().getType().getAlign()),
        bytes(copiedBytes(align)), pieces(ring.getSlotBytes() / bytes) {}

  void run() {
    if (isShifted())
      return runShifted();
    int64_t rounds = pieces / threads;
    copyPieces(thread, 0, rounds);
    if (rounds * threads == pieces)
      return;
    // The last round has fewer pieces than threads.
    Value mine = thread.lessThan(emit.i32(pieces - rounds * threads));
    auto branch = scf::IfOp::create(emit.builder, emit.loc, mine);
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointToStart(branch.thenBlock());
    copyPieces(thread, rounds, 1);
  }

private:
  /// Makes a loop of many pieces, except for the last round, which may be
  /// ragged.
  void runShifted() {
    int64_t rounds = llvm::divideCeilSigned(pieces, threads);
    int64_t unrolled = (rounds - 1) % kUnrolled + 1;
    if (unrolled < rounds)
      copyRounds(thread, rounds - unrolled);
    copyPieces(thread, rounds - unrolled, unrolled);
  }

  /// The source of a piece, its target, and its size within the matrix.
  struct Piece {
    Value from, to;
    Value inside; ///< its line does
    IndexValue column;
  };

  static Source unpack(KernelEmitter &emit, CopyOp op,
                       CopyOp::Adaptor adaptor) {
    Value matrix = adaptor.getMatrix();
    Type element = op.getMatrix().getType().getElement();
    return {emit.field(matrix, 0), emit.index(emit.field(matrix, 1)),
            emit.index(emit.field(matrix, 2)),
            emit.index(emit.field(matrix, 3)),
            int64_t(element.getIntOrFloatBitWidth() / 8)};
  }

  std::optional<LineIndex> unpackIndex(CopyOp op, CopyOp::Adaptor adaptor) {
    if (!op.getIndex())
      return std::nullopt;
    return LineIndex{adaptor.getIndex(), op.getIndex().getType().getElement(),
                     emit.index(adaptor.getCount())};
  }

  /// The first `count` rounds, a multiple of kUnrolled, as a loop.
  void copyRounds(IndexValue thread, int64_t count) {
    OpBuilder &b = emit.builder;
    auto loop =
        scf::ForOp::create(b, emit.loc, emit.i32(0), emit.i32(count * threads),
                           emit.i32(kUnrolled * threads));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    // A later round is the first one of threads with higher numbers.
    IndexValue later = thread + emit.index(loop.getInductionVar());
    copyPieces(later, 0, kUnrolled);
  }

  bool isShifted() const { return align < kMinAsync; }

  /// Copies `count` rounds, from round `first` on.
  void copyPieces(IndexValue thread, int64_t first, int64_t count) {
    SmallVector<Loaded> flights;
    for (int64_t index = first; index < first + count; ++index)
      if (isShifted())
        flights.push_back(load(locate(withPiece(thread, index), index)));
      else
        copyAsync(locate(thread, index));
    for (const Loaded &flight : flights)
      store(flight);
  }

  /// This thread; or, if it has no piece in the last round, the last thread
  /// with one. Both then copy that piece, which costs no branch.
  IndexValue withPiece(IndexValue thread, int64_t index) {
    int64_t last = pieces - 1 - index * threads;
    return last < threads - 1 ? thread.min(emit.i32(last)) : thread;
  }

  Piece locate(IndexValue thread, int64_t index) {
    if (transposed) {
      auto word = wordOfCopy(thread, index, threads, ring.getLines());
      return pieceAt(firstLine + word.k, firstColumn + word.row, word.row,
                     word.k * kWordBytes);
    }
    auto [line, byte] =
        pieceOf(thread, index, threads, ring.getLineBytes(), bytes);
    return pieceAt(firstLine + line, firstColumn + byte / source.elementBytes,
                   line, byte);
  }

  /// The piece from this place in the matrix to byte `byte` of `line` in the
  /// slot.
  Piece pieceAt(IndexValue row, IndexValue column, IndexValue line,
                IndexValue byte) {
    Type i64 = emit.builder.getI64Type();
    Value inside;
    if (index)
      std::tie(row, inside) = lineThrough(row);
    IndexValue element = row.to(i64) * source.stride + column.to(i64);
    Value from = emit.element(source.start, element, ring.getElement());
    Value to = emit.shared(
        slot + byteOffset(line, byte, ring.getLineBytes(), ring.getLines()));
    return {from, to, index ? inside : row.lessThan(source.lines), column};
  }

  /// The line for line `row` of the copy, and whether the matrix has it.
  std::pair<IndexValue, Value> lineThrough(IndexValue row) {
    OpBuilder &b = emit.builder;
    Value from =
        emit.element(index->start, row.to(b.getI64Type()), index->element);
    Value isInIndex =
        select(row.lessThan(index->count), emit.i32(1), emit.i32(0));
    bool isWide = index->element.isInteger(64);
    std::string bits = isWide ? "b64" : "b32";
    IndexValue line = emit.index(
        emit.assembly(index->element, {from, isInIndex},
                      "{ .reg .pred p; setp.ne.u32 p, $2, 0; mov." + bits +
                          " $0, -1; @p ld.global." + bits + " $0, [$1]; }",
                      isWide ? "=&l,l,r" : "=&r,l,r"));
    Value inside = line.lessThan(source.lines.to(index->element));
    return {select(inside, line, line.constant(0)), inside};
  }

  /// min(rest of the line, one piece), in bytes.
  IndexValue leftOf(IndexValue column) {
    IndexValue left = source.width - source.width.min(column);
    return left.min(emit.i32(bytes / source.elementBytes)) *
           source.elementBytes;
  }

  /// The same; 0 outside of the lines.
  IndexValue sourceSize(const Piece &piece) {
    return select(piece.inside, leftOf(piece.column), emit.i32(0));
  }

  IndexValue select(Value condition, IndexValue yes, IndexValue no) {
    return emit.index(arith::SelectOp::create(emit.builder, emit.loc, condition,
                                              Value(yes), Value(no)));
  }

  void copyAsync(const Piece &piece) {
    // Only 16-byte copies may bypass L1.
    auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                             : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(emit.builder, emit.loc, piece.to, piece.from, bytes,
                            cache, sourceSize(piece));
  }

  //===--------------------------------------------------------------------===//
  // Through registers
  //===--------------------------------------------------------------------===//

  /// A piece in registers: the words of its two chunks. Its first byte is byte
  /// `shift` of them.
  struct Loaded {
    SmallVector<IndexValue> words;
    IndexValue shift, column;
    Value to;
  };

  /// Loads a chunk that has a part of the line; other chunks are zeros. That
  /// part is in memory, so all of the chunk is: pages end at a chunk's end.
  /// LLVM has no predicated load.
  Loaded load(const Piece &piece) {
    OpBuilder &b = emit.builder;
    IndexValue shift = shiftOf(piece.from, kChunkBytes);
    Value back = arith::SubIOp::create(b, emit.loc, emit.i64(0),
                                       Value(shift.to(b.getI64Type())));
    Value first = emit.element(piece.from, back, b.getI8Type());
    IndexValue size = sourceSize(piece);
    SmallVector<Type> types(kLoadedWords, b.getI32Type());
    Value all = emit.assembly(
        LLVM::LLVMStructType::getLiteral(b.getContext(), types),
        {first, size, shift + size},
        "{ .reg .pred p, q; setp.ne.u32 p, $9, 0; setp.gt.u32 q, $10, 16; "
        "mov.b32 $0, 0; mov.b32 $1, 0; mov.b32 $2, 0; mov.b32 $3, 0; "
        "mov.b32 $4, 0; mov.b32 $5, 0; mov.b32 $6, 0; mov.b32 $7, 0; "
        "@p ld.global.L2::256B.v4.b32 {$0, $1, $2, $3}, [$8]; "
        "@q ld.global.L2::256B.v4.b32 {$4, $5, $6, $7}, [$8+16]; }",
        "=&r,=&r,=&r,=&r,=&r,=&r,=&r,=&r,l,r,r");
    Loaded loaded = {{}, shift, piece.column, piece.to};
    for (int64_t i = 0; i < kLoadedWords; ++i)
      loaded.words.push_back(emit.index(emit.field(all, i)));
    return loaded;
  }

  /// `count` of the words from the first on or, where `isLate`, from word
  /// number `words` on.
  SmallVector<IndexValue> later(ArrayRef<IndexValue> from, Value isLate,
                                int64_t words, int64_t count) {
    SmallVector<IndexValue> result;
    for (int64_t i = 0; i < count; ++i)
      result.push_back(select(isLate, from[i + words], from[i]));
    return result;
  }

  Value isSet(IndexValue shift, int64_t bit) {
    return emit.i32(0).lessThan(shift / bit % 2);
  }

  /// The bits of the `word`-th word of a piece that are in the line.
  Value maskOf(IndexValue left, int64_t word) {
    constexpr int64_t kByte = 8;
    OpBuilder &b = emit.builder;
    IndexValue rest = left - left.min(emit.i32(word * kWordBytes));
    Value bits = rest.min(emit.i32(kWordBytes - 1)) * kByte;
    Value above = arith::ShLIOp::create(b, emit.loc, emit.i32(-1), bits);
    Value some = arith::XOrIOp::create(b, emit.loc, above, emit.i32(-1));
    Value isWhole = emit.i32(kWordBytes - 1).lessThan(rest);
    return select(isWhole, emit.i32(-1), emit.index(some));
  }

  void store(const Loaded &loaded) {
    OpBuilder &b = emit.builder;
    // Shifts by eight bytes, by four, and by the rest.
    auto words = later(loaded.words, isSet(loaded.shift, 8), 2, 6);
    words = later(words, isSet(loaded.shift, 4), 1, 5);
    IndexValue left = leftOf(loaded.column);
    auto type = VectorType::get(4, b.getI32Type());
    Value piece = LLVM::PoisonOp::create(b, emit.loc, type);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value word = funnel(words[i], words[i + 1], loaded.shift % kWordBytes);
      word = arith::AndIOp::create(b, emit.loc, word, maskOf(left, i));
      piece =
          LLVM::InsertElementOp::create(b, emit.loc, piece, word, emit.i32(i));
    }
    LLVM::StoreOp::create(b, emit.loc, piece, loaded.to, kChunkBytes);
  }

  /// The number of rounds in one iteration where rounds are a loop, which is
  /// the number of pieces in flight.
  static constexpr int64_t kUnrolled = 4;
  /// The number of words of both chunks of a piece.
  static constexpr int64_t kLoadedWords = 8;

  RingType ring;
  Source source;
  std::optional<LineIndex> index;
  IndexValue firstLine, firstColumn;
  IndexValue slot;
  /// This thread's number among those that share the copy.
  IndexValue thread;
  int64_t threads;
  bool transposed;
  /// The alignment of lines in bytes, the bytes of one piece, and the pieces of
  /// a slot.
  int64_t align, bytes, pieces;
};

void lowerCopy(CopyOp op, CopyOp::Adaptor adaptor, KernelLowering &emit) {
  CopyEmitter(op, adaptor, emit.builder).run();
}

void lowerCommit(CopyCommitOp, CopyCommitOp::Adaptor, KernelLowering &emit) {
  NVVM::CpAsyncCommitGroupOp::create(emit.builder, emit.loc);
}

void lowerWait(CopyWaitOp op, CopyWaitOp::Adaptor, KernelLowering &emit) {
  NVVM::CpAsyncWaitGroupOp::create(emit.builder, emit.loc, op.getPending());
}

void lowerBarrier(BarrierOp, BarrierOp::Adaptor, KernelLowering &emit) {
  NVVM::Barrier0Op::create(emit.builder, emit.loc);
}

} // namespace

void hone::populateCopyPatterns(const TypeConverter &types,
                                RewritePatternSet &patterns) {
  addLowerings<lowerCopy, lowerCommit, lowerWait, lowerBarrier>(types,
                                                                patterns);
}
