//===- PlanParser.cpp - Parser of launch plans ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan comes from a file, a string in a binary, or is written by hand: all of
// it is untrusted. A plan that this parser accepts is bounded, names only
// things that exist, and requests nothing that no GPU could do; values that
// depend on arguments are checked at the launch.
//
//===----------------------------------------------------------------------===//

#include "PlanReader.h"
#include "TensorMaps.h"

using namespace hone;
using namespace hone::detail;

namespace {

constexpr int64_t kMaxSharedBytes = 1 << 20;

class PlanParser : PlanReader {
public:
  PlanParser(std::string_view text, LaunchPlan &plan)
      : PlanReader(text), plan(plan) {}

  std::string run() { return parseLines() ? std::string() : fault(); }

private:
  bool parseLines() {
    nextLine();
    isFirstVersion = line == kFirstPlanVersion;
    if (line != kPlanVersion && !isFirstVersion)
      return fail(quoted(kPlanVersion), line);
    nextLine();
    if (!takeWord("args"))
      return fail("'args'", line);
    if (!parseArgs())
      return false;
    while (nextLine())
      if (!parseLine())
        return false;
    if (!launch)
      return fail(alternative ? "'launch'" : "'alternative'", "");
    if (!alternative->extent.empty())
      return fail("a last alternative without a bound",
                  "upto " + alternative->extent);
    return true;
  }

  bool parseLine() {
    std::string_view whole = line, keyword = firstWord(line);
    line = trimmed(line.substr(keyword.size()));
    if (keyword == "alternative")
      return alternative && !launch ? fail("'launch'", whole)
                                    : parseAlternative();
    if (!alternative)
      return fail("'alternative'", whole);
    if (keyword == "workspace" || keyword == "upto" || keyword == "with") {
      if (launch)
        return fail(quoted(keyword) + " before the first launch", whole);
      return keyword == "workspace" ? parseWorkspace()
             : keyword == "upto"    ? parseBound()
                                    : parseDecision();
    }
    if (keyword == "launch")
      return parseLaunch();
    if (!launch)
      return fail("'launch'", whole);
    if (keyword == "param")
      return parseParam();
    return parseFact(keyword, whole);
  }

  /// A line that may occur once per launch.
  bool parseFact(std::string_view keyword, std::string_view whole) {
    constexpr std::string_view facts[] = {"grid", "block", "cluster", "shared",
                                          "attribute"};
    for (unsigned i = 0; i < std::size(facts); ++i) {
      if (keyword != facts[i])
        continue;
      if (seen & (1u << i))
        return failAgain(keyword, "launch");
      seen |= 1u << i;
      switch (i) {
      case 0:
        return parseDims(launch->grid, 0);
      case 1:
        return parseDims(launch->block, 1024);
      case 2:
        return parseDims(launch->cluster, 16);
      case 3:
        return parseInteger(line, 0, kMaxSharedBytes, launch->sharedBytes);
      default:
        launch->programmatic = true;
        return line == "programmatic" || fail("'programmatic'", line);
      }
    }
    return fail("'grid', 'block', 'cluster', 'shared', 'attribute', 'param', "
                "'launch' or 'alternative'",
                whole);
  }

  //===--- One line each --------------------------------------------------===//

  bool parseArgs() {
    while (!line.empty()) {
      std::string_view name = line.substr(0, line.find_first_of(" \t"));
      line = trimmed(line.substr(name.size()));
      if (!isArgumentName(name))
        return fail("the name of an argument", name);
      for (const std::string &other : plan.args)
        if (other == name)
          return fail("different names", name);
      if (plan.args.size() == LaunchPlan::maxArgs)
        return failCount(LaunchPlan::maxArgs, "arguments");
      plan.args.emplace_back(name);
    }
    names = plan.args;
    return true;
  }

  bool parseAlternative() {
    if (plan.alternatives.size() == LaunchPlan::maxAlternatives)
      return failCount(LaunchPlan::maxAlternatives, "alternatives");
    alternative = &plan.alternatives.emplace_back();
    launch = nullptr;
    names = plan.args;
    return parseExpression(line, alternative->guard);
  }

  /// The next word of the line, which must name an argument.
  bool takeArgument(std::string &name) {
    name = firstWord(line);
    line = trimmed(line.substr(name.size()));
    for (const std::string &known : plan.args)
      if (known == name)
        return true;
    return fail("the name of an argument", name);
  }

  /// `m 64`: the same bound as the alternative before, or a larger one.
  bool parseBound() {
    if (!alternative->extent.empty())
      return failAgain("upto", "alternative");
    size_t number = plan.alternatives.size() - 1;
    const PlanAlternative *before =
        number ? &plan.alternatives[number - 1] : nullptr;
    if (before && before->extent.empty())
      return fail("bounded alternatives before those without a bound", line);
    if (!takeArgument(alternative->extent) ||
        !parseInteger(line, before ? before->max : 0, INT32_MAX,
                      alternative->max))
      return false;
    return !before || before->extent == alternative->extent ||
           fail("a bound of '" + before->extent + "'", alternative->extent);
  }

  /// `group 8`
  bool parseDecision() {
    if (alternative->decisions.size() == LaunchPlan::maxDecisions)
      return failCount(LaunchPlan::maxDecisions, "decisions");
    PlanDecision decision;
    if (!takeArgument(decision.name) ||
        !parseInteger(line, 0, INT32_MAX, decision.value))
      return false;
    for (const PlanDecision &other : alternative->decisions)
      if (other.name == decision.name)
        return failAgain("with " + decision.name, "alternative");
    alternative->decisions.push_back(std::move(decision));
    return true;
  }

  bool parseWorkspace() {
    if (!alternative->workspaceBytes.empty())
      return failAgain("workspace", "alternative");
    // `zero` is a keyword and no argument's name, so no expression ends in it.
    constexpr std::string_view zero = "zero";
    if (line.size() > zero.size() &&
        line.substr(line.size() - zero.size()) == zero &&
        isBlank(line[line.size() - zero.size() - 1])) {
      alternative->workspaceZeroed = true;
      line.remove_suffix(zero.size());
    }
    if (!parseExpression(line, alternative->workspaceBytes))
      return false;
    names.push_back("ws");
    return true;
  }

  bool parseLaunch() {
    if (alternative->launches.size() == LaunchPlan::maxLaunches)
      return failCount(LaunchPlan::maxLaunches, "launches");
    launch = &alternative->launches.emplace_back();
    launch->entry = line;
    seen = 0;
    // Programs with such plans may pass the start of a buffer of booleans
    // instead of the address of a part of it.
    if (isFirstVersion && line.substr(0, kRestEntry.size()) == kRestEntry)
      return fail(quoted(kPlanVersion) +
                      " at the start of a plan of a kernel of the rest, "
                      "because older programs may pass it wrong addresses; "
                      "build this one again",
                  kFirstPlanVersion);
    bool valid = !line.empty() && !isDigit(line.front());
    for (char c : line)
      valid &= isLetter(c) || isDigit(c) || c == '$';
    return valid || fail("the name of an entry point", line);
  }

  bool parseParam() {
    if (launch->params.size() == LaunchPlan::maxParams)
      return failCount(LaunchPlan::maxParams, "parameters");
    std::string_view kind = firstWord(line);
    constexpr std::string_view kinds[] = {"ptr", "i32", "i64", "f32",
                                          "tensormap"};
    for (unsigned i = 0; i < std::size(kinds); ++i) {
      if (kind != kinds[i])
        continue;
      line = trimmed(line.substr(kind.size()));
      LaunchParam &param = launch->params.emplace_back();
      param.kind = static_cast<LaunchParam::Kind>(i);
      return param.kind == LaunchParam::tensorMap
                 ? parseTensorMap(param.map)
                 : parseExpression(line, param.value);
    }
    return fail("'ptr', 'i32', 'i64', 'f32' or 'tensormap'", line);
  }

  bool parseTensorMap(TensorMap &map) {
    size_t maps = 0;
    for (const LaunchParam &param : launch->params)
      maps += param.kind == LaunchParam::tensorMap;
    if (maps > LaunchPlan::maxTensorMaps)
      return failCount(LaunchPlan::maxTensorMaps, "tensor maps");
    size_t colon = line.find(':');
    if (colon == line.npos)
      return fail("an address and ':'", line);
    if (!parseExpression(line.substr(0, colon), map.base))
      return false;
    line = trimmed(line.substr(colon + 1));
    map.type = firstWord(line);
    const MapElement *element = findMapElement(map.type);
    if (!element)
      return fail("'f16', 'bf16', 'f32', 'tf32', 'f8E4M3FN', 'f8E5M2', 'i8' or "
                  "'i32'",
                  line);
    takeWord(element->name);

    auto expressions = [&](std::vector<PlanFormula> &list) {
      return parseList([&, this](std::string_view item) {
        return parseExpression(item, list.emplace_back());
      });
    };
    if (!(takeWord("dims") || fail("'dims'", line)) || !expressions(map.dims) ||
        !(takeWord("strides") || fail("'strides'", line)) ||
        !expressions(map.strides) || !parseWindow(map) ||
        !(takeWord("box") || fail("'box'", line)) ||
        !parseList([&, this](std::string_view item) {
          return parseInteger(item, 1, 256, map.box.emplace_back());
        }) ||
        !(takeWord("swizzle") || fail("'swizzle'", line)) ||
        !parseInteger(line, 0, 128, map.swizzle))
      return false;
    return checkTensorMap(map, element->bytes);
  }

  /// Parses `window (-1, -1) to (-1, -1) step (2, 2)`, if it is there.
  bool parseWindow(TensorMap &map) {
    if (!takeWord("window"))
      return true;
    auto numbers = [&](std::vector<PlanFormula> &list, int64_t min,
                       int64_t max) {
      return parseList([&, this](std::string_view item) {
        int64_t value = min;
        if (!parseExpression(item, list.emplace_back()))
          return false;
        return !isKnown(list.back(), value) || (value >= min && value <= max) ||
               fail("a number from " + std::to_string(min) + " to " +
                        std::to_string(max),
                    item);
      });
    };
    if (map.dims.size() < 3 || map.dims.size() > 5)
      return fail("3 to 5 dims of a window", std::to_string(map.dims.size()));
    int64_t max = int64_t(1) << (windowBits(map.dims.size() - 2) - 1);
    if (!numbers(map.lower, -max, max - 1) ||
        !(takeWord("to") || fail("'to'", line)) ||
        !numbers(map.upper, -max, max - 1) ||
        !(takeWord("step") || fail("'step'", line)) ||
        !numbers(map.steps, 1, kMaxWindowStep))
      return false;
    for (const auto *list : {&map.lower, &map.upper, &map.steps})
      if (list->size() + 2 != map.dims.size())
        return fail("a number for each of " +
                        std::to_string(map.dims.size() - 2) +
                        " dimensions of pixels",
                    std::to_string(list->size()));
    return true;
  }

  /// Checks all that the driver's encoder would reject for any arguments.
  bool checkTensorMap(const TensorMap &map, int64_t elementBytes) {
    auto count = [](const auto &list) { return std::to_string(list.size()); };
    if (map.dims.empty() || map.dims.size() > 5)
      return fail("1 to 5 dims", count(map.dims));
    if (map.strides.size() + 1 != map.dims.size())
      return fail("one stride fewer than dims", count(map.strides));
    if (map.isWindow() && map.box.size() != 2)
      return fail("a box of channels and pixels", count(map.box));
    if (!map.isWindow() && map.box.size() != map.dims.size())
      return fail("a box of as many extents as dims", count(map.box));
    if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 &&
        map.swizzle != 128)
      return fail("a swizzle of 0, 32, 64 or 128 bytes",
                  std::to_string(map.swizzle));
    int64_t bytes = map.box.front() * elementBytes;
    if (bytes % 16 != 0)
      return fail("a box whose rows are a multiple of 16 bytes",
                  std::to_string(bytes));
    if (map.swizzle != 0 && bytes > map.swizzle)
      return fail("a box whose rows are no longer than the swizzle",
                  std::to_string(bytes));
    return true;
  }

  LaunchPlan &plan;
  PlanAlternative *alternative = nullptr;
  KernelLaunch *launch = nullptr;
  unsigned seen = 0; ///< facts of `launch`, one bit each
  bool isFirstVersion = false;
};

} // namespace

std::string LaunchPlan::parse(const char *text, LaunchPlan &plan) {
  if (!text)
    return "line 1: expected " + quoted(kPlanVersion) + ", but got nothing";
  plan = {};
  return PlanParser(text, plan).run();
}
