//===- CommonLaws.h - What laws of several kinds say ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws differ in their numbers and in why; how a number can be wrong, and how
// that is said, is the same for all kinds.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SCHEDULE_COMMONLAWS_H
#define HONE_LIB_SCHEDULE_COMMONLAWS_H

#include "hone/Schedule/Kind.h"

namespace hone::detail {

/// `what` must be a multiple of `unit`, which the text calls `unitText`.
Broken multipleOf(llvm::StringRef what, int64_t value, int64_t unit,
                  const llvm::Twine &unitText);
/// The text begins with the unit, and `why` follows.
Broken multipleBecause(llvm::StringRef what, int64_t value, int64_t unit,
                       llvm::StringRef why);
/// `what` must be `least` to `most`.
Broken within(llvm::StringRef what, int64_t value, int64_t least, int64_t most);
Broken atMost(llvm::StringRef what, int64_t value, int64_t most);
/// Tile rows that are walked together are a number of 16 bits in the kernel.
Broken groupFits(int64_t group);

/// Every kernel adds floats in f32 and integers in i32, and stores what it adds
/// in unless an epilogue makes something else of it.
Broken refuseAccumulator(const Problem &problem);
/// Tensor cores multiply f16, bf16, i8 or, of f32 and 8-bit floats, what they
/// may.
Broken refuseTensorCoreTypes(const Problem &problem);
/// The same where factors come from registers. Threads that have them multiply
/// f32, too.
Broken refuseRegisterTypes(const Problem &problem);

} // namespace hone::detail

#endif // HONE_LIB_SCHEDULE_COMMONLAWS_H
