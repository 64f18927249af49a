//===- LowerKernelPlace.cpp - Tiles, matrices and rings -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the kernel ops that define places of tiles, and defines the helpers
// that every other pattern file uses.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

KernelTypeConverter::KernelTypeConverter(MLIRContext *context) {
  addConversion([](Type type) { return type; });
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  Type global = LLVM::LLVMPointerType::get(context, kGlobalSpace);
  auto structOf = [context](ArrayRef<Type> fields) -> Type {
    return LLVM::LLVMStructType::getLiteral(context, fields);
  };
  addConversion([=](BufferType) { return global; });
  addConversion([=](RingType) { return i32; });
  addConversion([=](PartialType) { return i32; });
  addConversion([=](SumsType) { return global; });
  addConversion([=](CountersType) { return global; });
  addConversion([=](BarriersType) { return i32; });
  addConversion([=](MapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  addConversion([=](MatrixType) { return structOf({global, i32, i32, i64}); });
  addConversion([=](OperandType) { return structOf({global, i64, i64}); });
  addConversion([=](FragmentType type) {
    Type each = type.getDepth() ? type.getElement() : i32;
    return structOf(SmallVector<Type>(type.getRegisters(), each));
  });
  addConversion([=](AccType type) {
    return structOf(SmallVector<Type>(type.getElements(), type.getElement()));
  });
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

IndexValue KernelEmitter::i32(int64_t number) const {
  return index(arith::ConstantOp::create(builder, loc,
                                         builder.getI32IntegerAttr(number)));
}

IndexValue KernelEmitter::i64(int64_t number) const {
  return index(arith::ConstantOp::create(builder, loc,
                                         builder.getI64IntegerAttr(number)));
}

Value KernelEmitter::field(Value aggregate, int64_t position) const {
  return LLVM::ExtractValueOp::create(builder, loc, aggregate, position);
}

Value KernelEmitter::pack(Type type, ValueRange fields) const {
  Value result = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [position, value] : llvm::enumerate(fields))
    result = LLVM::InsertValueOp::create(builder, loc, result, value, position);
  return result;
}

Value KernelEmitter::neighbours(Value aggregate, int64_t first,
                                int64_t count) const {
  Value only = field(aggregate, first);
  if (count == 1)
    return only;
  Type vector = VectorType::get(count, only.getType());
  Value all = LLVM::PoisonOp::create(builder, loc, vector);
  for (int64_t i = 0; i < count; ++i)
    all = LLVM::InsertElementOp::create(builder, loc, all,
                                        field(aggregate, first + i), i32(i));
  return all;
}

Value KernelEmitter::asWhole(Value value) const {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || !vector.getElementType().isInteger(8))
    return value;
  Type whole = builder.getIntegerType(8 * vector.getNumElements());
  return LLVM::BitcastOp::create(builder, loc, whole, value);
}

Value KernelEmitter::add(Value x, Value y) const {
  if (isa<IntegerType>(getElementTypeOrSelf(x)))
    return LLVM::AddOp::create(builder, loc, x, y);
  return LLVM::FAddOp::create(builder, loc, x, y);
}

Value KernelEmitter::element(Value pointer, Value index, Type type) const {
  // LLVM has no floats of 8 bits.
  if (type.getIntOrFloatBitWidth() == 8)
    type = builder.getI8Type();
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), type, pointer,
                             ValueRange{index});
}

Value KernelEmitter::shared(Value address) const {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace);
  return LLVM::IntToPtrOp::create(builder, loc, pointer, address);
}

Value KernelEmitter::assembly(Type type, ValueRange operands, StringRef text,
                              StringRef constraints) const {
  auto assembly = LLVM::InlineAsmOp::create(
      builder, loc, type, operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  return assembly.getResult(0);
}

Value KernelEmitter::toTf32(Value bits, bool tiesToEven) const {
  Value number =
      LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  return NVVM::ConvertFloatToTF32Op::create(
      builder, loc, builder.getI32Type(), number,
      tiesToEven ? NVVM::FPRoundingMode::RN : NVVM::FPRoundingMode::RNA);
}

StringRef hone::ptxNameOf(Type element) {
  return isa<IntegerType>(element)        ? "s8"
         : element.isF16()                ? "f16"
         : element.isBF16()               ? "bf16"
         : element.isF32()                ? "tf32"
         : isa<Float8E4M3FNType>(element) ? "e4m3"
                                          : "e5m2";
}

/// Subtracts by an addition, which is faster than the conversion. The rounding
/// turns some NaNs into zero; the rest is then a NaN.
Value KernelEmitter::splitOff(Value &bits) const {
  constexpr int64_t kCut = 13;
  Type f32 = builder.getF32Type();
  Value raised =
      LLVM::AddOp::create(builder, loc, bits, i32(int64_t(1) << (kCut - 1)));
  Value high =
      LLVM::AndOp::create(builder, loc, raised, i32(-(int64_t(1) << kCut)));
  Value whole = LLVM::BitcastOp::create(builder, loc, f32, bits);
  Value part = LLVM::BitcastOp::create(builder, loc, f32, high);
  Value low = LLVM::FSubOp::create(builder, loc, whole, part);
  bits = high;
  return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), low);
}

IndexValue KernelEmitter::thread(int64_t threads) const {
  auto range =
      LLVM::ConstantRangeAttr::get(builder.getContext(), 32, 0, threads);
  return index(
      NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type(), range));
}

IndexValue KernelEmitter::block() const {
  return index(NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type()));
}

IndexValue KernelEmitter::sharedBase() const {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace);
  Value symbol =
      LLVM::AddressOfOp::create(builder, loc, pointer, kSharedSymbol);
  return index(
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), symbol));
}

IndexValue KernelEmitter::threadOf(Operation *op) const {
  IndexValue inBlock = thread(threadsOf(op));
  auto role = op->getParentOfType<RoleOp>();
  if (!role)
    return inBlock;
  if (role.getWarps() % 4 == 0)
    return inBlock % role.getGroupThreads();
  return inBlock + -role.getFirstWarp() * kWarpSize;
}

int64_t hone::threadsOf(Operation *op) {
  DenseI32ArrayAttr size;
  auto lowered = dyn_cast<LLVM::LLVMFuncOp>(op);
  if (!lowered)
    lowered = op->getParentOfType<LLVM::LLVMFuncOp>();
  if (auto func = op->getParentOfType<gpu::GPUFuncOp>())
    size = func.getKnownBlockSizeAttr();
  else if (lowered)
    size = lowered->getAttrOfType<DenseI32ArrayAttr>(
        NVVM::NVVMDialect::getReqntidAttrName());
  assert(size && "hone-lower-kernel checks that kernels have a block size");
  return size[0];
}

int64_t hone::groupThreadsOf(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  return role ? role.getGroupThreads() : threadsOf(op);
}

void KernelEmitter::inFirstThreads(Operation *op, int64_t count,
                                   function_ref<void(IndexValue)> write) const {
  auto role = op->getParentOfType<RoleOp>();
  if (role && role.getOneThread())
    return write(i32(0));
  IndexValue thread = threadOf(op);
  auto branch = scf::IfOp::create(builder, loc, thread.lessThan(i32(count)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  write(thread);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static SmallVector<Value> lowerTile(TileOp, TileOp::Adaptor adaptor,
                                    KernelLowering &emit) {
  IndexValue index =
      adaptor.getIndex() ? emit.index(adaptor.getIndex()) : emit.block();
  auto tile =
      tileOf(index, emit.index(adaptor.getTilesM()),
             emit.index(adaptor.getTilesN()), emit.index(adaptor.getGroup()),
             [](IndexValue a, IndexValue b) { return a.min(b); });
  return {tile.tileM, tile.tileN, tile.batch};
}

static Value lowerMatrix(MatrixOp op, MatrixOp::Adaptor adaptor,
                         KernelLowering &emit) {
  Value start = emit.element(adaptor.getBuffer(), adaptor.getOffset(),
                             op.getMatrix().getType().getElement());
  return emit.packAs(
      op.getMatrix().getType(),
      {start, adaptor.getLines(), adaptor.getWidth(), adaptor.getStride()});
}

static Value lowerOperand(OperandOp op, OperandOp::Adaptor adaptor,
                          KernelLowering &emit) {
  Value start = emit.element(adaptor.getBuffer(), adaptor.getOffset(),
                             op.getOperand().getType().getElement());
  return emit.packAs(op.getOperand().getType(),
                     {start, adaptor.getRowStride(), adaptor.getColStride()});
}

static SmallVector<Value> lowerWorker(WorkerOp op, WorkerOp::Adaptor,
                                      KernelLowering &emit) {
  IndexValue blocks = emit.index(NVVM::GridDimXOp::create(
      emit.builder, emit.loc, emit.builder.getI32Type()));
  int64_t cluster = op.getBlocks();
  return {emit.block() / cluster, blocks / cluster};
}

void hone::populatePlacePatterns(const TypeConverter &types,
                                 RewritePatternSet &patterns) {
  addLowerings<lowerTile, lowerMatrix, lowerOperand, lowerPlace<RingOp>,
               lowerWorker>(types, patterns);
}
