//===- StandInDelay.cpp - Calls of matmuls to launches --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call passes its operands on the spot; a launch must keep them until it is
// done. What describes them goes into an array of words, which the stand-in
// copies.
//
//===----------------------------------------------------------------------===//

#include "StandInState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;

/// Host functions that are matmuls say so (passes/BuildHost.cpp), and those
/// that are kernels beside them (passes/Rest.h).
static constexpr StringLiteral kProblemAttr = "hone.problem";
static constexpr StringLiteral kRestAttr = "hone.rest";

static bool isKernel(func::FuncOp function) {
  return function->hasAttr(kProblemAttr) || function->hasAttr(kRestAttr);
}

/// Stores what describes `memref` behind `words[at]`.
static void storeWords(OpBuilder &builder, Location loc, Value memref,
                       Value words, int64_t &at) {
  auto store = [&](Value index) {
    Value word =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
    Value place = arith::ConstantIndexOp::create(builder, loc, at++);
    memref::StoreOp::create(builder, loc, word, words, place);
  };
  store(memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref));
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  store(metadata.getOffset());
  llvm::for_each(metadata.getSizes(), store);
  llvm::for_each(metadata.getStrides(), store);
}

static func::FuncOp declareLaunch(ModuleOp module) {
  StringRef name = StandIn::State::kLaunchName;
  if (auto found = module.lookupSymbol<func::FuncOp>(name))
    return found;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Type i64 = builder.getI64Type();
  Type words = MemRefType::get({ShapedType::kDynamic}, i64);
  auto launch = func::FuncOp::create(builder, module.getLoc(), name,
                                     builder.getFunctionType({i64, words}, {}));
  launch.setPrivate();
  return launch;
}

static void makeLaunch(func::CallOp call, func::FuncOp launch, int64_t id) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  int64_t count = 0;
  for (Type type : call.getOperandTypes())
    count += 2 + 2 * cast<MemRefType>(type).getRank();
  Value words = memref::AllocOp::create(
      builder, loc, MemRefType::get({count}, builder.getI64Type()));
  int64_t at = 0;
  for (Value operand : call.getOperands())
    storeWords(builder, loc, operand, words, at);
  Value any =
      memref::CastOp::create(builder, loc, launch.getArgumentTypes()[1], words);
  Value number = arith::ConstantIntOp::create(builder, loc, id, 64);
  func::CallOp::create(builder, loc, launch, ValueRange{number, any});
  memref::DeallocOp::create(builder, loc, words);
  call.erase();
}

llvm::Error StandIn::delay(ModuleOp module) {
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    bool isInside = isKernel(call->getParentOfType<func::FuncOp>());
    if (callee && isKernel(callee) && !isInside)
      calls.push_back(call);
  });
  if (calls.empty())
    return llvm::Error::success();
  func::FuncOp launch = declareLaunch(module);
  llvm::StringMap<int64_t> ids;
  for (func::CallOp call : calls) {
    if (!llvm::all_of(call.getOperandTypes(), llvm::IsaPred<MemRefType>))
      return llvm::createStringError(
          "expected matmuls on ranked memrefs, but got other operands");
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    auto [found, isNew] =
        ids.try_emplace(call.getCallee(), state->kernels.size());
    if (isNew) {
      State::Kernel &kernel = state->kernels.emplace_back();
      kernel.name = call.getCallee().str();
      for (Type type : callee.getArgumentTypes())
        kernel.ranks.push_back(cast<MemRefType>(type).getRank());
      // What is public is what a Jit can find.
      callee.setPublic();
    }
    makeLaunch(call, launch, found->second);
  }
  return llvm::Error::success();
}
