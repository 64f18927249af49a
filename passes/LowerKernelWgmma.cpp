//===- LowerKernelWgmma.cpp - Tensor cores that read shared memory --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.mma.async` to wgmma, with the matrix descriptors of
// AddressMap.h, and its fence, commit and wait; and what takes accumulators
// apart and puts them into slots.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/LowerKernel.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Assembly whose first `count` results, f32 each, are also its first inputs:
/// "=f,...,0,1,...".
static std::string passedRegisters(size_t count) {
  std::string outputs, inputs;
  for (size_t i = 0; i < count; ++i) {
    outputs += "=f,";
    inputs += std::to_string(i) + ",";
  }
  return outputs + inputs;
}

static Value assemble(KernelEmitter &emit, Value acc, ArrayRef<Value> more,
                      StringRef text, const std::string &constraints) {
  OpBuilder &b = emit.builder;
  auto type = cast<LLVM::LLVMStructType>(acc.getType());
  SmallVector<Value> operands;
  for (size_t i = 0; i < type.getBody().size(); ++i)
    operands.push_back(emit.field(acc, i));
  operands.append(more.begin(), more.end());
  auto assembly = LLVM::InlineAsmOp::create(
      b, emit.loc, type, operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  return assembly.getResult(0);
}

/// Assembly, because NVVM's op has no sum that starts at zero by a value.
struct LowerMmaAsync : OpConversionPattern<MmaAsyncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MmaAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    SmallVector<Value> more = {
        descriptor(emit, op.getRingA().getType(), adaptor.getRingA(),
                   adaptor.getSlotA(), adaptor.getRows(), op.getStep(),
                   op.getTransposedA()),
        descriptor(emit, op.getRingB().getType(), adaptor.getRingB(),
                   adaptor.getSlotB(), adaptor.getCols(), op.getStep(),
                   op.getTransposedB())};
    int64_t count = op.getResult().getType().getElements();
    std::string constraints = passedRegisters(count) + "l,l";
    if (adaptor.getKeep()) {
      more.push_back(arith::ExtUIOp::create(
          rewriter, op.getLoc(), rewriter.getI32Type(), adaptor.getKeep()));
      constraints += ",r";
    }
    rewriter.replaceOp(op, assemble(emit, adaptor.getAcc(), more,
                                    textOf(op, count), constraints));
    return success();
  }

private:
  /// Accumulators are $0 to $n-1, and again from $n on; then come both
  /// descriptors, and what `keep` is.
  static std::string textOf(MmaAsyncOp op, int64_t count) {
    StringRef type =
        op.getRingA().getType().getElement().isF16() ? "f16" : "bf16";
    std::string registers, text;
    for (int64_t i = 0; i < count; ++i)
      registers += (i ? ", $" : "$") + std::to_string(i);
    llvm::raw_string_ostream os(text);
    os << "{\n.reg .pred keep;\n";
    if (op.getKeep())
      os << "setp.ne.b32 keep, $" << 2 * count + 2 << ", 0;\n";
    else
      os << "setp.eq.b32 keep, 0, 0;\n";
    // Behind keep: neither side negated, and which is transposed.
    os << "wgmma.mma_async.sync.aligned.m64n"
       << op.getResult().getType().getCols() << "k16.f32." << type << "."
       << type << " {" << registers << "}, $" << 2 * count << ", $"
       << 2 * count + 1 << ", keep, 1, 1, " << op.getTransposedA() << ", "
       << op.getTransposedB() << ";\n}";
    return text;
  }

  /// The descriptor of what a product reads of a slot. The step is added last
  /// and as a constant, so that the products of a slot share the rest.
  static Value descriptor(KernelEmitter &emit, RingType ring, Value base,
                          Value slot, Value first, int64_t step,
                          bool transposed) {
    constexpr int64_t kUnit = 16;
    IndexValue address =
        emit.index(base) + emit.index(slot) * ring.getSlotBytes() +
        operandOffset(emit.index(first), 0, transposed, ring.getLines());
    int64_t offset =
        operandOffset<int64_t>(0, step, transposed, ring.getLines());
    Type i64 = emit.builder.getI64Type();
    IndexValue units = descriptorAddress(address).to(i64);
    return units + descriptorFields(transposed, ring.getLines()) +
           offset / kUnit;
  }
};

struct LowerMmaFence : OpConversionPattern<MmaFenceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MmaFenceOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::WgmmaFenceAlignedOp>(op);
    return success();
  }
};

struct LowerMmaCommit : OpConversionPattern<MmaCommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MmaCommitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::WgmmaGroupSyncAlignedOp>(op);
    return success();
  }
};

/// The wait is written as assembly that every accumulator passes through:
/// nothing else tells LLVM that it must not read them before.
struct LowerMmaWait : OpConversionPattern<MmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MmaWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    std::string wait = "wgmma.wait_group.sync.aligned " +
                       std::to_string(op.getPending()) + ";";
    SmallVector<Value> results;
    for (Value acc : adaptor.getAccs()) {
      auto type = cast<LLVM::LLVMStructType>(acc.getType());
      std::string constraints = passedRegisters(type.getBody().size());
      constraints.pop_back();
      results.push_back(assemble(emit, acc, {}, wait, constraints));
      wait = "// these, too";
    }
    if (results.empty())
      NVVM::WgmmaWaitGroupSyncOp::create(rewriter, op.getLoc(),
                                         op.getPending());
    rewriter.replaceOp(op, results);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

struct LowerAccUndefined : OpConversionPattern<AccUndefinedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AccUndefinedOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::PoisonOp>(
        op, getTypeConverter()->convertType(op.getAcc().getType()));
    return success();
  }
};

struct LowerSlice : OpConversionPattern<SliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelEmitter emit(rewriter, op.getLoc());
    AccType from = op.getAcc().getType(), to = op.getPart().getType();
    // Elements are numbered by 16-row band, then 8-column piece, 4 each.
    int64_t bands = from.getWarpRows() / 16;
    int64_t fromBand = from.getElements() / bands;
    int64_t toBand = to.getElements() / bands;
    SmallVector<Value> elements;
    for (int64_t band = 0; band < bands; ++band)
      for (int64_t i = 0; i < toBand; ++i)
        elements.push_back(emit.field(
            adaptor.getAcc(), band * fromBand + op.getFrom() / 8 * 4 + i));
    rewriter.replaceOp(
        op, emit.pack(getTypeConverter()->convertType(to), elements));
    return success();
  }
};

/// Writes a tile to a slot: 16-bit elements by stmatrix, 8x8 pieces at a time;
/// f32 in pairs.
class StageEmitter {
public:
  StageEmitter(StageOp op, StageOp::Adaptor adaptor, OpBuilder &builder)
      : emit(builder, op.getLoc()), op(op), type(op.getAcc().getType()),
        ring(op.getRing().getType()), acc(adaptor.getAcc()),
        slot(emit.index(adaptor.getRing()) +
             emit.index(adaptor.getSlot()) * ring.getSlotBytes()),
        firstLine(emit.index(adaptor.getLine())),
        place(placeOf(emit.threadOf(op), type.getWarpsN())) {}

  void run() {
    if (type.getElement().isF32())
      return storeWords();
    int64_t pieces = type.getWarpCols() / 8;
    for (int64_t band = 0; band < type.getWarpRows() / 16; ++band)
      for (int64_t piece = 0; piece < pieces; piece += 2)
        storePieces(band, piece, std::min<int64_t>(2, pieces - piece));
  }

private:
  /// Elements `index` and the one to its right as one register.
  Value pair(int64_t index) {
    OpBuilder &b = emit.builder;
    Type vector = VectorType::get(2, type.getElement());
    Value both = LLVM::PoisonOp::create(b, emit.loc, vector);
    for (int64_t i = 0; i < 2; ++i)
      both = LLVM::InsertElementOp::create(
          b, emit.loc, both, emit.field(acc, index + i), emit.i32(i));
    return LLVM::BitcastOp::create(b, emit.loc, b.getI32Type(), both);
  }

  /// Two or four 8x8 matrices: 16 rows of one or two 8-column pieces.
  void storePieces(int64_t band, int64_t piece, int64_t count) {
    OpBuilder &b = emit.builder;
    int64_t perBand = type.getWarpCols() / 8;
    SmallVector<Value> registers;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t half = 0; half < 2; ++half)
        registers.push_back(pair((band * perBand + piece + i) * 4 + half * 2));
    // Lane l gives the address of row l % 8 of matrix l / 8, as for ldmatrix.
    auto at = matrixRow(place.lane, /*isA=*/true, op.getTransposed());
    IndexValue row = place.warpM * type.getWarpRows() + band * 16;
    IndexValue col = place.warpN * type.getWarpCols() + piece * 8;
    IndexValue line = (op.getTransposed() ? col : row) + at.line;
    IndexValue chunk = (op.getTransposed() ? row : col) / 8 + at.chunk;
    IndexValue offset = chunkOffset(firstLine + line, chunk,
                                    ring.getLineBytes(), ring.getLines());
    auto layout =
        op.getTransposed() ? NVVM::MMALayout::col : NVVM::MMALayout::row;
    MLIRContext *context = b.getContext();
    NVVM::StMatrixOp::create(b, emit.loc, emit.shared(slot + offset), registers,
                             layout,
                             NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
                             NVVM::LdStMatrixEltType::B16);
  }

  void storeWords() {
    OpBuilder &b = emit.builder;
    for (int64_t i = 0; i < type.getElements(); i += 2) {
      auto [row, col] = elementOf(place.lane, i, type.getWarpCols());
      row = row + place.warpM * type.getWarpRows();
      col = col + place.warpN * type.getWarpCols();
      if (op.getTransposed()) {
        for (int64_t j = 0; j < 2; ++j)
          storeWord(col + j, row, emit.field(acc, i + j));
        continue;
      }
      Value vector = LLVM::PoisonOp::create(
          b, emit.loc, VectorType::get(2, type.getElement()));
      for (int64_t j = 0; j < 2; ++j)
        vector = LLVM::InsertElementOp::create(
            b, emit.loc, vector, emit.field(acc, i + j), emit.i32(j));
      storeWord(row, col, vector);
    }
  }

  void storeWord(IndexValue line, IndexValue element, Value value) {
    int64_t bytes = type.getElement().getIntOrFloatBitWidth() / 8;
    IndexValue offset = byteOffset(firstLine + line, element * bytes,
                                   ring.getLineBytes(), ring.getLines());
    LLVM::StoreOp::create(emit.builder, emit.loc, value,
                          emit.shared(slot + offset));
  }

  KernelEmitter emit;
  StageOp op;
  AccType type;
  RingType ring;
  Value acc;
  IndexValue slot, firstLine;
  Place<IndexValue> place;
};

struct LowerStage : OpConversionPattern<StageOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StageEmitter(op, adaptor, rewriter).run();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void hone::populateWgmmaPatterns(const TypeConverter &types,
                                 RewritePatternSet &patterns) {
  patterns.add<LowerMmaAsync, LowerMmaFence, LowerMmaCommit, LowerMmaWait,
               LowerAccUndefined, LowerSlice, LowerStage>(
      types, patterns.getContext());
}
