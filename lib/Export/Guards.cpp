//===- Guards.cpp - Checks for failed host allocations --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's host code continues after a failed allocation, and would use a null
// pointer. So every `malloc` is checked, and every call of a function that
// contains one; passes/Emit handles memory of the device.
//
//   %p = llvm.call @malloc(%bytes)
//   if (%p == null && %bytes != 0)
//     lack = host, return zeros
//   ...
//   llvm.call @inner(...)
//   if (lack)
//     return zeros
//
// `lack` is a thread-local variable, which the dispatchers clear and read.
// Earlier allocations of a function that returns in this way are not freed.
//
//===----------------------------------------------------------------------===//

#include "Guards.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace hone;

static constexpr StringLiteral kName = "export.lack";

//===----------------------------------------------------------------------===//
// The variable
//===----------------------------------------------------------------------===//

LLVM::GlobalOp hone::addLack(ModuleOp lowered) {
  OpBuilder builder = OpBuilder::atBlockBegin(lowered.getBody());
  auto global = LLVM::GlobalOp::create(
      builder, lowered.getLoc(), builder.getI32Type(), /*isConstant=*/false,
      LLVM::Linkage::Internal, kName, builder.getI32IntegerAttr(0));
  global.setThreadLocal_(true);
  return global;
}

static Value addressOf(OpBuilder &builder, Location loc) {
  return LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), kName);
}

void hone::storeLack(OpBuilder &builder, Location loc, Lack lack) {
  Value value = LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(int32_t(lack)));
  LLVM::StoreOp::create(builder, loc, value, addressOf(builder, loc));
}

Value hone::loadLack(OpBuilder &builder, Location loc) {
  return LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                              addressOf(builder, loc));
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static Value compareToZero(OpBuilder &builder, Value value,
                           LLVM::ICmpPredicate predicate) {
  Value zero = LLVM::ZeroOp::create(builder, value.getLoc(), value.getType());
  return LLVM::ICmpOp::create(builder, value.getLoc(), predicate, value, zero);
}

static void returnZeros(OpBuilder &builder, LLVM::LLVMFuncOp function) {
  Type type = function.getFunctionType().getReturnType();
  SmallVector<Value> zeros;
  if (!isa<LLVM::LLVMVoidType>(type))
    zeros.push_back(LLVM::ZeroOp::create(builder, function.getLoc(), type));
  LLVM::ReturnOp::create(builder, function.getLoc(), zeros);
}

/// Makes the function return after `call` if the condition of `addCondition`
/// holds.
static void guard(LLVM::CallOp call, Lack lack,
                  function_ref<Value(OpBuilder &)> addCondition) {
  auto function = call->getParentOfType<LLVM::LLVMFuncOp>();
  Block *start = call->getBlock();
  Block *rest = start->splitBlock(std::next(call->getIterator()));
  OpBuilder builder(call.getContext());
  Block *exit = builder.createBlock(&function.getBody());
  if (lack != Lack::none)
    storeLack(builder, call.getLoc(), lack);
  returnZeros(builder, function);
  builder.setInsertionPointToEnd(start);
  LLVM::CondBrOp::create(builder, call.getLoc(), addCondition(builder), exit,
                         rest);
}

static bool allocates(LLVM::CallOp call) {
  return call.getCallee() == StringRef("malloc");
}

static void guardAllocation(LLVM::CallOp call) {
  guard(call, Lack::host, [&](OpBuilder &builder) -> Value {
    Value isNull =
        compareToZero(builder, call.getResult(), LLVM::ICmpPredicate::eq);
    Value isAsked =
        compareToZero(builder, call.getOperand(0), LLVM::ICmpPredicate::ne);
    return LLVM::AndOp::create(builder, call.getLoc(), isNull, isAsked);
  });
}

static void guardCall(LLVM::CallOp call) {
  guard(call, Lack::none, [&](OpBuilder &builder) {
    return compareToZero(builder, loadLack(builder, call.getLoc()),
                         LLVM::ICmpPredicate::ne);
  });
}

/// The function of the module that `call` calls; null if there is none.
static Operation *calleeOf(LLVM::CallOp call, ModuleOp module) {
  std::optional<StringRef> name = call.getCallee();
  return name ? module.lookupSymbol<LLVM::LLVMFuncOp>(*name).getOperation()
              : nullptr;
}

void hone::guardAllocations(ModuleOp lowered) {
  SmallVector<LLVM::CallOp> calls, allocations;
  llvm::SmallPtrSet<Operation *, 8> lacking;
  lowered.walk([&](LLVM::CallOp call) {
    if (!allocates(call))
      return calls.push_back(call);
    allocations.push_back(call);
    lacking.insert(call->getParentOfType<LLVM::LLVMFuncOp>());
  });
  // Repeats until no function calls another one newly found to lack memory.
  bool isNew = true;
  while (isNew) {
    isNew = false;
    for (LLVM::CallOp call : calls)
      if (lacking.contains(calleeOf(call, lowered)))
        isNew |=
            lacking.insert(call->getParentOfType<LLVM::LLVMFuncOp>()).second;
  }
  llvm::for_each(allocations, guardAllocation);
  for (LLVM::CallOp call : calls)
    if (lacking.contains(calleeOf(call, lowered)))
      guardCall(call);
}
