//===- OnlineKnown.h - Online training data of a problem --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data about a problem common to both ways of online training. See
// hone/Policy/Online.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_ONLINEKNOWN_H
#define HONE_LIB_POLICY_ONLINEKNOWN_H

#include "hone/Model/Mask.h"
#include "hone/Policy/Online.h"
#include <map>

namespace hone {

/// The candidates and results of one problem.
struct Online::Known {
  Problem problem;
  std::vector<Schedule> schedules;
  std::vector<Reading> readings;
  /// For a judging policy: all candidates, without a context, and its initial
  /// estimates.
  Batch batch;
  std::vector<double> before;
  std::optional<Trie> mask; ///< for a writing policy
  /// The result of each measured candidate: its time, or its failure.
  std::map<size_t, Measurement> tried;
  double best = 0; ///< log of the shortest time; 0: none
};

/// The draws of one step for a problem.
struct Online::Group {
  Known *known;
  std::vector<size_t> draws; ///< a candidate may be drawn twice
};

} // namespace hone

#endif // HONE_LIB_POLICY_ONLINEKNOWN_H
