//===- MeasureMachine.h - The numbers of a GPU ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the GPU of this computer as a machine file does. Limits are the
// driver's answers; rates and costs are measured, which takes some ten seconds.
// Nothing else should run on the GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_MEASUREMACHINE_H
#define HONE_MEASURE_MEASUREMACHINE_H

#include "hone/Device/Device.h"
#include "hone/Schedule/Arch.h"

namespace hone {

/// The machine has the name of the known chip that it is, or one made of the
/// driver's name for it.
llvm::Expected<Arch> measureMachine(Device &device);

/// "a30" for "NVIDIA A30", "rtx-5090" for "NVIDIA GeForce RTX 5090": a name for
/// a machine file. Never empty.
std::string machineNameOf(llvm::StringRef device);

/// An upper bound of the dense f16 products a second of a GPU that is not in
/// the table, in TFLOP/s, from the products that its tensor cores finish in a
/// clock.
double boundOfTflops(int capability, int64_t processors, double clockGHz);

} // namespace hone

#endif // HONE_MEASURE_MEASUREMACHINE_H
