//===- Passes.h - The passes that prove kernels -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone-verify-kernel` and `hone-recall-verdicts` (lib/Simulate/Passes/
// ProofPasses.td). They are not in passes/, because passes there must not
// simulate kernels.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_PASSES_H
#define HONE_SIMULATE_PASSES_H

#include "hone/dialects/Hone/CheckedPass.h"

namespace hone {

/// The treatment of kernels without a verdict in a build.
enum class Prove {
  no,      ///< reports their number
  yes,     ///< proves them; a wrong one is an error
  required ///< an undecided one is an error, too
};
/// Its spellings, for options. A name alone (which needs ValueOptional), or
/// `true`, means `required`.
inline llvm::cl::ValuesClass proveValues() {
  return llvm::cl::values(
      clEnumValN(Prove::no, "no", "a remark says how many there are"),
      clEnumValN(Prove::no, "false", "the same"),
      clEnumValN(Prove::yes, "yes", "they are proven; a wrong one is an error"),
      clEnumValN(Prove::required, "required", "so is an undecided one"),
      clEnumValN(Prove::required, "true", "the same"),
      clEnumValN(Prove::required, "", "the same"));
}

#define GEN_PASS_DECL
#include "hone/Simulate/ProofPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "hone/Simulate/ProofPasses.h.inc"

} // namespace hone

#endif // HONE_SIMULATE_PASSES_H
