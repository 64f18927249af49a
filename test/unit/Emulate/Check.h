//===- Check.h - A program, emulated and compared ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `hone run --stand-in` does with a module, with one step more: a fault is
// planted in what was emitted.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_UNIT_EMULATE_CHECK_H
#define HONE_UNIT_EMULATE_CHECK_H

#include "Seeds.h"
#include <functional>
#include <string>

namespace hone::seeds {

struct Subject {
  const char *text;          ///< a module of one function
  std::vector<int64_t> dims; ///< its dynamic dimensions
  const char *options = "";  ///< of hone-pipeline
};

using Plant = std::function<void(Emitted &)>;

/// What is wrong with the program after `plant`; empty if nothing is. It runs
/// in three orders.
std::string check(const Subject &subject, const Plant &plant = nullptr);

/// The same where call number `failing` of the runtime fails.
std::string checkFailure(const Subject &subject, int64_t failing,
                         const Plant &plant = nullptr);

} // namespace hone::seeds

#endif // HONE_UNIT_EMULATE_CHECK_H
