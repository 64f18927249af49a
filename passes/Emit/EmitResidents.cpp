//===- EmitResidents.cpp - Constants and flags on the device --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hone.constant @w        honeConstant(&slot, address of @w, bytes, &pointer)
//   hone.assertion "text"   honeAssertion(&slot, text, &pointer)
//
// The pointer becomes a memref by its descriptor. The module frees the memory
// of all slots when it is unloaded. Without libhone_rt each call of a function
// has a copy of its own, and flags cannot be asked for.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Emit/Emit.h"
#include "passes/Memory/Buffers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace hone;

/// A dense memref at `pointer`.
static Value memrefAt(OpBuilder &builder, Location loc, Value pointer,
                      MemRefType type) {
  MLIRContext *context = builder.getContext();
  Type i64 = builder.getI64Type(), ptr = LLVM::LLVMPointerType::get(context);
  SmallVector<Type> fields = {ptr, ptr, i64};
  if (type.getRank() > 0)
    fields.append(2, LLVM::LLVMArrayType::get(i64, type.getRank()));
  Value all = LLVM::PoisonOp::create(
      builder, loc, LLVM::LLVMStructType::getLiteral(context, fields));
  auto insert = [&](Value value, ArrayRef<int64_t> at) {
    all = LLVM::InsertValueOp::create(builder, loc, all, value, at);
  };
  auto number = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getI64IntegerAttr(value));
  };
  insert(pointer, 0);
  insert(pointer, 1);
  insert(number(0), 2);
  auto [strides, offset] = type.getStridesAndOffset();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    insert(number(type.getDimSize(dim)), {3, dim});
    insert(number(strides[dim]), {4, dim});
  }
  return UnrealizedConversionCastOp::create(builder, loc, type, all)
      .getResult(0);
}

namespace {
/// Emits the residents of one module.
class Residents {
public:
  explicit Residents(ModuleOp module) : module(module) {}

  void emit(hone::ConstantOp op);
  void emit(AssertionOp op);
  /// Adds the function that frees the memory of all slots.
  void addRelease();

private:
  Value slotOf(OpBuilder &builder, Location loc, const std::string &name);
  void replace(Operation *op, StringRef callee, SmallVector<Value> operands);

  ModuleOp module;
  llvm::SetVector<Operation *> slots;
};
} // namespace

Value Residents::slotOf(OpBuilder &builder, Location loc,
                        const std::string &name) {
  LLVM::GlobalOp slot = slotGlobal(module, loc, name);
  slots.insert(slot);
  return LLVM::AddressOfOp::create(builder, loc, slot);
}

/// Replaces `op` by a call of `callee`, which stores a pointer.
void Residents::replace(Operation *op, StringRef callee,
                        SmallVector<Value> operands) {
  Location loc = op->getLoc();
  Type pointer = LLVM::LLVMPointerType::get(op->getContext());
  auto function = op->getParentOfType<func::FuncOp>();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Value one =
      LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  Value place = LLVM::AllocaOp::create(builder, loc, pointer, pointer, one);
  builder.setInsertionPoint(op);
  operands.push_back(place);
  SmallVector<Type> types(ValueRange(operands).getTypes());
  LLVM::CallOp::create(builder, loc, declareRuntime(module, callee, types),
                       operands);
  Value found = LLVM::LoadOp::create(builder, loc, pointer, place);
  auto type = cast<MemRefType>(op->getResult(0).getType());
  op->getResult(0).replaceAllUsesWith(memrefAt(builder, loc, found, type));
  op->erase();
}

void Residents::emit(hone::ConstantOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value data = memref::GetGlobalOp::create(builder, loc, op.getType(),
                                           op.getGlobalAttr());
  Value slot = slotOf(builder, loc, (op.getGlobal() + "_on_device").str());
  replace(op, "honeConstant",
          {slot, addressOfMemref(builder, loc, data),
           bytesOfMemref(builder, loc, data)});
}

void Residents::emit(AssertionOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  StringRef text = op.getText();
  std::string name =
      "hone_assertion_" +
      llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
  Value slot = slotOf(builder, loc, name);
  LLVM::GlobalOp bytes = textGlobal(module, loc, name + "_text", text);
  replace(op, "honeAssertion",
          {slot, LLVM::AddressOfOp::create(builder, loc, bytes)});
}

void Residents::addRelease() {
  if (slots.empty())
    return;
  MLIRContext *context = module.getContext();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  Type none = LLVM::LLVMVoidType::get(context);
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto callee =
      LLVM::LLVMFuncOp::create(builder, loc, "honeReleaseResident",
                               LLVM::LLVMFunctionType::get(none, {pointer}));
  auto release = LLVM::LLVMFuncOp::create(
      builder, loc, "hone_release_residents",
      LLVM::LLVMFunctionType::get(none, {}), LLVM::Linkage::Internal);
  LLVM::GlobalDtorsOp::create(
      builder, loc, builder.getArrayAttr({FlatSymbolRefAttr::get(release)}),
      builder.getI32ArrayAttr({0}),
      builder.getArrayAttr({LLVM::ZeroAttr::get(context)}));
  builder.setInsertionPointToStart(release.addEntryBlock(builder));
  for (Operation *slot : slots)
    LLVM::CallOp::create(builder, loc, callee,
                         ValueRange{LLVM::AddressOfOp::create(
                             builder, loc, cast<LLVM::GlobalOp>(slot))});
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

/// Replaces `op` by memory of this call, without libhone_rt.
static void emitForCall(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(op->getResult(0).getType());
  Value memory = gpu::AllocOp::create(builder, loc, type, Type(), ValueRange(),
                                      ValueRange(), ValueRange())
                     .getMemref();
  if (auto constant = dyn_cast<hone::ConstantOp>(op)) {
    Value data = memref::GetGlobalOp::create(builder, loc, type,
                                             constant.getGlobalAttr());
    gpu::MemcpyOp::create(builder, loc, Type(), ValueRange(), memory, data);
  } else {
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    gpu::MemsetOp::create(builder, loc, Type(), ValueRange(), memory, zero);
  }
  op->getResult(0).replaceAllUsesWith(memory);
  auto function = op->getParentOfType<func::FuncOp>();
  op->erase();
  function.walk([&](Operation *end) {
    if (!isFunctionReturn(end))
      return;
    OpBuilder before(end);
    gpu::DeallocOp::create(before, loc, Type(), ValueRange(), memory);
  });
}

void hone::emitResidents(ModuleOp module, bool hasRuntime) {
  SmallVector<Operation *> ops;
  for (func::FuncOp function : hostFunctions(module))
    function.walk([&](Operation *op) {
      if (isa<hone::ConstantOp, AssertionOp>(op))
        ops.push_back(op);
    });
  Residents residents(module);
  for (Operation *op : ops) {
    if (!hasRuntime)
      emitForCall(op);
    else if (auto constant = dyn_cast<hone::ConstantOp>(op))
      residents.emit(constant);
    else
      residents.emit(cast<AssertionOp>(op));
  }
  residents.addRelease();
}
