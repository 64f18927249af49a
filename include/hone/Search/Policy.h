//===- Policy.h - Who proposes schedules ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy is asked for schedules worth trying and hears what came of them. It
// decides nothing: a proposal is checked against the laws before anybody
// builds it, a wrong one is found by the evaluator, and the default competes
// whatever a policy says. So a policy may be as wild as it likes.
//
//   policy.propose(8)  ->  some schedules; none: it has nothing more to say,
//                          or waits for what it is to hear
//   policy.hear(s, m)      what came of one, or what is known from before
//
// Every proposal is answered by one `hear`, in whatever order, unless it was
// heard of before or the search ends first: also one that breaks a law.
//
// | name       | proposes                                                   |
// |------------|------------------------------------------------------------|
// | default    | the default schedule, nothing else                         |
// | model      | the list (Space.h) in the order of the cost model          |
// | exhaustive | the list: the catalogue, kind by kind, and what was drawn  |
// | random     | legal schedules of the whole space, each form alike        |
// | evolution  | the model's first, then generation by generation what      |
// |            | comes of the fastest, and of a model that what was heard   |
// |            | has corrected                                              |
//
// (Another one, hone/Chat/ChatPolicy.h, asks a large language model.)
//
// None of these proposes a schedule that breaks a law, or one twice. What they
// propose depends on problem, arch, seed, what was heard, and nothing else:
//
//   default, model, exhaustive, random   hear nothing; they are lists
//   evolution                            waits until it has heard of a whole
//       generation, so the order of the replies within one does not matter.
//       What it did not propose (stale records) counts from the generation
//       that is made after it was heard
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_POLICY_H
#define HONE_SEARCH_POLICY_H

#include "hone/Numerics/Measurement.h"
#include "hone/Schedule/Schedule.h"
#include <functional>
#include <memory>
#include <vector>

namespace hone {

class Policy {
public:
  virtual ~Policy() = default;
  /// At most `count` schedules; what was proposed before may come again, and
  /// is passed over.
  virtual std::vector<Schedule> propose(size_t count) = 0;
  virtual void hear(const Schedule &schedule, const Measurement &result) {
    (void)schedule;
    (void)result;
  }
  /// These, the most promising first, if it can tell them apart; what it was
  /// told counts. For those who propose by themselves and cannot try
  /// everything.
  virtual std::vector<Schedule> ranked(std::vector<Schedule> schedules) {
    return schedules;
  }
  /// Who within it had a schedule in mind that it proposed, for those who read
  /// records; empty where there is nobody to tell apart.
  virtual llvm::StringRef originOf(const Schedule &schedule) const {
    (void)schedule;
    return "";
  }
  /// True if more may come once it has heard what is under way.
  virtual bool isWaiting() const { return false; }
  /// True if more may come by itself, although nothing is under way: somebody
  /// thinks elsewhere. Whoever proposes says how long that is worth waiting
  /// for.
  virtual bool isThinking() const { return false; }
  /// Trials that should be left, while it thinks, for the proposals that may
  /// come: it has others meanwhile, which would use up all trials before.
  virtual size_t reserve() const { return 0; }
  /// True if it proposes no more because it failed, or because a language model
  /// did, and not because nothing is left to propose.
  virtual bool hasGivenUp() const { return false; }
};

/// Where a proposal comes from that a build would take without a search: it
/// comes to the final whatever its trial takes.
constexpr llvm::StringLiteral kBuildOrigin = "build";

/// A policy that proposes what a build would take, and then what `policy` does.
std::unique_ptr<Policy> makeBuildFirst(Schedule ofBuild,
                                       std::unique_ptr<Policy> policy);

/// Says which schedules of a problem may be proposed, besides the laws: those a
/// recorded table has, say. An empty one lets all of them.
class Within {
public:
  using Has = std::function<bool(const Problem &, const Schedule &)>;
  using List = std::function<std::vector<Schedule>(const Problem &)>;

  Within() = default;
  Within(Has has, List list) : has(std::move(has)), list(std::move(list)) {}
  /// Whoever can say yes or no, and name none.
  template <typename Fn, typename = std::enable_if_t<std::is_invocable_r_v<
                             bool, Fn &, const Problem &, const Schedule &>>>
  Within(Fn has) : has(std::move(has)) {}

  explicit operator bool() const { return bool(has); }
  bool operator()(const Problem &problem, const Schedule &schedule) const {
    return has(problem, schedule);
  }
  /// All of them, where they are known; else none.
  std::vector<Schedule> listOf(const Problem &problem) const {
    return list ? list(problem) : std::vector<Schedule>();
  }

private:
  Has has;
  List list;
};

/// The policy that has the default alone, and in records, whoever proposed
/// that.
constexpr llvm::StringLiteral kDefaultPolicy = "default";

/// Makes the policy of one problem, whose extents are known and above 0. Its
/// schedules are of `kinds`.
llvm::Expected<std::unique_ptr<Policy>>
makePolicy(llvm::StringRef name, const Problem &problem, const Arch &arch,
           int64_t seed, Within isWithin = {}, Kinds kinds = allKinds());
/// A seed for a problem: those of one search do not repeat each other's luck.
uint64_t seedFor(const Problem &problem, int64_t seed);
/// Every name, for help texts and errors.
llvm::ArrayRef<llvm::StringRef> policyNames();

} // namespace hone

#endif // HONE_SEARCH_POLICY_H
