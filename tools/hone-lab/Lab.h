//===- Lab.h - Commands of hone-lab -----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-lab compares alternatives for developers: policies, cost models and
// plans. It replays tables of recorded times, and makes a few measurements of
// its own. No command that compiles or tunes calls it, and it is not installed:
//
//   hone-lab policies --replay=data/h200/dense.csv --policies=model,evolution
//
// It uses the tuner's libraries and code shared by commands of hone
// (tools/hone).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_LAB_LAB_H
#define HONE_TOOLS_LAB_LAB_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// Runs hone-lab with these arguments, the first of which is the command.
/// Returns the exit status.
int runLab(llvm::ArrayRef<llvm::StringRef> args);

using CommandMain = int(llvm::ArrayRef<llvm::StringRef> args);
CommandMain labFit, labPolicies, labUnseen, labRanges, labPicks, labWriting,
    labClock;

} // namespace hone

#endif // HONE_TOOLS_LAB_LAB_H
