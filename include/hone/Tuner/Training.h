//===- Training.h - Runs of hone train --------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains a policy on recorded times and on its own trials, and reports its quality
// on shapes outside of the training set.
//
//   TrainingRequest request;
//   request.tables = "times.csv";
//   request.settings.recorded = 1000;
//   request.out = "weights";
//   runTraining(request);
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_TRAINING_H
#define HONE_TUNER_TRAINING_H

#include "hone/Policy/TrainingRun.h"
#include <map>

namespace hone {

/// The options of hone train.
struct TrainingRequest {
  std::string tables, database, arch = "h200", device, worker;
  std::string from, trees, out, curve, svg, grow, holdChips, rehearse;
  std::string advantage = "leave-one-out";
  std::map<std::string, std::string> card;
  bool replays = false, noContext = false, noPrior = false, draws = false;
  TrainingSettings settings;
};

/// The names of a list with commas.
std::vector<std::string> namesIn(llvm::StringRef list);

/// Writes the files that the request names. If it is interrupted, the results
/// until then are kept.
llvm::Error runTraining(TrainingRequest request);

} // namespace hone

#endif // HONE_TUNER_TRAINING_H
