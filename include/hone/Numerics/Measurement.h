//===- Measurement.h - The outcome of one candidate -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A candidate is a schedule that was proposed for a problem. It is built,
// checked and timed; every outcome is a Measurement, because a search learns as
// much from a candidate that does not run as from a slow one.
//
// | status        | outcome                                               |
// |---------------|-------------------------------------------------------|
// | ok            | correct, and timed                                    |
// | illegal       | it breaks a law, or its barriers could not be proven  |
// | compile-error | a pass or the assembler rejected it or crashed; or it |
// |               | spills, or the assembler ignored a request (C75xx)    |
// | wrong         | the result is wrong, or the time impossible           |
// | fault         | the launch failed, or killed the process              |
// | timeout       | there was no reply for too long                       |
//
// Times of different grades cannot be compared: in a final the chip is warm,
// and all contenders share its state.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_NUMERICS_MEASUREMENT_H
#define HONE_NUMERICS_MEASUREMENT_H

#include "hone/Numerics/Statistics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hone {

/// The outcome of an attempt.
enum class Status { ok, illegal, compileError, wrong, fault, timeout };
constexpr size_t kStatusCount = 6;
llvm::StringRef toString(Status status);
std::optional<Status> parseStatus(llvm::StringRef text);
/// Every name, for help texts and errors.
llvm::ArrayRef<llvm::StringRef> statusNames();

/// The precision of a time.
enum class Grade {
  trial,    ///< a few milliseconds, alone
  finalist, ///< in turns with the best others
  chosen    ///< the finalist that the search chose
};
llvm::StringRef toString(Grade grade);
std::optional<Grade> parseGrade(llvm::StringRef text);

struct Measurement {
  Status status = Status::ok;
  std::string reason; ///< why there is no time; of a library, its algorithm
  Quantiles times;    ///< seconds
  Grade grade = Grade::trial;
  double error = 0; ///< in units of the tolerance
  int64_t registers = 0, spillBytes = 0;
  double clockMHz = 0; ///< while it was measured

  bool isOk() const { return status == Status::ok; }

  /// Calls `field(name, member)` for each field of a measurement, const or not,
  /// with the names that JSON, databases and workers use.
  template <typename SelfT, typename FieldT>
  static void visit(SelfT &self, FieldT &&field) {
    field("status", self.status);
    field("reason", self.reason);
    field("median", self.times.median);
    field("p10", self.times.p10);
    field("p90", self.times.p90);
    field("samples", self.times.samples);
    field("error", self.error);
    field("registers", self.registers);
    field("spill_bytes", self.spillBytes);
    field("clock_mhz", self.clockMHz);
    field("grade", self.grade);
  }
};

/// A measurement that failed.
Measurement failed(Status status, std::string reason);

} // namespace hone

#endif // HONE_NUMERICS_MEASUREMENT_H
