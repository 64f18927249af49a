//===- OptionChecks.h - Checks of option values -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of a command-line value that are possible before any file or device is
// opened, for OptionList::add. An empty value is none.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_OPTIONCHECKS_H
#define HONE_TOOLS_OPTIONCHECKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace hone {

/// A chip, an instruction set, a machine file or `native`, available or not.
llvm::Error checkArch(llvm::StringRef text);
/// The same, without CPUs.
llvm::Error checkGpuArch(llvm::StringRef text);
/// A schedule, or several for ranges of an extent. Its laws depend on the
/// problem and are not checked.
llvm::Error checkSchedule(llvm::StringRef text);
/// The same for a list with ';' between.
llvm::Error checkSchedules(llvm::StringRef text);
/// Options of hone-pipeline.
llvm::Error checkPipeline(llvm::StringRef text);
/// A problem as hone db prints it.
llvm::Error checkProblem(llvm::StringRef text);
/// Numbers of a problem: invariant:4, ...
llvm::Error checkNumbers(llvm::StringRef text);
/// The same for a list with ',' between.
llvm::Error checkNumbersList(llvm::StringRef text);
/// GPUs by number, whole or in part, the host, or rehearsals.
llvm::Error checkDevices(llvm::StringRef text);
/// A plan of a rehearsal.
llvm::Error checkRehearsal(llvm::StringRef text);
/// MxNxK of `hone simulate`.
llvm::Error checkSimulatedShape(llvm::StringRef text);
/// I/N, a worker's part.
llvm::Error checkPart(llvm::StringRef text);
llvm::Error checkUrl(llvm::StringRef text);

} // namespace hone

#endif // HONE_TOOLS_OPTIONCHECKS_H
