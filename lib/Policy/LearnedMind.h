//===- LearnedMind.h - What a learned policy has in mind --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates, what was heard, and the policy that chooses among them. Who comes
// to mind is in LearnedMind.cpp, who is proposed in LearnedPolicy.cpp.
//
// | candidates          | are                                                |
// |---------------------|----------------------------------------------------|
// | listed              | the catalogue, and what was drawn for the problem  |
// | retiled, varied     | these with another tile, or a decision that is     |
// |                     | rarely taken, where the model likes them better    |
// | bred                | changes of the fastest so far                      |
// | lucky, advised      | from chance, and from a language model             |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_LEARNEDMIND_H
#define HONE_LIB_POLICY_LEARNEDMIND_H

#include "Judge.h"
#include "hone/Policy/LearnedPolicy.h"
#include <deque>
#include <map>
#include <set>

namespace hone::detail {

/// Who has candidates in mind.
constexpr llvm::StringRef kListed = "catalogue", kDrawn = "drawn",
                          kBred = "children", kLucky = "luck",
                          kAdvised = "advice";

constexpr size_t kMaxInRound = 8;

/// Whose names count, where something is written.
const Ensemble &writerOf(const Model &model);

/// Places of what was judged, the most promising first.
std::vector<size_t> bestFirst(llvm::ArrayRef<double> judged);

/// A schedule that may be proposed.
struct Candidate : Case {
  Candidate(Case judged, llvm::StringRef origin, Tile tile)
      : Case(std::move(judged)), origin(origin), tile(tile) {}

  llvm::StringRef origin; ///< who had it in mind first
  Tile tile;
  double judged = 0; ///< log of seconds
  size_t place = 0;  ///< among what was proposed
};
/// By text, so that nothing depends on the order in which they came.
using Candidates = std::map<std::string, Candidate>;
/// What was heard of.
struct Heard {
  Case of;
  std::optional<double> logSeconds; ///< none: it failed
};

class LearnedPolicy : public Policy {
public:
  LearnedPolicy(const Model &model, Space moved, uint64_t seed,
                LearnedOptions options, std::unique_ptr<Policy> adviser)
      : model(model), space(std::move(moved)), options(options), dice(seed),
        reader(space.problem, space.arch, {}, space.kinds), judges(model),
        adviser(std::move(adviser)) {}

  std::vector<Schedule> propose(size_t count) override;
  void hear(const Schedule &schedule, const Measurement &result) override;
  std::vector<Schedule> ranked(std::vector<Schedule> schedules) override;
  bool isWaiting() const override { return !awaited.empty(); }
  bool isThinking() const override { return adviser && adviser->isThinking(); }
  size_t reserve() const override { return adviser ? adviser->reserve() : 0; }
  llvm::StringRef originOf(const Schedule &schedule) const override;

private:
  /// Whose opinion counts.
  const Ensemble &asked() const {
    return options.writes ? writerOf(model) : model;
  }
  void begin();
  void beginRound();
  bool mayPropose(const Schedule &schedule) const;
  std::vector<const Heard *> inOrder() const;
  std::vector<Tried> context() const;
  std::vector<Precedent> precedents() const;
  void judge(Candidates &candidates) const;
  std::vector<Schedule> written(size_t count) const;
  void enlistWritten(size_t count);
  void remember();
  void keepBest();
  void retile();
  void vary();
  void ascend();
  std::vector<double> judgedAlone(llvm::ArrayRef<Schedule> schedules) const;
  void addBest(llvm::ArrayRef<Schedule> variants, size_t most, size_t ofTile);
  void breed();
  bool addToMind(const Schedule &schedule, llvm::StringRef origin);
  void enlist(Candidates::iterator chosen);
  Candidates::iterator mostPromising();
  bool isTriedEnough(const Candidate &candidate) const;
  Candidates::iterator mostPromisingNew();
  bool enlistLuck();
  void enlistAdvice();
  void takeAdvice();

  const Model &model;
  const Space space;
  const LearnedOptions options;
  Dice dice;
  const Reader reader;
  const Judge judges;
  const std::unique_ptr<Policy> adviser; ///< may be null
  bool hasBegun = false;
  size_t rounds = 0, proposals = 0;
  Candidates mind;
  Candidates beside; ///< what is not in mind but may be written
  std::map<std::string, Candidate> proposed; ///< with what was thought of them
  std::map<std::string, Heard> heard;
  std::map<Tile, size_t> ofTile; ///< proposals
  std::deque<Schedule> round;
  std::set<std::string> awaited;
};

} // namespace hone::detail

#endif // HONE_LIB_POLICY_LEARNEDMIND_H
