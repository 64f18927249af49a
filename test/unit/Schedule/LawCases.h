//===- LawCases.h - Schedules that break a law ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list for each kind of schedule. Every law of a kind is broken at least
// once.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SCHEDULE_LAWCASES_H
#define HONE_TEST_SCHEDULE_LAWCASES_H

#include "hone/Schedule/Schedule.h"

namespace hone::test {

inline constexpr llvm::StringLiteral kRowCol =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f16:col:16, acc = f32, "
    "c = f16:16, init = zero";
inline constexpr llvm::StringLiteral kColRow =
    "m = ?, n = ?, k = ?, a = f16:col:16, b = f16:row:16, acc = f32, "
    "c = f16:16, init = zero";
inline constexpr llvm::StringLiteral kMixed =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = bf16:col:16, acc = f32, "
    "c = f16:16, init = zero";
inline constexpr llvm::StringLiteral kF32 =
    "m = ?, n = ?, k = ?, a = f32:row:16, b = f32:col:16, acc = f32, "
    "c = f32:16, init = zero";
inline constexpr llvm::StringLiteral kTf32 =
    "m = ?, n = ?, k = ?, a = f32:row:16, b = f32:col:16, acc = f32, "
    "products = tf32, c = f32:16, init = zero";
inline constexpr llvm::StringLiteral kTf32Rows =
    "m = ?, n = ?, k = ?, a = f32:row:16, b = f32:row:16, acc = f32, "
    "products = tf32, c = f32:16, init = zero";
inline constexpr llvm::StringLiteral kSplit =
    "m = ?, n = ?, k = ?, a = f32:row:16, b = f32:col:16, acc = f32, "
    "products = tf32x3, c = f32:16, init = zero";
inline constexpr llvm::StringLiteral kInvariant =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f16:col:16, acc = f32, "
    "c = f16:16, init = zero, numbers = invariant";
inline constexpr llvm::StringLiteral kInvariantParts =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f16:col:16, acc = f32, "
    "c = f16:16, init = zero, numbers = invariant:4";
inline constexpr llvm::StringLiteral kInvariantSplit =
    "m = ?, n = ?, k = ?, a = f32:row:16, b = f32:col:16, acc = f32, "
    "products = tf32x3, c = f32:16, init = zero, numbers = invariant";
inline constexpr llvm::StringLiteral kBytes =
    "m = ?, n = ?, k = ?, a = f8E4M3FN:row:16, b = f8E4M3FN:col:16, acc = f32, "
    "products = blocks, c = f16:16, init = zero";
inline constexpr llvm::StringLiteral kByteRows =
    "m = ?, n = ?, k = ?, a = f8E4M3FN:row:16, b = f8E4M3FN:row:16, acc = f32, "
    "products = blocks, c = f16:16, init = zero";
inline constexpr llvm::StringLiteral kFloatWeights =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f8E4M3FN:col:16, acc = f32, "
    "c = f16:16, init = zero";
inline constexpr llvm::StringLiteral kWeights =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = i8:row:16, acc = f32, "
    "c = f16:16, init = zero";
inline constexpr llvm::StringLiteral kIntegers =
    "m = ?, n = ?, k = ?, a = i8:row:16, b = i8:col:16, acc = i32, "
    "c = i32:16, init = zero";
inline constexpr llvm::StringLiteral kIntegersToI8 =
    "m = ?, n = ?, k = ?, a = i8:row:16, b = i8:col:16, acc = i32, "
    "c = i8:16, init = zero, epilogue = \"trunci(acc):i8\"";
inline constexpr llvm::StringLiteral kIntegersRows =
    "m = ?, n = ?, k = ?, a = i8:row:16, b = i8:row:16, acc = i32, "
    "c = i32:16, init = zero";
inline constexpr llvm::StringLiteral kIntegersInF32 =
    "m = ?, n = ?, k = ?, a = i8:row:16, b = i8:col:16, acc = f32, "
    "c = f32:16, init = zero";
inline constexpr llvm::StringLiteral kIntegersToF16 =
    "m = ?, n = ?, k = ?, a = i8:row:16, b = i8:col:16, acc = i32, "
    "c = f16:16, init = zero";
inline constexpr llvm::StringLiteral kToF32 =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f16:col:16, acc = f32, "
    "c = f32:16, init = zero";
inline constexpr llvm::StringLiteral kHalfSum =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f16:col:16, acc = f16, "
    "c = f16:16, init = zero";

inline constexpr llvm::StringLiteral kWindows =
    "m = 1568, n = ?, k = 576, a = f16:m[2*50176, 28*x, 28*y] k[3*x, 3*y, "
    "64*1] x[28*1792, low 1] y[28*64, low 1]:16, b = f16:col:16, acc = f32, "
    "c = f16:16, init = zero";
inline constexpr llvm::StringLiteral kRowsOfB =
    "m = ?, n = 96, k = 64, a = f16:row:16, b = f16:n[4*4096, 24*1] k[64*64]:"
    "16, acc = f32, c = f16:16, init = zero";

inline constexpr llvm::StringLiteral kWithEpilogue =
    "m = ?, n = ?, k = ?, a = f16:row:16, b = f16:col:16, acc = f32, "
    "c = f16:16, init = zero, epilogue = \"addf(acc, n:f32)\"";

/// A host with vectors of `bits`, on any test machine.
inline Arch hostWith(int64_t bits) {
  Arch arch;
  arch.name = arch.chip = "host";
  arch.processors = 8;
  arch.vectorBits = bits;
  return arch;
}

inline Arch lawArch(llvm::StringRef name) {
  int64_t bits;
  if (llvm::StringRef digits = name;
      digits.consume_front("host") && !digits.getAsInteger(10, bits))
    return hostWith(bits);
  return llvm::cantFail(Arch::lookup(name));
}

/// One schedule that breaks a law: its text, the known facts (empty: unknown),
/// and the message.
struct Case {
  int law;
  const char *schedule, *problem, *arch, *message;
};

/// Includes the laws of every kind.
llvm::ArrayRef<Case> mmaSyncCases();
llvm::ArrayRef<Case> warpSpecializedCases();
llvm::ArrayRef<Case> hostCases();

inline std::vector<Case> allCases() {
  std::vector<Case> all;
  for (llvm::ArrayRef<Case> some :
       {mmaSyncCases(), warpSpecializedCases(), hostCases()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

} // namespace hone::test

#endif // HONE_TEST_SCHEDULE_LAWCASES_H
