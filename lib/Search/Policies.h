//===- Policies.h - Policies with files of their own ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each is one file; Policy.cpp has the table of their names.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_POLICIES_H
#define HONE_LIB_SEARCH_POLICIES_H

#include "hone/Search/Policy.h"
#include "hone/Space/Space.h"

namespace hone::detail {

std::unique_ptr<Policy> makeRandomPolicy(Space space, uint64_t seed);
std::unique_ptr<Policy> makeEvolutionPolicy(Space space, uint64_t seed);

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_POLICIES_H
