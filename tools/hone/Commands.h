//===- Commands.h - Subcommands of hone -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each takes the arguments after its name and returns the exit status (see
// Options.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_COMMANDS_H
#define HONE_TOOLS_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// Runs the tool with these arguments, the first of which is the subcommand.
/// Returns the exit status.
int runTool(llvm::ArrayRef<llvm::StringRef> args);

using CommandMain = int(llvm::ArrayRef<llvm::StringRef> args);
CommandMain runCommand, compileCommand, explainCommand, machineCommand,
    rewriteCommand, simulateCommand, checkCommand, benchCommand, benchLaunch,
    benchHost, benchGemm, benchError, benchInvariance, benchSummary,
    reportCommand, corpusCommand, dbCommand, tuneCommand, trainCommand;

} // namespace hone

#endif // HONE_TOOLS_COMMANDS_H
