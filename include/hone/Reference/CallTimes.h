//===- CallTimes.h - The duration of a call ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two clocks: the host's, for one call and the wait for its end; and on a GPU
// the device's, for the work that consecutive calls enqueue there
// (hone/Measure/StreamTiming.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_CALLTIMES_H
#define HONE_REFERENCE_CALLTIMES_H

#include "hone/Numerics/Statistics.h"
#include "hone/Reference/Call.h"
#include <optional>

namespace hone {

/// Seconds.
struct CallTimes {
  Quantiles wall;
  std::optional<Quantiles> device;
};

/// Times `repeat` calls one by one, and on the device `repeat` in a row.
llvm::Expected<CallTimes> timeCalls(Call &call, int64_t repeat, bool onDevice);

} // namespace hone

#endif // HONE_REFERENCE_CALLTIMES_H
