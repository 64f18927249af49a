//===- Seeds.h - Faults planted in emitted programs -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launches of an emitted module: their arguments by name, their plans, and
// the surrounding calls. Each function makes one mistake that an emitter could
// make.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_UNIT_EMULATE_SEEDS_H
#define HONE_UNIT_EMULATE_SEEDS_H

#include "hone/Runtime/LaunchPlan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone::seeds {

class Emitted {
public:
  explicit Emitted(mlir::ModuleOp module) : module(module) {}

  /// Calls of a function of the runtime, in program order.
  std::vector<mlir::LLVM::CallOp> calls(llvm::StringRef name);
  template <typename Op>
  std::vector<Op> ops() {
    std::vector<Op> found;
    module.walk([&](Op op) { found.push_back(op); });
    return found;
  }

  //===--------------------------------------------------------------------===//
  // Launches, by number
  //===--------------------------------------------------------------------===//

  /// Changes the plan of a launch.
  void changePlan(size_t launch, llvm::function_ref<void(LaunchPlan &)> change);
  /// The op that stores an argument.
  mlir::LLVM::StoreOp argument(size_t launch, llvm::StringRef name);
  void setArgument(size_t launch, llvm::StringRef name, int64_t value);
  /// Adds to an argument.
  void moveArgument(size_t launch, llvm::StringRef name, int64_t by);
  /// Replaces one argument by another.
  void copyArgument(size_t launch, llvm::StringRef to, llvm::StringRef from);
  void swapArguments(size_t launch, llvm::StringRef one, llvm::StringRef other);
  /// Moves the first of two launches after the second.
  void swapLaunches(size_t first, size_t second);
  void eraseLaunch(size_t launch);

private:
  mlir::LLVM::GlobalOp planOf(size_t launch);
  LaunchPlan parse(size_t launch);

  mlir::ModuleOp module;
};

} // namespace hone::seeds

#endif // HONE_UNIT_EMULATE_SEEDS_H
