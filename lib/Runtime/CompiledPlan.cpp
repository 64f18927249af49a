//===- CompiledPlan.cpp - Launch plan in compiled form --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work at the first launch of a slot: parsing the plan. Work at the first
// launch in a context: finding its kernels and setting their attributes. All of
// it is slow, and all of it is done once.
//
//===----------------------------------------------------------------------===//

#include "CompiledPlan.h"
#include "Text.h"
#include <algorithm>

using namespace hone;

int32_t hone::failFormula(const Formula &formula, Expression::Fault fault) {
  return fail(HONE_BAD_PLAN, "expected '" + formula.source.str() +
                                 "' to have a value, but got " +
                                 (fault == Expression::Fault::overflow
                                      ? "an overflow"
                                      : "a division by zero"));
}

size_t CompiledParam::size() const {
  switch (kind) {
  case LaunchParam::i32:
  case LaunchParam::f32:
    return 4;
  case LaunchParam::tensorMap:
    return sizeof(cu::TensorMap);
  default:
    return 8;
  }
}

//===----------------------------------------------------------------------===//
// From text
//===----------------------------------------------------------------------===//

namespace {

/// The parser of plans has excluded every error that could occur here.
class Compiler {
public:
  Compiler(HoneKernel &kernel) : kernel(kernel) {}

  void run(const LaunchPlan &plan) {
    kernel.args = plan.args;
    for (const PlanAlternative &alternative : plan.alternatives) {
      addToRange(alternative);
      compile(alternative, kernel.alternatives.emplace_back());
    }
  }

private:
  /// Alternatives with the same bound share a range.
  void addToRange(const PlanAlternative &alternative) {
    size_t at = kernel.alternatives.size();
    CompiledRange range = {0, INT64_MAX, at};
    if (!alternative.extent.empty()) {
      range.extent = indexOf(alternative.extent);
      range.max = alternative.max;
    }
    if (kernel.ranges.empty() || kernel.ranges.back().max != range.max ||
        kernel.ranges.back().extent != range.extent)
      kernel.ranges.push_back(range);
  }

  Formula formula(const PlanFormula &source) const {
    Formula result;
    result.source = source;
    (void)source.bind(names, result.expression);
    for (const PlanDecision &decision : *decisions)
      result.expression.bind(indexOf(decision.name), decision.value);
    return result;
  }

  /// The index of an existing argument.
  size_t indexOf(const std::string &name) const {
    return std::find(kernel.args.begin(), kernel.args.end(), name) -
           kernel.args.begin();
  }

  void compile(const PlanAlternative &from, CompiledAlternative &to) {
    names = kernel.args;
    decisions = &from.decisions;
    to.guard = formula(from.guard);
    to.hasWorkspace = !from.workspaceBytes.empty();
    to.workspaceZeroed = from.workspaceZeroed;
    if (to.hasWorkspace) {
      to.workspaceBytes = formula(from.workspaceBytes);
      names.push_back("ws");
    }
    for (const KernelLaunch &launch : from.launches)
      compile(launch, to.launches.emplace_back());
  }

  void compile(const KernelLaunch &from, CompiledLaunch &to) {
    to.entry = from.entry;
    to.index = kernel.launchCount++;
    to.hasCluster = to.asksResident = false;
    for (int i = 0; i < 3; ++i) {
      to.grid[i] = formula(from.grid[i]);
      to.asksResident |= to.grid[i].expression.asksResident();
      to.block[i] = formula(from.block[i]);
      to.cluster[i] = formula(from.cluster[i]);
      to.hasCluster |= !from.cluster[i].isNumber(1);
    }
    to.programmatic = from.programmatic;
    to.sharedBytes = from.sharedBytes;
    for (const LaunchParam &param : from.params)
      compile(param, to.params.emplace_back());
  }

  void compile(const LaunchParam &from, CompiledParam &to) {
    to.kind = from.kind;
    if (from.kind != LaunchParam::tensorMap) {
      to.value = formula(from.value);
      return;
    }
    to.map = std::make_unique<CompiledTensorMap>();
    Formula *word = to.map->words;
    *word++ = formula(from.map.base);
    for (const PlanFormula &dim : from.map.dims)
      *word++ = formula(dim);
    for (const PlanFormula &stride : from.map.strides)
      *word++ = formula(stride);
    for (const auto *list : {&from.map.lower, &from.map.upper, &from.map.steps})
      for (const PlanFormula &number : *list)
        *word++ = formula(number);
    to.map->shape = shape(from.map);
  }

  static TensorMapShape shape(const TensorMap &map) {
    TensorMapShape result = {};
    result.type = findMapElement(map.type)->type;
    result.swizzle = map.swizzle == 128  ? cu::TENSOR_MAP_SWIZZLE_128B
                     : map.swizzle == 64 ? cu::TENSOR_MAP_SWIZZLE_64B
                     : map.swizzle == 32 ? cu::TENSOR_MAP_SWIZZLE_32B
                                         : cu::TENSOR_MAP_SWIZZLE_NONE;
    result.rank = map.dims.size();
    result.isWindow = map.isWindow();
    for (unsigned i = 0; i < map.box.size(); ++i)
      result.box[i] = map.box[i];
    return result;
  }

  HoneKernel &kernel;
  std::vector<std::string> names;
  const std::vector<PlanDecision> *decisions = nullptr; ///< of the alternative
};

} // namespace

int32_t hone::compilePlan(const Driver &driver, const char *text,
                          std::unique_ptr<HoneKernel> &kernel) {
  LaunchPlan plan;
  std::string error = LaunchPlan::parse(text, plan);
  if (!error.empty())
    return fail(HONE_BAD_PLAN, "launch plan, " + error);
  kernel = std::make_unique<HoneKernel>();
  kernel->driver = &driver;
  std::string_view start = detail::trimmed(text);
  kernel->isFirstVersion = start.substr(0, detail::kFirstPlanVersion.size()) ==
                           detail::kFirstPlanVersion;
  Compiler(*kernel).run(plan);
  return HONE_OK;
}

HoneKernel::~HoneKernel() {
  for (ContextFunctions *it = contexts.load(); it;) {
    ContextFunctions *next = it->next;
    delete it;
    it = next;
  }
}

//===----------------------------------------------------------------------===//
// Into a context
//===----------------------------------------------------------------------===//

const ContextFunctions &hone::addContext(HoneKernel &kernel,
                                         cu::Context context) {
  std::lock_guard<std::mutex> lock(kernel.mutex);
  uint64_t epoch = imageEpoch.load(std::memory_order_acquire);
  ContextFunctions *head = kernel.contexts.load(std::memory_order_relaxed);
  for (ContextFunctions *it = head; it; it = it->next) {
    if (it->context != context)
      continue;
    // An image was unregistered since, and any function may be from it: all are
    // looked up again. A concurrent launch of another function is not affected.
    if (it->epoch.load(std::memory_order_relaxed) != epoch)
      for (unsigned i = 0; i < kernel.launchCount; ++i)
        it->functions[i].function.store(nullptr, std::memory_order_relaxed);
    it->epoch.store(epoch, std::memory_order_release);
    return *it;
  }
  auto *fresh = new ContextFunctions();
  fresh->context = context;
  fresh->epoch.store(epoch, std::memory_order_relaxed);
  fresh->functions = std::make_unique<ContextFunction[]>(kernel.launchCount);
  fresh->next = head;
  kernel.contexts.store(fresh, std::memory_order_release);
  return *fresh;
}

/// A kernel with other parameters than the plan's would read beyond them.
/// Drivers before CUDA 12.4 cannot report parameters; then there is no check.
static int32_t checkParams(const Driver &driver, const CompiledLaunch &launch,
                           cu::Function function) {
  if (!driver.cuFuncGetParamInfo)
    return HONE_OK;
  for (size_t i = 0; i <= launch.params.size(); ++i) {
    size_t offset, size = 0;
    cu::Result error = driver.cuFuncGetParamInfo(function, i, &offset, &size);
    // The driver's error for an index past the last parameter.
    if (error && error != cu::ERROR_INVALID_VALUE)
      return failCall(driver, "cuFuncGetParamInfo", error);
    if (i == launch.params.size() ? error
                                  : !error && size == launch.params[i].size())
      continue;
    std::string number = std::to_string(i + 1);
    if (error)
      return fail(HONE_BAD_PLAN,
                  "expected '" + launch.entry + "' to have a parameter " +
                      number + ", but got fewer (" +
                      driver.describe("cuFuncGetParamInfo", error) + ")");
    return fail(HONE_BAD_PLAN,
                "expected a plan with a parameter " + number + " of " +
                    std::to_string(size) + " bytes for '" + launch.entry +
                    "', but got " +
                    (i == launch.params.size()
                         ? "none"
                         : std::to_string(launch.params[i].size())));
  }
  return HONE_OK;
}

/// The product of three formulas that need no arguments; 0 if they do.
static int64_t constantProduct(const Formula (&formulas)[3]) {
  int64_t product = 1;
  for (const Formula &formula : formulas) {
    int64_t extent;
    if (!formula.expression.isConstant() || evaluate(formula, nullptr, extent))
      return 0;
    product *= extent;
  }
  return product;
}

/// Clusters of up to 8 blocks run everywhere; larger ones need an attribute.
static bool mayExceedPortable(const CompiledLaunch &launch) {
  int64_t blocks = constantProduct(launch.cluster);
  return blocks == 0 || blocks > 8;
}

/// The processors of the current context: a green context has a part of the
/// device's.
static int32_t askProcessors(const Driver &driver, cu::Device device,
                             int32_t &processors) {
  cu::Context context = nullptr;
  if (int32_t status =
          check(driver, "cuCtxGetCurrent", driver.cuCtxGetCurrent(&context)))
    return status;
  cu::Resource resource = {};
  cu::Result error = driver.cuCtxGetDevResource
                         ? driver.cuCtxGetDevResource(context, &resource,
                                                      cu::Resource::PROCESSORS)
                         : cu::ERROR_NOT_SUPPORTED;
  if (error == cu::ERROR_NOT_SUPPORTED)
    return check(driver, "cuDeviceGetAttribute",
                 driver.cuDeviceGetAttribute(&processors,
                                             cu::MULTIPROCESSOR_COUNT, device));
  processors = static_cast<int32_t>(resource.processors);
  return check(driver, "cuCtxGetDevResource", error);
}

static int32_t askClusters(const Driver &driver, const CompiledLaunch &launch,
                           cu::Function function, int32_t &count) {
  cu::LaunchAttribute attribute = {};
  attribute.id = cu::CLUSTER_DIMENSION;
  cu::LaunchConfig config = {};
  for (int i = 0; i < 3; ++i) {
    int64_t extent[2];
    (void)evaluate(launch.cluster[i], nullptr, extent[0]);
    (void)evaluate(launch.block[i], nullptr, extent[1]);
    config.grid[i] = attribute.clusterDim[i] = extent[0];
    config.block[i] = extent[1];
  }
  config.sharedMemBytes = launch.sharedBytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return check(driver, "cuOccupancyMaxActiveClusters",
               driver.cuOccupancyMaxActiveClusters(&count, function, &config));
}

/// The number of the launch's clusters that the device holds at once. 0 if it
/// depends on the call: then the plan's number counts. Blocks may wait for each
/// other, so a driver error is reported instead of a guess.
static int32_t askResident(const Driver &driver, const CompiledLaunch &launch,
                           const LoadedKernel &loaded, int32_t &resident) {
  resident = 0;
  int64_t blocks = constantProduct(launch.cluster);
  int64_t threads = constantProduct(launch.block);
  if (blocks < 1 || blocks > 16 || threads < 1 || threads > 1024)
    return HONE_OK;
  int32_t each = 0, processors = 0, count = 0;
  if (int32_t status =
          check(driver, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &each, loaded.function, threads, launch.sharedBytes)))
    return status;
  if (int32_t status = askProcessors(driver, loaded.device, processors))
    return status;
  resident = each * processors;
  if (!launch.hasCluster)
    return HONE_OK;
  if (int32_t status = askClusters(driver, launch, loaded.function, count))
    return status;
  // The driver's answer may be for the device, of which the context has a part.
  resident = resident ? std::min<int32_t>(count, resident / blocks) : count;
  return HONE_OK;
}

static int32_t prepare(const Driver &driver, const CompiledLaunch &launch,
                       const LoadedKernel &loaded) {
  if (int32_t status = checkParams(driver, launch, loaded.function))
    return status;
  // Up to 48 KiB need no attribute.
  if (launch.sharedBytes > 48 * 1024)
    if (int32_t status = allowSharedBytes(driver, loaded.kernel, loaded.device,
                                          launch.sharedBytes))
      return status;
  if (!mayExceedPortable(launch))
    return HONE_OK;
  return check(
      driver, "cuKernelSetAttribute",
      driver.cuKernelSetAttribute(cu::NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1,
                                  loaded.kernel, loaded.device));
}

/// Finds the launch's function, sets its attributes and reads its facts once.
static int32_t findPrepared(const Driver &driver, const CompiledLaunch &launch,
                            LoadedKernel &loaded, int32_t &resident) {
  if (int32_t status = findFunction(driver, launch.entry, loaded))
    return status;
  if (int32_t status = prepare(driver, launch, loaded))
    return status;
  return launch.asksResident ? askResident(driver, launch, loaded, resident)
                             : HONE_OK;
}

int32_t hone::loadFunction(HoneKernel &kernel, const CompiledLaunch &launch,
                           const ContextFunctions &functions,
                           cu::Function &function) {
  std::lock_guard<std::mutex> lock(kernel.mutex);
  ContextFunction &entry = functions.functions[launch.index];
  function = entry.function.load(std::memory_order_relaxed);
  if (function)
    return HONE_OK; // another thread was faster
  const Driver &driver = *kernel.driver;
  LoadedKernel loaded;
  int32_t resident = 0;
  if (int32_t status = inRelaxedMode(driver, [&] {
        return findPrepared(driver, launch, loaded, resident);
      }))
    return status;
  entry.resident.store(resident, std::memory_order_relaxed);
  function = loaded.function;
  entry.function.store(function, std::memory_order_release);
  return HONE_OK;
}
