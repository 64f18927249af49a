//===- Compiler.cpp - A compiler that embeds Hone -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a module, runs its own passes between the steps of Hone's pipeline, and
// continues with the result. This example prints a line for each matmul, and
// then the module.
//
//   example-compiler FILE.mlir [ARCH]
//
//===----------------------------------------------------------------------===//

#include "hone/Plugin/Register.h"
#include "hone/dialects/Hone/Hone.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

namespace {

/// Stands for the other passes of the compiler. It runs on tensors, after
/// matmuls are found and before they have a schedule.
struct ReportMatmuls
    : mlir::PassWrapper<ReportMatmuls, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportMatmuls)

  void runOnOperation() override {
    getOperation().walk([](hone::MatmulOp matmul) {
      llvm::errs() << "matmul: " << matmul.getProblem().str() << "\n";
    });
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    llvm::errs() << "usage: example-compiler FILE.mlir [ARCH]\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  hone::registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  hone::PipelineOptions options;
  options.arch = argc == 3 ? argv[2] : "sm_90a";
  mlir::PassManager passes(&context);
  using hone::PipelineStep;
  hone::buildPipeline(passes, options,
                      hone::PipelinePart::only(PipelineStep::match));
  passes.addPass(std::make_unique<ReportMatmuls>());
  hone::buildPipeline(passes, options,
                      {PipelineStep::bufferize, PipelineStep::emit});
  if (mlir::failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  llvm::outs() << "\n";
  return 0;
}
