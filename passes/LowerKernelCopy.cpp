//===- LowerKernelCopy.cpp - Global to shared memory ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.copy` and what waits for it. A copy becomes one cp.async per
// thread and piece. cp.async fills with zeros what its source size leaves out,
// which is how a tile is clipped: at the matrix's last line the size is zero,
// at the end of a line it is what is left of it.
//
// cp.async moves 4, 8 or 16 bytes. Lines that are aligned to less go through
// registers, element by element: a thread loads some of them and then stores these,
// so that it waits for memory once and not for each. No branch stands between two
// loads, because ptxas moves none across one.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/LowerKernel.h"

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

/// One thread's share of a copy.
class CopyEmitter {
public:
  CopyEmitter(CopyOp op, CopyOp::Adaptor adaptor, OpBuilder &builder)
      : emit(builder, op.getLoc()), ring(op.getRing().getType()),
        source(unpack(emit, op, adaptor)),
        firstLine(emit.index(adaptor.getLine())),
        firstColumn(emit.index(adaptor.getColumn())),
        slot(emit.index(adaptor.getRing()) +
             emit.index(adaptor.getSlot()) * ring.getSlotBytes()),
        thread(emit.threadOf(op)), threads(groupThreadsOf(op)),
        bytes(std::min<int64_t>(op.getMatrix().getType().getAlign(),
                                kChunkBytes)) {}

  void run() {
    int64_t pieces = ring.getSlotBytes() / bytes;
    int64_t rounds = pieces / threads;
    // Many elements that go through registers are a loop.
    int64_t unrolled =
        bytes >= 4 || rounds <= kUnrolled ? rounds : rounds % kUnrolled;
    if (unrolled < rounds)
      copyRounds(thread, rounds - unrolled);
    copyPieces(thread, rounds - unrolled, unrolled);
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
  /// Where a piece is, where it goes, and how much of it lies in the matrix.
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

  /// So many rounds, from the first on.
  void copyPieces(IndexValue thread, int64_t first, int64_t count) {
    SmallVector<Value> loaded, places;
    for (int64_t index = first; index < first + count; ++index) {
      Piece piece = locate(thread, index);
      if (bytes >= 4) {
        copyAsync(piece);
        continue;
      }
      loaded.push_back(loadElement(piece));
      places.push_back(piece.to);
    }
    for (auto [value, to] : llvm::zip_equal(loaded, places))
      LLVM::StoreOp::create(emit.builder, emit.loc, value, to);
  }

  Piece locate(IndexValue thread, int64_t index) {
    auto [line, byte] =
        pieceOf(thread, index, threads, ring.getLineBytes(), bytes);
    IndexValue column = firstColumn + byte / source.elementBytes;
    IndexValue row = firstLine + line;
    Type i64 = emit.builder.getI64Type();
    IndexValue element = row.to(i64) * source.stride + column.to(i64);
    Value from = emit.element(source.start, element, ring.getElement());
    Value to = emit.shared(
        slot + byteOffset(line, byte, ring.getLineBytes(), ring.getLines()));
    return {from, to, row.lessThan(source.lines), column};
  }

  /// min(what is left of the line, one piece), in bytes; 0 outside of the
  /// lines.
  Value sourceSize(Value inside, IndexValue column) {
    OpBuilder &b = emit.builder;
    IndexValue left = source.width - source.width.min(column);
    IndexValue size =
        left.min(emit.i32(bytes / source.elementBytes)) * source.elementBytes;
    return arith::SelectOp::create(b, emit.loc, inside, size, emit.i32(0));
  }

  void copyAsync(const Piece &piece) {
    // Only 16-byte copies may bypass L1.
    auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                             : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(emit.builder, emit.loc, piece.to, piece.from, bytes,
                            cache, sourceSize(piece.inside, piece.column));
  }

  /// The bits of an element, or 0 where there is none. LLVM has no load that a
  /// predicate guards.
  Value loadElement(const Piece &piece) {
    OpBuilder &b = emit.builder;
    Value valid = arith::AndIOp::create(b, emit.loc, piece.inside,
                                        piece.column.lessThan(source.width));
    Value flag = arith::ExtUIOp::create(b, emit.loc, b.getI32Type(), valid);
    const bool isByte = source.elementBytes == 1;
    std::string text = "{ .reg .pred p; setp.ne.b32 p, $2, 0; mov.b16 $0, 0; "
                       "@p ld.global." +
                       std::string(isByte ? "u8" : "b16") + " $0, [$1]; }";
    Value bits =
        emit.assembly(b.getI16Type(), {piece.from, flag}, text, "=&h,l,r");
    return isByte ? arith::TruncIOp::create(b, emit.loc, b.getI8Type(), bits)
                        .getResult()
                  : bits;
  }

  /// Rounds of one iteration, where rounds are a loop: elements that are on their
  /// way at a time.
  static constexpr int64_t kUnrolled = 8;

  KernelEmitter emit;
  RingType ring;
  Source source;
  IndexValue firstLine, firstColumn;
  IndexValue slot;
  /// This thread's number among those that share the copy.
  IndexValue thread;
  int64_t threads;
  /// Bytes of one piece.
  int64_t bytes;
};

struct LowerCopy : OpConversionPattern<CopyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CopyEmitter(op, adaptor, rewriter).run();
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerCommit : OpConversionPattern<CopyCommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyCommitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct LowerWait : OpConversionPattern<CopyWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, op.getPending());
    return success();
  }
};

struct LowerBarrier : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

} // namespace

void hone::populateCopyPatterns(const TypeConverter &types,
                                RewritePatternSet &patterns) {
  patterns.add<LowerCopy, LowerCommit, LowerWait, LowerBarrier>(
      types, patterns.getContext());
}
