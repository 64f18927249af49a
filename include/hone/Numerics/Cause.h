//===- Cause.h - Classes of failures ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reason has the numbers of one candidate. Its class has none, so failures
// can be counted. It follows from status and reason, so records of older
// versions have one, too.
//
// | class       | status        | the reason                                |
// |-------------|---------------|-------------------------------------------|
// | law 48      | illegal       | is of a law: "schedule_c48: ..."          |
// | rewrite     | illegal       | is another: a rewrite does not apply      |
// | proof       | compile-error | has a fault: "... [overwritten; ...]"     |
// | spill       | compile-error | has spilled bytes                         |
// | assembler   | compile-error | is another of ptxas                       |
// | build       | compile-error | is another                                |
// | wrong, fault, timeout | the same | any                                  |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_NUMERICS_CAUSE_H
#define HONE_NUMERICS_CAUSE_H

#include "hone/Numerics/Measurement.h"

namespace hone {

/// Empty if the candidate ran.
std::string causeOf(const Measurement &measurement);

} // namespace hone

#endif // HONE_NUMERICS_CAUSE_H
