//===- Fuzz.h - Test cases in child processes -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the fuzzers. A case may crash or hang: it costs one child process.
// Children are forked, not executed, so that the dialects are loaded once; that
// is sound because no fuzzer has threads.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_FUZZ_FUZZ_H
#define HONE_TEST_FUZZ_FUZZ_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <random>
#include <string>

namespace hone::fuzz {

/// Random choices that are the same on every machine for one seed.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  /// 0 .. count - 1.
  int64_t below(int64_t count) { return engine() % count; }
  bool chance(int64_t percent) { return below(100) < percent; }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  template <typename Range>
  auto pickFrom(const Range &range) {
    return range[below(range.size())];
  }

private:
  std::mt19937_64 engine;
};

/// The command line: `--name=value`, all optional.
struct Options {
  int64_t count = 1000, seed = 1, jobs = 1, timeout = 60;
  /// This process runs every `stride`th case from `first` on. It begins no case
  /// after `seconds` of running; 0 for no limit.
  int64_t first = 0, stride = 1, seconds = 0;
  /// The only case to run, which prints its text; -1 for all.
  int64_t only = -1;
  /// Folder for the texts of bad cases.
  std::string keep = "hone-fuzz-kept";

  /// An option that one fuzzer has.
  struct Number {
    llvm::StringRef name;
    int64_t *value;
  };
  struct Text {
    llvm::StringRef name;
    std::string *value;
  };

  /// Exits with a message if the command line is wrong.
  static Options parse(int argc, char **argv);
  void parse(int argc, char **argv, llvm::ArrayRef<Number> numbers,
             llvm::ArrayRef<Text> texts);
};

/// How a child ended.
enum class Ending { good, bad, aborted };

struct CaseReport {
  Ending ending;
  std::string how;    ///< "signal 11", "60 s", "" if it ended by itself
  std::string output; ///< its standard output and error
  double seconds;     ///< processor time it took
};

/// One case: its number, and the text that reproduces it.
struct FuzzCase {
  int64_t number;
  std::string text;
};

/// Runs `run` on cases 0 .. count - 1 in children, `jobs` at a time, and calls
/// `done` in the parent for each. `run` returns true if the case passed.
void forEachCase(
    const Options &options, llvm::function_ref<FuzzCase(int64_t number)> make,
    llvm::function_ref<bool(const FuzzCase &)> run,
    llvm::function_ref<void(const FuzzCase &, const CaseReport &)> done);

/// Keeps the case and prints its place: "case 17: signal 11: kept as ...".
void keepCase(const Options &options, const FuzzCase &fuzzCase,
              const CaseReport &report);

/// Runs cases that have to pass, keeps those that fail, and prints the counts
/// of both in the last line. Returns the exit status of the program.
int requireSound(const Options &options,
                 llvm::function_ref<FuzzCase(int64_t number)> make,
                 llvm::function_ref<bool(const FuzzCase &)> run);

/// A context with all of Hone's dialects loaded and no threads.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Kernel IR of a product of 512 x 512 x 512 for an H200, as hone-build-kernel
/// writes it.
std::string buildKernel(llvm::StringRef schedule);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_FUZZ_H
