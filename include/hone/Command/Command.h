//===- Command.h - Groups of commands ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program, or one of its commands, is a group of commands. Each takes the
// arguments after its name and returns the exit status (see Options.h):
//
//   const Command commands[] = {{"run", "runs a module", runCommand}, ...};
//   return runOneOf(commands, args, {"hone", "Compiles modules.", ""});
//
//===----------------------------------------------------------------------===//

#ifndef HONE_COMMAND_COMMAND_H
#define HONE_COMMAND_COMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace hone {

struct Command {
  llvm::StringRef name, about;
  std::function<int(llvm::ArrayRef<llvm::StringRef>)> run;
};

/// The start and end of the help for a group of commands: "hone bench", a
/// sentence, and further facts.
struct CommandGroup {
  llvm::StringRef name, about, footer;
};

/// Runs the command that `args` begin with, or prints the help of the group.
int runOneOf(llvm::ArrayRef<Command> commands,
             llvm::ArrayRef<llvm::StringRef> args, const CommandGroup &group);

/// The main program of a tool. Failures of the launcher are returned as errors,
/// and are reported once.
int runMain(int argc, char **argv, int (*run)(llvm::ArrayRef<llvm::StringRef>));

/// From now on SIGINT and SIGTERM end the program with the status of an
/// interrupted one. For phases before there is any result to keep.
void exitOnInterrupt();

/// From now on the first SIGINT or SIGTERM only sets the flag that
/// isInterrupted returns.
void heedInterrupts();
bool isInterrupted();

} // namespace hone

#endif // HONE_COMMAND_COMMAND_H
