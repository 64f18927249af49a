//===- RestIr.cpp - Conversion of GPU LLVM IR to CPU LLVM IR --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces intrinsics by calls, inserts a call before each access, and removes
// a GPU's attributes and calling conventions.
//
//===----------------------------------------------------------------------===//

#include "Intrinsics.h"
#include "RestCode.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::emulate;
using llvm::formatv;
using llvm::StringRef;

std::string emulate::shimName(StringRef kernel) {
  return ("hone_emulated_" + kernel).str();
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

/// Replaces calls of `intrinsic` by calls of its implementation.
static llvm::Error replaceIntrinsic(llvm::Module &module,
                                    llvm::Function &intrinsic) {
  if (!findIntrinsic(intrinsic.getName()))
    return llvm::createStringError(
        formatv("expected kernels of the rest with intrinsics that the "
                "emulation has, but got '{0}'",
                intrinsic.getName()));
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      symbolOf(intrinsic.getName()), intrinsic.getFunctionType());
  intrinsic.replaceAllUsesWith(callee.getCallee());
  intrinsic.eraseFromParent();
  return llvm::Error::success();
}

static llvm::Error replaceIntrinsics(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration())
      continue;
    if (function.use_empty())
      function.eraseFromParent();
    else if (function.getName().starts_with("llvm.nvvm."))
      if (llvm::Error error = replaceIntrinsic(module, function))
        return error;
  }
  return llvm::Error::success();
}

/// The emulation cannot run assembly of a GPU.
static llvm::Error refuseAssembly(const llvm::Function &function) {
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call && call->isInlineAsm())
      return llvm::createStringError(
          formatv("expected kernels of the rest without assembly, but got "
                  "some in '{0}'",
                  function.getName()));
  return llvm::Error::success();
}

/// True if threads wait for each other in `function`, or in its callees.
static bool meetsIn(const llvm::Function &function,
                    llvm::SmallPtrSetImpl<const llvm::Function *> &seen) {
  if (!seen.insert(&function).second)
    return false;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee)
      continue;
    const Intrinsic *known = findIntrinsic(callee->getName());
    if ((known && known->meets) || meetsIn(*callee, seen))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// Inserts a call before each access of a module.
class Announcer {
public:
  explicit Announcer(llvm::Module &module)
      : module(module), layout(module.getDataLayout()) {}

  void run(llvm::Function &function) {
    llvm::SmallVector<llvm::Instruction *> accesses;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst,
                    llvm::AtomicCmpXchgInst>(instruction))
        accesses.push_back(&instruction);
    for (llvm::Instruction *access : accesses)
      announce(access);
  }

private:
  void announce(llvm::Instruction *access) {
    llvm::Value *pointer =
        const_cast<llvm::Value *>(llvm::getLoadStorePointerOperand(access));
    if (auto *rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(access))
      pointer = rmw->getPointerOperand();
    if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(access))
      pointer = exchange->getPointerOperand();
    llvm::Value *object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
    if (llvm::isa<llvm::AllocaInst>(object))
      return;
    auto *load = llvm::dyn_cast<llvm::LoadInst>(access);
    auto *store = llvm::dyn_cast<llvm::StoreInst>(access);
    llvm::Type *type = load    ? load->getType()
                       : store ? store->getValueOperand()->getType()
                               : access->getOperand(1)->getType();
    uint64_t align = load    ? load->getAlign().value()
                     : store ? store->getAlign().value()
                             : 1;
    uint64_t bytes = layout.getTypeStoreSize(type);
    llvm::IRBuilder<> builder(access);
    llvm::Type *plain = builder.getPtrTy();
    llvm::Value *address = builder.CreateAddrSpaceCast(pointer, plain);
    if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      llvm::FunctionCallee callee = module.getOrInsertFunction(
          kAccessWithin, builder.getVoidTy(), plain, builder.getInt64Ty(),
          plain, builder.getInt64Ty());
      builder.CreateCall(
          callee,
          {address, builder.getInt64(bytes),
           builder.CreateAddrSpaceCast(global, plain),
           builder.getInt64(layout.getTypeAllocSize(global->getValueType()))});
      return;
    }
    llvm::FunctionCallee callee = module.getOrInsertFunction(
        kAccess, builder.getVoidTy(), plain, builder.getInt64Ty(),
        builder.getInt64Ty(), builder.getInt1Ty());
    builder.CreateCall(callee,
                       {address, builder.getInt64(bytes),
                        builder.getInt64(align), builder.getInt1(!load)});
  }

  llvm::Module &module;
  const llvm::DataLayout &layout;
};
} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// void shim(ptr words): loads the kernel's parameters and calls it.
static void addShim(llvm::Module &module, llvm::Function &kernel) {
  llvm::IRBuilder<> builder(module.getContext());
  auto *type =
      llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  auto *shim = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                      shimName(kernel.getName()), module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", shim));
  llvm::SmallVector<llvm::Value *> arguments;
  for (auto [i, argument] : llvm::enumerate(kernel.args()))
    arguments.push_back(builder.CreateLoad(
        argument.getType(),
        builder.CreateConstGEP1_64(builder.getInt64Ty(), shim->getArg(0), i)));
  builder.CreateCall(&kernel, arguments);
  builder.CreateRetVoid();
}

/// Removes attributes and calling conventions of a GPU.
static void makePlain(llvm::Function &function) {
  function.setAttributes({});
  function.setCallingConv(llvm::CallingConv::C);
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call && !llvm::isa<llvm::IntrinsicInst>(call))
      call->setAttributes({});
}

llvm::Error emulate::prepareForCpu(llvm::Module &module,
                                   llvm::ArrayRef<std::string> kernels,
                                   llvm::StringSet<> &meeting) {
  for (const std::string &name : kernels) {
    llvm::SmallPtrSet<const llvm::Function *, 4> seen;
    if (meetsIn(*module.getFunction(name), seen))
      meeting.insert(name);
  }
  if (llvm::Error error = replaceIntrinsics(module))
    return error;
  for (llvm::GlobalVariable &global :
       llvm::make_early_inc_range(module.globals()))
    if (global.use_empty())
      global.eraseFromParent();
  Announcer announcer(module);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (llvm::Error error = refuseAssembly(function))
      return error;
    makePlain(function);
    announcer.run(function);
  }
  for (const std::string &name : kernels)
    addShim(module, *module.getFunction(name));
  return llvm::Error::success();
}
