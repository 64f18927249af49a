//===- Passes.h - The passes that prove kernels -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone-verify-kernel` and `hone-recall-verdicts` (lib/Simulate/Passes/
// ProofPasses.td). They simulate kernels, and no pass in passes/ may.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_PASSES_H
#define HONE_SIMULATE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace hone {

/// What a build does about kernels that have no verdict.
enum class Prove {
  no,      ///< it says how many there are
  yes,     ///< proves them; one that is wrong is an error
  required ///< so is one of which the proof cannot tell
};
/// Its spellings, for options. A name alone (which needs ValueOptional), or
/// `true`, asks for most.
inline llvm::cl::ValuesClass proveValues() {
  return llvm::cl::values(
      clEnumValN(Prove::no, "no", "a remark says how many there are"),
      clEnumValN(Prove::no, "false", "the same"),
      clEnumValN(Prove::yes, "yes", "they are proven; a wrong one is an error"),
      clEnumValN(Prove::required, "required",
                 "so is one of which the proof cannot tell"),
      clEnumValN(Prove::required, "true", "the same"),
      clEnumValN(Prove::required, "", "the same"));
}

#define GEN_PASS_DECL
#include "hone/Simulate/ProofPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "hone/Simulate/ProofPasses.h.inc"

} // namespace hone

#endif // HONE_SIMULATE_PASSES_H
