//===- Patience.h - How long trials without a gain go on --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trials end when so many in a row have gained nothing. Which are in a row is
// the order in which they were asked for, not that of the replies: one compiler
// or sixteen, the same trials are made. So a trial is asked for only if it
// would be with all replies there:
//
//   trial            1    2    3    4    5    6    7
//   reply            gain none  -   none  -    .    .     enough = 4
//   since the gain        1    2    3    4    5
//
// Of 3 and 5 nothing is known yet: 6 waits, for unless 3 or 5 turn out to be
// gains it is not to be made at all. Replies behind one that is missing (4
// here) count when that comes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_PATIENCE_H
#define HONE_LIB_SEARCH_PATIENCE_H

#include <cstdint>
#include <map>

namespace hone::detail {

class Patience {
public:
  /// `best`: seconds that are known before the first trial; 0: none.
  void restart(int64_t enough, double best);

  /// False: nothing more is asked for, unless a gain is heard of.
  bool mayAsk() const { return limit == 0 || asked - gained < limit; }
  /// The number of a trial that is asked for; one that is made in any case
  /// begins a new row.
  int64_t ask(bool isMadeAnyway) {
    ++asked;
    return isMadeAnyway ? gained = asked : asked;
  }
  /// What came of it, in any order. 0 seconds: nothing that runs. What takes
  /// so much of the best, or less, begins a new row.
  void hear(int64_t trial, double seconds, double gain = kWorthwhile);

private:
  static constexpr double kWorthwhile = 0.99;
  int64_t limit = 0;               ///< 0: never enough
  int64_t asked = 0;               ///< trials
  int64_t heard = 0;               ///< of all up to this one
  int64_t gained = 0;              ///< the last that was a percent faster
  double best = 0;                 ///< what it took
  std::map<int64_t, double> early; ///< replies behind one that is missing
};

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_PATIENCE_H
