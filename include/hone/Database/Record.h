//===- Record.h - The record of one candidate -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One toolchain tried one schedule for one problem on one arch. A Record
// contains the outcome, its reliability, and the proposer of the schedule.
//
//   { problem, arch }    the key, by which a build looks it up
//   schedule             the candidate
//   toolchain            driver, LLVM, hone, version of the space of schedules.
//                        A column and not part of the key: a new driver makes
//                        records stale, not worthless
//   Measurement          ok and a time, or why it has none; and its grade
//   origin               measured, rehearsed or modelled: a build uses only
//                        measured records
//   provenance           policy, model and seed that proposed it, and the cost
//
// A Record has a form as one line of JSON (`toJson`), which export writes and
// import reads.
//
// Each field is named once, in `visit`. Lines of JSON, columns of databases,
// tuning files and their checks are derived from it:
//
//   Record::visit(record, [&](llvm::StringRef name, auto &value) { ... });
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DATABASE_RECORD_H
#define HONE_DATABASE_RECORD_H

#include "hone/Numerics/Measurement.h"
#include "hone/Schedule/Schedule.h"

namespace hone {

/// Incremented whenever the meaning of a schedule's text changes.
constexpr int64_t kSpaceVersion = 1;

/// The versions that a time depends on besides the chip.
struct Toolchain {
  std::string driver, llvm, hone;
  /// Version of the space of schedules: the same text may mean another kernel.
  int64_t space = 0;

  bool operator==(const Toolchain &other) const {
    return driver == other.driver && llvm == other.llvm && hone == other.hone &&
           space == other.space;
  }
  bool operator!=(const Toolchain &other) const { return !(*this == other); }
  /// True if `other` is the same toolchain; an empty driver, that of a compiler
  /// without a GPU, matches any driver.
  bool covers(const Toolchain &other) const {
    return (driver.empty() || driver == other.driver) && llvm == other.llvm &&
           hone == other.hone && space == other.space;
  }

  template <typename SelfT, typename FieldT>
  static void visit(SelfT &self, FieldT &&field) {
    field("driver", self.driver);
    field("llvm", self.llvm);
    field("hone", self.hone);
    field("space", self.space);
  }
};

/// The arch as records name it: the chip. Every CPU is `host`; its model name
/// is stored instead of a GPU's driver.
std::string recordArch(const Arch &arch);

/// This build, with the version of the driver, if there is one.
Toolchain thisToolchain(llvm::StringRef driver = "");

/// The origin of a time, the most reliable first.
enum class Origin {
  measured,  ///< a device ran it, this CPU included
  rehearsed, ///< `--rehearse`: the cost model's, with noise
  modelled   ///< `--replay`: drawn around the times of a recorded table
};
constexpr size_t kOriginCount = 3;
llvm::StringRef toString(Origin origin);
std::optional<Origin> parseOrigin(llvm::StringRef text);
/// Every name, for help texts and errors.
llvm::ArrayRef<llvm::StringRef> originNames();

/// The driver's name in toolchains without a device. It also distinguishes
/// records of older versions, which have no origin.
inline constexpr llvm::StringLiteral kRehearsalDriver = "rehearsal";
inline constexpr llvm::StringLiteral kReplayDriver = "replay";
Origin originOf(const Toolchain &toolchain);

struct Provenance {
  std::string policy, model;
  int64_t seed = 0;
  double costSeconds = 0; ///< of proposing, compiling and measuring

  template <typename SelfT, typename FieldT>
  static void visit(SelfT &self, FieldT &&field) {
    field("policy", self.policy);
    field("model", self.model);
    field("seed", self.seed);
    field("cost_seconds", self.costSeconds);
  }
};

struct Record : Measurement {
  Problem problem;
  std::string arch; ///< a chip's name
  Schedule schedule;
  Toolchain toolchain;
  Origin origin = Origin::measured;
  Provenance provenance;
  int64_t measuredAt = 0; ///< seconds since 1970

  template <typename SelfT, typename FieldT>
  static void visit(SelfT &self, FieldT &&field) {
    field("problem", self.problem);
    field("arch", self.arch);
    field("schedule", self.schedule);
    Measurement::visit(self, field);
    Toolchain::visit(self.toolchain, field);
    field("origin", self.origin);
    Provenance::visit(self.provenance, field);
    field("measured_at", self.measuredAt);
  }
};

/// One line of JSON, without a line break, and back. Input is checked: problem
/// and schedule must parse, numbers must be finite and not negative.
std::string toJson(const Record &record);
llvm::Expected<Record> recordFromJson(llvm::StringRef line);

/// The first fault of an untrusted record: a time without samples, an `ok`
/// candidate that breaks a law, an unknown arch.
std::optional<std::string> faultOf(const Record &record);

} // namespace hone

#endif // HONE_DATABASE_RECORD_H
