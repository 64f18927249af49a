//===- Programs.h - Programs for planted faults -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small modules of one function each, and the pipeline's options for them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_UNIT_EMULATE_PROGRAMS_H
#define HONE_UNIT_EMULATE_PROGRAMS_H

#include "Check.h"

namespace hone::seeds {

extern const Subject kOneRow, kOddLines, kStreams, kPacked, kWarpSpecialized,
    kChain, kOnHost, kBatches, kSlices, kEpilogue, kRanges, kRest, kMasks,
    kReadByHost, kTurns, kLoop, kConstants;

std::vector<const Subject *> allSubjects();

} // namespace hone::seeds

#endif // HONE_UNIT_EMULATE_PROGRAMS_H
