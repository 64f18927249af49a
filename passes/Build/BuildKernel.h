//===- BuildKernel.h - Interface of the kernel builders ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone-build-kernel` passes each scheduled matmul to the builder of its kind.
// A builder of a GPU kernel takes three steps, and this header has a class for
// each:
//
//   1. `KernelModule`  the gpu.module of the arch, and its existing kernels
//   2. `LaunchArgs`    the 64-bit values that the host passes: addresses,
//                      extents, strides, run-time decisions, by name
//                      (LaunchArgs.h)
//   3. `LaunchPlan`    (hone/Runtime) formulas for grids and parameters
//
// A kernel's name identifies its origin: kind, types, and a hash of
// the problem without its extents, the compile-time decisions and the
// epilogue's operands in order. Equal names mean equal kernels with equal
// parameters, within a module and across processes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUILD_BUILDKERNEL_H
#define HONE_PASSES_BUILD_BUILDKERNEL_H

#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Build/LaunchArgs.h"

namespace hone {

/// The gpu.module that holds the kernels for one arch, and for one purpose if
/// they must be loaded separately; created on first use.
class KernelModule {
public:
  KernelModule(mlir::ModuleOp module, const Arch &arch,
               llvm::StringRef purpose = "");

  /// For kernels with instructions of a later PTX version than most kernels:
  /// old drivers do not support it.
  void raise(llvm::StringRef features);
  /// A kernel of this name, or null.
  mlir::gpu::GPUFuncOp find(llvm::StringRef name);
  /// An empty kernel with these parameters and `threads` threads a block.
  mlir::gpu::GPUFuncOp create(mlir::Location loc, llvm::StringRef name,
                              mlir::TypeRange params, int64_t threads);
  /// Records `plan` under `name`, or under another name if a different plan has
  /// it. If two plans differ only in further alternatives at the end of one,
  /// the longer one serves both. An error if it exceeds the limits of plans.
  mlir::FailureOr<mlir::SymbolRefAttr>
  addPlan(mlir::Location loc, llvm::StringRef name, const LaunchPlan &plan);

private:
  mlir::gpu::GPUModuleOp op;
};

/// True if the elements of epilogue operand `index` along `dim` (m, n) are
/// adjacent for any extents: its kernel then needs no multiplication for each
/// element's address.
bool isSideBySide(MatmulOp op, int64_t index, char dim);

/// "hone_<kind>_<types>_<hash>" of the kernel for `op`, given its `problem`
/// (extents do not count) and the schedule's compile-time decisions. The
/// epilogue's text does not state the order and the layout of its operands, or
/// which of them are unused, so these count, too, as does the operand that is
/// `brought` by the copy engine.
std::string kernelName(MatmulOp op, const Problem &problem,
                       const Schedule &schedule, llvm::StringRef brought = "");

/// Puts loops on the host around a matmul with more than `max` batches, over
/// the outermost ones. Returns the matmul inside.
MatmulOp peelBatches(mlir::RewriterBase &rewriter, MatmulOp op, size_t max);

/// Replaces a matmul that reads rows of A through an index by one of a copy of
/// these rows, in memory that the host can reach (BuildGroups.cpp).
MatmulOp copyRows(mlir::RewriterBase &rewriter, MatmulOp op);

/// Replaces a matmul of ragged rows in memory that the host can reach by a loop
/// over its groups around a matmul of each one's rows (BuildGroups.cpp).
/// Returns the matmuls.
llvm::SmallVector<MatmulOp, 2> peelGroups(mlir::RewriterBase &rewriter,
                                          MatmulOp op);

/// The launches of a kernel and its siblings, without the arguments, which the
/// matmul determines.
struct KernelPlan {
  std::string name; ///< of the kernel that it prefers
  std::vector<PlanAlternative> alternatives;
};

/// Writes the kernels of one matmul for one schedule; one function per kind of
/// a GPU. Without `fallback`, operands that this kernel does not support get no
/// kernel.
using KernelBuilder = mlir::FailureOr<KernelPlan> (*)(KernelModule &module,
                                                      MatmulOp op,
                                                      const Schedule &schedule,
                                                      bool fallback);
mlir::FailureOr<KernelPlan> buildMmaSync(KernelModule &module, MatmulOp op,
                                         const Schedule &schedule,
                                         bool fallback);
mlir::FailureOr<KernelPlan> buildWarpSpecialized(KernelModule &module,
                                                 MatmulOp op,
                                                 const Schedule &schedule,
                                                 bool fallback);
/// The builder of a schedule's kind, or null.
KernelBuilder builderOf(const Schedule &schedule);

/// Joins the plans of a matmul's ranges, smallest first, and of the extents
/// above them (BuildRanges.cpp).
KernelPlan joinRanges(const RangedSchedule &schedules,
                      llvm::ArrayRef<KernelPlan> plans);

} // namespace hone

#endif // HONE_PASSES_BUILD_BUILDKERNEL_H
