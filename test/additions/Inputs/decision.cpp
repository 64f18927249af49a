//===- decision.cpp - A cache hint in schedules of mma_sync ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decision of decision.patch in texts, defaults and kernels.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "hone/Driver/Dialects.h"
#include "hone/Schedule/MmaSync.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Build/BuildGemm.h"

using namespace mlir;
using namespace hone;

static constexpr StringLiteral kProgram = R"mlir(
  func.func @f(%a: memref<64x32xf16>, %b: memref<32x48xf16>,
               %c: memref<64x48xf16>) {
    hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>)
      outs(%c : memref<64x48xf16>) init(zero) acc(f32) arch(#hone.arch<sm_80>)
    return
  })mlir";

int main() {
  const Kind *kinds[] = {&MmaSync::kind()};
  llvm::Expected<Schedule> schedule = parseSchedule(
      "mma_sync, tile = 64x64x32, warps = 2x2, hint = last", kinds);
  if (!schedule) {
    llvm::outs() << llvm::toString(schedule.takeError()) << "\n";
    return 1;
  }
  llvm::outs() << toString(*schedule) << "\n"
               << llvm::toString(parseSchedule("mma_sync, hint = often", kinds)
                                     .takeError())
               << "\n";

  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kProgram, &context);
  if (!module)
    return 1;
  module->walk([&](MatmulOp op) {
    Arch arch = op.getArchAttr().getValue();
    llvm::outs() << "default "
                 << toString(MmaSync::kind().makeDefault(
                        GemmOperands(op).problem, arch))
                 << "\n";
    KernelModule kernels(*module, arch);
    (void)buildMmaSync(kernels, op, *schedule, /*fallback=*/false);
  });
  module->walk([](gpu::GPUFuncOp kernel) {
    llvm::outs() << "kernel with hint " << kernel->getAttr("hone.hint") << "\n";
  });
  return 0;
}
