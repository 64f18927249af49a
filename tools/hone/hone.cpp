//===- hone.cpp - Main program --------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program with subcommands; Commands.cpp lists them.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "hone-c/Runtime.h"
#include "hone/Text/CrashGuard.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  hone::enableCrashGuard();
  // Failures of the launcher are returned as errors, and are reported once.
  honeSetErrorHandler([](int32_t, const char *, void *) {}, nullptr);
  return hone::runTool(
      llvm::SmallVector<llvm::StringRef>(argv + 1, argv + argc));
}
