//===- LearnedPolicy.h - Proposals of a trained model -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search policies that use a Model.
//
// A policy has a pool of candidates and judges them by the model, given all
// results for this problem; so it adapts with every result. It proposes in
// rounds and waits for each, so that its proposals do not depend on the order
// of replies. The first round is the default and the best candidate without
// results, which is the schedule of a build without measurements; then come
// rounds of 1, 1, 2, 4, 8, 8, ...
//
// | origin    | candidates                                                    |
// |-----------|---------------------------------------------------------------|
// | catalogue | `learned`, `hybrid`: the model's best of the catalogue        |
// |           | before any measurement                                        |
// | written   | `writer`: the likeliest, word by word, of all remaining       |
// |           | legal schedules (Writer.h), independent of the judges.        |
// |           | `hybrid`: the likeliest, where there is a writer              |
// | drawn     | `learned`, `hybrid`: those that were drawn for the problem    |
// |           | (Draw.h)                                                      |
// | children  | `hybrid`: the fastest so far, changed or crossed              |
// | advice    | `hybrid`: proposals of an adviser, for example a language     |
// |           | model. They are tried first, and trials are kept for them     |
// |           | while an answer is under way                                  |
// | luck      | `hybrid`: one in 24 is drawn from the whole space and         |
// |           | proposed without the model's judgement                        |
//
// The expected time of a candidate decides, not its origin: the one that should
// be fastest is proposed next. The model is accurate only for candidates like
// those of the catalogue, so the cost model judges the rest, corrected by
// measurements close by. Of a `hybrid`'s first 32 proposals twelve are from
// that rest: the ones that should be fastest and differ from each other.
// Candidates similar to the fastest so far get similar judgements, so one tile
// has at most a quarter of a `hybrid`'s first 32 proposals, and two thirds of
// the later ones. Records of a `hybrid` name the origin, as `hybrid/children`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_LEARNEDPOLICY_H
#define HONE_POLICY_LEARNEDPOLICY_H

#include "hone/Policy/Model.h"
#include "hone/Search/Policy.h"
#include "hone/Search/Space.h"

namespace hone {

struct LearnedOptions {
  bool leaves = false; ///< the list: children, seeds and luck
  bool writes = false; ///< proposes by the writer's odds, not by the judges
};

/// `model` must outlive the policy. An adviser's proposals are tried in the
/// next round, and it receives all results.
std::unique_ptr<Policy>
makeLearnedPolicy(const Model &model, Space space, uint64_t seed,
                  LearnedOptions options,
                  std::unique_ptr<Policy> adviser = nullptr);

/// The likeliest schedule of `space` by the model's writer. If it has none, the
/// writer starts from the cost model alone.
std::optional<Schedule> writtenSchedule(const Model &model, const Space &space);

/// Makes policies by name: `learned`, `writer` and `hybrid` with `model`,
/// others as makePolicy does. A chip with the instruction set of the model's
/// chip is treated as that chip (hone/Schedule/AskedAs.h); on other chips each
/// of them is `evolution`, see `policyFor`.
using PolicyMaker = std::function<llvm::Expected<std::unique_ptr<Policy>>(
    const Problem &, const Arch &)>;
constexpr llvm::StringLiteral kHybridPolicy = "hybrid";
constexpr llvm::StringLiteral kWriterPolicy = "writer";
/// `adviser` makes the advisers of hybrids. An error if there is no policy
/// `name`, or if it is `writer` and the model has no writer.
llvm::Expected<PolicyMaker> policyMaker(llvm::StringRef name, int64_t seed,
                                        Within isWithin = {},
                                        const Model &model = Model::shipped(),
                                        PolicyMaker adviser = {});
/// True for policies that propose by a trained model.
bool isLearnedPolicy(llvm::StringRef name);
/// The policy that proposes on `arch` if `name` is requested, as named in
/// records, and a remark for users: why it is another policy, or that the model
/// was trained for another chip.
struct PolicyChoice {
  std::string name;
  std::string remark; ///< empty: the requested policy without a caveat

  /// True if it can use a language model as an adviser.
  bool hasAdviser() const { return name == kHybridPolicy; }
};
PolicyChoice policyFor(llvm::StringRef name, const Arch &arch,
                       const Model &model = Model::shipped());
/// The default number of trials of rewrites after `trials` trials: a third for
/// a policy that can rank rewrites, none for others.
int64_t usualRewrites(llvm::StringRef policy, int64_t trials);
/// Every name that policyMaker accepts.
std::vector<llvm::StringRef> allPolicyNames();

} // namespace hone

#endif // HONE_POLICY_LEARNEDPOLICY_H
