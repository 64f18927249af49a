//===- CheckPlan.h - Plan of hone check -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversion of options to a plan.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_PROGRAM_CHECKPLAN_H
#define HONE_TOOLS_PROGRAM_CHECKPLAN_H

#include "hone/Check/CheckCases.h"

namespace hone {

struct CheckOptions {
  std::string kind = "mma_sync", arch = "native", shapes = "awkward";
  std::string types = "all", layouts = "all", schedules = "default";
  std::string kernel, csv;
  int64_t repeat = 0;
  bool json = false;
};

/// Reads the options; `native` counts as sm_80 until there is a device.
llvm::Expected<CheckPlan> readPlan(const CheckOptions &options);
/// Sets the plan's arch, and the schedules that depend on it.
llvm::Error setArch(const CheckOptions &options, const Arch &arch,
                    CheckPlan &plan);

} // namespace hone

#endif // HONE_TOOLS_PROGRAM_CHECKPLAN_H
