//===- VerifyKernel.cpp - Pass that proves kernels by simulation ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates every kernel that a plan launches (hone/Simulate/Simulate.h) and
// reports the findings as errors at the ops.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/Limits.h"
#include "hone/Simulate/Passes.h"
#include "hone/Simulate/Simulate.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hone {
#define GEN_PASS_DEF_VERIFYKERNEL
#include "hone/Simulate/ProofPasses.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

namespace {
struct VerifyKernel : hone::impl::VerifyKernelBase<VerifyKernel> {
  using VerifyKernelBase::VerifyKernelBase;

  LogicalResult initialize(MLIRContext *context) override {
    // Without all three, the sizes are chosen automatically.
    auto orOne = [](int64_t size) { return size ? size : 1; };
    std::optional<std::string> fault =
        simulate::faultOfSizes(orOne(m), orOne(n), orOne(k));
    if (!fault)
      return success();
    return emitError(UnknownLoc::get(context))
           << "options 'm', 'n' and 'k': " << *fault;
  }

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
    auto findings = findingsOf(subject);
    if (!findings) {
      gpu::GPUFuncOp kernel = subject.kernel;
      return kernel.emitError(llvm::toString(findings.takeError()));
    }
    for (const simulate::Finding &finding : *findings)
      simulate::emit(finding);
    return success(findings->empty());
  }

  /// At the size of the options, or at all sizes that prove a kernel.
  llvm::Expected<std::vector<simulate::Finding>>
  findingsOf(const simulate::Subject &subject) {
    if (subject.isRest || !m || !n || !k) {
      auto proof = simulate::prove(subject);
      if (!proof)
        return proof.takeError();
      return std::move(proof->findings);
    }
    auto trials = simulate::trialsFor(subject);
    if (!trials)
      return trials.takeError();
    simulate::Trial &trial = trials->front();
    trial.m = m;
    trial.n = n;
    trial.k = k;
    auto verdict = simulate::simulate(subject, trial);
    if (!verdict)
      return verdict.takeError();
    return std::move(verdict->findings);
  }
};
} // namespace
