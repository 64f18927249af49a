//===- CheckPlan.cpp - What hone check checks -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every layout and pair of types on every awkward shape; variants (batches,
// padded and shifted matrices, an initial value, epilogues) on a few.
//
//===----------------------------------------------------------------------===//

#include "CheckPlan.h"
#include "Options.h"
#include "hone/Evaluate/Epilogue.h"
#include "hone/Schedule/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// What to check
//===----------------------------------------------------------------------===//

static llvm::Expected<std::vector<int64_t>> readShapes(StringRef text) {
  if (text == "awkward")
    return std::vector<int64_t>{1, 3, 17, 127, 129, 1000, 4097};
  return parseNumbers(text);
}

/// Every layout and every sensible pair of types, less those not asked for.
static llvm::Expected<std::vector<Problem>>
readProblems(const CheckOptions &options) {
  auto wanted = [](StringRef list, StringRef name) {
    llvm::SmallVector<StringRef> parts;
    list.split(parts, ',');
    return list == "all" || llvm::is_contained(parts, name);
  };
  std::vector<Problem> problems;
  for (auto [in, out] : {std::pair(ElementType::f16, ElementType::f16),
                         {ElementType::f16, ElementType::f32},
                         {ElementType::bf16, ElementType::bf16},
                         {ElementType::bf16, ElementType::f32}})
    for (StringRef layout : {"nn", "nt", "tn", "tt"}) {
      Problem problem;
      problem.a.type = problem.b.type = in;
      problem.c = out;
      llvm::cantFail(setLayout(problem, layout));
      if (wanted(options.types, typesOf(problem)) &&
          wanted(options.layouts, layout))
        problems.push_back(problem);
    }
  if (problems.empty())
    return llvm::createStringError(
        formatv("expected types of f16:f16, f16:f32, bf16:bf16, bf16:f32 and "
                "layouts of nn, nt, tn, tt, but got '{0}' and '{1}'; use all",
                options.types, options.layouts));
  return problems;
}

/// The kinds whose kernels are checked on a GPU, or the one that is named.
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

/// The kind's defaults for what is checked; a layout may have its own.
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
  // Names are checked here; native is asked for once there is a device.
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

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

/// One group for each input type: the problems of `plan`, changed by `change`.
static void addGroups(std::vector<CheckGroup> &groups, const CheckPlan &plan,
                      CheckGroup::Kind kind, const CheckShape &shape,
                      llvm::function_ref<void(Problem &)> change) {
  std::map<std::pair<ElementType, ElementType>, CheckGroup> byTypes;
  for (Problem problem : plan.problems) {
    change(problem);
    if (kind == CheckGroup::chain && problem.a.type != problem.c)
      continue;
    // What is read from C depends on its type.
    ElementType shared =
        problem.init == Init::read ? problem.c : problem.a.type;
    CheckGroup &group = byTypes[{problem.a.type, shared}];
    group.kind = kind;
    for (const Schedule &schedule : plan.schedules)
      group.cases.emplace_back(problem, shape, schedule);
  }
  for (auto &[types, group] : byTypes)
    if (!group.cases.empty())
      groups.push_back(std::move(group));
}

/// Shapes for everything that is not checked on all of them: none is a multiple
/// of all tiles, two are of none.
static constexpr std::array<int64_t, 3> kFewShapes[] = {
    {1, 1, 1},        {3, 17, 129},    {17, 129, 127},  {127, 1000, 17},
    {129, 127, 1000}, {1000, 129, 64}, {128, 128, 128}, {256, 384, 512}};

static void addVariants(std::vector<CheckGroup> &groups, CheckPlan plan) {
  // Each variant is a kernel of its own; grids of schedules would be
  // thousands.
  constexpr size_t kMostSchedules = 4;
  llvm::StringMap<size_t> counts;
  llvm::erase_if(plan.schedules, [&](const Schedule &schedule) {
    return ++counts[schedule.kind().name] > kMostSchedules;
  });
  auto same = [](Problem &) {};
  for (auto [m, n, k] : kFewShapes) {
    CheckShape shape = {m, n, k};
    CheckShape odd = shape, wide = shape, shifted = shape, batch = shape;
    odd.pad = 1;
    wide.pad = 8;
    shifted.pad = 16;
    shifted.shift = 1;
    batch.batch = 3;
    for (const CheckShape &strided : {odd, wide, shifted})
      addGroups(groups, plan, CheckGroup::plain, strided, same);
    for (int shared : {0, 1, 2})
      addGroups(groups, plan, CheckGroup::plain, batch, [&](Problem &problem) {
        problem.batch = kDynamic;
        problem.a.shared = shared == 1;
        problem.b.shared = shared == 2;
      });
    CheckShape heads = shape;
    heads.batch = 6;
    heads.heads = 3;
    for (const char *batchesB : {"bh", "b", "h"}) {
      heads.batchesB = batchesB;
      addGroups(groups, plan, CheckGroup::plain, heads,
                [](Problem &problem) { problem.batch = kDynamic; });
    }
    addGroups(groups, plan, CheckGroup::plain, shape,
              [](Problem &problem) { problem.init = Init::read; });
    for (Epilogue epilogue : {Epilogue::biasRelu, Epilogue::biasGeluErf,
                              Epilogue::biasGeluTanh, Epilogue::residual})
      addGroups(groups, plan, CheckGroup::epilogue, shape,
                [&](Problem &problem) {
                  problem.epilogue = canonicalText(epilogue, problem.c);
                });
  }
}

std::vector<CheckGroup> hone::makeGroups(const CheckPlan &plan) {
  std::vector<CheckGroup> groups;
  auto same = [](Problem &) {};
  for (int64_t m : plan.extents)
    for (int64_t n : plan.extents)
      for (int64_t k : plan.extents)
        addGroups(groups, plan, CheckGroup::plain, {m, n, k}, same);
  if (plan.repeats)
    return groups;
  for (int64_t extent : plan.extents)
    addGroups(groups, plan, CheckGroup::chain, {extent, extent, extent}, same);
  // Variants are other kernels than the one that is given.
  if (plan.kernel.empty())
    addVariants(groups, plan);
  return groups;
}

StringRef CheckGroup::variantOf(const CheckCase &one) const {
  if (kind == chain)
    return "chain";
  if (std::optional<Epilogue> epilogue = namedEpilogue(one.problem))
    return toString(*epilogue);
  if (one.problem.init == Init::read)
    return "init(read)";
  if (!one.shape.batchesB.empty())
    return one.shape.batchesB == "bh"  ? "two batches"
           : one.shape.batchesB == "b" ? "two batches, B of the outer"
                                       : "two batches, B of the inner";
  if (one.problem.batch)
    return one.problem.a.shared   ? "batch, one A"
           : one.problem.b.shared ? "batch, one B"
                                  : "batch";
  if (one.shape.shift)
    return "shifted";
  return one.shape.pad ? "padded" : "plain";
}
