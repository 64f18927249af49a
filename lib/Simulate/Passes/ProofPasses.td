//===- ProofPasses.td - Passes that prove kernels ------------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These passes run the simulator. No pass in passes/ does, so that the passes
// that build a kernel cannot depend on those that judge it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_PASSES_PROOFPASSES_TD
#define HONE_SIMULATE_PASSES_PROOFPASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyKernel : PassBase<"hone-verify-kernel",
    "::hone::CheckedPass<::mlir::OperationPass<::mlir::ModuleOp>>"> {
  let summary = "prove the barriers of kernel IR by simulation";
  let description = [{
    Runs every kernel that a launch plan names on the CPU, at sizes that wrap its
    rings, and reports as an error each fault that some order of events has: a slot that
    is read before it is filled or overwritten while it is read, a barrier whose count
    cannot complete, a deadlock, a part of the result that is never stored. See
    docs/Simulate.md. The pass leaves the module as it is. It is not part of
    `hone-pipeline`, which asks for verdicts (`hone-recall-verdicts`); run it after
    `hone-build-kernel`.
  }];
  let options = [
    Option<"m", "m", "int64_t", /*default=*/"0", "rows of the result; 0: chosen">,
    Option<"n", "n", "int64_t", /*default=*/"0", "columns of the result; 0: chosen">,
    Option<"k", "k", "int64_t", /*default=*/"0", "extent that is summed over; 0: chosen">];
}

def RecallVerdicts : PassBase<"hone-recall-verdicts",
    "::hone::CheckedPass<::mlir::OperationPass<::mlir::ModuleOp>>"> {
  let summary = "report kernels without a proof";
  let description = [{
    Verdicts of kernels are kept in a file next to the database, `<database>.verdicts`, by
    a digest of the kernel, its plan and the simulator. One remark says how many kernels
    have no verdict, and names the first. With `prove=yes` these are proven, as
    `hone-verify-kernel` does: a kernel that is right gets a verdict in the file, and
    one that is wrong is an error. With `prove=required`, or `prove` alone, a kernel of
    which the proof cannot tell is an error, too. A file that is damaged or cannot be
    written is a warning. The pass leaves the module as it is. Run it after
    `hone-build-kernel` and `hone-build-rest`; docs/Simulate.md has the rules.
  }];
  let options = [
    Option<"database", "database", "std::string", /*default=*/"\"\"",
           "database or tuning file beside which verdicts are kept; none: they are "
           "not kept">,
    Option<"prove", "prove", "::hone::Prove", /*default=*/"::hone::Prove::no",
           "what to do about kernels without a verdict",
           "::llvm::cl::ValueOptional, ::hone::proveValues()">,
    Option<"each", "each", "bool", /*default=*/"false",
           "a remark for each kernel that is not proven, rather than one for all">];
}

#endif // HONE_SIMULATE_PASSES_PROOFPASSES_TD
