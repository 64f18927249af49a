//===- Policies.cpp - Every policy by its name ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those that learn, before those that do not.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/LearnedPolicy.h"
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
  if (!llvm::is_contained(names, name)) {
    StringRef last = names.back();
    names.pop_back();
    return llvm::createStringError(
        llvm::formatv("expected a policy, but got '{0}'; use {1} or {2}", name,
                      llvm::join(names, ", "), last));
  }
  bool isLearned = isLearnedPolicy(name);
  LearnedOptions options;
  options.leaves = name == kHybridPolicy;
  options.writes = name == kWriterPolicy;
  return [=, &model, name = name.str()](
             const Problem &problem,
             const Arch &arch) -> llvm::Expected<std::unique_ptr<Policy>> {
    // Of another chip the model knows nothing: there it is evolution.
    bool isStranger = isLearned && arch.wholeChip() != model.chip();
    if (!isLearned || isStranger)
      return makePolicy(isStranger ? "evolution" : name, problem, arch, seed,
                        isWithin);
    std::unique_ptr<Policy> advice;
    if (adviser && options.leaves) {
      llvm::Expected<std::unique_ptr<Policy>> made = adviser(problem, arch);
      if (!made)
        return made.takeError();
      advice = std::move(*made);
    }
    return makeLearnedPolicy(model, Space(problem, arch, isWithin, allKinds()),
                             seedFor(problem, seed), options,
                             std::move(advice));
  };
}
