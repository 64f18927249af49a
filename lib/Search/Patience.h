//===- Patience.h - Limit of trials without a gain --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trials end when a given number in a row have gained nothing. A row is in the
// order of the questions, not of the replies, so the trials are the same with
// one compiler or sixteen. A trial therefore starts only if it would start with
// all earlier replies there:
//
//   trial            1    2    3    4    5    6    7
//   reply            gain none  -   none  -    .    .     enough = 4
//   since the gain        1    2    3    4    5
//
// The results of 3 and 5 are unknown. Trial 6 waits, because without a gain in
// 3 or 5 it must not start. Replies after a missing one (4 here) count when
// that one comes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_PATIENCE_H
#define HONE_LIB_SEARCH_PATIENCE_H

#include <cstdint>
#include <map>

namespace hone::detail {

class Patience {
public:
  /// `best`: seconds known before the first trial; 0: none.
  void restart(int64_t enough, double best);

  /// False: no trial may start, unless a gain arrives.
  bool mayAsk() const { return limit == 0 || asked - gained < limit; }
  /// The number of a new trial. One that is made in any case begins a new row.
  int64_t ask(bool isMadeAnyway) {
    ++asked;
    return isMadeAnyway ? gained = asked : asked;
  }
  /// Takes a trial's result, in any order. 0 seconds: it did not run. A time of
  /// at most `gain` times the best begins a new row.
  void receive(int64_t trial, double seconds, double gain = kWorthwhile);

private:
  static constexpr double kWorthwhile = 0.99;
  int64_t limit = 0;               ///< 0: no limit
  int64_t asked = 0;               ///< trials
  int64_t received = 0;            ///< all trials up to this one have results
  int64_t gained = 0;              ///< the last that was a percent faster
  double best = 0;                 ///< seconds of the fastest
  std::map<int64_t, double> early; ///< replies after a missing one
};

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_PATIENCE_H
