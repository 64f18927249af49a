//===- Model.h - Networks, what they read, and their card -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `hone train` writes and everything else uses: networks whose residuals
// are averaged, the names of the numbers they read with mean and spread, and a
// card that says on what they were trained and how good they are. Trees
// (Trees.h) may stand beside the networks; then each side's residual counts for
// a half, because they are wrong about other problems. Trees do not hear what
// was measured, so their share falls with it: to a third after two, a sixth
// after eight.
//
//   Reader reader(problem, arch);
//   for (const Schedule &schedule : candidates)
//     readings.push_back(reader.read(schedule));
//   Expected<std::vector<double>> logSeconds = model.judge(context, readings);
//
// The networks' file (trees have their own) is a line of JSON, the card, and
// behind it the parameters as little-endian floats:
//
//   {"hone-policy":1, "names":[...], "mean":[...], ..., "check":"..."}\n
//   0x3f800000 ...
//
// A file is untrusted input. Its sizes are compared with its length before
// anything is allocated, and what does not add up is an error that says so.
// Names that this build does not know are read as their mean and numbers that
// the file does not know are not read, so a decision may be added or taken away
// without training again; what decisions the file knows says `knows`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_MODEL_H
#define HONE_POLICY_MODEL_H

#include "hone/Policy/Network.h"
#include "hone/Policy/Reader.h"
#include "hone/Policy/Trees.h"
#include <map>

namespace hone {

/// One candidate that was tried.
struct Tried {
  Reading reading;
  std::optional<double> logSeconds; ///< none: it failed
};

class Model {
public:
  /// Untrained: its residual is 0.
  Model(NetworkShape shape, size_t networks, Kinds kinds = allKinds());

  static llvm::Expected<Model> parse(llvm::StringRef bytes,
                                     Kinds kinds = allKinds());
  static llvm::Expected<Model> readFile(const std::string &path,
                                        Kinds kinds = allKinds());
  std::string str() const;

  /// The one that is built in: networks and trees.
  static const Model &shipped();

  /// log of the seconds that each candidate should take.
  std::vector<double> judge(llvm::ArrayRef<Tried> context,
                            llvm::ArrayRef<Reading> candidates) const;
  /// What the networks are given for them.
  Batch batchOf(llvm::ArrayRef<Tried> context,
                llvm::ArrayRef<Reading> candidates) const;

  /// True if the decision had a name when this was trained. What it does not
  /// know should stay as usual.
  bool knows(const Kind &kind, const Decision &decision) const;

  /// The networks of both, whose answers are averaged. An error where they do
  /// not read the same numbers in the same way.
  llvm::Error join(const Model &other);

  /// Mean and spread of these become the inputs' zero and one.
  void normalizeBy(llvm::ArrayRef<Reading> sample);

  /// The chip whose times it learned, by its card; what it says of others is
  /// not worth asking for.
  std::string chip() const;

  std::vector<Network> networks;
  std::optional<Trees> trees;
  /// For people: data, method, quality.
  std::map<std::string, std::string> card;

private:
  double treesShare(size_t heard) const;
  void addNetworks(llvm::ArrayRef<Tried> context,
                   llvm::ArrayRef<Reading> candidates, double weight,
                   std::vector<double> &seconds) const;
  void place(const Reading &reading, Matrix &rows, Eigen::Index row) const;

  std::vector<std::string> names; ///< of the inputs
  std::vector<int> origins;       ///< by input: where a Reading has it, or -1
  std::vector<float> means, spreads;
};

/// The longest context: of more, the fastest and the latest are kept.
constexpr size_t kMostContext = 32;

/// A row of kStandings for each of a context.
Matrix standingsOf(llvm::ArrayRef<Tried> context);

} // namespace hone

#endif // HONE_POLICY_MODEL_H
