//===- Limits.h - What is simulated at all ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel from a file can be anything. Whoever takes one asks first whether
// every op of it is modelled (dialects/Kernel/Modelled.h) and its launch can be
// held in memory; whatever passes is simulated without a crash, and judged.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_LIMITS_H
#define HONE_SIMULATE_LIMITS_H

#include <cstdint>
#include <optional>
#include <string>

namespace hone::simulate {

/// Why a product of these extents is not simulated: they are none, or its
/// matrices with what is known of each byte do not fit in memory.
std::optional<std::string> faultOfSizes(int64_t m, int64_t n, int64_t k);

} // namespace hone::simulate

#endif // HONE_SIMULATE_LIMITS_H
