//===- Roofline.h - The shortest time there can be --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No chip multiplies faster than at its peak, and everything crosses the memory
// bus once. A time below that is a fault of the measurement, or a lie: neither
// a search nor a database believes it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_ROOFLINE_H
#define HONE_SCHEDULE_ROOFLINE_H

#include "hone/Schedule/Arch.h"
#include "hone/Schedule/Problem.h"

namespace hone {

/// The shortest time that `arch` allows: arithmetic at its peak, and everything
/// read and written once. Without the start of a launch. Extents must be known.
double rooflineSeconds(const Problem &problem, const Arch &arch);

/// The shortest time that is believed. Rates of the roofline are sustained
/// ones, and caches may hide some traffic; a time that was measured on a host
/// may be of another CPU than this one. 0 where extents are not known.
double leastSeconds(const Problem &problem, const Arch &arch);

} // namespace hone

#endif // HONE_SCHEDULE_ROOFLINE_H
