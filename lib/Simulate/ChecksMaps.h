//===- ChecksMaps.h - Checks of tensor maps ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map that is larger than its operand reads memory outside of it: the engine
// clips only at the bounds of the map.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_CHECKSMAPS_H
#define HONE_LIB_SIMULATE_CHECKSMAPS_H

#include "Launch.h"

namespace hone::simulate {

/// Adds the faults of the tensor maps of a launch.
void checkMaps(const Subject &subject, const KernelLaunch &planned,
               const LaunchValues &launch, Verdict &verdict);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_CHECKSMAPS_H
