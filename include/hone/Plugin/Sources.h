//===- Sources.h - The sources of schedules ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that knows which components answer compilers, in which order:
//
//   exact     a measurement of this problem: the user's (a database, or a tuning
//             file), else one that is built in (Shipped.h)
//   rounded   of this problem at some values of unknown extents, likewise
//   nearest   of the same extents with another epilogue, likewise
//   guess     what is built in, on a chip that is asked as the one it was
//             measured on (AskedAs.h)
//   guess     the policy
//   nearest   the user's measurement of a similar problem
//   guess     the cost model
//
// After them comes the default. The order is by what hone-lab unseen says of each:
// docs/SearchMeasured.md.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_SOURCES_H
#define HONE_PLUGIN_SOURCES_H

#include "hone/Database/Lookup.h"
#include "hone/passes/Passes.h"

namespace hone {

/// Opens a database or a tuning file for reading; its contents tell which of
/// the two it is. Reports errors in `context`, at their place in the file. Of a
/// damaged database, it warns when a question comes to the damage; with
/// `soundOnly` any damage is an error at once.
mlir::FailureOr<std::shared_ptr<Lookup>> openLookup(mlir::MLIRContext *context,
                                                    const std::string &path,
                                                    bool soundOnly = false);

/// The sources that `options` request.
mlir::FailureOr<ScheduleSources> openSources(mlir::MLIRContext *context,
                                             const SourceOptions &options);

/// What those sources say without a database: the first legal answer.
llvm::Expected<
    std::function<std::optional<Schedule>(const Problem &, const Arch &)>>
choiceOfBuild();

} // namespace hone

#endif // HONE_PLUGIN_SOURCES_H
