//===- Mutate.h - Damage to a valid text ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the fuzzers of readers.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_FUZZ_MUTATE_H
#define HONE_TEST_FUZZ_MUTATE_H

#include "Fuzz.h"

namespace hone::fuzz {

/// `text` with one to three damages: a token is deleted, doubled, moved or
/// replaced, or has a bit flipped.
std::string damaged(llvm::StringRef text, Random &random);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_MUTATE_H
