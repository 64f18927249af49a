//===- CheckPlan.h - What hone check checks ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the options to a list of groups of cases.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_CHECKPLAN_H
#define HONE_TOOLS_CHECKPLAN_H

#include "hone/Evaluate/CheckRunner.h"

namespace hone {

struct CheckOptions {
  std::string kind = "mma_sync", arch = "native", shapes = "awkward";
  std::string types = "all", layouts = "all", schedules = "default";
  std::string kernel, csv;
  int64_t repeat = 0;
  bool json = false;
};

struct CheckPlan {
  Arch arch;
  std::vector<int64_t> extents;  ///< that M, N and K take
  std::vector<Problem> problems; ///< one per layout and pair of types
  std::vector<Schedule> schedules;
  /// Kernel IR that all cases run, in the place of what schedules build.
  std::string kernel;
  size_t repeats = 0; ///< launches more of each case, and nothing but that
};

/// Cases that share data and reference, and how they are launched.
struct CheckGroup {
  enum Kind { plain, chain, epilogue } kind = plain;
  std::vector<CheckCase> cases;

  /// What is special about a case of the group, in a word or two.
  llvm::StringRef variantOf(const CheckCase &one) const;
};

/// Reads the options; `native` is taken for sm_80 until there is a device.
llvm::Expected<CheckPlan> readPlan(const CheckOptions &options);
/// Sets the plan's arch, and the schedules that depend on it.
llvm::Error setArch(const CheckOptions &options, const Arch &arch,
                    CheckPlan &plan);

/// Every case of the plan: all shapes, chains, and variants on a few shapes.
std::vector<CheckGroup> makeGroups(const CheckPlan &plan);

} // namespace hone

#endif // HONE_TOOLS_CHECKPLAN_H
