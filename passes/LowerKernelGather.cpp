//===- LowerKernelGather.cpp - Sums across a cluster ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.acc.share` and `kernel.acc.gather`. Where a piece lies is in
// AddressMap.h; another block's memory is read at the address that `mapa` gives
// for this block's.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

/// Where the first piece of this thread lies, from `offset` on.
static IndexValue firstPiece(KernelEmitter &emit, Operation *op, AccType type,
                             int64_t offset) {
  int64_t threads = type.getWarpsM() * type.getWarpsN() * kWarpSize;
  IndexValue address = emit.sharedBase() + offset +
                       sharedPieceOffset(emit.threadOf(op), 0, threads);
  auto role = op->getParentOfType<RoleOp>();
  if (!role || role.getOneThread())
    return address;
  // The groups before this one come first.
  Value group = role.getBody().getArgument(0);
  return address + emit.index(group) * (type.getElements() * threads * 4);
}

static Type pieceType(OpBuilder &builder) {
  return VectorType::get(kSharedPiece, builder.getF32Type());
}

namespace {

struct LowerAccShare : OpConversionPattern<AccShareOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AccShareOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    AccType type = op.getAcc().getType();
    int64_t threads = type.getWarpsM() * type.getWarpsN() * kWarpSize;
    IndexValue first = firstPiece(emit, op, type, op.getOffset());
    for (int64_t i = 0; i < type.getElements(); i += kSharedPiece) {
      Value piece =
          LLVM::PoisonOp::create(rewriter, op.getLoc(), pieceType(rewriter));
      for (int64_t j = 0; j < kSharedPiece; ++j)
        piece = LLVM::InsertElementOp::create(
            rewriter, op.getLoc(), piece, emit.field(adaptor.getAcc(), i + j),
            emit.i32(j));
      int64_t offset = sharedPieceOffset<int64_t>(0, i / kSharedPiece, threads);
      LLVM::StoreOp::create(rewriter, op.getLoc(), piece,
                            emit.shared(first + offset), kChunkBytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerAccGather : OpConversionPattern<AccGatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AccGatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    AccType from = op.getShared(), to = op.getSum().getType();
    int64_t threads = to.getWarpsM() * to.getWarpsN() * kWarpSize;
    // A piece is four elements of one 8-column piece of a 16-row band.
    int64_t perPart = to.getWarpCols() / 8;
    IndexValue first = firstPiece(emit, op, from, op.getOffset()) +
                       emit.index(adaptor.getPart()) *
                           sharedPieceOffset<int64_t>(0, perPart, threads);
    SmallVector<Value> sums(to.getElements());
    for (int64_t block = 0; block < op.getParts(); ++block) {
      Value base = inBlock(emit, first, block);
      for (int64_t i = 0; i < to.getElements(); i += kSharedPiece) {
        int64_t piece = i / kSharedPiece;
        int64_t band = piece / perPart, inBand = piece % perPart;
        int64_t there = band * (from.getWarpCols() / 8) + inBand;
        addPiece(emit, base, sharedPieceOffset<int64_t>(0, there, threads),
                 MutableArrayRef(sums).slice(i, kSharedPiece));
      }
    }
    rewriter.replaceOp(op,
                       emit.pack(getTypeConverter()->convertType(to), sums));
    return success();
  }

private:
  static Value inBlock(KernelEmitter &emit, Value address, int64_t block) {
    OpBuilder &b = emit.builder;
    Type remote = LLVM::LLVMPointerType::get(b.getContext(), kClusterSpace);
    return NVVM::MapaOp::create(b, emit.loc, remote, emit.shared(address),
                                emit.i32(block));
  }

  /// Adds the piece that lies `offset` bytes behind `base` to `sums`, which are
  /// null where it is the first.
  static void addPiece(KernelEmitter &emit, Value base, int64_t offset,
                       MutableArrayRef<Value> sums) {
    OpBuilder &b = emit.builder;
    Value address =
        LLVM::GEPOp::create(b, emit.loc, base.getType(), b.getI8Type(), base,
                            ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    Value piece =
        LLVM::LoadOp::create(b, emit.loc, pieceType(b), address, kChunkBytes);
    for (auto [j, sum] : llvm::enumerate(sums)) {
      Value element =
          LLVM::ExtractElementOp::create(b, emit.loc, piece, emit.i32(j));
      sum = sum ? Value(LLVM::FAddOp::create(b, emit.loc, sum, element))
                : element;
    }
  }
};

} // namespace

void hone::populateGatherPatterns(const TypeConverter &types,
                                  RewritePatternSet &patterns) {
  patterns.add<LowerAccShare, LowerAccGather>(types, patterns.getContext());
}
