//===- LowerKernelStage.cpp - Tiles to slots and back ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.stage` and `kernel.unstage`: 16-bit elements by stmatrix and
// ldmatrix, 8x8 pieces at a time; words and bytes in pairs. Both use the same
// place for each piece, so no warp reads an element that another warp writes.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

/// The places of a tile's pieces in a slot.
class StagedTile {
public:
  template <typename Op, typename Adaptor>
  StagedTile(KernelEmitter &emit, Op op, Adaptor adaptor)
      : emit(emit), type(op.getAcc().getType()), ring(op.getRing().getType()),
        isTransposed(op.getTransposed()),
        slot(emit.slotOf(adaptor.getRing(), adaptor.getSlot(), ring)),
        firstLine(emit.index(adaptor.getLine())),
        place(placeOf(emit.threadOf(op), type.getWarpsN())) {}

  AccType getType() const { return type; }
  /// stmatrix and ldmatrix give a thread two neighbours of 16 bits.
  bool movesPairs() const {
    return type.getElement().getIntOrFloatBitWidth() != 16;
  }
  NVVM::MMALayout getLayout() const {
    return isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  }

  /// Visits the pieces that one instruction moves: 16 rows of one or two
  /// 8-column pieces. `visit` receives the address from this lane, and the
  /// lane's first element in each register.
  void forEachPiece(llvm::function_ref<void(Value, ArrayRef<int64_t>)> visit) {
    int64_t pieces = type.getWarpCols() / 8;
    for (int64_t band = 0; band < type.getWarpRows() / 16; ++band)
      for (int64_t piece = 0; piece < pieces; piece += 2) {
        SmallVector<int64_t, 4> firsts;
        for (int64_t i = piece; i < std::min(piece + 2, pieces); ++i)
          for (int64_t half = 0; half < 2; ++half)
            firsts.push_back((band * pieces + i) * 4 + half * 2);
        visit(pieceAddress(band, piece), firsts);
      }
  }

  /// Visits each pair of neighbours of a row: their address (two if columns are
  /// lines), and the number of the first.
  void forEachPair(llvm::function_ref<void(ArrayRef<Value>, int64_t)> visit) {
    for (int64_t i = 0; i < type.getElements(); i += 2) {
      auto [row, col] = elementOf(place.lane, i, type.getWarpCols());
      row = row + place.warpM * type.getWarpRows();
      col = col + place.warpN * type.getWarpCols();
      if (isTransposed)
        visit({elementAddress(col, row), elementAddress(col + 1, row)}, i);
      else
        visit({elementAddress(row, col)}, i);
    }
  }

private:
  /// Lane l supplies the address of row l % 8 of matrix l / 8.
  Value pieceAddress(int64_t band, int64_t piece) {
    auto at = matrixRow(place.lane, /*isA=*/true, isTransposed);
    IndexValue row = place.warpM * type.getWarpRows() + band * 16;
    IndexValue col = place.warpN * type.getWarpCols() + piece * 8;
    IndexValue line = (isTransposed ? col : row) + at.line;
    IndexValue chunk = (isTransposed ? row : col) / 8 + at.chunk;
    return emit.shared(slot + chunkOffset(firstLine + line, chunk,
                                          ring.getLineBytes(),
                                          ring.getLines()));
  }

  Value elementAddress(IndexValue line, IndexValue element) {
    int64_t bytes = type.getElement().getIntOrFloatBitWidth() / 8;
    return emit.shared(slot + byteOffset(firstLine + line, element * bytes,
                                         ring.getLineBytes(), ring.getLines()));
  }

  KernelEmitter &emit;
  AccType type;
  RingType ring;
  bool isTransposed;
  IndexValue slot, firstLine;
  ThreadPlace<IndexValue> place;
};

//===----------------------------------------------------------------------===//
// Registers to shared memory
//===----------------------------------------------------------------------===//

void lowerStage(StageOp op, StageOp::Adaptor adaptor, KernelLowering &emit) {
  StagedTile tile(emit, op, adaptor);
  Value acc = adaptor.getAcc();
  if (tile.movesPairs())
    tile.forEachPair([&](ArrayRef<Value> addresses, int64_t first) {
      int64_t together = addresses.size() == 1 ? 2 : 1;
      for (auto [i, address] : llvm::enumerate(addresses))
        LLVM::StoreOp::create(
            emit.builder, emit.loc,
            emit.asWhole(emit.neighbours(acc, first + i, together)), address);
    });
  else
    tile.forEachPiece([&](Value address, ArrayRef<int64_t> firsts) {
      auto registers = llvm::map_to_vector(firsts, [&](int64_t first) {
        return Value(LLVM::BitcastOp::create(
            emit.builder, emit.loc, emit.builder.getI32Type(),
            emit.neighbours(acc, first, /*count=*/2)));
      });
      NVVM::StMatrixOp::create(
          emit.builder, emit.loc, address, registers, tile.getLayout(),
          NVVM::LdStMatrixShapeAttr::get(op.getContext(), 8, 8),
          NVVM::LdStMatrixEltType::B16);
    });
}

//===----------------------------------------------------------------------===//
// Shared memory to registers
//===----------------------------------------------------------------------===//

struct LowerUnstage {
  static Value lower(UnstageOp op, UnstageOp::Adaptor adaptor,
                     KernelLowering &emit) {
    StagedTile tile(emit, op, adaptor);
    AccType type = tile.getType();
    SmallVector<Value> elements(type.getElements());
    auto takePair = [&](Value pair, int64_t first) {
      for (int64_t i = 0; i < 2; ++i)
        elements[first + i] = LLVM::ExtractElementOp::create(
            emit.builder, emit.loc, pair, emit.i32(i));
    };
    Type pair = VectorType::get(2, type.getElement());
    if (tile.movesPairs())
      tile.forEachPair([&](ArrayRef<Value> addresses, int64_t first) {
        if (addresses.size() == 1)
          return takePair(load(emit.builder, op, pair, addresses[0]), first);
        for (auto [i, address] : llvm::enumerate(addresses))
          elements[first + i] =
              load(emit.builder, op, type.getElement(), address);
      });
    else
      tile.forEachPiece([&](Value address, ArrayRef<int64_t> firsts) {
        Value read = readMatrices(emit, address, tile.getLayout(),
                                  int64_t(firsts.size()));
        for (auto [i, first] : llvm::enumerate(firsts))
          takePair(LLVM::BitcastOp::create(emit.builder, emit.loc, pair,
                                           emit.field(read, i)),
                   first);
      });
    return emit.packAs(type, elements);
  }

private:
  static Value load(OpBuilder &builder, UnstageOp op, Type type,
                    Value address) {
    return LLVM::LoadOp::create(builder, op.getLoc(), type, address);
  }

  static Value readMatrices(KernelEmitter &emit, Value address,
                            NVVM::MMALayout layout, int64_t count) {
    OpBuilder &b = emit.builder;
    MLIRContext *context = b.getContext();
    Type registers = LLVM::LLVMStructType::getLiteral(
        context, SmallVector<Type>(count, b.getI32Type()));
    return NVVM::LdMatrixOp::create(
        b, emit.loc, registers, address, count, layout,
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
        NVVM::LdStMatrixEltType::B16);
  }
};

} // namespace

void hone::populateStagePatterns(const TypeConverter &types,
                                 RewritePatternSet &patterns) {
  addLowerings<lowerStage, LowerUnstage::lower>(types, patterns);
}
