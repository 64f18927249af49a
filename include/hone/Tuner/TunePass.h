//===- TunePass.h - The search as a pass ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone-tune` (lib/Tuner/TunePass.td) searches the schedules of a module's
// matmuls on a GPU. A stock mlir-opt loads it as a second plugin:
//
//   mlir-opt --load-dialect-plugin=libhone.so --load-pass-plugin=libhone_tune.so
//
// A program that links Hone::Tuner registers it after the compiler's passes:
//
//   hone::registerPasses();     // hone/Plugin/Register.h
//   hone::registerTuner();
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_TUNEPASS_H
#define HONE_TUNER_TUNEPASS_H

namespace hone {

/// Registers `hone-tune`. The schedules that a build would choose enter the
/// finals. May be called more than once.
void registerTuner();

} // namespace hone

#endif // HONE_TUNER_TUNEPASS_H
