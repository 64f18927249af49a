//===- ExactF32.h - Exact products of f32 -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor cores read the upper 19 bits of an f32. Where a problem requires all
// 32 bits (`products`, see Problem.h), threads multiply.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_EXACTF32_H
#define HONE_SCHEDULE_EXACTF32_H

#include "hone/Schedule/Arch.h"
#include "hone/Schedule/Problem.h"

namespace hone {

/// True if A and B are f32, and products must be exact.
inline bool isExactF32(const Problem &problem) {
  return problem.a.type == ElementType::f32 &&
         problem.b.type == ElementType::f32 &&
         problem.products == Products::exact;
}

/// Products of f32 that the threads of one processor add per clock.
inline int64_t lanesOf(const Arch &arch) {
  return arch.capability == 80 ? 64 : 128;
}

} // namespace hone

#endif // HONE_SCHEDULE_EXACTF32_H
