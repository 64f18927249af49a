//===- schedule-source.cpp - A source with one schedule -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source of schedule-source.patch in the order of a build, and alone in
// hone-select-schedule, as another program may use it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "hone/Driver/Dialects.h"
#include "hone/Plugin/Sources.h"
#include "hone/Sources/FixedSource.h"
#include "hone/passes/SelectSchedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace hone;

static constexpr StringLiteral kProgram = R"mlir(
  func.func @f(%a: memref<64x32xf16>, %b: memref<32x48xf16>,
               %c: memref<64x48xf16>) {
    hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>)
      outs(%c : memref<64x48xf16>) init(zero) acc(f32)
    return
  })mlir";

static bool isFixed(const std::shared_ptr<ScheduleSource> &source) {
  Problem problem;
  problem.m = problem.n = problem.k = 64;
  std::optional<Answer> answer =
      source->ask(problem, llvm::cantFail(Arch::lookup("sm_80")));
  return answer && answer->source == "the fixed schedule";
}

int main() {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  FailureOr<ScheduleSources> sources = openSources(&context, SourceOptions());
  if (failed(sources))
    return 1;
  llvm::outs() << "fixed: " << llvm::count_if(*sources, isFixed) << ", last "
               << isFixed(sources->back()) << "\n";

  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kProgram, &context);
  PassManager passes(&context);
  SelectScheduleOptions options;
  options.arch = "sm_80";
  passes.addPass(
      createSelectSchedule(options, {std::make_shared<FixedSource>()}));
  if (!module || failed(passes.run(*module)))
    return 1;
  llvm::outs() << *module << "\n";
  return 0;
}
