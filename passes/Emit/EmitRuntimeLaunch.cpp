//===- EmitRuntimeLaunch.cpp - Launches through libhone_rt ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch becomes
//
//   honeLaunch(&slot, plan, args, count)
//
// where `slot` and `plan` are globals of the plan, and `args` an array on the
// stack of the calling function. Failures/ handles the status.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/Emit/Emit.h"

using namespace mlir;
using namespace hone;

/// The global of this name, made by `create` at the start of the module if
/// there is none.
static LLVM::GlobalOp
getOrCreateGlobal(ModuleOp module, StringRef name,
                  function_ref<LLVM::GlobalOp(OpBuilder &)> create) {
  if (auto found = module.lookupSymbol<LLVM::GlobalOp>(name))
    return found;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  return create(builder);
}

LLVM::GlobalOp hone::textGlobal(ModuleOp module, Location loc,
                                const std::string &name, StringRef text) {
  return getOrCreateGlobal(module, name, [&](OpBuilder &builder) {
    std::string bytes = text.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                  LLVM::Linkage::Internal, name,
                                  builder.getStringAttr(bytes));
  });
}

LLVM::GlobalOp hone::slotGlobal(ModuleOp module, Location loc,
                                const std::string &name) {
  return getOrCreateGlobal(module, name, [&](OpBuilder &builder) {
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
    auto global =
        LLVM::GlobalOp::create(builder, loc, pointer, /*isConstant=*/false,
                               LLVM::Linkage::Internal, name, Attribute());
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&global.getInitializerRegion());
    Value null = LLVM::ZeroOp::create(builder, loc, pointer);
    LLVM::ReturnOp::create(builder, loc, null);
    return global;
  });
}

/// i32 @honeLaunch(ptr slot, ptr plan, ptr args, i32 count)
static LLVM::LLVMFuncOp declareLaunch(ModuleOp module) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type i32 = IntegerType::get(module.getContext(), 32);
  return declareRuntime(module, "honeLaunch", {pointer, pointer, pointer, i32});
}

/// The scope in which the array of arguments is allocated. In general this is
/// the enclosing function, so that a launch in a loop does not grow the stack.
/// Iterations of a parallel loop need an array each, so there it is the loop's
/// body. A sequential loop is an allocation scope to MLIR, but not to LLVM; and
/// functions that return early have no other loops.
static Operation *allocationScope(kernel::LaunchOp launch, OnError onError) {
  if (onError == OnError::leave)
    return launch->getParentOfType<FunctionOpInterface>();
  Operation *scope =
      launch->getParentWithTrait<OpTrait::AutomaticAllocationScope>();
  while (scope && isa<LoopLikeOpInterface>(scope) &&
         !scope->hasTrait<OpTrait::HasParallelRegion>())
    scope = scope->getParentWithTrait<OpTrait::AutomaticAllocationScope>();
  return scope;
}

static Value argumentArray(kernel::LaunchOp launch, Operation *scope) {
  OpBuilder builder = OpBuilder::atBlockBegin(&scope->getRegion(0).front());
  Location loc = launch.getLoc();
  Value count = LLVM::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(launch.getArgs().size()));
  return LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
      builder.getI64Type(), count);
}

LogicalResult hone::emitRuntimeLaunch(kernel::LaunchOp launch,
                                      const LaunchPlan &plan, OnError onError) {
  Operation *scope = allocationScope(launch, onError);
  if (!scope)
    return launch.emitError(
        "expected a function around the launch, but got none");
  auto module = launch->getParentOfType<ModuleOp>();
  Location loc = launch.getLoc();
  std::string name = launch.getPlan().getLeafReference().str();
  LLVM::GlobalOp text = textGlobal(module, loc, name + "_plan", plan.str());
  LLVM::GlobalOp slot = slotGlobal(module, loc, name + "_slot");
  LLVM::LLVMFuncOp callee = declareLaunch(module);

  Value array = argumentArray(launch, scope);
  OpBuilder builder(launch);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  for (auto [i, arg] : llvm::enumerate(launch.getArgs())) {
    Value place =
        LLVM::GEPOp::create(builder, loc, pointer, builder.getI64Type(), array,
                            ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(builder, loc, arg, place);
  }
  Value count = LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(launch.getArgs().size()));
  auto call = LLVM::CallOp::create(
      builder, loc, callee,
      ValueRange{LLVM::AddressOfOp::create(builder, loc, slot),
                 LLVM::AddressOfOp::create(builder, loc, text), array, count});
  // Attributes that describe the launch stay readable.
  for (StringRef name : {"hone.problem", "hone.schedule", "hone.ranges"})
    if (Attribute value = launch->getAttr(name))
      call->setAttr(name, value);
  launch.erase();
  return success();
}
