//===- LaunchPlan.cpp - Text and equality of launch plans -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Omitted lines (a cluster of one block, no shared memory) have the parser's
// default values, so a printed plan reads back unchanged.
//
//===----------------------------------------------------------------------===//

#include "hone/Runtime/LaunchPlan.h"
#include "../Text.h"
#include <algorithm>
#include <tuple>

using namespace hone;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string asText(const PlanFormula &formula) { return formula.str(); }
static std::string asText(int64_t number) { return std::to_string(number); }

template <typename Range>
static std::string joined(const Range &range, const char *separator) {
  std::string result;
  for (const auto &item : range)
    result += (result.empty() ? "" : separator) + asText(item);
  return result;
}

static std::string line(const char *keyword, const PlanFormula (&dims)[3]) {
  return keyword + (" " + joined(dims, " ; ")) + "\n";
}

static std::string asText(const LaunchParam &param) {
  constexpr const char *kinds[] = {"ptr", "i32", "i64", "f32", "tensormap"};
  std::string result = std::string("param ") + kinds[param.kind] + " ";
  if (param.kind != LaunchParam::tensorMap)
    return result + param.value.str() + "\n";
  const TensorMap &map = param.map;
  std::string window;
  if (map.isWindow())
    window = ") window (" + joined(map.lower, ", ") + ") to (" +
             joined(map.upper, ", ") + ") step (" + joined(map.steps, ", ");
  return result + map.base.str() + " : " + map.type + " dims (" +
         joined(map.dims, ", ") + ") strides (" + joined(map.strides, ", ") +
         window + ") box (" + joined(map.box, ", ") + ") swizzle " +
         std::to_string(map.swizzle) + "\n";
}

static std::string asText(const KernelLaunch &launch) {
  std::string result = "launch " + launch.entry + "\n" +
                       line("grid", launch.grid) + line("block", launch.block);
  for (const PlanFormula &extent : launch.cluster)
    if (!extent.isNumber(1)) {
      result += line("cluster", launch.cluster);
      break;
    }
  if (launch.sharedBytes != 0)
    result += "shared " + std::to_string(launch.sharedBytes) + "\n";
  if (launch.programmatic)
    result += "attribute programmatic\n";
  for (const LaunchParam &param : launch.params)
    result += asText(param);
  return result;
}

std::string LaunchPlan::str() const {
  std::string result = std::string(detail::kPlanVersion) + "\nargs";
  for (const std::string &arg : args)
    result += " " + arg;
  result += "\n";
  for (const PlanAlternative &alternative : alternatives) {
    result += "alternative " + alternative.guard.str() + "\n";
    if (!alternative.extent.empty())
      result += "upto " + alternative.extent + " " +
                std::to_string(alternative.max) + "\n";
    for (const PlanDecision &decision : alternative.decisions)
      result +=
          "with " + decision.name + " " + std::to_string(decision.value) + "\n";
    if (!alternative.workspaceBytes.empty())
      result += "workspace " + alternative.workspaceBytes.str() +
                (alternative.workspaceZeroed ? " zero\n" : "\n");
    for (const KernelLaunch &launch : alternative.launches)
      result += asText(launch);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

static auto valuesOf(const TensorMap &map) {
  return std::tie(map.base, map.type, map.dims, map.strides, map.lower,
                  map.upper, map.steps, map.box, map.swizzle);
}
bool TensorMap::operator==(const TensorMap &other) const {
  return valuesOf(*this) == valuesOf(other);
}

bool LaunchParam::operator==(const LaunchParam &other) const {
  return kind == other.kind && value == other.value && map == other.map;
}

bool KernelLaunch::operator==(const KernelLaunch &other) const {
  auto same = [](const PlanFormula(&one)[3], const PlanFormula(&two)[3]) {
    return std::equal(one, one + 3, two);
  };
  return entry == other.entry && same(grid, other.grid) &&
         same(block, other.block) && same(cluster, other.cluster) &&
         sharedBytes == other.sharedBytes &&
         programmatic == other.programmatic && params == other.params;
}

bool PlanDecision::operator==(const PlanDecision &other) const {
  return name == other.name && value == other.value;
}

static auto valuesOf(const PlanAlternative &alternative) {
  return std::tie(alternative.guard, alternative.extent, alternative.max,
                  alternative.decisions, alternative.workspaceBytes,
                  alternative.workspaceZeroed, alternative.launches);
}
bool PlanAlternative::operator==(const PlanAlternative &other) const {
  return valuesOf(*this) == valuesOf(other);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool LaunchPlan::isProgrammatic() const {
  for (const PlanAlternative &alternative : alternatives)
    for (const KernelLaunch &launch : alternative.launches)
      if (launch.programmatic)
        return true;
  return false;
}

bool LaunchPlan::stripProgrammatic() {
  bool found = isProgrammatic();
  for (PlanAlternative &alternative : alternatives)
    for (KernelLaunch &launch : alternative.launches)
      launch.programmatic = false;
  return found;
}
