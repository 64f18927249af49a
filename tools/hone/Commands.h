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

int runCommand(llvm::ArrayRef<llvm::StringRef> args);
int compileCommand(llvm::ArrayRef<llvm::StringRef> args);
int explainCommand(llvm::ArrayRef<llvm::StringRef> args);
int machineCommand(llvm::ArrayRef<llvm::StringRef> args);
int rewriteCommand(llvm::ArrayRef<llvm::StringRef> args);
int simulateCommand(llvm::ArrayRef<llvm::StringRef> args);
int checkCommand(llvm::ArrayRef<llvm::StringRef> args);
int benchCommand(llvm::ArrayRef<llvm::StringRef> args);
int benchLaunch(llvm::ArrayRef<llvm::StringRef> args);
int benchHost(llvm::ArrayRef<llvm::StringRef> args);
int benchGemm(llvm::ArrayRef<llvm::StringRef> args);
int benchError(llvm::ArrayRef<llvm::StringRef> args);
int benchInvariance(llvm::ArrayRef<llvm::StringRef> args);
int benchSummary(llvm::ArrayRef<llvm::StringRef> args);
int reportCommand(llvm::ArrayRef<llvm::StringRef> args);
int corpusCommand(llvm::ArrayRef<llvm::StringRef> args);
int dbCommand(llvm::ArrayRef<llvm::StringRef> args);
int tuneCommand(llvm::ArrayRef<llvm::StringRef> args);
int trainCommand(llvm::ArrayRef<llvm::StringRef> args);

} // namespace hone

#endif // HONE_TOOLS_COMMANDS_H
