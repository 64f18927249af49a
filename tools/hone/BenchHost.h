//===- BenchHost.h - hone bench host ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `host` kind against OpenBLAS, on one core of the CPU that runs the
// tool.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BENCHHOST_H
#define HONE_TOOLS_BENCHHOST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// Runs `hone bench host` with the arguments that follow these words; `--help`
/// lists them. Returns the exit status: 0, 1 where a result is wrong, or 2
/// where the arguments are.
int benchHost(llvm::ArrayRef<llvm::StringRef> args);

} // namespace hone

#endif // HONE_TOOLS_BENCHHOST_H
