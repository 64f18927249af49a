//===- Command.cpp - Groups of commands -----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Command.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Command.h"
#include "hone-c/Runtime.h"
#include "hone-c/Version.h"
#include "hone/Command/Options.h"
#include "hone/Text/CrashGuard.h"
#include "hone/Text/Suggest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <unistd.h>

using namespace hone;
using llvm::ArrayRef;
using llvm::StringRef;

static void printHelp(ArrayRef<Command> commands, const CommandGroup &group) {
  llvm::outs() << "usage: " << group.name << " COMMAND [options]\n\n"
               << group.about << "\n\n";
  for (const Command &command : commands)
    llvm::outs() << "  " << llvm::left_justify(command.name, 12)
                 << command.about << "\n";
  llvm::outs() << "\n`" << group.name
               << " COMMAND --help` lists a command's options." << group.footer
               << "\n";
}

int hone::runOneOf(ArrayRef<Command> commands, ArrayRef<StringRef> args,
                   const CommandGroup &group) {
  StringRef name = args.empty() ? "" : args.front();
  bool isHelpRequested = name == "--help" || name == "-h" || name == "help";
  if (args.empty() || isHelpRequested) {
    printHelp(commands, group);
    return isHelpRequested ? kExitSuccess : kExitUsage;
  }
  std::vector<StringRef> names;
  for (const Command &command : commands) {
    if (name == command.name)
      return command.run(args.drop_front());
    names.push_back(command.name);
  }
  return reportError(
      llvm::createStringError(llvm::formatv(
          "expected a command, but got '{0}'; use one of {1}{2}", name,
          llvm::join(names, ", "), didYouMean(name, names))),
      kExitUsage);
}

int hone::runMain(int argc, char **argv, int (*run)(ArrayRef<StringRef>)) {
  llvm::InitLLVM init(argc, argv);
  enableCrashGuard();
  honeSetErrorHandler([](int32_t, const char *, void *) {}, nullptr);
  if (argc == 2 && StringRef(argv[1]) == "--version") {
    llvm::outs() << "Hone " << HONE_VERSION_STRING << ", LLVM "
                 << LLVM_VERSION_STRING << "\n";
    return kExitSuccess;
  }
  return run(llvm::SmallVector<StringRef>(argv + 1, argv + argc));
}

//===----------------------------------------------------------------------===//
// Interrupts
//===----------------------------------------------------------------------===//

/// A signal handler can access nothing else.
static volatile std::sig_atomic_t stopRequested = 0;

static void requestStop(int signal) {
  stopRequested = 1;
  std::signal(signal, SIG_DFL);
}

static void exitNow(int) { ::_exit(kExitInterrupted); }

void hone::exitOnInterrupt() {
  std::signal(SIGINT, exitNow);
  std::signal(SIGTERM, exitNow);
}

void hone::heedInterrupts() {
  std::signal(SIGINT, requestStop);
  std::signal(SIGTERM, requestStop);
}

bool hone::isInterrupted() { return stopRequested != 0; }
