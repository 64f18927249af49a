//===- PlanArguments.cpp - Arguments of a matmul's plan -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PlanArguments.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Runtime/PlanArguments.h"
#include <algorithm>

using namespace hone;

void PlanArguments::setExtents(int64_t m, int64_t n, int64_t k, int64_t batch,
                               int64_t heads) {
  set("m", m), set("n", n), set("k", k);
  set("batch", batch), set("heads", heads);
}

void PlanArguments::setMatrix(const std::string &name, int64_t address,
                              int64_t line, BatchStrides batches) {
  set(name, address);
  set("ld" + name, line);
  set("s" + name, batches.outer);
  set("h" + name, batches.inner);
}

void PlanArguments::setOperand(size_t index, int64_t address,
                               BatchStrides batches, int64_t alongM,
                               int64_t alongN) {
  std::string name = "e" + std::to_string(index);
  set(name, address);
  set(name + "b", batches.outer);
  set(name + "h", batches.inner);
  set(name + "m", alongM);
  set(name + "n", alongN);
}

void PlanArguments::setSegments(int64_t address, int64_t groups) {
  set("segments", address), set("groups", groups);
}

void PlanArguments::setIndex(int64_t address, int64_t rows) {
  set("index", address), set("ma", rows);
}

void PlanArguments::setWindow(const WindowArguments &window) {
  set("images", window.images), set("channels", window.channels);
  set("taps", window.taps());
  set("k", window.taps() * window.channels);
  for (auto [name, side] : {std::pair("h", &window.h), {"w", &window.w}}) {
    set(std::string("in") + name, side->in);
    set(std::string("out") + name, side->out);
    set(std::string("filter") + name, side->filter);
    set(std::string("step") + name, side->step);
    set(std::string("dil") + name, side->dilation);
    set(std::string("pad") + name, side->pad);
  }
}

std::string PlanArguments::order(const LaunchPlan &plan,
                                 std::vector<int64_t> &ordered) const {
  ordered.clear();
  for (const std::string &name : plan.args) {
    auto found = values.find(name);
    if (found == values.end())
      return "expected a plan of known arguments, but got '" + name + "'";
    ordered.push_back(found->second);
  }
  return "";
}

/// The index of an existing argument.
static size_t indexOf(const LaunchPlan &plan, const std::string &name) {
  return std::find(plan.args.begin(), plan.args.end(), name) -
         plan.args.begin();
}

const PlanAlternative *
hone::chosenAlternative(const LaunchPlan &plan,
                        const std::vector<int64_t> &ordered) {
  for (const PlanAlternative &alternative : plan.alternatives) {
    if (!alternative.extent.empty() &&
        ordered[indexOf(plan, alternative.extent)] > alternative.max)
      continue;
    Expression guard;
    if (!alternative.guard.bind(plan.args, guard).empty())
      continue;
    for (const PlanDecision &decision : alternative.decisions)
      guard.bind(indexOf(plan, decision.name), decision.value);
    int64_t holds = 0;
    if (guard.evaluate(ordered.data(), holds) == Expression::Fault::none &&
        holds)
      return &alternative;
  }
  return nullptr;
}
