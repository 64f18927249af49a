//===- KernelAnswer.h - Kernels as changes of others ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A language model answers with changes of the kernels that a question shows:
//
//   {"plan": "wait for the products of this step alone",
//    "candidates": [
//      {"parent": "k8f3a291c0d03bb7", "rewrites": ["flight(0)"], "edits": []},
//      {"parent": "k8f3a291c0d03bb7", "rewrites": [], "edits": [
//        {"find": "kernel.mma.commit", "replace": "kernel.mma.commit\n..."}]}]}
//
// The text is untrusted: thoughts or a fence of code around the object are
// ignored, each faulty candidate is refused for itself, and candidates beyond
// the eighth are left out.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_KERNELANSWER_H
#define HONE_TUNER_KERNELANSWER_H

#include "hone/Tuner/KernelPatch.h"
#include <vector>

namespace hone {

constexpr size_t kMaxCandidates = 8;

/// Either rewrites of the menu ("flight(0)"), in this order, or edits of the
/// parent's text.
struct KernelChange {
  std::string parent; ///< a kernel's name
  std::vector<std::string> rewrites;
  std::vector<Edit> edits;

  /// As an answer spells it.
  std::string str() const;
};

struct KernelAnswer {
  std::string plan; ///< printable and short
  std::vector<KernelChange> changes;
  std::vector<std::string> refused; ///< reasons against candidates
};

/// An error if there is no object with candidates.
llvm::Expected<KernelAnswer> parseKernelAnswer(llvm::StringRef text);

/// The form of an answer about these parents, as a JSON schema and in GBNF.
std::string kernelAnswerSchema(llvm::ArrayRef<std::string> parents);
std::string kernelAnswerGrammar(llvm::ArrayRef<std::string> parents);

} // namespace hone

#endif // HONE_TUNER_KERNELANSWER_H
