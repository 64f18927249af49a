//===- TrainingState.h - Saved position of a training -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_POLICY_TRAININGSTATE_H
#define HONE_LIB_POLICY_TRAININGSTATE_H

#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace hone::detail {

/// The saved position of a run: the line `PHASE NETWORK BYTES`, then BYTES
/// bytes of the trainer's state, then the model.
struct Resumed {
  std::string phase;
  size_t network = 0;
  std::string trainer, model;
};

/// Nothing if there is no such file.
llvm::Expected<std::optional<Resumed>> readState(const std::string &path);

} // namespace hone::detail

#endif // HONE_LIB_POLICY_TRAININGSTATE_H
