//===- RecallVerdicts.cpp - Was this kernel proven? -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for the verdict of every kernel that a plan launches in the file beside
// the database (hone/Simulate/VerdictFile.h).
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/VerdictCache.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/Passes.h"
#include "passes/Support.h"

namespace hone {
#define GEN_PASS_DEF_RECALLVERDICTS
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;
using simulate::Subject;
using simulate::VerdictCache;

/// The kernels of a subject, in the order of the plan.
static std::string namesOf(const Subject &subject) {
  std::string names;
  for (gpu::GPUFuncOp before : subject.before)
    names += ("'" + before.getName() + "', ").str();
  gpu::GPUFuncOp kernel = subject.kernel;
  return names + ("'" + kernel.getName() + "'").str();
}

namespace {
struct RecallVerdicts : hone::impl::RecallVerdictsBase<RecallVerdicts> {
  using RecallVerdictsBase::RecallVerdictsBase;

  void runOnOperation() override {
    FailureOr<std::vector<Subject>> subjects =
        simulate::subjectsOf(getOperation());
    if (failed(subjects))
      return signalPassFailure();
    // A module without kernels has nothing to do with the file.
    if (subjects->empty())
      return;
    VerdictCache verdicts(simulate::VerdictFile::beside(database));
    for (const Subject &subject : *subjects)
      if (failed(recall(subject, verdicts)))
        signalPassFailure();
    for (const std::string &complaint : verdicts.takeComplaints())
      emitWarning(getOperation().getLoc()) << complaint;
  }

private:
  LogicalResult recall(const Subject &subject, VerdictCache &verdicts) {
    gpu::GPUFuncOp kernel = subject.kernel;
    if (prove) {
      if (llvm::Error error = verdicts.prove(subject))
        return kernel.emitError(llvm::toString(std::move(error)));
    } else if (!verdicts.isProven(subject)) {
      remarkMissed(kernel, "not-proven",
                   namesOf(subject) +
                       ": not proven; use 'prove', or hone simulate");
    }
    return success();
  }
};
} // namespace
