//===- kernel-op.cpp - A kernel op that pauses ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernel.pause of kernel-op.patch: its text, effects and instructions.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

#define GET_OP_CLASSES
#include "Toy.cpp.inc"

int main() {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, LLVM::LLVMDialect>();
  // The dialect of the library, and the op that its list would have.
  auto *dialect = context.getOrLoadDialect<KernelDialect>();
  RegisteredOperationName::insert<PauseOp>(*dialect);
  attachEffects(&context);

  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @f() { kernel.pause 32 return }", &context);
  if (!module)
    return 1;
  llvm::outs() << *module << "\n";
  module->walk([&](PauseOp op) {
    bool computes = hasKernelEffect(op, [](const Effect &effect) {
      return effect.kind == EffectKind::compute;
    });
    llvm::outs() << "pauses " << op.getNanoseconds() << ", computes "
                 << computes << "\n";
  });

  KernelTypeConverter types(&context);
  RewritePatternSet patterns(&context);
  populateClusterPatterns(types, patterns);
  ConversionTarget target(context);
  target.addIllegalOp<PauseOp>();
  target.addLegalDialect<LLVM::LLVMDialect>();
  if (failed(applyPartialConversion(*module, target, std::move(patterns))))
    return 1;
  llvm::outs() << *module << "\n";
  return 0;
}
