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
static llvm::Expected<std::vector<MatmulSpec>>
readSpecs(const CheckOptions &options) {
  auto wanted = [](StringRef list, StringRef name) {
    llvm::SmallVector<StringRef> parts;
    list.split(parts, ',');
    return list == "all" || llvm::is_contained(parts, name);
  };
  std::vector<MatmulSpec> specs;
  for (auto [in, out] : {std::pair(ElementType::f16, ElementType::f16),
                         {ElementType::f16, ElementType::f32},
                         {ElementType::bf16, ElementType::bf16},
                         {ElementType::bf16, ElementType::f32}})
    for (Order a : {Order::row, Order::col})
      for (Order b : {Order::row, Order::col}) {
        MatmulSpec spec;
        spec.in = in;
        spec.out = out;
        spec.a = a;
        spec.b = b;
        std::string types = formatv("{0}:{1}", toString(in), toString(out));
        if (wanted(options.types, types) &&
            wanted(options.layouts, spec.layout()))
          specs.push_back(spec);
      }
  if (specs.empty())
    return llvm::createStringError(
        formatv("expected types of f16:f16, f16:f32, bf16:bf16, bf16:f32 and "
                "layouts of nn, nt, tn, tt, but got '{0}' and '{1}'; use all",
                options.types, options.layouts));
  return specs;
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
static void addDefaults(const Kind &kind, llvm::ArrayRef<MatmulSpec> specs,
                        const Arch &arch, std::vector<Schedule> &schedules) {
  std::set<std::string> seen;
  for (const MatmulSpec &spec : specs) {
    Schedule schedule = kind.makeDefault(spec.problem(), arch);
    if (seen.insert(toString(schedule)).second)
      schedules.push_back(schedule);
  }
}

static llvm::Expected<std::vector<Schedule>>
readSchedules(const CheckOptions &options, llvm::ArrayRef<MatmulSpec> specs,
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
        addDefaults(*kind, specs, arch, schedules);
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
  auto specs = readSpecs(options);
  if (!specs)
    return specs.takeError();
  // Names are checked here; native is asked for once there is a device.
  llvm::Expected<Arch> arch = options.arch == "native"
                                  ? Arch::lookup("sm_80")
                                  : Arch::lookup(options.arch);
  if (!arch)
    return arch.takeError();
  CheckPlan plan = {*arch, *shapes,        *specs,
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
    plan.specs = {request->spec};
    plan.schedules = {request->schedule};
    return llvm::Error::success();
  }
  llvm::Expected<std::vector<Schedule>> schedules =
      readSchedules(options, plan.specs, arch);
  if (!schedules)
    return schedules.takeError();
  plan.schedules = std::move(*schedules);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

/// One group for each input type: the specs of `plan`, changed by `change`.
static void addGroups(std::vector<CheckGroup> &groups, const CheckPlan &plan,
                      CheckGroup::Kind kind, const CheckShape &shape,
                      llvm::function_ref<void(MatmulSpec &)> change) {
  std::map<std::pair<ElementType, ElementType>, CheckGroup> byTypes;
  for (MatmulSpec spec : plan.specs) {
    change(spec);
    if (kind == CheckGroup::chain && spec.in != spec.out)
      continue;
    // What is read from C depends on its type.
    ElementType shared = spec.init == Init::read ? spec.out : spec.in;
    CheckGroup &group = byTypes[{spec.in, shared}];
    group.kind = kind;
    for (const Schedule &schedule : plan.schedules)
      group.cases.emplace_back(spec, shape, schedule);
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
  auto same = [](MatmulSpec &) {};
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
      addGroups(groups, plan, CheckGroup::plain, batch, [&](MatmulSpec &spec) {
        spec.batched = true;
        spec.sharedA = shared == 1;
        spec.sharedB = shared == 2;
      });
    CheckShape heads = shape;
    heads.batch = 6;
    heads.heads = 3;
    for (const char *batchesB : {"bh", "b", "h"})
      addGroups(groups, plan, CheckGroup::plain, heads, [&](MatmulSpec &spec) {
        spec.batched = true;
        spec.batchesB = batchesB;
      });
    addGroups(groups, plan, CheckGroup::plain, shape,
              [](MatmulSpec &spec) { spec.init = Init::read; });
    for (Epilogue epilogue : {Epilogue::biasRelu, Epilogue::biasGeluErf,
                              Epilogue::biasGeluTanh, Epilogue::residual})
      addGroups(groups, plan, CheckGroup::epilogue, shape,
                [&](MatmulSpec &spec) { spec.epilogue = epilogue; });
  }
}

std::vector<CheckGroup> hone::makeGroups(const CheckPlan &plan) {
  std::vector<CheckGroup> groups;
  auto same = [](MatmulSpec &) {};
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
  if (one.spec.epilogue != Epilogue::none)
    return toString(one.spec.epilogue);
  if (one.spec.init == Init::read)
    return "init(read)";
  if (!one.spec.batchesB.empty())
    return one.spec.batchesB == "bh"  ? "two batches"
           : one.spec.batchesB == "b" ? "two batches, B of the outer"
                                      : "two batches, B of the inner";
  if (one.spec.batched)
    return one.spec.sharedA   ? "batch, one A"
           : one.spec.sharedB ? "batch, one B"
                              : "batch";
  if (one.shape.shift)
    return "shifted";
  return one.shape.pad ? "padded" : "plain";
}
