//===- EmitRuntimeMemory.cpp - Copies and waits through libhone_rt --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   gpu.memcpy %to, %from    honeCopy(to, from, bytes), in the stream's order
//   gpu.alloc, gpu.dealloc   the same with a token, on the thread's stream
//   hone.wait                honeSynchronize()
//
// Upstream treats a `gpu.memcpy` without tokens as synchronous and would wait
// after each. Here a `hone.wait` marks every necessary wait. Without tokens,
// gpu-to-llvm lowers only the allocation of shared memory; shared memory must
// not have a token.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Emit/Emit.h"
#include "passes/Memory/Buffers.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;

LLVM::LLVMFuncOp hone::declareRuntime(ModuleOp module, StringRef name,
                                      ArrayRef<Type> arguments) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return found;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), arguments);
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
}

Value hone::addressOfMemref(OpBuilder &builder, Location loc, Value memref) {
  Value index =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  Value word =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::IntToPtrOp::create(builder, loc, pointer, word);
}

Value hone::bytesOfMemref(OpBuilder &builder, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t known = *bytesOfElement(type.getElementType());
  for (int64_t size : type.getShape())
    known *= ShapedType::isDynamic(size) ? 1 : size;
  Value bytes = arith::ConstantIndexOp::create(builder, loc, known);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      bytes = arith::MulIOp::create(
          builder, loc, bytes,
          memref::DimOp::create(builder, loc, memref, dim).getResult());
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), bytes);
}

static void emitCopy(ModuleOp module, gpu::MemcpyOp op) {
  OpBuilder builder(op);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp callee = declareRuntime(
      module, "honeCopy", {pointer, pointer, builder.getI64Type()});
  Location loc = op.getLoc();
  Value to = addressOfMemref(builder, loc, op.getDst());
  Value from = addressOfMemref(builder, loc, op.getSrc());
  Value bytes = bytesOfMemref(builder, loc, op.getSrc());
  LLVM::CallOp::create(builder, loc, callee, ValueRange{to, from, bytes});
  op.erase();
}

/// The thread's stream, which the runtime returns for each mgpuStreamCreate.
static Value threadStream(OpBuilder &builder, Location loc) {
  Type token = gpu::AsyncTokenType::get(builder.getContext());
  return gpu::WaitOp::create(builder, loc, token, ValueRange()).getAsyncToken();
}

void hone::freeOnStream(OpBuilder &builder, Location loc, Value memory) {
  Value stream = threadStream(builder, loc);
  gpu::DeallocOp::create(builder, loc, stream.getType(), stream, memory);
}

static void orderAlloc(gpu::AllocOp op) {
  OpBuilder builder(op);
  Value stream = threadStream(builder, op.getLoc());
  auto ordered = gpu::AllocOp::create(
      builder, op.getLoc(), op.getMemref().getType(), stream.getType(), stream,
      op.getDynamicSizes(), op.getSymbolOperands());
  ordered->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.getMemref().replaceAllUsesWith(ordered.getMemref());
  op.erase();
}

static void orderDealloc(gpu::DeallocOp op) {
  OpBuilder builder(op);
  freeOnStream(builder, op.getLoc(), op.getMemref());
  op.erase();
}

/// Orders an op without tokens on the stream, if it allocates or frees memory
/// of the device.
static void order(Operation *op) {
  auto async = cast<gpu::AsyncOpInterface>(op);
  if (async.getAsyncToken() || !async.getAsyncDependencies().empty())
    return;
  if (auto dealloc = dyn_cast<gpu::DeallocOp>(op))
    return orderDealloc(dealloc);
  if (auto alloc = cast<gpu::AllocOp>(op); !alloc.getHostShared())
    orderAlloc(alloc);
}

void hone::emitRuntimeMemory(ModuleOp module) {
  SmallVector<Operation *> allocations;
  SmallVector<gpu::MemcpyOp> copies;
  SmallVector<WaitOp> waits;
  for (func::FuncOp function : hostFunctions(module))
    function.walk([&](Operation *op) {
      auto copy = dyn_cast<gpu::MemcpyOp>(op);
      bool isPlain = copy && !copy.getAsyncToken() &&
                     copy.getAsyncDependencies().empty() &&
                     isContiguous(copy.getDst().getType()) &&
                     isContiguous(copy.getSrc().getType()) &&
                     bytesOfElement(copy.getSrc().getType().getElementType());
      if (isPlain)
        copies.push_back(copy);
      else if (isa<gpu::AllocOp, gpu::DeallocOp>(op))
        allocations.push_back(op);
      else if (auto wait = dyn_cast<WaitOp>(op))
        waits.push_back(wait);
    });
  for (Operation *allocation : allocations)
    order(allocation);
  for (gpu::MemcpyOp copy : copies)
    emitCopy(module, copy);
  for (WaitOp wait : waits) {
    OpBuilder builder(wait);
    LLVM::CallOp::create(builder, wait.getLoc(),
                         declareRuntime(module, "honeSynchronize", {}),
                         ValueRange());
    wait.erase();
  }
}

void hone::dropWaits(ModuleOp module) {
  module.walk([](WaitOp wait) { wait.erase(); });
}
