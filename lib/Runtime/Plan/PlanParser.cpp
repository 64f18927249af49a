//===- PlanParser.cpp - Parser of launch plans ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan comes from a file, a string in a binary, or is written by hand: all of
// it is untrusted. A plan that this parser accepts is valid (PlanChecks.h).
//
//===----------------------------------------------------------------------===//

#include "../TensorMaps.h"
#include "PlanChecks.h"
#include "PlanReader.h"

using namespace hone;
using namespace hone::detail;

namespace {

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

  /// True if `found` is empty.
  bool holds(std::string found) {
    error = std::move(found);
    return error.empty();
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
      plan.args.emplace_back(name);
      if (!holds(faultOfLast(plan.args)))
        return false;
    }
    names = plan.args;
    return true;
  }

  bool parseAlternative() {
    alternative = &plan.alternatives.emplace_back();
    launch = nullptr;
    names = plan.args;
    return holds(faultOfCount(plan.alternatives.size(),
                              LaunchPlan::maxAlternatives, "alternatives")) &&
           parseExpression(line, alternative->guard);
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
    return takeArgument(alternative->extent) &&
           parseInteger(line, 0, INT32_MAX, alternative->max) &&
           holds(faultOfBound(*alternative, plan.alternatives.size() > 1
                                                ? alternative - 1
                                                : nullptr));
  }

  /// `group 8`
  bool parseDecision() {
    PlanDecision decision;
    if (!takeArgument(decision.name) ||
        !parseInteger(line, 0, INT32_MAX, decision.value))
      return false;
    for (const PlanDecision &other : alternative->decisions)
      if (other.name == decision.name)
        return failAgain("with " + decision.name, "alternative");
    alternative->decisions.push_back(std::move(decision));
    return holds(faultOfCount(alternative->decisions.size(),
                              LaunchPlan::maxDecisions, "decisions"));
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
    launch = &alternative->launches.emplace_back();
    launch->entry = line;
    seen = 0;
    if (!holds(faultOfCount(alternative->launches.size(),
                            LaunchPlan::maxLaunches, "launches")))
      return false;
    // Programs with such plans may pass the start of a buffer of booleans
    // instead of the address of a part of it.
    if (isFirstVersion && line.substr(0, kRestEntry.size()) == kRestEntry)
      return fail(quoted(kPlanVersion) +
                      " at the start of a plan of a kernel of the rest, "
                      "because older programs may pass it wrong addresses; "
                      "build this one again",
                  kFirstPlanVersion);
    return holds(faultOfEntry(launch->entry));
  }

  bool parseParam() {
    std::string_view kind = firstWord(line);
    constexpr std::string_view kinds[] = {"ptr", "i32", "i64", "f32",
                                          "tensormap"};
    for (unsigned i = 0; i < std::size(kinds); ++i) {
      if (kind != kinds[i])
        continue;
      line = trimmed(line.substr(kind.size()));
      LaunchParam &param = launch->params.emplace_back();
      param.kind = static_cast<LaunchParam::Kind>(i);
      if (!holds(faultOfLast(launch->params)))
        return false;
      return param.kind == LaunchParam::tensorMap
                 ? parseTensorMap(param.map)
                 : parseExpression(line, param.value);
    }
    return fail("'ptr', 'i32', 'i64', 'f32' or 'tensormap'", line);
  }

  bool parseTensorMap(TensorMap &map) {
    size_t colon = line.find(':');
    if (colon == line.npos)
      return fail("an address and ':'", line);
    if (!parseExpression(line.substr(0, colon), map.base))
      return false;
    line = trimmed(line.substr(colon + 1));
    map.type = firstWord(line);
    if (!findMapElement(map.type))
      return fail("'f16', 'bf16', 'f32', 'tf32', 'f8E4M3FN', 'f8E5M2', 'i8' or "
                  "'i32'",
                  line);
    takeWord(map.type);

    auto expressions = [&](std::vector<PlanFormula> &list) {
      return parseList([&, this](std::string_view item) {
        return parseExpression(item, list.emplace_back());
      });
    };
    if (!(takeWord("dims") || fail("'dims'", line)) || !expressions(map.dims) ||
        !(takeWord("strides") || fail("'strides'", line)) ||
        !expressions(map.strides) || !parseWindow(map, expressions) ||
        !(takeWord("box") || fail("'box'", line)) ||
        !parseList([&, this](std::string_view item) {
          return parseInteger(item, 0, INT32_MAX, map.box.emplace_back());
        }) ||
        !(takeWord("swizzle") || fail("'swizzle'", line)) ||
        !parseInteger(line, 0, 128, map.swizzle))
      return false;
    return holds(faultOf(map));
  }

  /// Parses `window (-1, -1) to (-1, -1) step (2, 2)`, if it is there.
  template <typename Parse>
  bool parseWindow(TensorMap &map, Parse expressions) {
    return !takeWord("window") ||
           (expressions(map.lower) && (takeWord("to") || fail("'to'", line)) &&
            expressions(map.upper) &&
            (takeWord("step") || fail("'step'", line)) &&
            expressions(map.steps) &&
            (map.isWindow() ||
             fail("a number for each dimension of pixels", "")));
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
