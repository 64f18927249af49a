//===- Ranges.h - hone-lab ranges -------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of the command, and its half that needs a device.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_LAB_RANGES_H
#define HONE_TOOLS_LAB_RANGES_H

#include "hone/Sources/RangedSource.h"

namespace hone {

struct RangesOptions {
  std::string paths, database, known, archName = "h200";
  std::vector<int64_t> counts = {5, 8}, tenths;
  int64_t rounds = 9;
  RangeRule rule;
  std::string devices, csv, worker, rehearse;
  bool modelOnly = false; ///< the policy does not judge
  bool json = false;
};

/// Times the plan's choice at every M that a database has, next to the schedule
/// tuned for that M.
llvm::Error timeRanges(const RangesOptions &options);

} // namespace hone

#endif // HONE_TOOLS_LAB_RANGES_H
