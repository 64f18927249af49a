//===- Network.h - A small transformer over candidates ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts the error of the cost model for each candidate, given its errors for
// the measured ones:
//
//   log seconds = log estimate + residual(candidate | measured candidates)
//
// A candidate is one token: the numbers of its Reading. Measured candidates are
// tokens too, the *context*, each with its standing: how much longer than
// estimated it took, compared with the others of the context and the best of
// them, and whether it failed. Candidates attend to the context, and the
// context attends to itself. Candidates do not attend to each other, so the
// other candidates do not affect a judgement, and one pass judges them all.
//
//   rows     nothing | context ...            | candidates ...
//            ------------------------------------------------
//   in       learned | numbers W + standing U | numbers W
//   a block  every row attends to the rows left of the second bar, then
//            passes two layers with a gate of its own             } x blocks
//   out                                       | one number each
//
// With no context there is still the token `nothing` to attend to, and the
// residual depends on the training alone.
//
// The parameters are one vector, so that an optimizer and a file are
// independent of their meaning; `gradient` is a vector of the same form.
// Arithmetic is identical to the bit on every machine: no instruction is chosen
// at run time, and sums are in a fixed order.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_NETWORK_H
#define HONE_MODEL_NETWORK_H

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
  int64_t hidden = 192; ///< width of a block's gated layers

  int64_t parameters() const;
  bool operator==(const NetworkShape &other) const {
    return inputs == other.inputs && width == other.width &&
           heads == other.heads && blocks == other.blocks &&
           hidden == other.hidden;
  }
};

/// Numbers of one measured candidate besides its Reading's.
constexpr int64_t kStandings = 6;

/// The input of one pass.
struct Batch {
  Matrix context;    ///< readings of measured candidates
  Matrix standing;   ///< a row of kStandings for each of them
  Matrix candidates; ///< readings of the candidates to judge
};

/// Dropout, in training only.
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
  /// Random, with a last layer of zeros: every residual is 0.
  void initialize(uint64_t seed);
  /// Appends inputs with weights of zero.
  void addInputs(int64_t count);

  /// The residual of each candidate.
  Vector forward(const Batch &batch) const;

  /// The values of a forward pass that `backward` needs.
  struct Trace;
  Vector forward(const Batch &batch, Trace &trace, Dropout dropout) const;
  /// Adds the gradient by the parameters to `gradient`, given the loss's
  /// gradient by each residual.
  void backward(const Trace &trace, const Vector &byResidual,
                Vector &gradient) const;

private:
  NetworkShape form;
  Vector weights;
};

} // namespace hone

#endif // HONE_MODEL_NETWORK_H
