//===- Passes.h - The passes that rewrite modules ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of Passes.td, and the values of their options. `hone-pipeline`,
// which runs them in order, is hone/Driver/Pipeline.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_PASSES_H
#define HONE_PASSES_PASSES_H

#include "hone/Schedule/Ranges.h"
#include "hone/Schedule/ScheduleSource.h"
#include "hone/dialects/Hone/CheckedPass.h"
#include <functional>

namespace hone {

/// Required reliability of the schedule of every matmul.
enum class Require {
  any,      ///< any source
  measured, ///< by hand, or measured: exactly, rounded, or nearest
  exact     ///< by hand, or measured for exactly this problem
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass requireValues() {
  return llvm::cl::values(
      clEnumValN(Require::any, "any", "a guess or the default will do"),
      clEnumValN(Require::measured, "measured",
                 "of this or of a similar problem"),
      clEnumValN(Require::exact, "exact", "of exactly this problem"));
}

/// The device of ops that are not matmuls.
enum class Rest {
  host, ///< ops are left, for others to lower
  gpu   ///< kernels
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass restValues() {
  return llvm::cl::values(
      clEnumValN(Rest::host, "host",
                 "it is left, in memory the host can reach"),
      clEnumValN(Rest::gpu, "gpu", "it becomes kernels, too"));
}

/// The source of a function's device buffers.
enum class Workspace {
  allocated, ///< in memory of its own
  argument   ///< in memory that the caller provides
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass workspaceValues() {
  return llvm::cl::values(
      clEnumValN(Workspace::allocated, "allocated",
                 "in memory that it allocates and frees"),
      clEnumValN(Workspace::argument, "argument",
                 "in memory of the caller's, its last argument"));
}

/// The memory that has the arguments and results of public functions.
enum class MemorySide { device, host };
/// Its spellings, for options.
inline llvm::cl::ValuesClass memorySideValues() {
  return llvm::cl::values(
      clEnumValN(MemorySide::device, "device", "memory of the device"),
      clEnumValN(MemorySide::host, "host", "memory of the host"));
}

/// How functions give their results.
enum class ResultForm {
  returned,
  destinations ///< arguments after the others, in memory of the caller
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass resultFormValues() {
  return llvm::cl::values(
      clEnumValN(ResultForm::returned, "returned", "as values"),
      clEnumValN(ResultForm::destinations, "destinations",
                 "in memory of the caller, passed after the arguments"));
}

/// The form of launches in emitted host code.
enum class LaunchForm {
  runtime, ///< a call of honeLaunch in libhone_rt
  gpu      ///< gpu.launch_func, where a plan allows it
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass launchFormValues() {
  return llvm::cl::values(
      clEnumValN(LaunchForm::runtime, "runtime", "honeLaunch of libhone_rt"),
      clEnumValN(LaunchForm::gpu, "gpu", "gpu.launch_func"));
}

/// The contents of a gpu.binary.
enum class BinaryFormat { ptx, cubin };
/// Its spellings, for options.
inline llvm::cl::ValuesClass binaryFormatValues() {
  return llvm::cl::values(
      clEnumValN(BinaryFormat::ptx, "ptx", "text for every newer chip"),
      clEnumValN(BinaryFormat::cubin, "cubin",
                 "code for one architecture, made by ptxas"));
}

/// The reaction of emitted host code to a failed launch, copy, wait or
/// allocation.
enum class OnError {
  abort,  ///< the program ends, with a message
  leave,  ///< the function returns; honeTakeStatus has the status
  handler ///< it goes on; libhone_rt's error handler is called
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass onErrorValues() {
  return llvm::cl::values(
      clEnumValN(OnError::abort, "abort",
                 "the program prints what failed, and aborts"),
      clEnumValN(OnError::leave, "return",
                 "the function frees its memory and returns; its caller reads "
                 "honeTakeStatus"),
      clEnumValN(OnError::handler, "handler",
                 "the program goes on; libhone_rt's error handler is called"));
}

/// Ways to compute products of f32 (hone/Schedule/Problem.h).
inline llvm::cl::ValuesClass productsValues() {
  return llvm::cl::values(
      clEnumValN(Products::exact, "exact", "in f32, which no tensor core does"),
      clEnumValN(Products::tf32x3, "tf32x3",
                 "in three products of tf32, as accurately as f32 sums are"),
      clEnumValN(Products::tf32, "tf32", "in one product of tf32: 10 bits"));
}

/// Ways to compute sums of 8-bit floats.
inline llvm::cl::ValuesClass sumsValues() {
  return llvm::cl::values(
      clEnumValN(Products::blocks, "blocks",
                 "short sums of 128 products, added up in f32"),
      clEnumValN(Products::shortSums, "short",
                 "in the tensor cores alone, with about 14 bits"));
}

/// The scales of A and B that may become factors of their sums
/// (MatchScales.cpp).
enum class Scales {
  kept,   ///< none
  proven, ///< if the result is as accurate as the program's
  moved   ///< all, those that are rounded with each element, too
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass scalesValues() {
  return llvm::cl::values(
      clEnumValN(Scales::kept, "kept", "none"),
      clEnumValN(Scales::proven, "proven",
                 "those in f32, and powers of two that round nothing"),
      clEnumValN(
          Scales::moved, "moved",
          "all, though the program rounds products with them to 16 bits"));
}

/// The products that hone-reorder-products may write in another order.
enum class Reorder {
  kept, ///< none
  rows, ///< those of gathered rows: each row is multiplied as before
  all   ///< factors, too: floats are rounded otherwise
};
/// Its spellings, for options.
inline llvm::cl::ValuesClass reorderValues() {
  return llvm::cl::values(
      clEnumValN(Reorder::kept, "kept", "none"),
      clEnumValN(Reorder::rows, "rows",
                 "those next to gathers, and factors where no float rounds "
                 "otherwise"),
      clEnumValN(Reorder::all, "all",
                 "factors of floats, too, though they then round otherwise"));
}

/// The schedules that the option `schedule` gives to every matmul; none without
/// the option. hone-select-schedule reports a text that is not a schedule.
class PinnedSchedule {
public:
  PinnedSchedule() = default;
  PinnedSchedule(RangedSchedule schedules) : given(std::move(schedules)) {}
  PinnedSchedule(Schedule schedule)
      : PinnedSchedule(RangedSchedule{{}, std::move(schedule)}) {}
  /// The value of the option's text.
  static PinnedSchedule parse(llvm::StringRef text);

  bool isGiven() const { return given || !error.empty(); }
  const std::optional<RangedSchedule> &schedules() const { return given; }
  /// Why the text is not a schedule, or an empty string.
  const std::string &fault() const { return error; }

private:
  std::optional<RangedSchedule> given;
  std::string error;
};

} // namespace hone

template <>
class llvm::cl::parser<hone::PinnedSchedule>
    : public llvm::cl::basic_parser<hone::PinnedSchedule> {
public:
  using basic_parser::basic_parser;
  bool parse(Option &, StringRef, StringRef text, hone::PinnedSchedule &value) {
    value = hone::PinnedSchedule::parse(text);
    return false;
  }
  static void print(raw_ostream &os, const hone::PinnedSchedule &value);
  void printOptionDiff(const Option &option, const hone::PinnedSchedule &,
                       const OptVal &, size_t globalWidth) const {
    printOptionNoValue(option, globalWidth);
  }
  StringRef getValueName() const override { return "string"; }
};

namespace hone {

#define GEN_PASS_DECL
#include "hone/passes/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "hone/passes/Passes.h.inc"

/// The sources that hone-select-schedule may use: a file of measurements or
/// none, the built-in measurements, and predictions.
struct SourceOptions {
  std::string database;
  bool guess = true, shipped = true;
  /// The maximum number of schedules of a matmul with one unknown extent.
  unsigned ranges = 24;
  /// True if any damage in the database is an error. Otherwise damage causes a
  /// warning when a lookup reaches it.
  bool soundOnly = false;
};

/// Makes the sources of hone-select-schedule, or reports the reason for the
/// failure. For a program without sources, the factory returns an empty list.
using SourceFactory = std::function<mlir::FailureOr<ScheduleSources>(
    mlir::MLIRContext *context, const SourceOptions &options)>;

/// Called with the schedule of each hone.matmul.
using SelectionSink =
    std::function<void(mlir::Operation *matmul, const Selection &)>;

} // namespace hone

#endif // HONE_PASSES_PASSES_H
