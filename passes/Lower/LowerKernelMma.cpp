//===- LowerKernelMma.cpp - Shared memory to tensor cores -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.read` to ldmatrix.x4 and `kernel.mma` to mma.sync.m16n8k16,
// one instruction for each piece of the warp's tile. With f32 it is m16n8k8,
// and three instructions per piece where factors are split. AddressMap.h has
// the address of each lane.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Verifiers.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Lower/LowerKernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

struct LowerRead {
  static Value lower(ReadOp op, ReadOp::Adaptor adaptor, KernelLowering &emit) {
    FragmentType type = op.getFragment().getType();
    if (type.getDepth())
      return readOwn(op, adaptor, emit);
    RingType ring = op.getRing().getType();
    IndexValue slot = emit.slotOf(adaptor.getRing(), adaptor.getSlot(), ring);
    auto place = placeOf(emit.threadOf(op), type.getWarpsN());
    IndexValue firstRow =
        (type.isA() ? place.warpM : place.warpN) * type.getWarpRows();
    if (adaptor.getRows())
      firstRow = emit.index(adaptor.getRows()) + firstRow;

    SmallVector<Value> registers;
    for (int64_t piece = 0; piece * 16 < type.getWarpRows(); ++piece) {
      IndexValue row = firstRow + piece * 16;
      if (op.isGathered()) {
        gather(emit, op, slot, place.lane, row, registers);
        continue;
      }
      IndexValue offset = pieceOffset(op, place.lane, row);
      readPiece(emit, emit.shared(slot + offset), op.getTransposed(),
                registers);
    }
    return emit.packAs(type, registers);
  }

private:
  /// The byte offset in the slot of this lane's row, for the 16 rows from `row`
  /// on.
  static IndexValue pieceOffset(ReadOp op, IndexValue lane, IndexValue row) {
    RingType ring = op.getRing().getType();
    auto at =
        matrixRow(lane, op.getFragment().getType().isA(), op.getTransposed());
    int64_t step = op.getStep();
    if (op.getTransposed())
      return chunkOffset(at.line + step * 16, row / 8 + at.chunk,
                         ring.getLineBytes(), ring.getLines());
    return chunkOffset(row + at.line, at.chunk + step * 2, ring.getLineBytes(),
                       ring.getLines());
  }

  /// Gathers the registers of a piece. Each holds as many numbers as fill a
  /// word.
  static void gather(KernelEmitter &emit, ReadOp op, IndexValue slot,
                     IndexValue lane, IndexValue row,
                     SmallVectorImpl<Value> &registers) {
    constexpr int64_t kWordBytes = 4;
    RingType ring = op.getRing().getType();
    FragmentType type = op.getFragment().getType();
    int64_t inWord = kWordBytes / bytesOf(type.getElement());
    int64_t first = op.getStep() * type.getStep();
    for (int64_t index = 0; index < 4; ++index) {
      auto word = wordOf(lane, index, type.isA());
      Value bits = gatherWord(emit, op, slot, row + word.row,
                              word.k * inWord + first, inWord);
      registers.push_back(
          op.isWidened()
              ? widenPair(emit, bits, 0, ring.getElement(), type.getElement())
              : bits);
    }
  }

  static int64_t bytesOf(Type element) {
    return element.getIntOrFloatBitWidth() / 8;
  }

  /// `count` numbers of a row from `k` on, the first in the lowest bits of a
  /// word.
  static Value gatherWord(KernelEmitter &emit, ReadOp op, IndexValue slot,
                          IndexValue row, IndexValue k, int64_t count) {
    OpBuilder &b = emit.builder;
    RingType ring = op.getRing().getType();
    int64_t bytes = bytesOf(ring.getElement());
    auto load = [&](IndexValue line, IndexValue at, int64_t loaded) -> Value {
      IndexValue offset =
          byteOffset(line, at * bytes, ring.getLineBytes(), ring.getLines());
      Value bits =
          LLVM::LoadOp::create(b, emit.loc, b.getIntegerType(loaded * 8),
                               emit.shared(slot + offset), loaded);
      Type i32 = b.getI32Type();
      return bits.getType() == i32
                 ? bits
                 : arith::ExtUIOp::create(b, emit.loc, i32, bits).getResult();
    };
    // Neighbours of a line are in one chunk.
    if (!op.getTransposed())
      return load(row, k, bytes * count);
    Value word = load(k, row, bytes);
    for (int64_t i = 1; i < count; ++i) {
      Value raised = arith::ShLIOp::create(b, emit.loc, load(k + i, row, bytes),
                                           emit.i32(8 * bytes * i));
      word = arith::OrIOp::create(b, emit.loc, word, raised);
    }
    return word;
  }

  static void readPiece(KernelEmitter &emit, Value address, bool transposed,
                        SmallVectorImpl<Value> &registers) {
    OpBuilder &b = emit.builder;
    Type i32 = b.getI32Type();
    Type four =
        LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
    // NVVM names ldmatrix.trans `col`.
    auto layout = transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
    auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
    Value read = NVVM::LdMatrixOp::create(b, emit.loc, four, address, 4, layout,
                                          shape, NVVM::LdStMatrixEltType::B16);
    for (int64_t i = 0; i < 4; ++i)
      registers.push_back(emit.field(read, i));
  }
};

SmallVector<Value> lowerSplit(SplitOp, SplitOp::Adaptor adaptor,
                              KernelLowering &emit) {
  Type packed = adaptor.getFragment().getType();
  SmallVector<Value> high, low;
  size_t count = cast<LLVM::LLVMStructType>(packed).getBody().size();
  for (size_t i = 0; i < count; ++i) {
    Value value = emit.field(adaptor.getFragment(), i);
    low.push_back(emit.toTf32(emit.splitOff(value)));
    high.push_back(value);
  }
  return {emit.pack(packed, high), emit.pack(packed, low)};
}

Value lowerZero(ZeroOp op, ZeroOp::Adaptor, KernelLowering &emit) {
  return LLVM::ZeroOp::create(emit.builder, emit.loc,
                              emit.types.convertType(op.getAcc().getType()));
}

struct LowerMma {
  static Value lower(MmaOp op, MmaOp::Adaptor adaptor, KernelLowering &emit) {
    AccType acc = op.getAcc().getType();
    int64_t bands = acc.getWarpRows() / 16, pieces = acc.getWarpCols() / 8;
    Pair elements = {op.getA().getType().getElement(),
                     op.getB().getType().getElement()};
    Tf32Form form = {op.getSplit(), tiesToEven(op)};
    Registers left =
        registersOf(emit, adaptor.getA(), bands * 4, elements.a, form);
    Registers right =
        registersOf(emit, adaptor.getB(), pieces * 2, elements.b, form);
    SmallVector<Value> sums;
    for (int64_t i = 0; i < acc.getElements(); ++i)
      sums.push_back(emit.field(adaptor.getAcc(), i));
    // Bands walk the pieces back and forth, so that each mma shares an operand
    // with the one before it.
    for (int64_t band = 0; band < bands; ++band)
      for (int64_t walk = 0; walk < pieces; ++walk) {
        int64_t piece = band % 2 ? pieces - 1 - walk : walk;
        auto four = MutableArrayRef(sums).slice((band * pieces + piece) * 4, 4);
        Registers a = left.slice(band * 4, 4), b = right.slice(piece * 2, 2);
        if (op.getSplit())
          multiplyParts(emit, a, b, four);
        else if (op.getApart())
          multiplyApart(emit, Factors{a.values, b.values}, elements, four);
        else
          multiply(emit, a.values, b.values, elements, four);
      }
    return emit.packAs(acc, sums);
  }

private:
  /// The registers of a fragment in the types of mma.sync. For split factors,
  /// `rest` has the remainder of each after rounding.
  struct Registers {
    SmallVector<Value> values, rest;

    Registers slice(int64_t first, int64_t count) const {
      auto part = [&](ArrayRef<Value> all) {
        return SmallVector<Value>(
            all.slice(all.empty() ? 0 : first, all.empty() ? 0 : count));
      };
      return {part(values), part(rest)};
    }
  };

  /// How factors of f32 become tf32.
  struct Tf32Form {
    bool isSplit;
    bool tiesToEven;
  };
  /// True where the copy engine rounds, whose ties go to even: both kinds of
  /// kernels then have the same bits.
  static bool tiesToEven(Operation *op) {
    constexpr unsigned kFirst = 90;
    auto module = op->getParentOfType<gpu::GPUModuleOp>();
    ArrayAttr targets = module ? module.getTargetsAttr() : nullptr;
    auto target = targets && !targets.empty()
                      ? dyn_cast<NVVM::NVVMTargetAttr>(targets[0])
                      : nullptr;
    StringRef chip = target ? target.getChip() : "";
    unsigned number;
    return chip.consume_front("sm_") && !chip.consumeInteger(10, number) &&
           number >= kFirst;
  }

  static Registers registersOf(KernelEmitter &emit, Value fragment,
                               int64_t count, Type element, Tf32Form form) {
    Registers result;
    for (int64_t i = 0; i < count; ++i) {
      Value value = emit.field(fragment, i);
      if (element.isF16())
        value = LLVM::BitcastOp::create(emit.builder, emit.loc,
                                        VectorType::get(2, element), value);
      if (form.isSplit)
        result.rest.push_back(emit.splitOff(value));
      else if (element.isF32())
        value = emit.toTf32(value, form.tiesToEven);
      result.values.push_back(value);
    }
    return result;
  }

  /// A pair of values, of A and of B.
  struct Pair {
    Type a, b;
  };
  /// Registers of A, and of B.
  struct Factors {
    ArrayRef<Value> a, b;
  };

  /// Adds the smallest products first. The tensor cores truncate their sum
  /// after each product, so these have a sum of their own.
  static void multiplyParts(KernelEmitter &emit, const Registers &a,
                            const Registers &b, MutableArrayRef<Value> sums) {
    Type f32 = emit.builder.getF32Type();
    Factors products[] = {
        {a.rest, b.values}, {a.values, b.rest}, {a.values, b.values}};
    multiplyApart(emit, products, {f32, f32}, sums);
  }

  /// The sum of these products from zero, which threads add.
  static void multiplyApart(KernelEmitter &emit, ArrayRef<Factors> products,
                            Pair elements, MutableArrayRef<Value> sums) {
    OpBuilder &builder = emit.builder;
    Value zero = LLVM::ConstantOp::create(
        builder, emit.loc, builder.getF32Type(), builder.getF32FloatAttr(0));
    SmallVector<Value> parts(sums.size(), zero);
    for (const Factors &factors : products)
      multiply(emit, factors.a, factors.b, elements, parts);
    for (auto [sum, part] : llvm::zip_equal(sums, parts))
      sum = LLVM::FAddOp::create(builder, emit.loc, sum, part);
  }

  /// Multiplies floats of 8 bits, which NVVM's op does not support.
  static void multiplyShortFloats(KernelEmitter &emit, ArrayRef<Value> a,
                                  ArrayRef<Value> b, Pair elements,
                                  MutableArrayRef<Value> sums) {
    Type f32 = emit.builder.getF32Type();
    Type four = LLVM::LLVMStructType::getLiteral(f32.getContext(),
                                                 {f32, f32, f32, f32});
    SmallVector<Value> operands(a);
    llvm::append_range(operands, b);
    llvm::append_range(operands, sums);
    std::string text =
        llvm::formatv(
            "mma.sync.aligned.m16n8k32.row.col.f32.{0}.{1}.f32 {{$0, $1, "
            "$2, $3}, {{$4, $5, $6, $7}, {{$8, $9}, {{$10, $11, $12, $13};",
            ptxNameOf(elements.a), ptxNameOf(elements.b))
            .str();
    Value product =
        emit.assembly(four, operands, text, "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f");
    for (int64_t i = 0; i < 4; ++i)
      sums[i] = emit.field(product, i);
  }

  static void multiply(KernelEmitter &emit, ArrayRef<Value> a,
                       ArrayRef<Value> b, Pair elements,
                       MutableArrayRef<Value> sums) {
    Type element = elements.a;
    if (isShortFloat(element))
      return multiplyShortFloats(emit, a, b, elements, sums);
    OpBuilder &builder = emit.builder;
    Type sum = accumulatorOf(element);
    Type four = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                 {sum, sum, sum, sum});
    auto types = element.isInteger() ? NVVM::MMATypes::s8
                 : element.isF16()   ? NVVM::MMATypes::f16
                 : element.isBF16()  ? NVVM::MMATypes::bf16
                                     : NVVM::MMATypes::tf32;
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (element.isInteger())
      overflow = NVVM::MMAIntOverflow::wrapped;
    int64_t k = stepOf(element.getIntOrFloatBitWidth() / 8);
    Value product = NVVM::MmaOp::create(
        builder, emit.loc, four, a, b, sums, ArrayRef<int64_t>{16, 8, k},
        /*b1Op=*/std::nullopt, overflow,
        std::array<NVVM::MMATypes, 2>{types, types},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
    for (int64_t i = 0; i < 4; ++i)
      sums[i] = emit.field(product, i);
  }
};

} // namespace

void hone::populateMmaPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns) {
  addLowerings<LowerRead::lower, lowerSplit, lowerZero, LowerMma::lower>(
      types, patterns);
}
