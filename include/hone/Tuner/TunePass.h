//===- TunePass.h - Searching inside of a pipeline --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone-tune` (lib/Tuner/TunePass.td), for those who put pipelines together.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_TUNEPASS_H
#define HONE_TUNER_TUNEPASS_H

namespace hone {

/// Makes `hone-tune` known by name; the pass registry takes it once.
void registerTuning();

} // namespace hone

#endif // HONE_TUNER_TUNEPASS_H
