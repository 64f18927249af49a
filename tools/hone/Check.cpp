//===- Check.cpp - hone check
//-----------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family's kernels against f64, on the GPU of this machine: every layout and
// type on every awkward shape, and a list of variants (batches, padded and
// shifted matrices, an initial value, epilogues) on a few. One compiled kernel
// serves all shapes.
//
//===----------------------------------------------------------------------===//

#include "CheckRunner.h"
#include "Commands.h"
#include "Options.h"
#include "Table.h"
#include "passes/Support.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct CheckOptions {
  std::string family = "mma_sync", arch = "native", shapes = "awkward";
  std::string types = "all", layouts = "all", schedules = "default", csv;
  bool json = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// What to check
//===----------------------------------------------------------------------===//

namespace {
struct Plan {
  Arch arch;
  std::vector<int64_t> extents;
  std::vector<MatmulSpec> specs; ///< one per layout and types
  std::vector<Schedule> schedules;
};
} // namespace

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

/// Tiles from small to large, few and many stages: each part of the builder is
/// met.
static std::vector<Schedule> gridOfSchedules() {
  std::vector<Schedule> schedules;
  for (std::array<int64_t, 3> tile : {std::array<int64_t, 3>{16, 16, 16},
                                      {32, 32, 64},
                                      {64, 64, 32},
                                      {64, 128, 64},
                                      {128, 64, 32},
                                      {128, 128, 32},
                                      {128, 256, 32},
                                      {16, 128, 128}})
    for (std::array<int64_t, 2> warps :
         {std::array<int64_t, 2>{1, 1}, {2, 2}, {1, 4}, {4, 1}, {2, 4}})
      for (int64_t stages : {2, 4}) {
        MmaSync knobs;
        knobs.tile = tile;
        knobs.warps = warps;
        knobs.stages = stages;
        knobs.group = stages == 2 ? 1 : 8;
        schedules.push_back(knobs);
      }
  return schedules;
}

static llvm::Expected<std::vector<Schedule>>
readSchedules(const CheckOptions &options, const Arch &arch) {
  if (options.schedules == "all")
    return gridOfSchedules();
  MatmulSpec spec;
  if (options.schedules == "default")
    return std::vector<Schedule>{defaultSchedule(spec.problem(), arch)};
  std::vector<Schedule> schedules;
  for (StringRef text : llvm::split(options.schedules, ';')) {
    llvm::Expected<Schedule> schedule = parseSchedule(text.trim());
    if (!schedule)
      return schedule.takeError();
    schedules.push_back(*schedule);
  }
  return schedules;
}

static llvm::Expected<Plan> readPlan(const CheckOptions &options) {
  if (options.family != MmaSync::name)
    return llvm::createStringError(
        formatv("expected a family that runs on a GPU, but got '{0}'; use {1}",
                options.family, MmaSync::name));
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
  auto schedules = readSchedules(options, *arch);
  if (!schedules)
    return schedules.takeError();
  return Plan{*arch, *shapes, *specs, *schedules};
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

namespace {
enum class Kind { plain, chain, epilogue };

struct Group {
  Kind kind = Kind::plain;
  std::vector<CheckCase> cases; ///< that share data and reference
};
} // namespace

/// One group for each input type: the specs of `plan`, changed by `change`.
static void addGroups(std::vector<Group> &groups, const Plan &plan, Kind kind,
                      const CheckShape &shape,
                      llvm::function_ref<void(MatmulSpec &)> change) {
  std::map<std::pair<ElementType, ElementType>, Group> byTypes;
  for (MatmulSpec spec : plan.specs) {
    change(spec);
    if (kind == Kind::chain && spec.in != spec.out)
      continue;
    // What is read from C depends on its type.
    ElementType shared = spec.init == Init::read ? spec.out : spec.in;
    Group &group = byTypes[{spec.in, shared}];
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

static void addVariants(std::vector<Group> &groups, const Plan &plan) {
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
      addGroups(groups, plan, Kind::plain, strided, same);
    for (int shared : {0, 1, 2})
      addGroups(groups, plan, Kind::plain, batch, [&](MatmulSpec &spec) {
        spec.batched = true;
        spec.sharedA = shared == 1;
        spec.sharedB = shared == 2;
      });
    addGroups(groups, plan, Kind::plain, shape,
              [](MatmulSpec &spec) { spec.init = Init::read; });
    for (Epilogue epilogue : {Epilogue::biasRelu, Epilogue::biasGeluErf,
                              Epilogue::biasGeluTanh, Epilogue::residual})
      addGroups(groups, plan, Kind::epilogue, shape,
                [&](MatmulSpec &spec) { spec.epilogue = epilogue; });
  }
}

static std::vector<Group> makeGroups(const Plan &plan) {
  std::vector<Group> groups;
  auto same = [](MatmulSpec &) {};
  for (int64_t m : plan.extents)
    for (int64_t n : plan.extents)
      for (int64_t k : plan.extents)
        addGroups(groups, plan, Kind::plain, {m, n, k}, same);
  for (int64_t extent : plan.extents)
    addGroups(groups, plan, Kind::chain, {extent, extent, extent}, same);
  addVariants(groups, plan);
  return groups;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Every kernel that the cases need, compiled once.
class Kernels {
public:
  void compile(std::vector<Group> &groups, const Arch &arch);

private:
  static std::string keyOf(const CheckCase &one) {
    return one.spec.moduleText() + toString(one.schedule);
  }
  std::map<std::string, size_t> index;
  std::vector<llvm::Expected<std::unique_ptr<MatmulKernel>>> kernels;
};
} // namespace

/// Drops cases whose schedule breaks a law; the others get their kernel, or a
/// failure.
void Kernels::compile(std::vector<Group> &groups, const Arch &arch) {
  std::vector<KernelRequest> requests;
  for (Group &group : groups) {
    llvm::erase_if(group.cases, [&](const CheckCase &one) {
      Problem problem = one.spec.problem();
      return check(one.schedule, &problem, &arch).has_value();
    });
    for (const CheckCase &one : group.cases)
      if (index.try_emplace(keyOf(one), requests.size()).second)
        requests.push_back({one.spec, one.schedule});
  }
  llvm::erase_if(groups,
                 [](const Group &group) { return group.cases.empty(); });

  Progress progress(requests.size());
  kernels = compileAll(requests, arch.name,
                       [&] { progress.step("compiling kernels"); });
  std::vector<std::string> failures(requests.size());
  for (auto [kernel, failure] : llvm::zip_equal(kernels, failures))
    if (!kernel)
      failure = llvm::toString(kernel.takeError());
  for (Group &group : groups)
    for (CheckCase &one : group.cases) {
      size_t i = index[keyOf(one)];
      one.failure = failures[i];
      if (failures[i].empty())
        one.kernel = kernels[i]->get();
    }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static StringRef variantOf(const Group &group, const CheckCase &one) {
  if (group.kind == Kind::chain)
    return "chain";
  if (one.spec.epilogue != Epilogue::none)
    return toString(one.spec.epilogue);
  if (one.spec.init == Init::read)
    return "init(read)";
  if (one.spec.batched)
    return one.spec.sharedA   ? "batch, one A"
           : one.spec.sharedB ? "batch, one B"
                              : "batch";
  if (one.shape.shift)
    return "shifted";
  return one.shape.pad ? "padded" : "plain";
}

static Table allCases(llvm::ArrayRef<Group> groups) {
  Table table({"types", "layout", "variant", "m", "n", "k", "batch", "pad",
               "shift", "schedule", "error", "wrong", "failure"});
  for (const Group &group : groups)
    for (const CheckCase &one : group.cases)
      table.addRow(
          {one.spec.types(), one.spec.layout(), variantOf(group, one).str(),
           std::to_string(one.shape.m), std::to_string(one.shape.n),
           std::to_string(one.shape.k), std::to_string(one.shape.batch),
           std::to_string(one.shape.pad), std::to_string(one.shape.shift),
           toString(one.schedule), formatv("{0:F4}", one.worst),
           std::to_string(one.wrong), one.failure});
  return table;
}

namespace {
struct Sum {
  size_t cases = 0, failures = 0;
  double worst = 0;
};
} // namespace

/// One row for each pair of types and each layout, and one for each variant.
static Table summary(llvm::ArrayRef<Group> groups) {
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
  for (const Group &group : groups)
    for (const CheckCase &one : group.cases)
      add(one.spec.types() + "  " + one.spec.layout(), one);
  for (const Group &group : groups)
    for (const CheckCase &one : group.cases)
      add(variantOf(group, one).str(), one);
  Table table({"kernels", "cases", "error", "failures"});
  for (const auto &[name, sum] : sums)
    table.addRow({name, std::to_string(sum.cases), formatv("{0:F3}", sum.worst),
                  std::to_string(sum.failures)});
  return table;
}

static size_t printFailures(llvm::ArrayRef<Group> groups) {
  constexpr size_t kMost = 20;
  size_t count = 0;
  for (const Group &group : groups)
    for (const CheckCase &one : group.cases) {
      if (one.failure.empty() || count++ >= kMost)
        continue;
      llvm::errs() << formatv("failed: {0} {1}, {2}, {3}, {4}: {5}\n",
                              one.spec.types(), one.spec.layout(),
                              variantOf(group, one), one.shape.str(),
                              toString(one.schedule), one.failure);
    }
  if (count > kMost)
    llvm::errs() << formatv("and {0} more failures\n", count - kMost);
  return count;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static void runGroup(CheckRunner &runner, Group &group) {
  std::vector<CheckCase *> ready;
  for (CheckCase &one : group.cases)
    if (one.kernel)
      ready.push_back(&one);
  if (ready.empty())
    return;
  if (group.kind == Kind::plain)
    return runner.runGroup(ready);
  for (CheckCase *one : ready)
    if (group.kind == Kind::chain)
      runner.runChain(*one);
    else
      runner.runEpilogue(*one);
}

static llvm::Error runAll(Device &device, CheckRunner &runner,
                          std::vector<Group> &groups) {
  Progress progress(groups.size());
  for (Group &group : groups) {
    progress.step(group.cases.front().spec.types() + ", " +
                  group.cases.front().shape.str());
    runGroup(runner, group);
    if (device.isLost())
      return llvm::createStringError(formatv(
          "expected the GPU to go on, but got a fault in {0}, {1}; "
          "later cases did not run: {2}",
          group.cases.front().spec.types(), group.cases.front().shape.str(),
          group.cases.front().failure));
  }
  return llvm::Error::success();
}

static llvm::Expected<int> checkFamily(const CheckOptions &options, Plan plan) {
  llvm::Expected<std::unique_ptr<Device>> device = Device::open();
  if (!device)
    return device.takeError();
  if (options.arch == "native") {
    llvm::Expected<Arch> arch = resolveArchName(options.arch);
    if (!arch)
      return arch.takeError();
    plan.arch = *arch;
    auto schedules = readSchedules(options, plan.arch);
    if (!schedules)
      return schedules.takeError();
    plan.schedules = *schedules;
  }
  auto runner = CheckRunner::create(
      **device, *std::max_element(plan.extents.begin(), plan.extents.end()));
  if (!runner)
    return runner.takeError();
  if (llvm::Error error = (*runner)->checkReference())
    return std::move(error);

  std::vector<Group> groups = makeGroups(plan);
  Kernels kernels;
  kernels.compile(groups, plan.arch);
  llvm::Error stopped = runAll(**device, **runner, groups);

  if (options.json)
    llvm::outs() << formatv("{0:2}\n", summary(groups).toJson());
  else
    summary(groups).print(llvm::outs());
  if (!options.csv.empty())
    if (llvm::Error error = writeCsv(allCases(groups), options.csv))
      stopped = llvm::joinErrors(std::move(stopped), std::move(error));
  size_t failures = printFailures(groups);
  if (stopped)
    return std::move(stopped);
  llvm::outs() << formatv("{0}: {1} failures on {2}\n",
                          failures ? "wrong" : "right", failures,
                          (*device)->getName());
  return failures ? kExitFailure : kExitSuccess;
}

int hone::checkCommand(llvm::ArrayRef<StringRef> args) {
  CheckOptions options;
  OptionList list("check [options]",
                  "Checks the kernels of a family on this machine's GPU "
                  "against f64: alone, in a burst\nand in a chain, with N(0,1) "
                  "and 0/1 data, guard bands around every buffer.");
  list.add("family", "NAME", options.family, "the family");
  list.add("arch", "NAME", options.arch, "what to compile for");
  list.add("shapes", "N,...", options.shapes,
           "extents that M, N and K take, or awkward");
  list.add("types", "A:C,...", options.types, "e.g. f16:f32");
  list.add("layouts", "LAYOUT,...", options.layouts, "of nn, nt, tn, tt");
  list.add("schedules", "TEXT;...", options.schedules,
           "default, all (a grid), or schedules");
  list.add("csv", "FILE", options.csv, "write every case there");
  list.add("json", options.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  llvm::Expected<Plan> plan = readPlan(options);
  if (!plan)
    return reportError(plan.takeError(), kExitUsage);
  llvm::Expected<int> status = checkFamily(options, *plan);
  return status ? *status : reportError(status.takeError());
}
