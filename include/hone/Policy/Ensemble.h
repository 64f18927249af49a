//===- Ensemble.h - Networks, and what they read ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks of one shape whose residuals are averaged, and the names of the
// numbers that they read, with mean and spread of each:
//
//   std::vector<double> logSeconds = ensemble.judge(context, readings);
//
// A Reading has numbers in the order that a build knows; an ensemble finds its
// own among them by name. Names that a build does not know are read as their
// mean, and numbers that the weights do not know are not read, so a decision
// may be added or taken away without training again. What decisions they know
// says `knows`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_ENSEMBLE_H
#define HONE_POLICY_ENSEMBLE_H

#include "hone/Policy/Network.h"
#include "hone/Policy/Reader.h"

namespace hone {

/// One candidate that was tried.
struct Tried {
  Reading reading;
  std::optional<double> logSeconds; ///< none: it failed
};

class Ensemble {
public:
  /// Untrained networks that read everything of these names: their residual is
  /// 0.
  Ensemble(NetworkShape shape, size_t networks, std::vector<std::string> names);

  Ensemble(const Ensemble &) = default;
  Ensemble &operator=(const Ensemble &) = default;
  virtual ~Ensemble() = default;

  /// log of the seconds that each candidate should take.
  virtual std::vector<double> judge(llvm::ArrayRef<Tried> context,
                                    llvm::ArrayRef<Reading> candidates) const;
  /// What the networks are given for them.
  Batch batchOf(llvm::ArrayRef<Tried> context,
                llvm::ArrayRef<Reading> candidates) const;

  /// True if the decision had a name when this was trained. What it does not
  /// know should stay as usual.
  virtual bool knows(const Kind &kind, const Decision &decision) const;
  /// True if it knows the kind, and what it does not know of it is as usual.
  bool knows(const Schedule &schedule) const;

  /// The networks of both, whose answers are averaged. An error where they do
  /// not read the same numbers in the same way.
  llvm::Error join(const Ensemble &other);

  /// Mean and spread of these become the inputs' zero and one.
  void normalizeBy(llvm::ArrayRef<Reading> sample);

  /// Inputs of those names that it lacks, which count for nothing until it is
  /// trained: what it says stays the same.
  void learnNames(llvm::ArrayRef<std::string> known,
                  llvm::ArrayRef<Reading> sample);

  std::vector<Network> networks;

protected:
  /// Looks for its own numbers among those that a build knows.
  void findNames(llvm::ArrayRef<std::string> known);

  std::vector<std::string> names; ///< of the inputs
  std::vector<int> origins;       ///< by input: where a Reading has it, or -1
  std::vector<float> means, spreads;

private:
  friend class Model; ///< writes and reads them

  void place(const Reading &reading, Matrix &rows, Eigen::Index row) const;
};

/// What a Reading calls the first number of a decision.
std::string firstNameOf(const Kind &kind, const Decision &decision);

/// The longest context: of more, the fastest and the latest are kept.
constexpr size_t kMaxContext = 32;

/// A row of kStandings for each of a context.
Matrix standingsOf(llvm::ArrayRef<Tried> context);

} // namespace hone

#endif // HONE_POLICY_ENSEMBLE_H
