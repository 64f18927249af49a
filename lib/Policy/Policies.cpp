//===- Policies.cpp - Registry of policies by name ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learned policies come before the others.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Record.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Schedule/MachineDistance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::StringRef;

static constexpr StringRef kLearned[] = {kHybridPolicy, "learned",
                                         kWriterPolicy};

bool hone::isLearnedPolicy(StringRef name) {
  return llvm::is_contained(kLearned, name);
}

/// The replacement for a learned policy where its model is not applicable.
static constexpr StringRef kUnlearned = "evolution";

PolicyChoice hone::policyFor(StringRef name, const Arch &arch,
                             const Model &model) {
  std::string limit = isLearnedPolicy(name) ? model.limitOn(arch) : "";
  if (limit.empty())
    return {name.str(), ""};
  bool isUnknown = model.shareOn(arch) == 0;
  std::string remark =
      llvm::formatv("{0}: policy '{1}' {2}", recordArch(arch), name, limit);
  if (isUnknown)
    remark += llvm::formatv("; '{0}' proposes instead, and records say so",
                            kUnlearned);
  return {isUnknown ? kUnlearned.str() : name.str(), remark};
}

int64_t hone::usualRewrites(StringRef policy, int64_t trials) {
  constexpr int64_t kOfTrials = 3;
  return isLearnedPolicy(policy) ? trials / kOfTrials : 0;
}

std::vector<StringRef> hone::allPolicyNames() {
  std::vector<StringRef> names(std::begin(kLearned), std::end(kLearned));
  llvm::append_range(names, policyNames());
  return names;
}

llvm::Expected<PolicyMaker> hone::policyMaker(StringRef name, int64_t seed,
                                              Within isWithin,
                                              const Model &model,
                                              PolicyMaker adviser) {
  std::vector<StringRef> names = allPolicyNames();
  if (!llvm::is_contained(names, name))
    return unknownPolicy(name, names);
  bool isLearned = isLearnedPolicy(name);
  LearnedOptions options;
  options.leaves = name == kHybridPolicy;
  options.writes = name == kWriterPolicy;
  return [=, &model, name = name.str()](
             const Problem &problem,
             const Arch &arch) -> llvm::Expected<std::unique_ptr<Policy>> {
    if (!isLearned || model.shareOn(arch) == 0)
      return makePolicy(isLearned ? kUnlearned : StringRef(name), problem, arch,
                        seed, isWithin);
    std::unique_ptr<Policy> advice;
    if (adviser && options.leaves) {
      if (llvm::Error error = adviser(problem, arch).moveInto(advice))
        return std::move(error);
    }
    return makeLearnedPolicy(model, Space(problem, arch, isWithin, allKinds()),
                             seedFor(problem, seed), options,
                             std::move(advice));
  };
}
