//===- BriefTiming.h - A first time of a candidate --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most candidates are slow, and a few milliseconds show it. What is far behind
// the best so far is timed once and let go; who comes near it gets three turns.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BRIEFTIMING_H
#define HONE_TOOLS_BRIEFTIMING_H

#include "hone/Measure/Timing.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone {

/// Seconds of a launch, once for every turn: a graph of about a millisecond.
/// `best` is the shortest time known, or 0; `least` what the chip could do.
/// `beat` is called before every turn.
llvm::Expected<std::vector<double>>
timeBriefly(Device &device, const Contender &launch, double best, double least,
            llvm::function_ref<void()> beat);

} // namespace hone

#endif // HONE_TOOLS_BRIEFTIMING_H
