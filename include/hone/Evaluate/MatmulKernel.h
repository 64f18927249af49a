//===- MatmulKernel.h - A compiled matmul, to launch ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a problem without its extents to something that can be launched with any:
// its module (ProblemModule.h) goes through the passes from
// `hone-select-schedule` on, and leaves PTX and a launch plan, which libhone_rt
// gets as it gets them from a compiled program.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_MATMULKERNEL_H
#define HONE_EVALUATE_MATMULKERNEL_H

#include "hone-c/Runtime.h"
#include "hone/Evaluate/Compile.h"
#include "hone/Runtime/PlanArguments.h"
#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

/// What a kernel is compiled from.
struct KernelRequest {
  Problem problem; ///< without extents
  Schedule schedule;
  /// Kernels for operands that the schedule's can not take, too.
  bool fallback = true;
  /// A file with the kernel IR that `schedule` would be built to; empty: build.
  std::string kernelIr = {};
  /// Of two batches, "bh", those that B has; A and C have both. Empty if there
  /// are not two.
  std::string batchesB = {};
};

class MatmulKernel {
public:
  /// Compiles what is asked for and hands the image to libhone_rt.
  static llvm::Expected<std::unique_ptr<MatmulKernel>>
  create(mlir::MLIRContext &context, const KernelRequest &request,
         llvm::StringRef arch);
  /// The same of a plan and an image that are there already.
  static llvm::Expected<std::unique_ptr<MatmulKernel>>
  create(CompiledKernel kernel, llvm::StringMap<int64_t> knobs = {});
  /// This kernel by another plan; it must not outlive the first.
  std::unique_ptr<MatmulKernel> sibling(LaunchPlan plan) const;
  ~MatmulKernel();

  const LaunchPlan &plan() const { return kernel.plan; }
  /// The plan's arguments in its order. Run-time knobs are those of the schedule
  /// it was compiled with where there are no others.
  llvm::Expected<std::vector<int64_t>> order(PlanArguments arguments) const;
  /// Puts a launch on the thread's stream.
  llvm::Error launch(llvm::ArrayRef<int64_t> arguments);

private:
  MatmulKernel() = default;

  CompiledKernel kernel;
  llvm::StringMap<int64_t> knobs;
  std::vector<void *> images;
  HoneKernel *slot = nullptr;
};

/// Run-time knobs of a schedule, as arguments of a plan.
llvm::StringMap<int64_t> runTimeKnobs(const Schedule &schedule);

/// What the launch in a file of kernel IR says it was built from.
llvm::Expected<KernelRequest> readKernelIr(llvm::StringRef path);
/// Compiles one, without handing it to libhone_rt. With `verdicts` its barriers
/// are proven first.
llvm::Expected<CompiledKernel>
compileMatmul(mlir::MLIRContext &context, const KernelRequest &request,
              llvm::StringRef arch, simulate::VerdictCache *verdicts = nullptr);

/// Compiles many kernels on all cores, in processes that may break down; `report`
/// hears of each that is done.
llvm::Expected<std::vector<llvm::Expected<CompiledKernel>>>
compileAll(llvm::ArrayRef<KernelRequest> requests, const Arch &arch,
           llvm::function_ref<void()> report);

} // namespace hone

#endif // HONE_EVALUATE_MATMULKERNEL_H
