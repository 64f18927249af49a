//===- CheckPlan.cpp - Kernels of a check, and tables of results ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CheckPlan.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/CheckPlan.h"
#include "hone/Command/Options.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Space/Space.h"
#include "passes/Support.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

static llvm::Expected<std::vector<int64_t>> readExtents(StringRef text) {
  if (text == "awkward")
    return std::vector<int64_t>{1, 3, 17, 127, 129, 1000, 4097};
  return parseNumbers(text);
}

/// Every layout and every sensible pair of types, without those excluded by
/// options. The conversion of a sum to i8 is an epilogue (requantizedText).
static llvm::Expected<std::vector<CheckPlan::ProblemSchedules>>
readProblems(const CheckOptions &options) {
  auto wanted = [](StringRef list, StringRef name) {
    llvm::SmallVector<StringRef> parts;
    list.split(parts, ',');
    return list == "all" || llvm::is_contained(parts, name);
  };
  static constexpr StringRef kTypes[] = {"f16:f16",
                                         "f16:f32",
                                         "bf16:bf16",
                                         "bf16:f32",
                                         "tf32x3:f32",
                                         "tf32:f32",
                                         "f32:f32",
                                         "f8E4M3FN:f16",
                                         "f8E4M3FN:bf16",
                                         "f8E4M3FN:f32",
                                         "f8E5M2:f32",
                                         "i8:i32",
                                         "i8:i8",
                                         "f8E4M3FN/f8E5M2:f32",
                                         "f8E5M2/f8E4M3FN:bf16",
                                         "f8E4M3FN.short:f32",
                                         "f16/i8:f16",
                                         "bf16/f8E4M3FN:f32"};
  auto numbers = Numbers::parse(options.numbers);
  if (!numbers)
    return numbers.takeError();
  std::vector<CheckPlan::ProblemSchedules> problems;
  bool isLayout = false;
  for (StringRef types : kTypes)
    for (StringRef layout : {"nn", "nt", "tn", "tt"}) {
      Problem problem;
      llvm::cantFail(setTypes(problem, types));
      llvm::cantFail(setLayout(problem, layout));
      if (!wanted(options.layouts, layout))
        continue;
      isLayout = true;
      problem.numbers = *numbers;
      if (wanted(options.types, typesOf(problem)))
        problems.push_back({problem, {}});
    }
  if (problems.empty())
    return llvm::createStringError(
        isLayout
            ? formatv("expected types of {0}, but got '{1}'; use all",
                      llvm::join(llvm::ArrayRef(kTypes), ", "), options.types)
                  .str()
            : formatv("expected layouts of nn, nt, tn, tt, but got '{0}'; "
                      "use all",
                      options.layouts)
                  .str());
  return problems;
}

/// The kinds whose kernels are checked on a GPU, or the named one.
static llvm::Expected<std::vector<const Kind *>>
kindsOf(const CheckOptions &options) {
  std::vector<const Kind *> kinds;
  for (const Kind *kind : allKinds())
    if (kind->checkGrid &&
        (options.kind == "all" || options.kind == kind->name))
      kinds.push_back(kind);
  if (!kinds.empty())
    return kinds;
  if (auto schedule = makeSchedule(options.kind); !schedule)
    return schedule.takeError();
  return llvm::createStringError(
      formatv("expected a kind that runs on a GPU, but got '{0}'; use {1}",
              options.kind, allKinds().front()->name));
}

static constexpr StringRef kDrawn = "drawn:";

/// Schedules of the kinds at random: each form with the same probability.
static std::vector<Schedule> drawSchedules(const Problem &problem, Kinds kinds,
                                           const Arch &arch, size_t count) {
  constexpr int64_t kExtent = 4096, kAlign = 16; // all decisions are of use
  constexpr size_t kTries = 20;
  Problem sized = problem;
  sized.m = sized.n = sized.k = kExtent;
  sized.a.align = sized.b.align = sized.alignC = kAlign;
  Space space(sized, arch, Within(), kinds);
  Dice dice(/*seed=*/0);
  std::vector<Schedule> schedules;
  std::set<std::string> seen;
  for (size_t i = 0; i < kTries * count && schedules.size() < count; ++i)
    if (std::optional<Schedule> schedule = space.draw(dice))
      if (!check(*schedule, &problem, &arch) &&
          seen.insert(toString(*schedule)).second)
        schedules.push_back(*schedule);
  return schedules;
}

/// The schedules that the option names, apart from the defaults.
static llvm::Expected<std::vector<Schedule>>
readSchedules(StringRef text, Kinds kinds, const Arch &arch,
              const Problem &problem) {
  std::vector<Schedule> schedules;
  if (text == "all") {
    for (const Kind *kind : kinds)
      llvm::append_range(schedules, kind->checkGrid());
    return schedules;
  }
  if (text.consume_front(kDrawn)) {
    size_t count;
    if (text.getAsInteger(10, count) || !count)
      return llvm::createStringError(
          formatv("expected a number of schedules after '{0}', but got '{1}'; "
                  "use {0}100",
                  kDrawn, text));
    return drawSchedules(problem, kinds, arch, count);
  }
  for (StringRef each : llvm::split(text, ';')) {
    llvm::Expected<Schedule> schedule = parseSchedule(each.trim());
    if (!schedule)
      return schedule.takeError();
    schedules.push_back(*schedule);
  }
  return schedules;
}

/// The kinds' defaults for all problems; a layout may have its own.
static std::vector<Schedule>
defaultsOf(Kinds kinds, llvm::ArrayRef<CheckPlan::ProblemSchedules> problems,
           const Arch &arch) {
  std::vector<Schedule> schedules;
  std::set<std::string> seen;
  for (const Kind *kind : kinds)
    for (const CheckPlan::ProblemSchedules &each : problems) {
      Schedule schedule = kind->makeDefault(each.problem, arch);
      if (seen.insert(toString(schedule)).second)
        schedules.push_back(schedule);
    }
  return schedules;
}

static llvm::Error setSchedules(const CheckOptions &options, CheckPlan &plan) {
  auto kinds = kindsOf(options);
  if (!kinds)
    return kinds.takeError();
  if (options.schedules == "default") {
    std::vector<Schedule> all = defaultsOf(*kinds, plan.problems, plan.arch);
    for (CheckPlan::ProblemSchedules &each : plan.problems)
      each.schedules = all;
    return llvm::Error::success();
  }
  for (CheckPlan::ProblemSchedules &each : plan.problems)
    if (llvm::Error error =
            readSchedules(options.schedules, *kinds, plan.arch, each.problem)
                .moveInto(each.schedules))
      return error;
  return llvm::Error::success();
}

llvm::Error hone::setArch(const CheckOptions &options, const Arch &arch,
                          CheckPlan &plan) {
  plan.arch = arch;
  if (!plan.kernel.empty()) {
    llvm::Expected<KernelRequest> request = readKernelIr(plan.kernel);
    if (!request)
      return request.takeError();
    plan.problems = {{request->problem, {request->schedule}}};
    return llvm::Error::success();
  }
  return setSchedules(options, plan);
}

llvm::Expected<CheckPlan> hone::readCheckPlan(const CheckOptions &options) {
  if (auto kinds = kindsOf(options); !kinds)
    return kinds.takeError();
  auto shapes = readExtents(options.shapes);
  if (!shapes)
    return shapes.takeError();
  auto problems = readProblems(options);
  if (!problems)
    return problems.takeError();
  // Names are checked here; native is resolved once there is a device.
  llvm::Expected<Arch> arch = options.arch == "native"
                                  ? Arch::lookup("sm_80")
                                  : Arch::lookup(options.arch);
  if (!arch)
    return arch.takeError();
  CheckPlan plan = {*arch, *shapes, *problems, options.kernel,
                    size_t(options.repeat)};
  if (llvm::Error error = setArch(options, *arch, plan))
    return std::move(error);
  return plan;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

std::string hone::nameOfTypes(const CheckCase &one) {
  std::string types = typesOf(one.problem);
  auto [inputs, result] = StringRef(types).split(':');
  return formatv("{0} -> {1}", inputs, result);
}

Table hone::allCases(llvm::ArrayRef<CheckGroup> groups) {
  Table table({"types", "layout", "variant", "m", "n", "k", "batch", "pad",
               "shift", "schedule", "error", "wrong", "repeats", "different",
               "failure"});
  for (const CheckGroup &group : groups)
    for (const CheckCase &one : group.cases)
      table.addRow(
          {nameOfTypes(one), layoutOf(one.problem), group.variantOf(one).str(),
           std::to_string(one.shape.m), std::to_string(one.shape.n),
           std::to_string(one.shape.k), std::to_string(one.shape.batch),
           std::to_string(one.shape.pad), std::to_string(one.shape.shift),
           toString(one.schedule), formatv("{0:F4}", one.worst),
           std::to_string(one.wrong), std::to_string(one.repeats),
           std::to_string(one.different), one.failure});
  return table;
}

namespace {
struct Sum {
  size_t cases = 0, failures = 0;
  double worst = 0;
};
} // namespace

Table hone::summaryOf(llvm::ArrayRef<CheckGroup> groups) {
  std::vector<std::pair<std::string, Sum>> sums;
  auto add = [&](const std::string &name, const CheckCase &one) {
    auto found = llvm::find_if(
        sums, [&](const auto &entry) { return entry.first == name; });
    if (found == sums.end())
      found = sums.insert(sums.end(), {name, {}});
    ++found->second.cases;
    found->second.failures += !one.failure.empty();
    found->second.worst = std::max(found->second.worst, one.worst);
  };
  for (const CheckGroup &group : groups)
    for (const CheckCase &one : group.cases)
      add(nameOfTypes(one) + "  " + layoutOf(one.problem), one);
  for (const CheckGroup &group : groups)
    for (const CheckCase &one : group.cases)
      add(group.variantOf(one).str(), one);
  Table table({"kernels", "cases", "error", "failures"});
  for (const auto &[name, sum] : sums)
    table.addRow({name, std::to_string(sum.cases), formatv("{0:F3}", sum.worst),
                  std::to_string(sum.failures)});
  return table;
}

Table hone::repeatsOf(llvm::ArrayRef<CheckGroup> groups) {
  struct Repeats {
    std::set<std::string> schedules;
    size_t cases = 0, launches = 0, different = 0;
  };
  std::map<std::string, Repeats> kinds;
  for (const CheckGroup &group : groups)
    for (const CheckCase &one : group.cases) {
      if (!one.repeats)
        continue;
      Repeats &sum = kinds[one.schedule.kind().name.str()];
      sum.schedules.insert(toString(one.schedule));
      ++sum.cases;
      sum.launches += one.repeats;
      sum.different += one.different > 0;
    }
  Table table({"kind", "schedules", "cases", "launches", "other bits"});
  for (const auto &[kind, sum] : kinds)
    table.addRow({kind, std::to_string(sum.schedules.size()),
                  std::to_string(sum.cases), std::to_string(sum.launches),
                  std::to_string(sum.different)});
  return table;
}
