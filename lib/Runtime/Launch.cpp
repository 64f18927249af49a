//===- Launch.cpp - Implementation of honeLaunch --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch path of every matmul in a program. For small matmuls the host's
// time per launch is the time of the matmul, so from the second launch on it
// does the minimum: two driver calls, a few loads, some integer arithmetic on
// the stack. No lock, no allocation, no table.
//
//===----------------------------------------------------------------------===//

#include "CompiledPlan.h"
#include "Workspace.h"
#include <algorithm>

using namespace hone;

// Error paths are kept out of the functions that launch: they are most of the
// code and never run.
#define HONE_COLD __attribute__((cold, noinline))

HONE_COLD static int32_t failWide(const Formula &formula, int64_t value) {
  return fail(HONE_BAD_PLAN, "expected '" + formula.source.str() +
                                 "' to fit in 32 bits, but got " +
                                 std::to_string(value));
}

HONE_COLD static int32_t failGrid(const CompiledLaunch &launch,
                                  const char *what,
                                  const int64_t (&extents)[3]) {
  return fail(HONE_BAD_PLAN, "expected a " + std::string(what) + " for '" +
                                 launch.entry + "', but got " +
                                 std::to_string(extents[0]) + " x " +
                                 std::to_string(extents[1]) + " x " +
                                 std::to_string(extents[2]));
}

static int32_t evaluate(const Formula (&formulas)[3], const int64_t *values,
                        int64_t (&extents)[3], int64_t resident = 0) {
  for (int i = 0; i < 3; ++i)
    if (int32_t status = evaluate(formulas[i], values, extents[i], resident))
      return status;
  return HONE_OK;
}

/// True if the extents are at least 1 and their product at most `max`.
static bool isWithin(const int64_t (&extents)[3], int64_t max) {
  int64_t product = 1;
  for (int64_t extent : extents) {
    if (extent < 1 || extent > max)
      return false;
    product *= extent;
  }
  return product <= max;
}

namespace {

/// The parameters of one launch, packed for the driver.
class Params {
public:
  int32_t pack(const Driver &driver, const CompiledLaunch &launch,
               const int64_t *values) {
    cu::TensorMap *map = maps;
    int64_t *word = words;
    void **pointer = pointers;
    for (const CompiledParam &param : launch.params) {
      if (param.kind == LaunchParam::tensorMap) {
        if (int32_t status = encode(driver, *param.map, values, *map))
          return status;
        *pointer++ = map++;
        continue;
      }
      if (int32_t status = evaluate(param.value, values, *word))
        return status;
      // Kernels take signed extents and counts.
      if (param.kind == LaunchParam::i32 &&
          (*word < INT32_MIN || *word > INT32_MAX))
        return failWide(param.value, *word);
      // The driver reads 4 or 8 bytes; both start with the low ones.
      *pointer++ = word++;
    }
    return HONE_OK;
  }

  void **data() { return pointers; }

private:
  static int32_t encode(const Driver &driver, CompiledTensorMap &compiled,
                        const int64_t *values, cu::TensorMap &map) {
    TensorMapKey key;
    key.rank = compiled.shape.rank;
    key.pixels = compiled.shape.isWindow ? key.rank - 2 : 0;
    for (unsigned i = 0; i < key.size(); ++i) {
      int64_t word;
      if (int32_t status = evaluate(compiled.words[i], values, word))
        return status;
      key.words[i] = word;
    }
    return getTensorMap(driver, compiled.shape, key, compiled.cache, map);
  }

  // Only used entries are filled: clearing them all would take half of a
  // launch.
  cu::TensorMap maps[LaunchPlan::maxTensorMaps];
  int64_t words[LaunchPlan::maxParams];
  void *pointers[LaunchPlan::maxParams];
};

} // namespace

static int32_t evaluateConfig(const CompiledLaunch &launch,
                              const int64_t *values, int64_t resident,
                              cu::LaunchConfig &config, bool &isEmpty) {
  int64_t grid[3], block[3];
  if (int32_t status = evaluate(launch.grid, values, grid, resident))
    return status;
  isEmpty = grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
  if (grid[0] < 0 || grid[0] > INT32_MAX || grid[1] < 0 || grid[1] > 65535 ||
      grid[2] < 0 || grid[2] > 65535)
    return failGrid(launch, "grid of at most 2147483647 x 65535 x 65535", grid);
  if (int32_t status = evaluate(launch.block, values, block))
    return status;
  if (!isWithin(block, 1024))
    return failGrid(launch, "block of 1 to 1024 threads", block);
  for (int i = 0; i < 3; ++i) {
    config.grid[i] = grid[i];
    config.block[i] = block[i];
  }
  config.sharedMemBytes = launch.sharedBytes;
  return HONE_OK;
}

static int32_t addAttributes(const CompiledLaunch &launch,
                             const int64_t *values, cu::LaunchConfig &config) {
  config.numAttrs = 0;
  if (launch.hasCluster) {
    int64_t cluster[3];
    if (int32_t status = evaluate(launch.cluster, values, cluster))
      return status;
    if (!isWithin(cluster, 16))
      return failGrid(launch, "cluster of 1 to 16 blocks", cluster);
    cu::LaunchAttribute &attribute = config.attrs[config.numAttrs++];
    attribute = {};
    attribute.id = cu::CLUSTER_DIMENSION;
    for (int i = 0; i < 3; ++i)
      attribute.clusterDim[i] = cluster[i];
  }
  if (launch.programmatic) {
    cu::LaunchAttribute &attribute = config.attrs[config.numAttrs++];
    attribute = {};
    attribute.id = cu::PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.programmaticStreamSerializationAllowed = 1;
  }
  return HONE_OK;
}

static int32_t runLaunch(HoneKernel &kernel, const CompiledLaunch &launch,
                         const ContextFunctions &functions,
                         const int64_t *values, cu::Stream stream) {
  const Driver &driver = *kernel.driver;
  cu::LaunchAttribute attributes[2];
  cu::LaunchConfig config;
  config.stream = stream;
  config.attrs = attributes;
  ContextFunction &entry = functions.functions[launch.index];
  cu::Function function = entry.function.load(std::memory_order_acquire);
  int64_t resident = entry.resident.load(std::memory_order_relaxed);
  bool isEmpty;
  if (int32_t status =
          evaluateConfig(launch, values, resident, config, isEmpty))
    return status;
  if (isEmpty)
    return HONE_OK;
  if (__builtin_expect(!function, 0)) {
    if (int32_t status = loadFunction(kernel, launch, functions, function))
      return status;
    // Now that the function is loaded, the number of resident clusters is
    // available.
    resident = entry.resident.load(std::memory_order_relaxed);
    if (int32_t status =
            evaluateConfig(launch, values, resident, config, isEmpty))
      return status;
  }
  if (int32_t status = addAttributes(launch, values, config))
    return status;
  Params params;
  if (int32_t status = params.pack(driver, launch, values))
    return status;
  return check(
      driver, "cuLaunchKernelEx",
      driver.cuLaunchKernelEx(&config, function, params.data(), nullptr));
}

HONE_COLD static int32_t failWorkspace(int64_t bytes) {
  return fail(HONE_BAD_PLAN, "expected a workspace of 0 or more bytes, but "
                             "got " +
                                 std::to_string(bytes));
}

/// Appends the workspace to the arguments, for expressions that use it.
static int32_t addWorkspace(HoneKernel &kernel,
                            const CompiledAlternative &alternative,
                            const Place &place, const int64_t *args,
                            int64_t *values) {
  std::copy_n(args, kernel.args.size(), values);
  int64_t bytes;
  if (int32_t status = evaluate(alternative.workspaceBytes, args, bytes))
    return status;
  if (bytes < 0)
    return failWorkspace(bytes);
  cu::Address address = 0;
  if (bytes > 0)
    if (int32_t status =
            getWorkspace(place, bytes, alternative.workspaceZeroed, address))
      return status;
  values[kernel.args.size()] = address;
  return HONE_OK;
}

static int32_t runAlternative(HoneKernel &kernel,
                              const CompiledAlternative &alternative,
                              const Place &place, const int64_t *args) {
  int64_t withWorkspace[LaunchPlan::maxArgs + 1];
  const int64_t *values = args;
  if (alternative.hasWorkspace) {
    if (int32_t status =
            addWorkspace(kernel, alternative, place, args, withWorkspace))
      return status;
    values = withWorkspace;
  }
  const ContextFunctions &functions = findContext(kernel, place.context);
  for (const CompiledLaunch &launch : alternative.launches)
    if (int32_t status =
            runLaunch(kernel, launch, functions, values, place.stream))
      return status;
  return HONE_OK;
}

HONE_COLD static int32_t failGuards(const HoneKernel &kernel,
                                    const int64_t *args) {
  std::string text = "expected an alternative whose guard holds, but got none "
                     "of " +
                     std::to_string(kernel.alternatives.size()) + " for";
  for (size_t i = 0; i < kernel.args.size(); ++i)
    text += (i ? ", " : " ") + kernel.args[i] + " = " + std::to_string(args[i]);
  if (kernel.isFirstVersion)
    text += "; an older hone built this program, whose plans lack an "
            "alternative for some products of one row: build it again";
  return fail(HONE_BAD_PLAN, text);
}

HONE_COLD static int32_t failCount(const HoneKernel &kernel, int32_t count) {
  return fail(HONE_BAD_PLAN, "expected " + std::to_string(kernel.args.size()) +
                                 " arguments, but got " +
                                 std::to_string(count));
}

/// The first range whose bound admits the arguments: all bounds are of one
/// argument, in ascending order, and the last range may have none.
static std::vector<CompiledRange>::const_iterator
firstRange(const HoneKernel &kernel, const int64_t *args) {
  return std::partition_point(kernel.ranges.begin(), kernel.ranges.end(),
                              [&](const CompiledRange &range) {
                                // A plan without arguments has no bounds, and
                                // nothing to compare.
                                return range.max != INT64_MAX &&
                                       args[range.extent] > range.max;
                              });
}

static int32_t launch(HoneKernel &kernel, const int64_t *args, int32_t count) {
  if (size_t(count) != kernel.args.size())
    return failCount(kernel, count);
  Place place;
  place.driver = kernel.driver;
  place.stream = currentStream();
  if (int32_t status = currentContext(*kernel.driver, place.context))
    return status;
  // Alternatives are in the order of their ranges.
  auto range = firstRange(kernel, args);
  size_t end = kernel.alternatives.size();
  for (size_t at = range == kernel.ranges.end() ? end : range->begin; at < end;
       ++at) {
    const CompiledAlternative &alternative = kernel.alternatives[at];
    int64_t holds;
    if (int32_t status = evaluate(alternative.guard, args, holds))
      return status;
    if (holds)
      return runAlternative(kernel, alternative, place, args);
  }
  return failGuards(kernel, args);
}

/// Fills an empty slot. If several threads do so at once, all use the first
/// result.
HONE_COLD static int32_t fillSlot(HoneKernel **slot, const char *plan,
                                  HoneKernel *&kernel) {
  const Driver *driver = Driver::get();
  if (!driver)
    return failDriver();
  std::unique_ptr<HoneKernel> fresh;
  if (int32_t status = compilePlan(*driver, plan, fresh))
    return status;
  kernel = nullptr;
  if (__atomic_compare_exchange_n(slot, &kernel, fresh.get(), /*weak=*/false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    kernel = fresh.release();
  return HONE_OK;
}

int32_t honeLaunch(HoneKernel **slot, const char *plan, const int64_t *args,
                   int32_t count) {
  HoneKernel *kernel = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (__builtin_expect(!kernel, 0))
    if (int32_t status = fillSlot(slot, plan, kernel))
      return report(status);
  return report(launch(*kernel, args, count));
}

void honeRelease(HoneKernel **slot) {
  delete __atomic_exchange_n(slot, static_cast<HoneKernel *>(nullptr),
                             __ATOMIC_ACQ_REL);
}
