//===- ChecksMaps.h - Tensor maps as the driver takes them ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map that is larger than its operand reads what is not there: the engine
// clips at the map, and at nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_CHECKSMAPS_H
#define HONE_LIB_SIMULATE_CHECKSMAPS_H

#include "Launch.h"

namespace hone::simulate {

/// What is wrong with the tensor maps of a launch.
void checkMaps(const Subject &subject, const KernelLaunch &planned,
               const LaunchValues &launch, Verdict &verdict);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_CHECKSMAPS_H
