//===- Options.h - Options of one subcommand --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subcommand lists its options once; parsing and `--help` follow from the
// list. llvm::cl is not used, because its options are global: a help text would
// show those of every library that is linked in.
//
//   OptionList options("hone run FILE [options]", "Compiles and runs it.");
//   options.positional("FILE", file, "a module");
//   options.add("arch", "NAME", arch, "chip or instruction set");
//   options.add("json", json, "print JSON");
//   if (std::optional<int> status = options.parse(args))
//     return *status; // help was printed, or an error
//
// An option whose placeholder ends in ",..." or ";..." is a list, and may be
// given several times: `--shape=A --shape=B` is `--shape=A;B`. Any other that is
// given twice is an error, so that no value is lost without a word. A value can
// have a check that is made before the command starts, because a wrong command
// line is exit status 2 and whatever fails later is 1.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_OPTIONS_H
#define HONE_TOOLS_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// What every subcommand returns to the shell.
enum ExitStatus {
  kExitSuccess = 0,
  kExitFailure = 1, ///< a wrong result, or nothing useful done
  kExitUsage = 2,   ///< the command line is wrong
  /// Nothing is known to be wrong, but what was to be checked could not be.
  kExitUnchecked = 3,
  /// Stopped from outside, as a shell says it of Ctrl-C; what was done is kept.
  kExitInterrupted = 130
};

/// An error if a value makes no sense, whatever the rest of the command line
/// and the machine are.
using ValueCheck = std::function<llvm::Error(llvm::StringRef)>;

class OptionList {
public:
  OptionList(std::string usage, std::string about);

  /// `--name=VALUE`; the value that is there is the default that help shows,
  /// unless it is empty or 0.
  void add(llvm::StringRef name, llvm::StringRef placeholder,
           std::string &value, llvm::StringRef help,
           ValueCheck check = nullptr);
  /// One of these words.
  void add(llvm::StringRef name, llvm::StringRef placeholder,
           std::string &value, llvm::StringRef help,
           llvm::ArrayRef<llvm::StringRef> words);
  void add(llvm::StringRef name, llvm::StringRef placeholder, int64_t &value,
           llvm::StringRef help, int64_t least = 1);
  void add(llvm::StringRef name, llvm::StringRef placeholder, double &value,
           llvm::StringRef help);
  /// `--name=N,N,...`
  void add(llvm::StringRef name, llvm::StringRef placeholder,
           std::vector<int64_t> &value, llvm::StringRef help,
           int64_t least = 1);
  /// `--name`
  void add(llvm::StringRef name, bool &value, llvm::StringRef help);
  /// `-l VALUE` for the option `name`, which has a value.
  void abbreviate(char letter, llvm::StringRef name);
  /// The one argument without dashes; it must be there if `isNeeded`.
  void positional(llvm::StringRef name, std::string &value,
                  llvm::StringRef help, bool isNeeded = true);

  /// `--name` has to be given.
  void require(llvm::StringRef name);

  /// Sets the values. Returns nothing where the command should go on.
  std::optional<int> parse(llvm::ArrayRef<llvm::StringRef> args) const;

private:
  struct Item {
    std::string name, placeholder, help;
    /// `again`: a list grows by the value.
    std::function<llvm::Error(llvm::StringRef, bool again)> set;
    ValueCheck check;
    bool isNeeded = false;
  };
  /// How often each was given, the positional one last.
  using Counts = std::vector<int>;
  void printHelp() const;
  llvm::Error set(llvm::StringRef arg, Counts &counts) const;
  llvm::Error setItem(const Item &item, llvm::StringRef arg, int &count) const;
  /// The option that `arg` abbreviates; "" if it is none.
  llvm::StringRef longFor(llvm::StringRef arg) const;
  std::string spelling(const Item &item) const;

  std::string usage, about;
  std::vector<Item> items;
  std::vector<std::pair<std::string, std::string>> abbreviations;
  std::optional<Item> position;
  bool needsPosition = false;
};

/// Reads a number of `least` or more, or a list of them.
llvm::Expected<int64_t> parseNumber(llvm::StringRef text, int64_t least = 1);
llvm::Expected<std::vector<int64_t>> parseNumbers(llvm::StringRef text,
                                                  int64_t least = 1);
/// Reads a positive number with or without a fraction.
llvm::Expected<double> parseReal(llvm::StringRef text);

/// What is wrong is the command line, although that is known late: the module
/// has no function of this name, say.
class UsageError : public llvm::ErrorInfo<UsageError> {
public:
  static char ID;
  explicit UsageError(std::string what) : what(std::move(what)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string what;
};
/// The same error as one of the command line.
llvm::Error asUsage(llvm::Error error);

/// Prints "error: ..." and returns `status`, or kExitUsage for a UsageError.
int reportError(llvm::Error error, ExitStatus status = kExitFailure);

} // namespace hone

#endif // HONE_TOOLS_OPTIONS_H
