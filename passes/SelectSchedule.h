//===- SelectSchedule.h - hone-select-schedule with sources -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface for a program with a database, a tuner or a policy: it passes
// them to the pass as sources, or as a function that makes them from the pass's
// options. The passes depend neither on their implementations nor on files.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_SELECTSCHEDULE_H
#define HONE_PASSES_SELECTSCHEDULE_H

#include "hone/Schedule/ScheduleSource.h"
#include "hone/passes/Passes.h"

namespace hone {

/// The pass `hone-select-schedule` that queries `sources` in order before it
/// takes the default.
std::unique_ptr<mlir::Pass> createSelectSchedule(SelectScheduleOptions options,
                                                 ScheduleSources sources);

/// The same, with sources that `makeSources` makes when the pass starts;
/// `selected` is called for every decision.
std::unique_ptr<mlir::Pass>
createSelectSchedule(SelectScheduleOptions options, SourceFactory makeSources,
                     SelectionSink selected = nullptr);

} // namespace hone

#endif // HONE_PASSES_SELECTSCHEDULE_H
