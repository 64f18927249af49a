//===- MachineText.h - PTX of memory, launches and clusters -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_MEASURE_MACHINE_MACHINETEXT_H
#define HONE_LIB_MEASURE_MACHINE_MACHINETEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hone::detail {

/// The thread's number in the grid is %index, the number of threads %total.
inline constexpr llvm::StringLiteral kIndex = R"(
  mov.u32 %index, %ctaid.x;
  mov.u32 %t0, %ntid.x;
  mov.u32 %t1, %tid.x;
  mad.lo.u32 %index, %index, %t0, %t1;
  mov.u32 %total, %nctaid.x;
  mul.lo.u32 %total, %total, %t0;
)";

/// Copies, reads, launches and atomics, on every GPU.
std::string memoryKernels();
/// The barrier of a cluster.
std::string clusterKernels();

} // namespace hone::detail

#endif // HONE_LIB_MEASURE_MACHINE_MACHINETEXT_H
