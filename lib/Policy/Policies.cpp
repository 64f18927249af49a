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
  if (!isLearnedPolicy(name))
    return {name.str(), ""};
  NearMachine closest = model.closestTo(arch);
  if (closest.distance < kSameMachine)
    return {name.str(), ""};
  if (!closest.chip.empty())
    return {name.str(),
            llvm::formatv("policy '{0}': it was not trained on {1}; the "
                          "closest machine is {2}, at {3:f2} doublings, so it "
                          "has {4:f2} of an estimate and the cost model the "
                          "rest",
                          name, recordArch(arch), closest.chip,
                          closest.distance, model.shareOn(arch))};
  return {kUnlearned.str(),
          llvm::formatv("policy '{0}': it was trained on no machine with the "
                        "instruction set of {1}; '{2}' proposes instead, and "
                        "records say so",
                        name, recordArch(arch), kUnlearned)};
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
  if (name == kWriterPolicy && !model.writer)
    return llvm::createStringError(
        llvm::formatv("expected weights with a writer for policy '{0}', but "
                      "got none; use learned or {1}",
                      kWriterPolicy, kHybridPolicy));
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
