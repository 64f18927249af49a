//===- WideVectors.h - Loops in several versions ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start of a program selects a version for its processor. No version fuses
// a product with a sum, so all give the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_WIDEVECTORS_H
#define HONE_LIB_SIMULATE_WIDEVECTORS_H

#if defined(__x86_64__) && defined(__linux__)
#define HONE_WIDE_VECTORS __attribute__((target_clones("default", "avx2")))
#else
#define HONE_WIDE_VECTORS
#endif

#endif // HONE_LIB_SIMULATE_WIDEVECTORS_H
