//===- Roofline.h - The shortest possible time ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No chip exceeds its peak, and all data crosses the memory bus at least once.
// A shorter time is a fault of the measurement or was made up, so searches and
// databases reject it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_ROOFLINE_H
#define HONE_SCHEDULE_ROOFLINE_H

#include "hone/Schedule/Arch.h"
#include "hone/Schedule/Problem.h"

namespace hone {

/// The arithmetic peak of `arch` on `problem`: tensor cores multiply half as
/// many tf32 as 16-bit numbers, and a product in parts is three.
double peakTflops(const Problem &problem, const Arch &arch);

/// The shortest time that `arch` allows: arithmetic at its peak, and everything
/// read and written once. Excludes launch overhead. Extents must be known.
double rooflineSeconds(const Problem &problem, const Arch &arch);

/// The shortest credible time, with a margin: the roofline uses sustained
/// rates, caches may hide some traffic, and a time that was measured on a host
/// may come from a different CPU. 0 if extents are unknown.
double minSeconds(const Problem &problem, const Arch &arch);

} // namespace hone

#endif // HONE_SCHEDULE_ROOFLINE_H
