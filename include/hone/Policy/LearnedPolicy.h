//===- LearnedPolicy.h - Proposals of a trained model -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proposals for a search, which measures them.
//
// A policy keeps a set of candidates and judges them by the model, given all
// results of this problem, so it adapts with every result. It proposes in
// rounds and waits for the results of each, so that its proposals do not depend
// on the order of replies. The first round has the default and the candidate
// that the model expects to be fastest without any result, which is close to
// the schedule of a build. The next rounds have 1, 1, 2, 4, 8, 8, ...
//
// | origin         | candidates                                               |
// |----------------|----------------------------------------------------------|
// | catalogue      | `learned`, `hybrid`: the best 96 of the catalogue by the |
// |                | model, before any result                                 |
// | drawn          | `learned`, `hybrid`: the schedules drawn for the problem |
// |                | (Draw.h). `hybrid`: also other tiles, rarely taken       |
// |                | decisions, and the finds of a climb by the model         |
// |                | (lib/Policy/Ascent.h)                                    |
// | written        | `writer`: word by word, of the whole space (Scribe.h) or |
// |                | of a table, ranked by the judges. `hybrid` adds a few to |
// |                | its candidates if the model has a writer                 |
// | children       | `hybrid`: the fastest so far, changed or crossed         |
// | advice         | `hybrid`: proposals of an adviser, such as a language    |
// |                | model. They are tried before anything else, and trials   |
// |                | are kept for them while an answer is under way           |
// | luck           | `hybrid`: one in 24 is drawn from the whole space and    |
// |                | proposed without regard to the model                     |
//
// The origin of a candidate does not count: the one with the shortest expected
// time is proposed next. The model judges every schedule whose decisions it was
// trained on, also outside of the catalogue. For others the cost model answers,
// corrected by nearby results (hone/Model/Judge.h).
//
// The model judges schedules close to the fastest nearly alike, so a `hybrid`
// spreads its proposals: twelve of its first 32 have a tile of C that was not
// proposed yet; one tile has at most a quarter of the first 32, and at most two
// thirds of the later ones. Records of a `hybrid` name the origin, as
// `hybrid/children`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_LEARNEDPOLICY_H
#define HONE_POLICY_LEARNEDPOLICY_H

#include "hone/Model/Model.h"
#include "hone/Search/Policy.h"
#include "hone/Space/Space.h"

namespace hone {

struct LearnedOptions {
  bool leaves = false; ///< candidates outside of the list: children, luck
  bool writes = false; ///< the writer proposes, and the judges choose
};

/// `model` must outlive the policy. Proposals of `adviser` are tried before the
/// rest of a round, and it receives every result.
std::unique_ptr<Policy>
makeLearnedPolicy(const Model &model, Space space, uint64_t seed,
                  LearnedOptions options,
                  std::unique_ptr<Policy> adviser = nullptr);

/// The judges' first choice among the listed schedules of `space` that the
/// model's writer finds likeliest.
std::optional<Schedule> writtenSchedule(const Model &model, const Space &space);

/// Makes policies by name: `learned`, `writer` and `hybrid` with `model`,
/// others as makePolicy does. On machines with an instruction set that the
/// model was not trained for, each of the three is `evolution`, see
/// `policyFor`.
using PolicyMaker = std::function<llvm::Expected<std::unique_ptr<Policy>>(
    const Problem &, const Arch &)>;
constexpr llvm::StringLiteral kHybridPolicy = "hybrid";
constexpr llvm::StringLiteral kWriterPolicy = "writer";
/// `adviser` makes the advisers of a hybrid. An error if no policy has this
/// name.
llvm::Expected<PolicyMaker> policyMaker(llvm::StringRef name, int64_t seed,
                                        Within isWithin = {},
                                        const Model &model = Model::shipped(),
                                        PolicyMaker adviser = {});
/// True for policies whose proposals a model chooses.
bool isLearnedPolicy(llvm::StringRef name);
/// The policy that proposes on `arch` if `name` is requested, under the name
/// that records carry. The remark explains a different name, or the share of
/// the model on a machine that it was not trained on.
struct PolicyChoice {
  std::string name;
  std::string remark; ///< empty: nothing to explain

  /// True if it uses a language model that is given to it.
  bool hasAdviser() const { return name == kHybridPolicy; }
};
PolicyChoice policyFor(llvm::StringRef name, const Arch &arch,
                       const Model &model = Model::shipped());
/// Default number of trials of rewrites after `trials` trials: a third for a
/// learned policy, which judges rewrites; none for others.
int64_t usualRewrites(llvm::StringRef policy, int64_t trials);
/// Every name that policyMaker takes.
std::vector<llvm::StringRef> allPolicyNames();

} // namespace hone

#endif // HONE_POLICY_LEARNEDPOLICY_H
