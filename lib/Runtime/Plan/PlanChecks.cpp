//===- PlanChecks.cpp - Validity of launch plans --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A valid plan is bounded, names only things that exist, and requests nothing
// that no GPU could do; values that depend on arguments are checked at the
// launch.
//
//===----------------------------------------------------------------------===//

#include "PlanChecks.h"
#include "../TensorMaps.h"
#include "../Text.h"
#include <algorithm>

using namespace hone;
using namespace hone::detail;

static std::string faultOfRange(int64_t number, int64_t min, int64_t max,
                                const std::string &text) {
  if (number >= min && number <= max)
    return {};
  return expected("a number from " + std::to_string(min) + " to " +
                      std::to_string(max),
                  text);
}

static std::string faultOfRange(int64_t number, int64_t min, int64_t max) {
  return faultOfRange(number, min, max, std::to_string(number));
}

static std::string faultOfKnown(const std::string &name,
                                const std::vector<std::string> &args) {
  bool isKnown = std::find(args.begin(), args.end(), name) != args.end();
  return isKnown ? std::string() : expected("the name of an argument", name);
}

std::string detail::faultOfCount(size_t count, size_t max, const char *what) {
  if (count <= max)
    return {};
  return "expected at most " + std::to_string(max) + " " + what +
         ", but got more";
}

std::string detail::faultOfLast(const std::vector<std::string> &args) {
  if (!isArgumentName(args.back()))
    return expected("the name of an argument", args.back());
  if (std::find(args.begin(), args.end() - 1, args.back()) != args.end() - 1)
    return expected("different names", args.back());
  return faultOfCount(args.size(), LaunchPlan::maxArgs, "arguments");
}

std::string detail::faultOfBound(const PlanAlternative &alternative,
                                 const PlanAlternative *before) {
  const std::string &extent = alternative.extent;
  if (before && before->extent.empty())
    return expected("bounded alternatives before those without a bound",
                    extent + " " + std::to_string(alternative.max));
  std::string fault =
      faultOfRange(alternative.max, before ? before->max : 0, INT32_MAX);
  if (fault.empty() && before && before->extent != extent)
    return expected("a bound of '" + before->extent + "'", extent);
  return fault;
}

std::string detail::faultOfEntry(const std::string &entry) {
  bool valid = !entry.empty() && !isDigit(entry.front());
  for (char c : entry)
    valid &= isLetter(c) || isDigit(c) || c == '$';
  return valid ? std::string() : expected("the name of an entry point", entry);
}

std::string detail::faultOfAsking(const PlanFormula &formula) {
  return formula.program().asksResident()
             ? expected("an expression without 'resident', which is for grids",
                        formula.str())
             : std::string();
}

std::string detail::faultOfDims(const PlanFormula (&dims)[3], int64_t max) {
  int64_t product = 1;
  for (const PlanFormula &dim : dims)
    if (!dim.number())
      return {};
  auto fault = [&](const std::string &what) {
    return expected(what, dims[0].str() + " ; " + dims[1].str() + " ; " +
                              dims[2].str());
  };
  for (const PlanFormula &dim : dims) {
    int64_t value = *dim.number(), largest = max ? max : INT32_MAX;
    if (value < (max ? 1 : 0) || value > largest)
      return fault("extents from " + std::string(max ? "1" : "0") + " to " +
                   std::to_string(largest));
    product = max ? product * value : 0;
  }
  return product <= max ? std::string()
                        : fault("extents with a product of at most " +
                                std::to_string(max));
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static std::string faultOfWindow(const TensorMap &map) {
  if (map.dims.size() < 3 || map.dims.size() > 5)
    return expected("3 to 5 dims of a window", std::to_string(map.dims.size()));
  size_t pixels = map.dims.size() - 2;
  int64_t max = int64_t(1) << (windowBits(pixels) - 1);
  for (const auto *list : {&map.lower, &map.upper, &map.steps}) {
    bool isSteps = list == &map.steps;
    for (const PlanFormula &item : *list)
      if (std::optional<int64_t> number = item.number())
        if (std::string fault = faultOfRange(
                *number, isSteps ? 1 : -max,
                isSteps ? int64_t(kMaxWindowStep) : max - 1, item.str());
            !fault.empty())
          return fault;
  }
  for (const auto *list : {&map.lower, &map.upper, &map.steps})
    if (list->size() != pixels)
      return expected("a number for each of " + std::to_string(pixels) +
                          " dimensions of pixels",
                      std::to_string(list->size()));
  return {};
}

std::string detail::faultOf(const TensorMap &map) {
  auto count = [](const auto &list) { return std::to_string(list.size()); };
  if (map.isWindow())
    if (std::string fault = faultOfWindow(map); !fault.empty())
      return fault;
  if (map.dims.empty() || map.dims.size() > 5)
    return expected("1 to 5 dims", count(map.dims));
  if (map.strides.size() + 1 != map.dims.size())
    return expected("one stride fewer than dims", count(map.strides));
  if (map.isWindow() && map.box.size() != 2)
    return expected("a box of channels and pixels", count(map.box));
  if (!map.isWindow() && map.box.size() != map.dims.size())
    return expected("a box of as many extents as dims", count(map.box));
  for (int64_t extent : map.box)
    if (std::string fault = faultOfRange(extent, 1, 256); !fault.empty())
      return fault;
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 &&
      map.swizzle != 128)
    return expected("a swizzle of 0, 32, 64 or 128 bytes",
                    std::to_string(map.swizzle));
  const MapElement *element = findMapElement(map.type);
  if (!element)
    return expected("'f16', 'bf16', 'f32', 'tf32', 'f8E4M3FN', 'f8E5M2', 'i8' "
                    "or 'i32'",
                    map.type);
  int64_t bytes = map.box.front() * element->bytes;
  if (bytes % 16 != 0)
    return expected("a box whose rows are a multiple of 16 bytes",
                    std::to_string(bytes));
  if (map.swizzle != 0 && bytes > map.swizzle)
    return expected("a box whose rows are no longer than the swizzle",
                    std::to_string(bytes));
  return {};
}

std::string detail::faultOfLast(const std::vector<LaunchParam> &params) {
  size_t maps = 0;
  for (const LaunchParam &param : params)
    maps += param.kind == LaunchParam::tensorMap;
  std::string fault =
      faultOfCount(params.size(), LaunchPlan::maxParams, "parameters");
  return fault.empty()
             ? faultOfCount(maps, LaunchPlan::maxTensorMaps, "tensor maps")
             : fault;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {
/// Keeps the first fault of a plan's parts.
class PlanCheck {
public:
  explicit PlanCheck(const LaunchPlan &plan) : plan(plan) {}

  std::string run() {
    std::vector<std::string> args;
    for (const std::string &arg : plan.args) {
      args.push_back(arg);
      check(faultOfLast(args));
    }
    if (plan.alternatives.empty())
      return expected("'alternative'", "");
    check(faultOfCount(plan.alternatives.size(), LaunchPlan::maxAlternatives,
                       "alternatives"));
    const PlanAlternative *before = nullptr;
    for (const PlanAlternative &alternative : plan.alternatives) {
      if (!alternative.extent.empty()) {
        check(faultOfKnown(alternative.extent, plan.args));
        check(faultOfBound(alternative, before));
      }
      checkAlternative(alternative);
      before = &alternative;
    }
    if (!before->extent.empty())
      check(expected("a last alternative without a bound",
                     "upto " + before->extent));
    return fault;
  }

private:
  void check(std::string found) {
    if (fault.empty())
      fault = std::move(found);
  }

  void checkFormula(const PlanFormula &formula, bool mayAsk = false) {
    Expression expression;
    check(formula.bind(names, expression));
    if (!mayAsk)
      check(faultOfAsking(formula));
  }

  void checkAlternative(const PlanAlternative &alternative) {
    names = plan.args;
    checkFormula(alternative.guard);
    check(faultOfCount(alternative.decisions.size(), LaunchPlan::maxDecisions,
                       "decisions"));
    for (const PlanDecision &decision : alternative.decisions) {
      check(faultOfKnown(decision.name, plan.args));
      check(faultOfRange(decision.value, 0, INT32_MAX));
    }
    if (!alternative.workspaceBytes.empty()) {
      checkFormula(alternative.workspaceBytes);
      names.push_back("ws");
    }
    if (alternative.launches.empty())
      check(expected("'launch'", ""));
    check(faultOfCount(alternative.launches.size(), LaunchPlan::maxLaunches,
                       "launches"));
    for (const KernelLaunch &launch : alternative.launches)
      checkLaunch(launch);
  }

  void checkLaunch(const KernelLaunch &launch) {
    check(faultOfEntry(launch.entry));
    check(faultOfRange(launch.sharedBytes, 0, kMaxSharedBytes));
    for (auto [dims, max] : {std::pair(&launch.grid, 0),
                             {&launch.block, 1024},
                             {&launch.cluster, 16}}) {
      for (const PlanFormula &dim : *dims)
        checkFormula(dim, /*mayAsk=*/!max);
      check(faultOfDims(*dims, max));
    }
    check(faultOfLast(launch.params));
    for (const LaunchParam &param : launch.params) {
      if (param.kind != LaunchParam::tensorMap) {
        checkFormula(param.value);
        continue;
      }
      checkFormula(param.map.base);
      for (const auto *list :
           {&param.map.dims, &param.map.strides, &param.map.lower,
            &param.map.upper, &param.map.steps})
        for (const PlanFormula &formula : *list)
          checkFormula(formula);
      check(faultOf(param.map));
    }
  }

  const LaunchPlan &plan;
  std::vector<std::string> names; ///< that formulas may use here
  std::string fault;
};
} // namespace

std::string LaunchPlan::fault() const { return PlanCheck(*this).run(); }
