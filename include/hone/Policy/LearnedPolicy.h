//===- LearnedPolicy.h - Proposals of a trained model -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a Model is used for where there is something to measure with.
//
// A policy keeps candidates in mind and judges them by the model, given
// everything that was heard of this problem; so it adapts with every result. It
// proposes in rounds and waits for each, so that what it proposes does not
// depend on the order of replies: first the default and, beside it, what it
// likes best while nothing was heard, which is what a build without a
// measurement would take; then 1, 1, 2, 4, 8, 8, ...
//
// | origin         | who has them in mind                                      |
// |----------------|-----------------------------------------------------------|
// | catalogue      | `learned`, `hybrid`: those that the model likes before    |
// |                | anything was measured                                     |
// | written        | `writer`: what is likeliest word by word, of everything   |
// |                | legal that is left (Writer.h), whatever the judges think. |
// |                | `hybrid` has the likeliest in mind, where there is a      |
// |                | writer                                                    |
// | drawn          | `learned`, `hybrid`: those that were drawn for the problem |
// |                | (Draw.h)                                                  |
// | children       | `hybrid`: of the fastest so far, changed or crossed       |
// | advice         | `hybrid`: what others propose, a language model say. It   |
// |                | is tried before anything else, and trials are left for it |
// |                | while an answer is under way                              |
// | luck           | `hybrid`: one in 24 is drawn from the whole space and     |
// |                | is proposed whatever the model thinks of it               |
//
// Who had a candidate in mind does not count, but what it can be expected to
// gain: the one that should be fastest is proposed next. A model knows only
// what is like the catalogue, so the cost model is asked about the rest,
// corrected by what was measured close by; and of a `hybrid`'s first 32
// proposals twelve are of that rest, those that should be fastest and differ
// from each other. What is like the fastest so far is judged alike well, so one
// tile has at most a quarter of a `hybrid`'s first 32 proposals, and two thirds
// of the rest. Records of a `hybrid` say who it was, as `hybrid/children`.
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
  bool writes = false; ///< what the writer likes, not what the judges like
};

/// `model` has to live as long. What an adviser proposes is tried in the next
/// round, and it hears everything.
std::unique_ptr<Policy>
makeLearnedPolicy(const Model &model, Space space, uint64_t seed,
                  LearnedOptions options,
                  std::unique_ptr<Policy> adviser = nullptr);

/// What the model's writer takes for the likeliest of `space`. Where it has
/// none, the cost model writes.
std::optional<Schedule> writtenSchedule(const Model &model, const Space &space);

/// Makes policies by name: `learned`, `writer` and `hybrid` with `model`,
/// others as makePolicy does. A chip with the instruction set of the model's is
/// asked as that (hone/Schedule/AskedAs.h); elsewhere each of them is
/// `evolution`, see `policyFor`.
using PolicyMaker = std::function<llvm::Expected<std::unique_ptr<Policy>>(
    const Problem &, const Arch &)>;
constexpr llvm::StringLiteral kHybridPolicy = "hybrid";
constexpr llvm::StringLiteral kWriterPolicy = "writer";
/// `adviser` makes those that a hybrid asks besides. An error where there is no
/// such policy, or `writer` is asked for of a model without one.
llvm::Expected<PolicyMaker> policyMaker(llvm::StringRef name, int64_t seed,
                                        Within isWithin = {},
                                        const Model &model = Model::shipped(),
                                        PolicyMaker adviser = {});
/// True for those that propose what a model likes.
bool isLearnedPolicy(llvm::StringRef name);
/// Who proposes on `arch` where `name` is asked for, as records must say it, and
/// for people why it is another, or what is known about another chip.
struct PolicyChoice {
  std::string name;
  std::string remark; ///< empty: it is as it was asked for

  /// True if it asks a language model that is given to it.
  bool hasAdviser() const { return name == kHybridPolicy; }
};
PolicyChoice policyFor(llvm::StringRef name, const Arch &arch,
                       const Model &model = Model::shipped());
/// Trials of rewrites behind so many trials where nobody says how many: a third
/// for a policy that can tell rewrites apart, none for others.
int64_t usualRewrites(llvm::StringRef policy, int64_t trials);
/// Every name that policyMaker takes.
std::vector<llvm::StringRef> allPolicyNames();

} // namespace hone

#endif // HONE_POLICY_LEARNEDPOLICY_H
