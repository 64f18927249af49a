//===- MatmulKernel.h - A compiled matmul, ready to launch ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a problem without its extents to a kernel for any extents: its
// module (ProblemModule.h) goes through the passes from `hone-select-schedule`
// on, which produce PTX and a launch plan, and libhone_rt loads these as it
// does for a compiled program.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_MATMULKERNEL_H
#define HONE_MATMUL_MATMULKERNEL_H

#include "hone-c/Runtime.h"
#include "hone/Driver/Compile.h"
#include "hone/Matmul/Images.h"
#include "hone/Runtime/PlanArguments.h"
#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

/// The input of a kernel's compilation.
struct KernelRequest {
  /// The kernel that a build has for `problem`: for any extents (but those of
  /// windows), and for lines that are aligned like the problem's. If the kernel
  /// required 16 bytes, lines aligned to 4 or 8 bytes would run the sibling for
  /// any alignment, which is several times slower.
  static KernelRequest of(const Problem &problem, const Schedule &schedule) {
    return {problemOfKernel(problem), schedule};
  }

  Problem problem; ///< without extents, but with those of windows
  Schedule schedule;
  /// Also build kernels for operands that the schedule's does not support.
  bool fallback = true;
  /// A file with kernel IR to use instead of building `schedule`; empty: build.
  std::string kernelIr = {};
  /// With two batches, those of "bh" that B has; A and C have both. Empty if
  /// there are not two.
  std::string batchesB = {};
  /// The text of the whole kernel that `schedule` names, if any.
  std::string kernelText = {};
};

class MatmulKernel {
public:
  /// Compiles the kernel and loads the image into libhone_rt.
  static llvm::Expected<std::unique_ptr<MatmulKernel>>
  create(mlir::MLIRContext &context, const KernelRequest &request,
         llvm::StringRef arch);
  /// The same from an existing plan and image.
  static llvm::Expected<std::unique_ptr<MatmulKernel>>
  create(CompiledKernel kernel, llvm::StringMap<int64_t> knobs = {});
  /// This kernel with another plan; it must not outlive the first.
  std::unique_ptr<MatmulKernel> sibling(LaunchPlan plan) const;
  ~MatmulKernel();

  const LaunchPlan &plan() const { return launches; }
  /// The plan's arguments in its order. Without other run-time decisions those
  /// of the schedule it was compiled with are used.
  llvm::Expected<std::vector<int64_t>> order(PlanArguments arguments) const;
  /// Enqueues a launch on the thread's stream.
  llvm::Error launch(llvm::ArrayRef<int64_t> arguments);

private:
  MatmulKernel() = default;

  LaunchPlan launches;
  std::string planText;
  llvm::StringMap<int64_t> knobs;
  /// The bytes of the registered images: the runtime has no copy of them.
  std::vector<std::string> images;
  std::vector<void *> handles;
  HoneKernel *slot = nullptr;
};

/// Run-time decisions of a schedule, as arguments of a plan.
llvm::StringMap<int64_t> runTimeKnobs(const Schedule &schedule);

/// The problem and schedule that the launch in a file of kernel IR states.
llvm::Expected<KernelRequest> readKernelIr(llvm::StringRef path);
/// Compiles a kernel without loading it into libhone_rt. With `verdicts` its
/// barriers are proven first.
llvm::Expected<CompiledKernel>
compileMatmul(mlir::MLIRContext &context, const KernelRequest &request,
              llvm::StringRef arch, simulate::VerdictCache *verdicts = nullptr);

/// Compiles many kernels on all cores, in processes that may crash; `report` is
/// called for each that is done. They become machine code if there is a ptxas of
/// `cuda`, the driver's version (13000), and else the driver compiles each as it
/// is loaded.
llvm::Expected<std::vector<llvm::Expected<CompiledKernel>>>
compileAll(llvm::ArrayRef<KernelRequest> requests, const Arch &arch,
           int64_t cuda, llvm::function_ref<void()> report);

} // namespace hone

#endif // HONE_MATMUL_MATMULKERNEL_H
