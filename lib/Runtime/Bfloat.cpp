//===- Bfloat.cpp - Compiler support function for bf16 --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code that stock passes make of bf16 calls this if the CPU has no
// instruction for it.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstring>

/// Rounds to the nearest bf16, ties to even. The libgcc of Debian 12 lacks it.
extern "C" __attribute__((weak)) __bf16 __truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  bool isNan = (bits & 0x7fffffff) > 0x7f800000;
  bits += isNan ? 0 : 0x7fff + (bits >> 16 & 1);
  uint16_t upper = bits >> 16;
  upper |= isNan ? 0x40 : 0; // quiet
  __bf16 result;
  memcpy(&result, &upper, sizeof(result));
  return result;
}
