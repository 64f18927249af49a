//===- CompiledPlan.h - A plan, ready to launch -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a slot holds. The plan's formulas are programs here, its tensor maps
// have their caches, and the functions it launches are remembered per context.
// Once a slot points here, launches only read it, except for what is atomic.
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

/// An expression and, for errors, how it was written.
struct Formula {
  Expression expression;
  std::string text;
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

  /// Bytes of the kernel's parameter.
  size_t size() const;
};

struct CompiledLaunch {
  std::string entry;
  unsigned index; ///< among all launches of the plan
  Formula grid[3], block[3], cluster[3];
  bool hasCluster, programmatic;
  bool asksResident; ///< its grid asks how many of its clusters fit
  int32_t sharedBytes;
  std::vector<CompiledParam> params;
};

struct CompiledAlternative {
  Formula guard;
  bool hasWorkspace, workspaceZeroed;
  Formula workspaceBytes;
  std::vector<CompiledLaunch> launches;
};

/// Alternatives of one bound, from `begin` to the next one's: they are passed
/// over together, and of many bounds the launch reads a few.
struct CompiledRange {
  /// The argument that is compared, and its bound: the largest number, for
  /// none.
  size_t extent = 0;
  int64_t most = INT64_MAX;
  size_t begin = 0;
};

/// A launch in one context.
struct ContextFunction {
  std::atomic<cu::Function> function; ///< null until its first time
  /// Clusters that the device holds at once, if the grid asks; 0 if that
  /// depends on the call. Written before the function.
  std::atomic<int32_t> resident;
};

/// The launches of a plan in one context, by their indices.
struct ContextFunctions {
  cu::Context context;
  /// Of when they were found (imageEpoch).
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
  /// Its last alternative may have a guard that one row does not meet.
  bool isFirstVersion = false;

  /// A list, newest first, that only grows: few programs use two contexts.
  std::atomic<hone::ContextFunctions *> contexts{nullptr};
  std::mutex mutex; ///< for what happens once per context

  ~HoneKernel();
};

namespace hone {

/// `plan` as it stands in the program, parsed and compiled.
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

/// Loads the function of `launch` and notes it in `functions`.
int32_t loadFunction(HoneKernel &kernel, const CompiledLaunch &launch,
                     const ContextFunctions &functions, cu::Function &function);

} // namespace hone

#endif // HONE_LIB_RUNTIME_COMPILEDPLAN_H
