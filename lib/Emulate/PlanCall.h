//===- PlanCall.h - Plan with the arguments of a call -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the alternative and evaluates formulas like honeLaunch.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EMULATE_PLANCALL_H
#define HONE_LIB_EMULATE_PLANCALL_H

#include "hone/Runtime/LaunchPlan.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace hone::emulate {

class PlanCall {
public:
  /// Fails if no alternative accepts the arguments.
  static llvm::Expected<PlanCall> create(const LaunchPlan &plan,
                                         llvm::ArrayRef<int64_t> arguments);

  /// The index of the alternative.
  size_t number() const { return chosen; }
  const PlanAlternative &alternative() const {
    return plan->alternatives[chosen];
  }
  /// Values of the plan's arguments, with the alternative's own decisions.
  const std::vector<int64_t> &arguments() const { return values; }
  /// The caller's value of an argument; none if there is no such argument.
  std::optional<int64_t> given(llvm::StringRef name) const;
  /// The size of the workspace; 0 for none.
  llvm::Expected<int64_t> workspaceBytes() const;
  /// The value of a formula, for a launch of the alternative.
  llvm::Expected<int64_t> evaluate(const PlanFormula &formula) const;

private:
  const LaunchPlan *plan = nullptr;
  size_t chosen = 0;
  std::vector<int64_t> passed, values;
};

} // namespace hone::emulate

#endif // HONE_LIB_EMULATE_PLANCALL_H
