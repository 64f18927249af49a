//===- Record.h - What is remembered of one candidate -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One schedule was tried for one problem on one arch, by one toolchain. A
// Record says what came of it, how sure that is, and who proposed it.
//
//   { problem, arch }    the key: what a build asks for
//   schedule             the candidate
//   toolchain            driver, LLVM, hone, version of the space of schedules.
//                        A column and not part of the key: a new driver does
//                        not make what was learned worthless, only stale
//   status, reason       ok, or why it has no time
//   time, error, ...     the measurement
//   provenance           policy, model and seed that proposed it, at what cost
//
// A Record has one line of JSON (`toJson`), which is what export writes, import
// reads, and people mail each other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DATABASE_RECORD_H
#define HONE_DATABASE_RECORD_H

#include "hone/Schedule/Schedule.h"

namespace hone {

/// How an attempt ended.
enum class Status { ok, illegal, compileError, wrong, fault, timeout };
llvm::StringRef toString(Status status);
std::optional<Status> parseStatus(llvm::StringRef text);
/// Every name, for help texts and errors.
llvm::ArrayRef<llvm::StringRef> statusNames();

/// What a time depends on besides the chip.
struct Toolchain {
  std::string driver, llvm, hone;
  /// Version of the space of schedules: the same text may mean another kernel.
  int64_t space = 0;

  bool operator==(const Toolchain &other) const {
    return driver == other.driver && llvm == other.llvm && hone == other.hone &&
           space == other.space;
  }
  bool operator!=(const Toolchain &other) const { return !(*this == other); }
};

/// Times in seconds, over `samples` measurements.
struct Times {
  double median = 0, p10 = 0, p90 = 0;
  int64_t samples = 0;
};

struct Provenance {
  std::string policy, model;
  int64_t seed = 0;
  double costSeconds = 0; ///< of proposing, compiling and measuring
};

struct Record {
  Problem problem;
  std::string arch; ///< a chip's name
  Schedule schedule;
  Toolchain toolchain;
  Status status = Status::ok;
  std::string reason; ///< why there is no time
  Times times;
  double error = 0; ///< in units of the tolerance
  int64_t registers = 0, spillBytes = 0;
  double clockMHz = 0; ///< while it was measured
  Provenance provenance;
  int64_t measuredAt = 0; ///< seconds since 1970
};

/// One line of JSON, without a line break, and back. What is read is checked:
/// problem and schedule must parse, numbers must be finite and not negative.
std::string toJson(const Record &record);
llvm::Expected<Record> recordFromJson(llvm::StringRef line);

/// The first thing that is wrong with a record whoever wrote it: a time with
/// no samples, a candidate that is ok and breaks a law, an unknown arch.
std::optional<std::string> faultOf(const Record &record);

} // namespace hone

#endif // HONE_DATABASE_RECORD_H
