//===- BlockCosts.h - Costs of a block's parts ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine's coefficients applied to a block's facts. CostModel.cpp adds the
// costs up in the same way for all blocks.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SPACE_BLOCKCOSTS_H
#define HONE_LIB_SPACE_BLOCKCOSTS_H

#include "hone/Space/CostModel.h"

namespace hone::detail {

struct BlockCosts {
  int64_t resident = 1;      ///< blocks on a processor at a time
  double efficiency = 0.9;   ///< best share of the arithmetic peak
  double serialClocks = 100; ///< of a step, in addition to multiplying
  /// Clocks of a step in which a group waits for its short sums and adds them,
  /// while the others multiply.
  double addClocks = 0;
  double startSeconds = 1e-6;
  double fillSeconds = 0.7e-6;
  double storeClocks = 0;  ///< the tile of C
  double reduceClocks = 0; ///< adding up the parts of a split K
  double cutClocks = 0;    ///< adding up tiles that are cut between workers
  double tileClocks = 0;   ///< per tile, never hidden
  double exposed = 1;      ///< share of the ends of rounds after the first
};

int64_t residentBlocks(const BlockFacts &facts, const Arch &arch);

/// `clock` is in hertz.
BlockCosts blockCosts(const BlockFacts &facts, const Problem &problem,
                      const Arch &arch, const CostCoefficients &by,
                      double clock);

} // namespace hone::detail

#endif // HONE_LIB_SPACE_BLOCKCOSTS_H
