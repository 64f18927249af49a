//===- Sources.h - What hone-select-schedule asks ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that knows which rooms answer compilers, and in which order:
//
//   exact     a measurement of this problem (a database, or a tuning file)
//   rounded   of this problem at extents that the program does not know
//   nearest   of one that is like it
//   guess     the cost model
//
// Behind them is the default.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_SOURCES_H
#define HONE_PLUGIN_SOURCES_H

#include "hone/Database/Lookup.h"
#include "passes/Passes.h"

namespace hone {

/// Opens a database or a tuning file to read; which of the two it is, is seen
/// in what it holds. What is wrong is reported in `context`, at its place.
mlir::FailureOr<std::shared_ptr<Lookup>> openLookup(mlir::MLIRContext *context,
                                                    const std::string &path);

/// The sources that `options` ask for.
mlir::FailureOr<ScheduleSources> openSources(mlir::MLIRContext *context,
                                             const SourceOptions &options);

} // namespace hone

#endif // HONE_PLUGIN_SOURCES_H
