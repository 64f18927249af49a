//===- Model.h - Networks that judge, one that writes, a card ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `hone train` writes and everything else uses: networks that judge
// schedules, those that write them if somebody trained such, and a card that
// says on what they were trained and how good they are. Trees (Trees.h) may
// stand beside the networks; then each side's residual counts for a half,
// because they are wrong about other problems. Trees do not hear what was
// measured, so their share falls with it: to a third after two, a sixth after
// eight.
//
//   Reader reader(problem, arch);
//   for (const Schedule &schedule : candidates)
//     readings.push_back(reader.read(schedule));
//   std::vector<double> logSeconds = model.judge(context, readings);
//
// The networks' file (trees have their own) is a line of JSON, the card, and
// behind it the parameters as little-endian floats, of those that judge and of
// those that write:
//
//   {"hone-policy":1, "names":[...], "means":[...], ..., "check":"...",
//    "writer":{"names":[...], ...}}\n
//   0x3f800000 ...
//
// A file is untrusted input. Its sizes are compared with its length before
// anything is allocated, and what does not add up is an error that says so.
// A file without a writer is whole.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_MODEL_H
#define HONE_POLICY_MODEL_H

#include "hone/Policy/Ensemble.h"
#include "hone/Policy/Trees.h"
#include <map>

namespace hone {

namespace detail {
struct FilePart;
}

class Model : public Ensemble {
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

  /// The chip whose times it learned, by its card; what it says of others is
  /// not worth asking for.
  std::string chip() const;

  std::vector<double> judge(llvm::ArrayRef<Tried> context,
                            llvm::ArrayRef<Reading> candidates) const override;
  using Ensemble::knows;
  bool knows(const Kind &kind, const Decision &decision) const override;

  std::optional<Trees> trees;
  /// What a Writer asks, who begins with the cost model where there is none.
  std::optional<Ensemble> writer;
  /// For people: data, method, quality.
  std::map<std::string, std::string> card;

private:
  static void take(detail::FilePart part, Ensemble &into,
                   llvm::ArrayRef<std::string> known);
  static detail::FilePart partOf(const Ensemble &from);
  double treesShare(size_t heard) const;
};

/// Networks that a Writer may ask and that have learned nothing.
Ensemble untrainedWriter(NetworkShape shape, size_t networks,
                         Kinds kinds = allKinds());

} // namespace hone

#endif // HONE_POLICY_MODEL_H
