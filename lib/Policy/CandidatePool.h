//===- CandidatePool.h - Candidates of a learned policy ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidates, the measurements and the policy that chooses among them.
// CandidatePool.cpp adds candidates, LearnedPolicy.cpp proposes them.
//
// | candidates          | origin                                             |
// |---------------------|----------------------------------------------------|
// | listed              | the catalogue, and draws for the problem           |
// | retiled, varied     | these with another tile, or a rarely taken         |
// |                     | decision, where the model rates them better        |
// | bred                | changes of the fastest so far                      |
// | written             | the writer, of the list or of the whole space      |
// | lucky, advised      | random choice, and a language model                |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_CANDIDATEPOOL_H
#define HONE_LIB_POLICY_CANDIDATEPOOL_H

#include "hone/Model/Judge.h"
#include "hone/Model/Scribe.h"
#include "hone/Policy/LearnedPolicy.h"
#include <deque>
#include <map>
#include <set>

namespace hone::detail {

/// The sources of candidates.
constexpr llvm::StringRef kListed = "catalogue", kDrawn = "drawn",
                          kBred = "children", kRandom = "luck",
                          kAdvised = "advice", kWritten = "written";

constexpr size_t kMaxInRound = 8;

/// The networks whose names count for written schedules.
const Ensemble &writerOf(const Model &model);

/// A schedule that may be proposed.
struct Candidate : Case {
  Candidate(Case judged, llvm::StringRef origin, Tile tile)
      : Case(std::move(judged)), origin(origin), tile(tile) {}

  llvm::StringRef origin; ///< its first source
  Tile tile;
  double judged = 0; ///< log of seconds
  size_t place = 0;  ///< in the order of proposals
};
/// Sorted by text, so that the order of arrival has no effect.
using Candidates = std::map<std::string, Candidate>;
/// A measured schedule.
struct Measured {
  Case of;
  std::optional<double> logSeconds; ///< none: it failed
};

class LearnedPolicy : public Policy {
public:
  LearnedPolicy(const Model &model, Space moved, uint64_t seed,
                LearnedOptions options, std::unique_ptr<Policy> adviser)
      : model(model), space(std::move(moved)), options(options), dice(seed),
        reader(space.problem, space.arch, {}, space.kinds),
        writersReader(
            model.writersReader(space.problem, space.arch, space.kinds)),
        judges(model, space.problem, /*caution=*/0, model.shareOn(space.arch)),
        adviser(std::move(adviser)) {}

  std::vector<Schedule> propose(size_t count) override;
  void receive(const Schedule &schedule, const Measurement &result) override;
  std::vector<Schedule> ranked(std::vector<Schedule> schedules) override;
  bool isWaiting() const override { return !awaited.empty(); }
  bool isComputing() const override {
    return adviser && adviser->isComputing();
  }
  size_t reserve() const override { return adviser ? adviser->reserve() : 0; }
  std::vector<Schedule> rewritesOf(const Schedule &schedule) override;
  llvm::StringRef originOf(const Schedule &schedule) const override;

private:
  /// Whether a writer proposes schedules of the whole space.
  bool writesFreely() const { return !space.isRestricted(); }
  Scribe &scribe();
  void addWritten(size_t count);
  /// The networks that decide.
  const Ensemble &asked() const {
    return options.writes ? writerOf(model) : model;
  }
  void begin();
  void addListed();
  void beginRound();
  bool mayPropose(const Schedule &schedule) const;
  std::vector<const Measured *> inOrder() const;
  std::vector<Tried> writersContext() const;
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
  void addBest(llvm::ArrayRef<Schedule> variants, size_t max, size_t ofTile);
  void breed();
  bool addToPool(const Schedule &schedule, llvm::StringRef origin);
  void enlist(Candidates::iterator chosen);
  Candidates::iterator bestOf();
  bool isTriedEnough(const Candidate &candidate) const;
  Candidates::iterator bestOfNewTile();
  bool enlistRandom();
  void enlistAdvice();
  void takeAdvice();

  const Model &model;
  const Space space;
  const LearnedOptions options;
  Dice dice;
  const Reader reader, writersReader;
  const Judge judges;
  const std::unique_ptr<Policy> adviser; ///< may be null
  std::unique_ptr<Scribe> ownScribe;     ///< made when it first writes
  bool hasBegun = false;
  size_t rounds = 0, proposals = 0;
  Candidates pool;
  Candidates others; ///< not candidates, but may be written
  std::map<std::string, Candidate> proposed; ///< with their estimates then
  std::map<std::string, Measured> measured;
  std::map<Tile, size_t> ofTile; ///< number of proposals by tile
  std::deque<Schedule> round;
  std::set<std::string> awaited, illegal; ///< `illegal`: of the adviser
};

} // namespace hone::detail

#endif // HONE_LIB_POLICY_CANDIDATEPOOL_H
