//===- Ensemble.h - Networks and the numbers they read ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks of one shape whose residuals are averaged, and the names of the
// numbers that they read, with mean and spread of each:
//
//   std::vector<double> logSeconds = ensemble.judge(context, readings);
//
// A Reading has numbers in the order of this build; an ensemble finds its
// inputs among them by name. An input that the build lacks is set to its mean,
// and numbers that the weights lack are ignored, so a decision may be added or
// removed without training again. `covers` says whether a decision is among the
// inputs.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_ENSEMBLE_H
#define HONE_MODEL_ENSEMBLE_H

#include "hone/Model/Network.h"
#include "hone/Model/Reader.h"
#include "llvm/ADT/StringSet.h"

namespace hone {

/// One candidate that was tried.
struct Tried {
  Reading reading;
  std::optional<double> logSeconds; ///< none: it failed
};

class Ensemble {
public:
  /// Untrained networks that read all numbers of these names: their residual is
  /// 0.
  Ensemble(NetworkShape shape, size_t networks, std::vector<std::string> names);

  Ensemble(const Ensemble &) = default;
  Ensemble &operator=(const Ensemble &) = default;
  virtual ~Ensemble() = default;

  /// log of the seconds that each candidate should take.
  virtual std::vector<double> judge(llvm::ArrayRef<Tried> context,
                                    llvm::ArrayRef<Reading> candidates) const;
  /// The networks' input for these.
  Batch batchOf(llvm::ArrayRef<Tried> context,
                llvm::ArrayRef<Reading> candidates) const;

  /// True if the decision had a name when this was trained. Decisions without
  /// one should keep their usual values.
  virtual bool covers(const Kind &kind, const Decision &decision) const;
  /// True if it has the kind, and all decisions that it lacks have their usual
  /// values.
  bool covers(const Schedule &schedule) const;

  /// The networks of both, whose answers are averaged. An error if they do
  /// not read the same numbers in the same way.
  llvm::Error join(const Ensemble &other);

  /// Normalizes the inputs by the mean and spread of `sample`.
  void normalizeBy(llvm::ArrayRef<Reading> sample);
  /// Gives inputs that never varied in training so far, such as the numbers of
  /// the only machine, the spread that they have in `sample`. The answers for
  /// the training data stay, because such an input is at its mean there.
  void widen(llvm::ArrayRef<Reading> sample);

  /// Adds the inputs that it lacks. They have weight 0 until it is trained, so
  /// its results stay the same.
  void learnNames(llvm::ArrayRef<std::string> known,
                  llvm::ArrayRef<Reading> sample);

  std::vector<Network> networks;

protected:
  /// Finds its inputs among the numbers of this build.
  void findNames(llvm::ArrayRef<std::string> known);

  std::vector<std::string> names; ///< of the inputs
  llvm::StringSet<> inputs;       ///< the same names, to find one
  std::vector<int> origins;       ///< by input: where a Reading has it, or -1
  std::vector<float> means, spreads;

private:
  friend class Model; ///< writes and reads them

  void place(const Reading &reading, Matrix &rows, Eigen::Index row) const;
};

/// The name of a decision's first number in a Reading.
std::string firstNameOf(const Kind &kind, const Decision &decision);

/// The longest context: of a longer one, the fastest and the latest candidates
/// are kept.
constexpr size_t kMaxContext = 32;

/// A row of kStandings for each of a context.
Matrix standingsOf(llvm::ArrayRef<Tried> context);

} // namespace hone

#endif // HONE_MODEL_ENSEMBLE_H
