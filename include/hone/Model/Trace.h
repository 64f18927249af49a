//===- Trace.h - Intermediate results of a forward pass ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every matrix that the backward pass needs.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_TRACE_H
#define HONE_MODEL_TRACE_H

#include "hone/Model/Network.h"

namespace hone {

struct Network::Trace {
  struct Norm {
    Matrix unit;  ///< rows less their means, over their spreads
    Vector scale; ///< one over the spread
    Matrix rows;  ///< the normalized rows, scaled and shifted
  };
  struct Block {
    Norm normA, normB;
    Matrix query, key, value, attended;
    std::vector<Matrix> looks; ///< attention weights, by head
    Matrix inner, gated, kept;
  };
  const Batch *batch = nullptr;
  Eigen::Index seen = 0; ///< number of rows that all rows attend to
  std::vector<Block> blocks;
  Norm norm;
};

} // namespace hone

#endif // HONE_MODEL_TRACE_H
