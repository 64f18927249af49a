//===- CrashGuard.h - A guard against crashing parsers ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some custom parsers of upstream dialects crash at malformed text:
// linalg.transpose, for example, continues with the null attribute of a
// permutation that does not parse. A program that reads untrusted text turns
// such a crash into an error, by LLVM's own means:
//
//   enableCrashGuard(); // in main; a library installs no signal handlers
//   if (!endsByItself([&] { module = parseSourceFile(...); }))
//     return error("MLIR's parser crashed at this text");
//
// The state after a crash cannot be trusted, so the program reports the error
// and ends. The guard does not recover from a corrupt heap.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_CRASHGUARD_H
#define HONE_TEXT_CRASHGUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace hone {

/// From here on `endsByItself` catches crashes in this process.
void enableCrashGuard();
/// Crashes end the process as usual again.
void disableCrashGuard();

/// Runs `read`; false if it crashed. Without the guard the process dies.
bool endsByItself(llvm::function_ref<void()> read);

/// The error for a crash of MLIR's parser, after the parser's earlier
/// diagnostics.
llvm::Error parserCrashed(llvm::StringRef name, llvm::StringRef said);

} // namespace hone

#endif // HONE_TEXT_CRASHGUARD_H
