//===- CheckPlan.cpp - Plan of hone check ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CheckPlan.h.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Program/CheckPlan.h"
#include "hone/Schedule/Spelling.h"
#include "tools/hone/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Kernels to check
//===----------------------------------------------------------------------===//

static llvm::Expected<std::vector<int64_t>> readShapes(StringRef text) {
  if (text == "awkward")
    return std::vector<int64_t>{1, 3, 17, 127, 129, 1000, 4097};
  return parseNumbers(text);
}

/// Every layout and every sensible pair of types, without those excluded by
/// options. The conversion of a sum to i8 is an epilogue (requantizedText).
static llvm::Expected<std::vector<Problem>>
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
  std::vector<Problem> problems;
  bool isLayout = false;
  for (StringRef types : kTypes)
    for (StringRef layout : {"nn", "nt", "tn", "tt"}) {
      Problem problem;
      llvm::cantFail(setTypes(problem, types));
      llvm::cantFail(setLayout(problem, layout));
      if (!wanted(options.layouts, layout))
        continue;
      isLayout = true;
      if (wanted(options.types, typesOf(problem)))
        problems.push_back(problem);
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

/// Adds the kind's defaults for the problems; a layout may have its own.
static void addDefaults(const Kind &kind, llvm::ArrayRef<Problem> problems,
                        const Arch &arch, std::vector<Schedule> &schedules) {
  std::set<std::string> seen;
  for (const Problem &problem : problems) {
    Schedule schedule = kind.makeDefault(problem, arch);
    if (seen.insert(toString(schedule)).second)
      schedules.push_back(schedule);
  }
}

static llvm::Expected<std::vector<Schedule>>
readSchedules(const CheckOptions &options, llvm::ArrayRef<Problem> problems,
              const Arch &arch) {
  std::vector<Schedule> schedules;
  auto kinds = kindsOf(options);
  if (!kinds)
    return kinds.takeError();
  if (options.schedules == "all" || options.schedules == "default") {
    for (const Kind *kind : *kinds)
      if (options.schedules == "all")
        llvm::append_range(schedules, kind->checkGrid());
      else
        addDefaults(*kind, problems, arch, schedules);
    return schedules;
  }
  for (StringRef text : llvm::split(options.schedules, ';')) {
    llvm::Expected<Schedule> schedule = parseSchedule(text.trim());
    if (!schedule)
      return schedule.takeError();
    schedules.push_back(*schedule);
  }
  return schedules;
}

llvm::Expected<CheckPlan> hone::readPlan(const CheckOptions &options) {
  if (auto kinds = kindsOf(options); !kinds)
    return kinds.takeError();
  auto shapes = readShapes(options.shapes);
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
  CheckPlan plan = {*arch, *shapes,        *problems,
                    {},    options.kernel, size_t(options.repeat)};
  if (llvm::Error error = setArch(options, *arch, plan))
    return std::move(error);
  return plan;
}

llvm::Error hone::setArch(const CheckOptions &options, const Arch &arch,
                          CheckPlan &plan) {
  plan.arch = arch;
  if (!plan.kernel.empty()) {
    llvm::Expected<KernelRequest> request = readKernelIr(plan.kernel);
    if (!request)
      return request.takeError();
    plan.problems = {request->problem};
    plan.schedules = {request->schedule};
    return llvm::Error::success();
  }
  llvm::Expected<std::vector<Schedule>> schedules =
      readSchedules(options, plan.problems, arch);
  if (!schedules)
    return schedules.takeError();
  plan.schedules = std::move(*schedules);
  return llvm::Error::success();
}
