//===- Draws.h - Number of draws of a property test -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sanitizers look for errors of memory, which a few draws show, and are many
// times slower. A build without them makes all draws.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_DRAWS_H
#define HONE_TEST_UNIT_DRAWS_H

namespace hone::test {

#if __has_feature(address_sanitizer)
constexpr int draws(int count) { return count / 20; }
#else
constexpr int draws(int count) { return count; }
#endif

} // namespace hone::test

#endif // HONE_TEST_UNIT_DRAWS_H
