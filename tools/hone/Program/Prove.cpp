//===- Prove.cpp - Proofs of kernels --------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Prove.h.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Program/Prove.h"
#include "hone/Simulate/Simulate.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::Expected;
using llvm::formatv;

static const Reference *referenceOf(llvm::ArrayRef<Reference> references,
                                    const Subject &subject) {
  for (const Reference &reference : references)
    if (reference.getProblem() == subject.problem)
      return &reference;
  return nullptr;
}

Expected<Proven> hone::proveKernels(ModuleOp module,
                                    llvm::ArrayRef<Reference> references,
                                    bool protocolOnly) {
  FailureOr<std::vector<Subject>> subjects = subjectsOf(module);
  if (failed(subjects))
    return llvm::createStringError("expected kernels and their plans, but got "
                                   "none");
  Proven all = Proven::numbers;
  for (const Subject &subject : *subjects) {
    SimulateOptions options;
    if (!protocolOnly)
      options.reference = referenceOf(references, subject);
    auto proof = simulate::prove(subject, options);
    if (!proof)
      return proof.takeError();
    for (const Finding &finding : proof->findings)
      emit(finding);
    gpu::GPUFuncOp kernel = subject.kernel;
    if (subject.isRest) {
      llvm::outs() << formatv("proof: {0}: {1}\n", kernel.getName(),
                              proof->passed() ? "right at every size"
                                              : "not proven");
      if (!proof->passed())
        all = Proven::no;
      continue;
    }
    llvm::outs() << formatv("proof: {0}: {1} at {2} sizes, for every order of "
                            "up to 10^{3:f0}",
                            kernel.getName(), proof->at ? "wrong" : "right",
                            proof->sizes, proof->logOrders);
    if (proof->error)
      llvm::outs() << formatv("; largest error {0:f3} of the tolerance",
                              *proof->error);
    if (!proof->passed() && !proof->at)
      llvm::outs() << "; not proven for others";
    llvm::outs() << "\n";
    Proven one = !proof->passed()    ? Proven::no
                 : options.reference ? Proven::numbers
                                     : Proven::barriers;
    all = std::min(all, one);
  }
  return all;
}
