//===- CompiledPlan.h - Launch plan in compiled form ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object in a slot. Here the plan's formulas are programs, its tensor maps
// have caches, and the functions it launches are stored per context. Once a
// slot points here, launches only read it, except for its atomic members.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_COMPILEDPLAN_H
#define HONE_LIB_RUNTIME_COMPILEDPLAN_H

#include "Images.h"
#include "TensorMaps.h"
#include "hone/Runtime/Expression.h"
#include "hone/Runtime/LaunchPlan.h"
#include <memory>

namespace hone {

/// A formula of the plan, for its arguments and the alternative's decisions.
struct Formula {
  Expression expression;
  PlanFormula source; ///< for errors
};

/// The value of `formula`, or HONE_BAD_PLAN.
int32_t failFormula(const Formula &formula, Expression::Fault fault);
inline int32_t evaluate(const Formula &formula, const int64_t *values,
                        int64_t &result, int64_t resident = 0) {
  Expression::Fault fault =
      formula.expression.evaluate(values, result, resident);
  return __builtin_expect(fault == Expression::Fault::none, 1)
             ? HONE_OK
             : failFormula(formula, fault);
}

struct CompiledTensorMap {
  Formula words[TensorMapKey::maxWords]; ///< as in TensorMapKey
  TensorMapShape shape;
  TensorMapCache cache;
};

struct CompiledParam {
  LaunchParam::Kind kind;
  Formula value;
  std::unique_ptr<CompiledTensorMap> map;

  /// The size in bytes of the kernel's parameter.
  size_t size() const;
};

struct CompiledLaunch {
  std::string entry;
  unsigned index; ///< among all launches of the plan
  Formula grid[3], block[3], cluster[3];
  bool hasCluster, programmatic;
  bool asksResident; ///< its grid uses the number of resident clusters
  int32_t sharedBytes;
  std::vector<CompiledParam> params;
};

struct CompiledAlternative {
  Formula guard;
  bool hasWorkspace, workspaceZeroed;
  Formula workspaceBytes;
  std::vector<CompiledLaunch> launches;
};

/// The alternatives of one bound, from `begin` to the next range's. They are
/// skipped together, so a launch compares only a few of many bounds.
struct CompiledRange {
  /// The argument to compare, and its bound; the maximum value stands for no
  /// bound.
  size_t extent = 0;
  int64_t max = INT64_MAX;
  size_t begin = 0;
};

/// A launch in one context.
struct ContextFunction {
  std::atomic<cu::Function> function; ///< null until the first launch
  /// The number of clusters that the device holds at once, if the grid uses it;
  /// 0 if it depends on the call. Written before the function.
  std::atomic<int32_t> resident;
};

/// The launches of a plan in one context, by their indices.
struct ContextFunctions {
  cu::Context context;
  /// The value of imageEpoch when they were found.
  std::atomic<uint64_t> epoch;
  std::unique_ptr<ContextFunction[]> functions;
  ContextFunctions *next;
};

} // namespace hone

struct HoneKernel {
  const hone::Driver *driver;
  std::vector<std::string> args;
  std::vector<hone::CompiledAlternative> alternatives;
  std::vector<hone::CompiledRange> ranges;
  unsigned launchCount = 0;
  /// Its last alternative may have a guard that fails for a single row.
  bool isFirstVersion = false;

  /// A list, newest first, that only grows: few programs use two contexts.
  std::atomic<hone::ContextFunctions *> contexts{nullptr};
  std::mutex mutex; ///< for the work per context

  ~HoneKernel();
};

namespace hone {

/// Parses and compiles `plan`, the text in the program.
int32_t compilePlan(const Driver &driver, const char *text,
                    std::unique_ptr<HoneKernel> &kernel);

/// The functions of `kernel` in the current context, which is `context`.
const ContextFunctions &addContext(HoneKernel &kernel, cu::Context context);
inline const ContextFunctions &findContext(HoneKernel &kernel,
                                           cu::Context context) {
  uint64_t epoch = imageEpoch.load(std::memory_order_acquire);
  for (const ContextFunctions *it =
           kernel.contexts.load(std::memory_order_acquire);
       it; it = it->next)
    if (it->context == context &&
        it->epoch.load(std::memory_order_acquire) == epoch)
      return *it;
  return addContext(kernel, context);
}

/// Loads the function of `launch` and stores it in `functions`.
int32_t loadFunction(HoneKernel &kernel, const CompiledLaunch &launch,
                     const ContextFunctions &functions, cu::Function &function);

} // namespace hone

#endif // HONE_LIB_RUNTIME_COMPILEDPLAN_H
