//===- CrashGuard.h - Upstream parsers on untrusted text --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some custom parsers of upstream dialects crash at text that is wrong:
// linalg.transpose, for one, goes on with the null attribute of a permutation
// that does not parse. A program that reads untrusted text turns such a crash
// into an error, by LLVM's own means:
//
//   enableCrashGuard(); // in main; a library installs no signal handlers
//   if (!endsByItself([&] { module = parseSourceFile(...); }))
//     return error("MLIR's parser crashed at this text");
//
// Nothing that the parser was given can be trusted afterwards, so the program
// reports the error and ends. A heap that is corrupt is not recovered from.
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

/// What a crash of MLIR's parser is reported as, after what the parser said of
/// the text before.
llvm::Error parserCrashed(llvm::StringRef name, llvm::StringRef said);

} // namespace hone

#endif // HONE_TEXT_CRASHGUARD_H
