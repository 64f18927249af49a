//===- Finals.h - Finals between schedules ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by benchmarks that compare choices: a final, in which schedules take
// turns, for each problem whose choices differ. Finals run on all available
// workers, with progress.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_LAB_FINALS_H
#define HONE_TOOLS_LAB_FINALS_H

#include "hone/Workers/Workers.h"

namespace hone {

/// The workers of --worker, --device, --rehearse and --rounds.
llvm::Expected<WorkerOptions> workersOf(llvm::StringRef worker,
                                        llvm::StringRef devices,
                                        llvm::StringRef rehearse,
                                        int64_t rounds);

/// Runs all of `finals` on `workers`, and passes the measurements of each to
/// `take`, with the final's number. The measurement of a schedule that does not
/// run has the reason. An error of `take` ends the finals.
llvm::Error
runFinals(Workers &workers, llvm::ArrayRef<Question> finals,
          llvm::function_ref<llvm::Error(uint64_t, llvm::ArrayRef<Measurement>)>
              take);

/// An error if one of `results` did not run. It states that the problem was
/// expected to run `what`.
llvm::Error expectAllRan(const Problem &problem,
                         llvm::ArrayRef<Measurement> results,
                         llvm::StringRef what);

} // namespace hone

#endif // HONE_TOOLS_LAB_FINALS_H
