//===- Model.h - Networks that judge and write, and a card ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of `hone train`: networks that judge schedules, optional networks
// that write them, and a card with their training data and quality. A model may
// also have trees (Trees.h). Trees and networks err on different problems, so
// their residuals are averaged. Trees are better at a first choice, where their
// weight is two thirds. They ignore measured times, so it is a third after two
// measurements and a sixth after eight.
//
//   Reader reader(problem, arch);
//   for (const Schedule &schedule : candidates)
//     readings.push_back(reader.read(schedule));
//   std::vector<double> logSeconds = model.judge(context, readings);
//
// The networks' file (trees have their own) is a line of JSON, the card,
// followed by the parameters, first of the networks that judge, then of those
// that write. They are little-endian floats, or with "bits":16 halves, which
// `hone train` rounds them to:
//
//   {"hone-policy":1, "names":[...], "means":[...], ..., "check":"...",
//    "writer":{"names":[...], ...}}\n
//   0x3f800000 ...
//
// A file is untrusted input. Its sizes are compared with its length before
// anything is allocated, and a mismatch is an error. A file without a writer is
// complete.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_MODEL_H
#define HONE_MODEL_MODEL_H

#include "hone/Model/Ensemble.h"
#include "hone/Model/Trees.h"
#include "hone/Schedule/MachineDistance.h"
#include <map>

namespace hone {

namespace detail {
struct FilePart;
} // namespace detail

class Model : public Ensemble {
public:
  /// Untrained: its residual is 0.
  Model(NetworkShape shape, size_t networks, Kinds kinds = allKinds());

  static llvm::Expected<Model> parse(llvm::StringRef bytes,
                                     Kinds kinds = allKinds());
  static llvm::Expected<Model> readFile(const std::string &path,
                                        Kinds kinds = allKinds());
  std::string str() const;
  /// Rounds all parameters to halves, so that a file is half as long.
  void roundToHalves();

  /// The built-in model: networks and trees.
  static const Model &shipped();
  /// The built-in model with the weights of one file and the trees of another;
  /// "" leaves its own. Weights from a file come without the built-in trees.
  static llvm::Expected<Model> readFiles(const std::string &weights,
                                         const std::string &trees);

  /// The machines whose times it learned, by its card.
  std::vector<Arch> machines() const;
  /// The closest of them; none with the instruction set of `machine` has an
  /// empty name and an infinite distance.
  NearMachine closestTo(const Arch &machine) const;
  /// Continues a sentence about the policy: why its estimates on a machine are
  /// worse than those where it was trained. Empty if it was trained there.
  std::string limitOn(const Arch &machine) const;
  /// The weight of the model's estimates on a machine, from 0 to 1; the cost
  /// model has the rest. It is 1 where it was trained, a half at
  /// `kHalfDistance` doublings, and 0 for another instruction set.
  double shareOn(const Arch &machine) const;
  static constexpr double kHalfDistance = 6;

  std::vector<double> judge(llvm::ArrayRef<Tried> context,
                            llvm::ArrayRef<Reading> candidates) const override;
  /// The reader of schedules that `writer` writes: it corrects the estimates of
  /// the trees, or without trees those of the cost model.
  Reader writersReader(const Problem &problem, const Arch &arch,
                       Kinds kinds = allKinds()) const;
  using Ensemble::covers;
  bool covers(const Kind &kind, const Decision &decision) const override;

  std::optional<Trees> trees;
  /// The networks of a Writer; a Writer without any is the cost model.
  std::optional<Ensemble> writer;
  /// For users: data, method, quality.
  std::map<std::string, std::string> card;

private:
  static void take(detail::FilePart part, Ensemble &into,
                   llvm::ArrayRef<std::string> known);
  static detail::FilePart partOf(const Ensemble &from);
  double treesShare(size_t received) const;
};

/// Untrained networks for a Writer.
Ensemble untrainedWriter(NetworkShape shape, size_t networks,
                         Kinds kinds = allKinds());

} // namespace hone

#endif // HONE_MODEL_MODEL_H
