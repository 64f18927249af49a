//===- MmaSyncDefault.h - The default schedule of mma_sync ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a file of its own, because its thresholds are many.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_MMASYNCDEFAULT_H
#define HONE_LIB_SCHEDULE_MMASYNCDEFAULT_H

#include "hone/Schedule/Schedule.h"

namespace hone::detail {

Schedule mmaSyncDefault(const Problem &problem, const Arch &arch);
/// Of products that are exact in f32.
Schedule exactF32Default(const Problem &problem, const Arch &arch);

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_MMASYNCDEFAULT_H
