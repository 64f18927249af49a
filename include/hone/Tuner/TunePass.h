//===- TunePass.h - The search as a pass ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone-tune` (lib/Tuner/TunePass.td), for programs that assemble pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_TUNEPASS_H
#define HONE_TUNER_TUNEPASS_H

#include "hone/Policy/TuneDefaults.h"

namespace hone {

/// Registers `hone-tune`; the pass registry accepts this once. With
/// `choiceOfBuild`, the schedules of a build enter the finals.
void registerTuning(const BuildChoiceFactory &choiceOfBuild = nullptr);

} // namespace hone

#endif // HONE_TUNER_TUNEPASS_H
