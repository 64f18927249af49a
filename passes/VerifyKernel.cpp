//===- VerifyKernel.cpp - Prove the barriers of kernels -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates every kernel that a plan launches (hone/Simulate/Simulate.h) and
// makes what is found errors at the ops.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/Simulate.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/Passes.h"

namespace hone {
#define GEN_PASS_DEF_VERIFYKERNEL
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {
struct VerifyKernel : hone::impl::VerifyKernelBase<VerifyKernel> {
  using VerifyKernelBase::VerifyKernelBase;

  void runOnOperation() override {
    FailureOr<std::vector<simulate::Subject>> subjects =
        simulate::subjectsOf(getOperation());
    if (failed(subjects))
      return signalPassFailure();
    for (const simulate::Subject &subject : *subjects)
      if (failed(verify(subject)))
        signalPassFailure();
  }

private:
  LogicalResult verify(const simulate::Subject &subject) {
    llvm::Expected<std::vector<simulate::Trial>> trials =
        simulate::trialsFor(subject);
    if (!trials)
      return fail(subject, trials.takeError());
    bool isOneSize = m && n && k;
    if (isOneSize) {
      trials->resize(1);
      simulate::Trial &trial = trials->front();
      trial.m = m;
      trial.n = n;
      trial.k = k;
    }
    for (const simulate::Trial &trial : *trials) {
      llvm::Expected<simulate::Verdict> verdict =
          simulate::simulate(subject, trial);
      if (!verdict)
        return fail(subject, verdict.takeError());
      for (const simulate::Finding &finding : verdict->findings)
        simulate::emit(finding);
      // Another size would only find the same again.
      if (!verdict->passed())
        return failure();
    }
    if (isOneSize)
      return success();
    auto untried = simulate::untriedIn(subject, *trials);
    if (!untried)
      return fail(subject, untried.takeError());
    for (const simulate::Finding &finding : *untried)
      simulate::emit(finding);
    return success(untried->empty());
  }

  static LogicalResult fail(const simulate::Subject &subject,
                            llvm::Error error) {
    gpu::GPUFuncOp kernel = subject.kernel;
    return kernel.emitError(llvm::toString(std::move(error)));
  }
};
} // namespace
