//===- RecallVerdicts.cpp - Pass that recalls the verdicts of kernels -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up the verdict of every kernel that a plan launches in the file next to
// the database (hone/Simulate/VerdictFile.h).
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Remarks.h"
#include "hone/Simulate/Passes.h"
#include "hone/Simulate/VerdictCache.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FormatVariadic.h"

namespace hone {
#define GEN_PASS_DEF_RECALLVERDICTS
#include "hone/Simulate/ProofPasses.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;
using llvm::formatv;
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
    // A module without kernels does not use the file.
    if (subjects->empty())
      return;
    VerdictCache verdicts(simulate::VerdictFile::beside(database));
    SmallVector<const Subject *> unproven;
    for (const Subject &subject : *subjects)
      if (failed(recall(subject, verdicts, unproven)))
        signalPassFailure();
    report(unproven, subjects->size());
    for (const std::string &complaint : verdicts.takeComplaints())
      emitWarning(getOperation().getLoc()) << complaint;
  }

private:
  /// Looks up one verdict; if it is missing, adds the subject to the list.
  LogicalResult recall(const Subject &subject, VerdictCache &verdicts,
                       SmallVectorImpl<const Subject *> &unproven) {
    gpu::GPUFuncOp kernel = subject.kernel;
    if (prove == Prove::no) {
      if (!verdicts.isProven(subject))
        unproven.push_back(&subject);
      return success();
    }
    llvm::Error error = verdicts.prove(subject);
    if (!error)
      return success();
    bool isUndecided = error.isA<simulate::UndecidedError>();
    std::string why = llvm::toString(std::move(error));
    if (prove == Prove::required || !isUndecided)
      return kernel.emitError(why);
    remarkMissed(kernel, "not-proven", "not proven: " + why);
    return success();
  }

  /// Emits one remark for all kernels, or one for each.
  void report(ArrayRef<const Subject *> unproven, size_t count) {
    constexpr StringLiteral kAdvice = "; use 'prove', or hone simulate";
    if (each || unproven.size() == 1)
      for (const Subject *subject : unproven) {
        gpu::GPUFuncOp kernel = subject->kernel;
        remarkMissed(kernel, "not-proven",
                     namesOf(*subject) + ": not proven" + kAdvice.str());
      }
    if (each || unproven.size() < 2)
      return;
    constexpr size_t kMaxNames = 3;
    std::string names;
    for (const Subject *subject : unproven.take_front(kMaxNames))
      names += (names.empty() ? "" : ", ") + namesOf(*subject);
    if (unproven.size() > kMaxNames)
      names += ", ...";
    remarkMissed(getOperation(), "not-proven",
                 formatv("{0} of {1} alternatives of launch plans: not proven "
                         "({2}){3}",
                         unproven.size(), count, names, kAdvice));
  }
};
} // namespace
