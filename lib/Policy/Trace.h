//===- Trace.h - What a forward pass leaves behind --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every intermediate matrix that the way back needs.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_TRACE_H
#define HONE_LIB_POLICY_TRACE_H

#include "hone/Policy/Network.h"

namespace hone {

struct Network::Trace {
  struct Norm {
    Matrix unit;  ///< rows less their means, over their spreads
    Vector scale; ///< one over the spread
    Matrix rows;  ///< what comes of them
  };
  struct Block {
    Norm normA, normB;
    Matrix query, key, value, heard;
    std::vector<Matrix> looks; ///< by head: who looks at whom
    Matrix inner, gated, kept;
  };
  const Batch *batch = nullptr;
  Eigen::Index seen = 0; ///< rows that all look at
  std::vector<Block> blocks;
  Norm norm;
};

} // namespace hone

#endif // HONE_LIB_POLICY_TRACE_H
