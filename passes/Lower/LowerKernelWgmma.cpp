//===- LowerKernelWgmma.cpp - Tensor cores that read shared memory --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `kernel.mma.async` to wgmma, with the matrix descriptors of
// AddressMap.h; its fence, commit and wait; and the ops that take parts of
// accumulators.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Lower/LowerKernel.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

namespace {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Assembly whose first `count` results, sums of type `element`, are also its
/// first inputs: "=f,...,0,1,...".
static std::string passedRegisters(Type element, size_t count) {
  std::string outputs, inputs;
  for (size_t i = 0; i < count; ++i) {
    outputs += isa<IntegerType>(element) ? "=r," : "=f,";
    inputs += std::to_string(i) + ",";
  }
  return outputs + inputs;
}

static Value assemble(KernelEmitter &emit, Value acc, ArrayRef<Value> more,
                      StringRef text, const std::string &constraints) {
  auto type = cast<LLVM::LLVMStructType>(acc.getType());
  SmallVector<Value> operands;
  for (size_t i = 0; i < type.getBody().size(); ++i)
    operands.push_back(emit.field(acc, i));
  operands.append(more.begin(), more.end());
  return emit.assembly(type, operands, text, constraints);
}

/// The text of a product of `rows`. Accumulators are $0 to $n-1, and again from
/// $n on. The registers or the descriptor of the rows follow, then the
/// descriptor of the columns, and the value of `keep`. `transposes` lists the
/// operands in shared memory that are transposed, for types that allow it.
template <typename OpT>
static std::string textOf(OpT op, Type element, size_t registersOfRows,
                          ArrayRef<bool> transposes) {
  AccType acc = op.getResult().getType();
  int64_t count = acc.getElements(), next = 2 * count;
  bool isInteger = isa<IntegerType>(element);
  auto registers = [](int64_t first, int64_t count) {
    std::string text = "{";
    for (int64_t i = first; i < first + count; ++i)
      text += (i > first ? ", $" : "$") + std::to_string(i);
    return text + "}";
  };
  std::string rows = registersOfRows ? registers(next, registersOfRows)
                                     : "$" + std::to_string(next);
  next += std::max<int64_t>(registersOfRows, 1);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\n.reg .pred keep;\n";
  if (op.getKeep())
    os << "setp.ne.b32 keep, $" << next + 1 << ", 0;\n";
  else
    os << "setp.eq.b32 keep, 0, 0;\n";
  // After keep: neither operand is negated; integers have no such flags.
  os << "wgmma.mma_async.sync.aligned.m64n" << acc.getCols() << "k"
     << stepOf(element.getIntOrFloatBitWidth() / 8)
     << (isInteger ? ".s32." : ".f32.") << ptxNameOf(element) << "."
     << ptxNameOf(op.getRingB().getType().getElement()) << " "
     << registers(0, count) << ", " << rows << ", $" << next << ", keep"
     << (isInteger ? "" : ", 1, 1");
  if (element.getIntOrFloatBitWidth() == 16)
    for (bool isTransposed : transposes)
      os << ", " << isTransposed;
  os << ";\n}";
  return text;
}

/// The descriptor of a product's operand in a slot. The step is added last and
/// as a constant, so that the products of a slot share the rest.
static Value descriptorOf(KernelEmitter &emit, RingType ring, Value base,
                          Value slot, Value first, int64_t step,
                          bool transposed) {
  constexpr int64_t kUnit = 16;
  IndexValue address =
      emit.slotOf(base, slot, ring) +
      operandOffset(emit.index(first), 0, transposed, ring.getLines());
  int64_t offset = operandOffset<int64_t>(0, step, transposed, ring.getLines());
  Type i64 = emit.builder.getI64Type();
  IndexValue units = descriptorAddress(address).to(i64);
  return units + descriptorFields(transposed, ring.getLines()) + offset / kUnit;
}

/// Assembly, because NVVM's op has no sum that starts at zero by a value. `op`
/// is a product whose `rows`, registers or a descriptor, have these
/// constraints.
template <typename OpT>
static Value multiply(KernelEmitter &emit, OpT op,
                      typename OpT::Adaptor adaptor, SmallVector<Value> more,
                      StringRef ofRows, const std::string &text) {
  more.push_back(descriptorOf(emit, op.getRingB().getType(), adaptor.getRingB(),
                              adaptor.getSlotB(), adaptor.getCols(),
                              op.getStep(), op.getTransposedB()));
  AccType acc = op.getResult().getType();
  std::string constraints =
      passedRegisters(acc.getElement(), acc.getElements()) + ofRows.str() +
      ",l";
  if (adaptor.getKeep()) {
    more.push_back(arith::ExtUIOp::create(
        emit.builder, emit.loc, emit.builder.getI32Type(), adaptor.getKeep()));
    constraints += ",r";
  }
  return assemble(emit, adaptor.getAcc(), more, text, constraints);
}

Value lowerMmaAsync(MmaAsyncOp op, MmaAsyncOp::Adaptor adaptor,
                    KernelLowering &emit) {
  RingType ring = op.getRingA().getType();
  Value rows =
      descriptorOf(emit, ring, adaptor.getRingA(), adaptor.getSlotA(),
                   adaptor.getRows(), op.getStep(), op.getTransposedA());
  std::string text = textOf(op, ring.getElement(), /*registersOfRows=*/0,
                            {op.getTransposedA(), op.getTransposedB()});
  return multiply(emit, op, adaptor, {rows}, "l", text);
}

Value lowerMmaFetched(MmaFetchedOp op, MmaFetchedOp::Adaptor adaptor,
                      KernelLowering &emit) {
  constexpr int64_t kRegisters = 4;
  SmallVector<Value> rows;
  for (int64_t i = 0; i < kRegisters; ++i)
    rows.push_back(emit.field(adaptor.getA(), i));
  std::string text = textOf(op, op.getA().getType().getElement(), kRegisters,
                            {op.getTransposedB()});
  return multiply(emit, op, adaptor, rows, "r,r,r,r", text);
}

void lowerMmaFence(MmaFenceOp, MmaFenceOp::Adaptor, KernelLowering &emit) {
  NVVM::WgmmaFenceAlignedOp::create(emit.builder, emit.loc);
}

void lowerMmaCommit(MmaCommitOp, MmaCommitOp::Adaptor, KernelLowering &emit) {
  NVVM::WgmmaGroupSyncAlignedOp::create(emit.builder, emit.loc);
}

/// The wait is assembly that every accumulator passes through: only this
/// prevents LLVM from reading them before the wait.
SmallVector<Value> lowerMmaWait(MmaWaitOp op, MmaWaitOp::Adaptor adaptor,
                                KernelLowering &emit) {
  std::string wait =
      "wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";";
  SmallVector<Value> results;
  for (Value acc : adaptor.getAccs()) {
    auto type = cast<LLVM::LLVMStructType>(acc.getType());
    std::string constraints =
        passedRegisters(type.getBody().front(), type.getBody().size());
    constraints.pop_back();
    results.push_back(assemble(emit, acc, {}, wait, constraints));
    wait = "// these, too";
  }
  if (results.empty())
    NVVM::WgmmaWaitGroupSyncOp::create(emit.builder, emit.loc, op.getPending());
  return results;
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

Value lowerAccUndefined(AccUndefinedOp op, AccUndefinedOp::Adaptor,
                        KernelLowering &emit) {
  return LLVM::PoisonOp::create(emit.builder, emit.loc,
                                emit.types.convertType(op.getAcc().getType()));
}

Value lowerAccAdd(AccAddOp op, AccAddOp::Adaptor adaptor,
                  KernelLowering &emit) {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < op.getSum().getType().getElements(); ++i)
    sums.push_back(LLVM::FAddOp::create(emit.builder, emit.loc,
                                        emit.field(adaptor.getBefore(), i),
                                        emit.field(adaptor.getBlock(), i)));
  return emit.pack(adaptor.getBefore().getType(), sums);
}

Value lowerSlice(SliceOp op, SliceOp::Adaptor adaptor, KernelLowering &emit) {
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
  return emit.packAs(to, elements);
}

} // namespace

void hone::populateWgmmaPatterns(const TypeConverter &types,
                                 RewritePatternSet &patterns) {
  addLowerings<lowerMmaAsync, lowerMmaFetched, lowerMmaFence, lowerMmaCommit,
               lowerMmaWait, lowerAccUndefined, lowerAccAdd, lowerSlice>(
      types, patterns);
}
