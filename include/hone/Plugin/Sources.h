//===- Sources.h - The sources of schedules ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the sources that a build queries, and their order:
//
//   exact     a measurement of this problem: the user's (a database, or a
//             tuning file), else a built-in one (Shipped.h)
//   rounded   of this problem at some values of unknown extents, likewise
//   nearest   of the same extents with another epilogue, likewise
//   guess     a built-in one of the closest chip (MachineDistance.h)
//   guess     the policy
//   nearest   the user's measurement of a similar problem
//   guess     the cost model
//
// After them comes the default. The order is by the results of hone-lab unseen
// (docs/Results.md).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_SOURCES_H
#define HONE_PLUGIN_SOURCES_H

#include "hone/Database/Lookup.h"
#include "hone/passes/Passes.h"

namespace hone {

/// Opens a database or a tuning file for reading; its contents show which of
/// the two it is. Reports errors in `context`, at their place in the file. For
/// a damaged database, it warns when a query reads the damaged part; with
/// `soundOnly` any damage is an error at once.
mlir::FailureOr<std::shared_ptr<Lookup>> openLookup(mlir::MLIRContext *context,
                                                    const std::string &path,
                                                    bool soundOnly = false);

/// The sources that `options` request.
mlir::FailureOr<ScheduleSources> openSources(mlir::MLIRContext *context,
                                             const SourceOptions &options);

/// The first legal answer of those sources without a database.
llvm::Expected<
    std::function<std::optional<Schedule>(const Problem &, const Arch &)>>
choiceOfBuild();

} // namespace hone

#endif // HONE_PLUGIN_SOURCES_H
