//===- MatmulKernel.h - A compiled matmul, to launch ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a description of a matmul without its extents to something that can be
// launched with any: the module is written as text, goes through the passes
// from `hone-select-schedule` on, and leaves PTX and a launch plan, which
// libhone_rt gets as it gets them from a compiled program.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_MATMULKERNEL_H
#define HONE_EVALUATE_MATMULKERNEL_H

#include "hone-c/Runtime.h"
#include "hone/Evaluate/Compile.h"
#include "hone/Evaluate/Epilogue.h"
#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/StringMap.h"
#include <array>

namespace hone {

/// A matmul whose extents and strides are arguments.
struct MatmulSpec {
  ElementType in = ElementType::f16, out = ElementType::f16;
  Order a = Order::row, b = Order::row;
  bool batched = false, sharedA = false, sharedB = false;
  Init init = Init::zero;
  Epilogue epilogue = Epilogue::none;
  /// Kernels for operands that the schedule's can not take, too.
  bool fallback = true;

  /// "nn", "nt", "tn" or "tt", as BLAS has it.
  std::string layout() const;
  llvm::Error setLayout(llvm::StringRef text);
  /// "f16:f32", of the inputs and of the result.
  llvm::Error setTypes(llvm::StringRef text);
  /// "f16 -> f32"
  std::string types() const;
  /// The problem for extents, to ask laws and defaults with.
  Problem problem(int64_t m = kDynamic, int64_t n = kDynamic,
                  int64_t k = kDynamic) const;
  /// A module with one function of one `hone.matmul` on memrefs.
  std::string moduleText() const;
};

struct KernelRequest {
  MatmulSpec spec;
  Schedule schedule;
  /// A file with the kernel IR that `schedule` would be built to; empty: build.
  std::string kernelIr = {};
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
  /// The plan's arguments in its order, by name. Run-time knobs are those of
  /// the schedule it was compiled with where `named` has no others.
  llvm::Expected<std::vector<int64_t>>
  order(const llvm::StringMap<int64_t> &named) const;
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
/// Compiles many kernels on all cores; `report` hears of each that is done.
std::vector<llvm::Expected<std::unique_ptr<MatmulKernel>>>
compileAll(llvm::ArrayRef<KernelRequest> requests, llvm::StringRef arch,
           llvm::function_ref<void()> report);

} // namespace hone

#endif // HONE_EVALUATE_MATMULKERNEL_H
