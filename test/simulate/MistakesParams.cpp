//===- MistakesParams.cpp - Mistakes in a launch's parameters -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers, formulas and tensor maps of a plan, each with one fact changed.
//
//===----------------------------------------------------------------------===//

#include "MistakesPlan.h"

using namespace hone;
using namespace hone::simulate;
using namespace hone::test;
using llvm::formatv;
using llvm::StringRef;
using llvm::Twine;

/// A formula of the call's arguments, limited to a number beyond all trials.
void PlanMistakes::ofThresholds(const std::string &formula, size_t number,
                                Place place) {
  bool hasArgument = llvm::any_of(subject.plan.args, [&](StringRef name) {
    return name != "group" && StringRef(formula).contains(name);
  });
  bool isAddress = formula == "a" || formula == "b" || formula == "c" ||
                   (formula.size() == 2 && formula[0] == 'e');
  if (!hasArgument || isAddress || StringRef(formula).contains("ws"))
    return;
  for (const char *form :
       {"min({0}, 262144)", "({0}) % 1048576", "min({0}, 2147483647)",
        "({0}) / 524288 * 524288", "262144 - max(262144 - ({0}), 0)",
        "({0} + 3500000) % 1000000 - 500000", "({0}) * 1000001 % 1000000",
        "({0}) * (9000000000 / ({0} + 8999000000))"}) {
    std::string to = formatv(form, formula).str();
    addWrong("threshold", Twine(number) + " " + to,
             [=](KernelLaunch &launch) { place(launch) = to; });
  }
}

/// The distance of one operand instead of another's.
void PlanMistakes::ofOthers(const std::string &formula, size_t number,
                            Place place) {
  constexpr StringRef kNames[] = {"lda", "ldb", "ldc", "sa", "sb",
                                  "sc",  "e0m", "m",   "n",  "k"};
  for (StringRef name : kNames) {
    size_t at = formula.find(name);
    if (name.size() < 2 || at != 0 ||
        !llvm::is_contained(subject.plan.args, name))
      continue;
    for (StringRef other : kNames)
      if (other != name && llvm::is_contained(subject.plan.args, other)) {
        std::string to = (other + formula.substr(name.size())).str();
        addWrong("distance", Twine(number) + " " + to,
                 [=](KernelLaunch &launch) { place(launch) = to; });
      }
  }
}

void PlanMistakes::ofParam(const KernelLaunch &launch, size_t number) {
  const LaunchParam &param = launch.params[number];
  if (param.kind == LaunchParam::tensorMap)
    return ofMap(param.map, number);
  auto set = [&](const Twine &detail, std::string to) {
    addToLaunch("param", detail, [=](KernelLaunch &launch) {
      launch.params[number].value = to;
    });
  };
  // Tiles may be walked in any order.
  const std::string &value = param.value.str();
  if (value == "group")
    return;
  bool isPointer = param.kind == LaunchParam::ptr;
  ofThresholds(param.value.str(), number,
               [number](KernelLaunch &launch) -> auto & {
                 return launch.params[number].value;
               });
  for (int64_t by : {isPointer ? 2 : 1, isPointer ? 64 : -1})
    set(formatv("{0} {1} '{2}'", number, by, value),
        formatv("({0}) + ({1})", value, by));
  if (value == "m" || value == "n" || value == "k") {
    set(formatv("{0} '{1}' at most 100000", number, value),
        formatv("min({0}, 100000)", value));
    list.back().cannotBeRight = true;
  }
  for (size_t other = number + 1; other < launch.params.size(); ++other) {
    const LaunchParam &next = launch.params[other];
    if (next.kind != param.kind || next.value == param.value)
      continue;
    addToLaunch(
        "param", formatv("'{0}' and '{1}'", value, next.value.str()).str(),
        [=](KernelLaunch &launch) {
          std::swap(launch.params[number].value, launch.params[other].value);
        });
    break;
  }
}

void PlanMistakes::ofMap(const TensorMap &map, size_t number) {
  auto edit = [&](StringRef kind, const Twine &detail, bool cannotBeRight,
                  std::function<void(TensorMap &)> change) {
    addToLaunch(kind, Twine(number) + " " + detail, [=](KernelLaunch &launch) {
      change(launch.params[number].map);
    }).cannotBeRight = cannotBeRight;
  };
  for (size_t i = 0; i < map.box.size(); ++i) {
    edit("box", Twine(i) + " half", true, [i](TensorMap &map) {
      map.box[i] = std::max<int64_t>(map.box[i] / 2, 2);
    });
    edit("box", Twine(i) + " double", true,
         [i](TensorMap &map) { map.box[i] *= 2; });
    edit("box", Twine(i) + " + 8", true,
         [i](TensorMap &map) { map.box[i] += 8; });
  }
  for (int64_t swizzle : {0, 32, 64, 128})
    if (swizzle != map.swizzle)
      edit("swizzle", Twine(swizzle), true,
           [swizzle](TensorMap &map) { map.swizzle = swizzle; });
  for (size_t i = 0; i < map.dims.size(); ++i)
    for (int64_t by : {1, -1, 64})
      edit("extent", Twine(i) + " " + Twine(by), false, [=](TensorMap &map) {
        map.dims[i] = changed("max(1, {0} + ({1}))", map.dims[i], by);
      });
  for (size_t i = 0; i < 2; ++i)
    edit("extent", Twine(i) + " at most 100000", true, [=](TensorMap &map) {
      map.dims[i] = changed("min({0}, 100000)", map.dims[i]);
    });
  // The windows of a convolution.
  for (size_t i = 0; i < map.steps.size(); ++i) {
    for (int64_t by : {1, -1}) {
      edit("corner", formatv("{0} lower {1}", i, by), false,
           [=](TensorMap &map) {
             map.lower[i] = changed("({0}) + ({1})", map.lower[i], by);
           });
      edit("corner", formatv("{0} upper {1}", i, by), false,
           [=](TensorMap &map) {
             map.upper[i] = changed("({0}) + ({1})", map.upper[i], by);
           });
    }
    edit("corner", formatv("{0} step + 1", i), false, [=](TensorMap &map) {
      map.steps[i] = changed("({0}) + 1", map.steps[i]);
    });
    edit("corner", formatv("{0} step 1", i), false,
         [=](TensorMap &map) { map.steps[i] = "1"; });
  }
  if (map.steps.size() > 1)
    for (auto [name, list] : {std::pair("lower corners", &TensorMap::lower),
                              {"upper corners", &TensorMap::upper},
                              {"steps", &TensorMap::steps}})
      edit("corner", formatv("{0} swapped", name), false,
           [list = list](TensorMap &map) {
             std::swap((map.*list)[0], (map.*list)[1]);
           });
  edit("extent", "swapped", false,
       [](TensorMap &map) { std::swap(map.dims[0], map.dims[1]); });
  for (size_t i = 0; i < map.dims.size(); ++i)
    ofThresholds(map.dims[i].str(), number,
                 [=](KernelLaunch &launch) -> auto & {
                   return launch.params[number].map.dims[i];
                 });
  for (size_t i = 0; i < map.strides.size(); ++i)
    ofThresholds(map.strides[i].str(), number,
                 [=](KernelLaunch &launch) -> auto & {
                   return launch.params[number].map.strides[i];
                 });
  for (size_t i = 0; i < map.strides.size(); ++i)
    ofOthers(map.strides[i].str(), number, [=](KernelLaunch &launch) -> auto & {
      return launch.params[number].map.strides[i];
    });
  for (size_t i = 0; i < map.strides.size(); ++i)
    edit("stride", Twine(i) + " + 16", false, [=](TensorMap &map) {
      map.strides[i] = changed("({0}) + 16", map.strides[i]);
    });
  edit("base", "+ 16", false,
       [](TensorMap &map) { map.base = changed("({0}) + 16", map.base); });
  edit("type", "", true,
       [](TensorMap &map) { map.type = map.type == "f16" ? "bf16" : "f16"; });
}
