//===- Limits.h - Limits of the simulator -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel from a file can be anything. Code that reads one first checks that
// all its ops are modelled (dialects/Kernel/Modelled.h) and that its launch
// fits in memory. The simulator runs and judges every kernel that passes,
// without a crash.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_LIMITS_H
#define HONE_SIMULATE_LIMITS_H

#include <cstdint>
#include <optional>
#include <string>

namespace hone::simulate {

/// Why a product of these extents is not simulated: the extents are invalid, or
/// its matrices and the state of each byte do not fit in memory.
std::optional<std::string> faultOfSizes(int64_t m, int64_t n, int64_t k);

} // namespace hone::simulate

#endif // HONE_SIMULATE_LIMITS_H
