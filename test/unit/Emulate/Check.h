//===- Check.h - Emulation and comparison of a program ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does the same with a module as `hone run --stand-in`, and plants a fault in
// the emitted code before.
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

/// The faults of the program after `plant`; empty if there are none. The
/// program runs in three orders.
std::string check(const Subject &subject, const Plant &plant = nullptr);

/// The same where call number `failing` of the runtime fails.
std::string checkFailure(const Subject &subject, int64_t failing,
                         const Plant &plant = nullptr);

} // namespace hone::seeds

#endif // HONE_UNIT_EMULATE_CHECK_H
