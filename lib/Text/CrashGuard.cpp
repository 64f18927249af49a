//===- CrashGuard.cpp - Upstream parsers on untrusted text ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CrashGuard.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/CrashGuard.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FormatVariadic.h"

void hone::enableCrashGuard() { llvm::CrashRecoveryContext::Enable(); }
void hone::disableCrashGuard() { llvm::CrashRecoveryContext::Disable(); }

bool hone::endsByItself(llvm::function_ref<void()> read) {
  llvm::CrashRecoveryContext guard;
  return guard.RunSafely(read);
}

llvm::Error hone::parserCrashed(llvm::StringRef name, llvm::StringRef said) {
  return llvm::createStringError(
      llvm::formatv("{0}{1}'{2}': MLIR's parser crashed at this text; correct "
                    "the text",
                    said, said.empty() ? "" : "; ", name));
}
