//===- Guards.cpp - Memory that a program does not get --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %p = llvm.call @mgpuMemAlloc(%bytes, %stream, %shared)
//   if %p == null && %bytes != 0
//     return zeros
//
// The runtime has noted the failure, and the dispatcher returns it. To go on
// would start kernels on no memory, which costs the program its context, or
// touch it on the host. What the function had allocated before is not freed.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace hone;

static void returnZeros(OpBuilder &builder, LLVM::LLVMFuncOp function) {
  Location loc = function.getLoc();
  Type type = function.getFunctionType().getReturnType();
  SmallVector<Value> zeros;
  if (!isa<LLVM::LLVMVoidType>(type))
    zeros.push_back(LLVM::ZeroOp::create(builder, loc, type));
  LLVM::ReturnOp::create(builder, loc, zeros);
}

static void guard(LLVM::CallOp call) {
  auto function = call->getParentOfType<LLVM::LLVMFuncOp>();
  Location loc = call.getLoc();
  Block *start = call->getBlock();
  Block *rest = start->splitBlock(std::next(call->getIterator()));
  OpBuilder builder(call.getContext());
  Block *exit = builder.createBlock(&function.getBody());
  returnZeros(builder, function);

  builder.setInsertionPointToEnd(start);
  auto isZero = [&](Value value, LLVM::ICmpPredicate predicate) {
    Value zero = LLVM::ZeroOp::create(builder, loc, value.getType());
    return LLVM::ICmpOp::create(builder, loc, predicate, value, zero);
  };
  Value isNull = isZero(call.getResult(), LLVM::ICmpPredicate::eq);
  Value isAsked = isZero(call.getOperand(0), LLVM::ICmpPredicate::ne);
  Value isMissing = LLVM::AndOp::create(builder, loc, isNull, isAsked);
  LLVM::CondBrOp::create(builder, loc, isMissing, exit, rest);
}

void hone::guardAllocations(ModuleOp lowered) {
  SmallVector<LLVM::CallOp> calls;
  lowered.walk([&](LLVM::CallOp call) {
    if (call.getCallee() == "mgpuMemAlloc")
      calls.push_back(call);
  });
  llvm::for_each(calls, guard);
}
