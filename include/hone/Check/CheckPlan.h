//===- CheckPlan.h - Kernels of a check, and tables of results --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of hone check from the words of its command line, and the tables that
// it prints.
//
//   CheckOptions options;
//   options.types = "f16:f32";
//   auto plan = readCheckPlan(options);
//   std::vector<CheckGroup> groups = makeGroups(*plan);
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHECK_CHECKPLAN_H
#define HONE_CHECK_CHECKPLAN_H

#include "hone/Check/CheckCases.h"
#include "hone/Command/Table.h"

namespace hone {

struct CheckOptions {
  std::string kind = "mma_sync", arch = "native", shapes = "awkward";
  std::string types = "all", layouts = "all", schedules = "default";
  std::string numbers = "deterministic", kernel, csv;
  int64_t repeat = 0;
  bool json = false;
};

/// Reads the options; `native` counts as sm_80 until there is a device.
llvm::Expected<CheckPlan> readCheckPlan(const CheckOptions &options);
/// Sets the plan's arch, and the schedules that depend on it.
llvm::Error setArch(const CheckOptions &options, const Arch &arch,
                    CheckPlan &plan);

/// "f16 -> f32"
std::string nameOfTypes(const CheckCase &one);
/// One row for each case.
Table allCases(llvm::ArrayRef<CheckGroup> groups);
/// One row for each pair of types and each layout, and one for each variant.
Table summaryOf(llvm::ArrayRef<CheckGroup> groups);
/// The number of launches whose bits differ from the first of their case, or
/// with invariant numbers of their problem, by kind.
Table repeatsOf(llvm::ArrayRef<CheckGroup> groups);

} // namespace hone

#endif // HONE_CHECK_CHECKPLAN_H
