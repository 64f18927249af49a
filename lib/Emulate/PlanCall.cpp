//===- PlanCall.cpp - Plan with the arguments of a call -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PlanCall.h.
//
//===----------------------------------------------------------------------===//

#include "PlanCall.h"
#include "hone/Runtime/Expression.h"
#include "hone/Runtime/PlanArguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::emulate;
using llvm::formatv;

/// "m = 1, n = 7".
static std::string textOf(const LaunchPlan &plan,
                          llvm::ArrayRef<int64_t> arguments) {
  std::string text;
  for (auto [name, value] : llvm::zip_equal(plan.args, arguments))
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

llvm::Expected<PlanCall> PlanCall::create(const LaunchPlan &plan,
                                          llvm::ArrayRef<int64_t> arguments) {
  if (arguments.size() != plan.args.size())
    return llvm::createStringError(
        formatv("expected {0} arguments for a plan, but got {1}",
                plan.args.size(), arguments.size()));
  PlanCall call;
  call.plan = &plan;
  call.passed.assign(arguments.begin(), arguments.end());
  call.values = call.passed;
  const PlanAlternative *found = chosenAlternative(plan, call.passed);
  if (!found)
    return llvm::createStringError(formatv(
        "expected an alternative whose guard holds, but got none of {0} for "
        "{1}",
        plan.alternatives.size(), textOf(plan, arguments)));
  call.chosen = found - plan.alternatives.data();
  for (const PlanDecision &decision : found->decisions)
    call.values[llvm::find(plan.args, decision.name) - plan.args.begin()] =
        decision.value;
  return call;
}

std::optional<int64_t> PlanCall::given(llvm::StringRef name) const {
  auto found = llvm::find(plan->args, name.str());
  if (found == plan->args.end())
    return std::nullopt;
  return passed[found - plan->args.begin()];
}

llvm::Expected<int64_t> PlanCall::evaluate(const PlanFormula &formula) const {
  int64_t value = 0;
  std::string why = formula.evaluate(plan->args, values, value);
  if (why.empty())
    return value;
  return llvm::createStringError(formatv("{0}: '{1}'", why, formula.str()));
}

llvm::Expected<int64_t> PlanCall::workspaceBytes() const {
  if (alternative().workspaceBytes.empty())
    return 0;
  auto bytes = evaluate(alternative().workspaceBytes);
  if (bytes && *bytes < 0)
    return llvm::createStringError(formatv(
        "expected a workspace of 0 or more bytes, but got {0}", *bytes));
  return bytes;
}
