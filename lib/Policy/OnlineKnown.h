//===- OnlineKnown.h - What is known of one problem -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the steps of online learning and by what is stored of them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_ONLINEKNOWN_H
#define HONE_LIB_POLICY_ONLINEKNOWN_H

#include "hone/Policy/Online.h"
#include <map>

namespace hone {

/// What is known of one problem.
struct Online::Known {
  Problem problem;
  std::vector<Schedule> schedules;
  std::vector<Reading> readings;
  Batch batch;                ///< all of them, without a context
  std::vector<double> before; ///< what the policy said of them at first
  /// By candidate, once it was tried: its time, or how it failed.
  std::map<size_t, Measurement> tried;
  double best = 0; ///< log of the shortest time; 0: none
};

} // namespace hone

#endif // HONE_LIB_POLICY_ONLINEKNOWN_H
