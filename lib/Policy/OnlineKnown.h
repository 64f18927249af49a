//===- OnlineKnown.h - What is known of a problem ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both ways to learn online keep of a problem. See hone/Policy/Online.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_ONLINEKNOWN_H
#define HONE_LIB_POLICY_ONLINEKNOWN_H

#include "hone/Policy/Mask.h"
#include "hone/Policy/Online.h"
#include <map>

namespace hone {

/// What is known of one problem.
struct Online::Known {
  Problem problem;
  std::vector<Schedule> schedules;
  std::vector<Reading> readings;
  /// Of one that judges: all of them, without a context, and what it said of
  /// them at first.
  Batch batch;
  std::vector<double> before;
  std::optional<Trie> mask; ///< of one that writes
  /// By candidate, once it was tried: its time, or how it failed.
  std::map<size_t, Measurement> tried;
  double best = 0; ///< log of the shortest time; 0: none
};

/// What a step draws of a problem.
struct Online::Group {
  Known *known;
  std::vector<size_t> draws; ///< a candidate may be drawn twice
};

} // namespace hone

#endif // HONE_LIB_POLICY_ONLINEKNOWN_H
