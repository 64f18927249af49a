//===- Network.h - A small transformer over candidates ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says how wrong the cost model is about each of some candidates, given how
// wrong it was about those that were measured:
//
//   log seconds = log estimate + residual(candidate | what was measured)
//
// A candidate is one token: the numbers of its Reading. What was measured is
// tokens too, the *context*, to which its standing is added: how much longer
// than estimated it took, beside the others of the context and the best of
// them, and whether it failed. Candidates look at the context, and the context
// looks at itself; candidates do not see each other, so each is judged alike
// whatever it is judged with, and one pass judges them all.
//
//   rows     nothing | context ...            | candidates ...
//            ------------------------------------------------
//   in       learned | numbers W + standing U | numbers W
//   a block  every row looks at the rows left of the second bar (attention),
//            then thinks for itself (two layers with a gate)      } x blocks
//   out                                       | one number each
//
// With no context there is still `nothing` to look at, and the residual is what
// was learned from all the problems of the training.
//
// The parameters are one vector, so an optimizer and a file need not know what
// they are; `gradient` fills another one of the same form. Arithmetic is the
// same to the bit on every machine: no instruction is chosen at run time, and
// sums are in a fixed order.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_NETWORK_H
#define HONE_POLICY_NETWORK_H

#include <Eigen/Core>
#include <random>
#include <string>
#include <vector>

namespace hone {

using Matrix =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;

struct NetworkShape {
  int64_t inputs = 0; ///< numbers of a candidate
  int64_t width = 96; ///< of a token inside
  int64_t heads = 4;
  int64_t blocks = 2;
  int64_t hidden = 192; ///< of a block's own thinking

  int64_t parameters() const;
  bool operator==(const NetworkShape &other) const {
    return inputs == other.inputs && width == other.width &&
           heads == other.heads && blocks == other.blocks &&
           hidden == other.hidden;
  }
};

/// Numbers of one measured candidate besides its Reading's.
constexpr int64_t kStandings = 6;

/// What one pass reads.
struct Batch {
  Matrix context;    ///< readings of what was measured
  Matrix standing;   ///< a row of kStandings for each of them
  Matrix candidates; ///< readings of what is asked for
};

/// What training does to a pass that use does not.
struct Dropout {
  float rate = 0;
  std::mt19937_64 *dice = nullptr;
};

class Network {
public:
  explicit Network(NetworkShape shape);

  const NetworkShape &shape() const { return form; }
  Vector &parameters() { return weights; }
  const Vector &parameters() const { return weights; }
  /// Random, with a last layer of nothing: every residual is 0.
  void initialize(uint64_t seed);
  /// Behind those that there are, with weights of nothing.
  void addInputs(int64_t count);

  /// The residual of each candidate.
  Vector forward(const Batch &batch) const;

  /// What `backward` needs of a forward pass.
  struct Trace;
  Vector forward(const Batch &batch, Trace &trace, Dropout dropout) const;
  /// Adds to `gradient` what the loss's gradient by each residual makes of the
  /// parameters' gradient.
  void backward(const Trace &trace, const Vector &byResidual,
                Vector &gradient) const;

private:
  NetworkShape form;
  Vector weights;
};

} // namespace hone

#endif // HONE_POLICY_NETWORK_H
