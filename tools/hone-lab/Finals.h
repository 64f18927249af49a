//===- Finals.h - Schedules that take turns, problem by problem -*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What benchmarks that compare choices have in common: a final for each problem
// whose choices differ, on all workers there are, with progress.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_LAB_FINALS_H
#define HONE_TOOLS_LAB_FINALS_H

#include "hone/Workers/Workers.h"

namespace hone {

/// Asks `workers` all of `finals`, and hands the measurements of each to
/// `take`, with the final's number; of a schedule that does not run, why. An
/// error of `take` ends them.
llvm::Error
runFinals(Workers &workers, llvm::ArrayRef<Question> finals,
          llvm::function_ref<llvm::Error(uint64_t, llvm::ArrayRef<Measurement>)>
              take);

/// An error where one of `results` did not run, which says that the problem was
/// expected to run `what`.
llvm::Error expectAllRan(const Problem &problem,
                         llvm::ArrayRef<Measurement> results,
                         llvm::StringRef what);

} // namespace hone

#endif // HONE_TOOLS_LAB_FINALS_H
