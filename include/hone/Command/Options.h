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
//   return options.run(args, [&] { return runFile(file, arch, json); });
//
// An option whose placeholder ends in ",..." or ";..." is a list, and may be
// given several times: `--shape=A --shape=B` is `--shape=A;B`. A second use of
// any other option is an error, so that no value is lost silently. A value can
// have a check that runs before the command starts, because a wrong command
// line is exit status 2 and every later failure is 1.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_COMMAND_OPTIONS_H
#define HONE_COMMAND_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// The exit statuses of all subcommands.
enum ExitStatus {
  kExitSuccess = 0,
  kExitFailure = 1, ///< a wrong result, or nothing useful done
  kExitUsage = 2,   ///< the command line is wrong
  /// No fault was found, but a requested check could not run.
  kExitUnchecked = 3,
  /// Interrupted, with the shell's status for Ctrl-C; finished work is kept.
  kExitInterrupted = 130
};

/// An error if a value is invalid, for any other options and any machine.
using ValueCheck = std::function<llvm::Error(llvm::StringRef)>;

class OptionList {
public:
  OptionList(std::string usage, std::string about);

  /// `--name=VALUE`. The current value is the default that help shows, unless
  /// it is empty or 0.
  void add(llvm::StringRef name, llvm::StringRef placeholder,
           std::string &value, llvm::StringRef help,
           ValueCheck check = nullptr);
  /// One of these words.
  void add(llvm::StringRef name, llvm::StringRef placeholder,
           std::string &value, llvm::StringRef help,
           llvm::ArrayRef<llvm::StringRef> words);
  void add(llvm::StringRef name, llvm::StringRef placeholder, int64_t &value,
           llvm::StringRef help, int64_t min = 1);
  void add(llvm::StringRef name, llvm::StringRef placeholder, double &value,
           llvm::StringRef help);
  /// A number of `unit`s, e.g. of percents with 0.01.
  void add(llvm::StringRef name, llvm::StringRef placeholder, double &value,
           double unit, llvm::StringRef help, int64_t min = 1);
  /// `--name=N,N,...`
  void add(llvm::StringRef name, llvm::StringRef placeholder,
           std::vector<int64_t> &value, llvm::StringRef help, int64_t min = 1);
  /// `--name`
  void add(llvm::StringRef name, bool &value, llvm::StringRef help);
  /// `-l VALUE` for the option `name`, which has a value.
  void abbreviate(char letter, llvm::StringRef name);
  /// The one argument without dashes; it must be there if `isNeeded`.
  void positional(llvm::StringRef name, std::string &value,
                  llvm::StringRef help, bool isNeeded = true);

  /// `--name` must be given.
  void require(llvm::StringRef name);

  /// Sets the values. Returns nothing if the command should go on.
  std::optional<int> parse(llvm::ArrayRef<llvm::StringRef> args) const;
  /// Sets the values and runs the command, unless help was printed or an option
  /// is wrong. Prints an error, and returns the exit status.
  int run(llvm::ArrayRef<llvm::StringRef> args,
          llvm::function_ref<llvm::Expected<int>()> command) const;

private:
  struct Item {
    std::string name, placeholder, help;
    /// `again`: a list grows by the value.
    std::function<llvm::Error(llvm::StringRef, bool again)> set;
    ValueCheck check;
    bool isNeeded = false;
  };
  /// The number of times that each option was given, the positional one last.
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

/// Reads a number of `min` or more, or a list of them.
llvm::Expected<int64_t> parseNumber(llvm::StringRef text, int64_t min = 1);
llvm::Expected<std::vector<int64_t>> parseNumbers(llvm::StringRef text,
                                                  int64_t min = 1);
/// Reads a positive number with or without a fraction.
llvm::Expected<double> parseReal(llvm::StringRef text);

/// An error of the command line that is found late, such as a function that the
/// module does not have.
class UsageError : public llvm::ErrorInfo<UsageError, llvm::StringError> {
public:
  static char ID;
  explicit UsageError(const llvm::Twine &why)
      : ErrorInfo(why, llvm::inconvertibleErrorCode()) {}
};
/// Converts an error to one of the command line.
llvm::Error asUsage(llvm::Error error);

/// Prints "error: ..." and returns `status`, or kExitUsage for a UsageError.
int reportError(llvm::Error error, ExitStatus status = kExitFailure);

} // namespace hone

#endif // HONE_COMMAND_OPTIONS_H
