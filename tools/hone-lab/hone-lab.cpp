//===- hone-lab.cpp - Comparisons of policies, models and plans -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Lab.h.
//
//===----------------------------------------------------------------------===//

#include "Lab.h"
#include "hone/Text/CrashGuard.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  hone::enableCrashGuard();
  return hone::runLab(
      llvm::SmallVector<llvm::StringRef>(argv + 1, argv + argc));
}
