//===- TuneDefaults.cpp - Default search of hone tune ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuneDefaults.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/TuneDefaults.h"
#include "hone/Database/Shipped.h"
#include "hone/Policy/LearnedPolicy.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;

SearchOptions hone::tuneDefaults() {
  SearchOptions search;
  search.policy = kHybridPolicy.str();
  search.rewrites = -1;
  search.enough = kUsualEnough;
  return search;
}

/// Whether `search` brings a factory for a policy without a built-in name.
static bool bringsPolicy(const SearchOptions &search) {
  return search.makePolicy &&
         !llvm::is_contained(allPolicyNames(), search.policy);
}

llvm::Expected<std::string>
hone::completeSearch(SearchOptions &search, const Arch &arch, bool isMeasured,
                     const BuildChoiceFactory &choiceOfBuild,
                     const Model *own) {
  const Model &model = own ? *own : Model::shipped();
  if (search.rewrites < 0)
    search.rewrites = usualRewrites(search.policy, search.trials);
  PolicyChoice choice = policyFor(search.policy, arch, model);
  search.policy = choice.name;
  if (!bringsPolicy(search)) {
    if (llvm::Error error =
            policyMaker(search.policy, search.seed, search.isWithin, model,
                        search.makePolicy)
                .moveInto(search.makePolicy))
      return std::move(error);
  }
  if (isMeasured)
    search.seeds = shippedSchedules;
  if (choiceOfBuild && search.policy != kDefaultPolicy) {
    if (llvm::Error error = choiceOfBuild().moveInto(search.ofBuild))
      return std::move(error);
  }
  return choice.remark;
}
