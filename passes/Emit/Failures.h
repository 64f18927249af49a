//===- Failures.h - Handling of failed calls in host code -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last part of hone-emit (`on-error`). A check follows each launch, copy,
// wait, allocation and other op of the gpu dialect. A call of libhone_rt
// returns its status:
//
//   %s = llvm.call @honeLaunch(...) : (...) -> i32
//   llvm.call @honeRequire(%s, %where) : (i32, !llvm.ptr) -> ()
//
// An op that becomes a function without a status is put between two calls. They
// compare the thread's number of failures before and after:
//
//   %m = llvm.call @honeFailureMark() : () -> i64
//   gpu.launch_func ...
//   %s = llvm.call @honeStatusSince(%m) : (i64) -> i32
//   llvm.call @honeRequire(%s, %where) : (i32, !llvm.ptr) -> ()
//
// on-error=abort: honeRequire ends the program if the status is not 0; `where`
// names the op and its function. Control flow stays as it is.
//
// on-error=return: there is no honeRequire. A branch on the status leaves the
// function: it frees all memory allocated by then, and returns
// zeros and null memrefs. Calls of functions that may leave in this way are
// put between a mark and a status, too. Control flow around a check is lowered
// to blocks, and parallel loops around one become sequential. The caller of the
// outermost function reads honeTakeStatus and honeLastError.
//
// on-error=handler: nothing is added, and statuses are dropped.
//
//   Checks.cpp      statuses, and their use
//   Exits.cpp       branches instead of honeRequire
//   ExitMemory.cpp  memory that an exit frees
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_EMIT_FAILURES_H
#define HONE_PASSES_EMIT_FAILURES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Passes.h"

namespace hone {

/// Adds the checks to the host functions of a module whose launches and copies
/// are emitted.
mlir::LogicalResult checkFailures(mlir::ModuleOp module, OnError onError);

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

/// True for the call of honeRequire.
bool isRequire(mlir::Operation *op);

/// Replaces each honeRequire of `function` with a branch to an exit.
mlir::LogicalResult addExits(mlir::func::FuncOp function);

/// Zero of a type that functions return, or a null memref; null if there is
/// none.
mlir::Value zeroOf(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Type type);

/// The memory that a function has allocated and not yet freed, in variables on
/// its stack. Build it when the function is a graph of blocks and has its
/// checks.
class ExitMemory {
public:
  explicit ExitMemory(mlir::func::FuncOp function);

  /// Adds the code that keeps the variables up to date.
  void track();
  /// Frees the memory in the variables.
  void free(mlir::OpBuilder &builder, mlir::Location loc);

private:
  /// An op that allocates memory which its function has to free.
  struct Site {
    mlir::Value memory;
    bool isOfDevice;
    mlir::Value held; ///< the variable, a memref<memref<...>>
  };

  void addSite(mlir::Value memory, bool isOfDevice);
  void declare(Site &site);
  void trackRelease(mlir::Operation *release, mlir::Value memory);

  mlir::func::FuncOp function;
  llvm::SmallVector<Site> sites;
};

} // namespace hone

#endif // HONE_PASSES_EMIT_FAILURES_H
