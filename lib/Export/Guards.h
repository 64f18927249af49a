//===- Guards.h - Checks for failed host allocations ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread-local variable that records whether a call of a compiled function
// failed to allocate memory of the host (Guards.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EXPORT_GUARDS_H
#define HONE_LIB_EXPORT_GUARDS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace hone {

enum class Lack : int32_t { none, host };

/// Adds the variable to a module in the LLVM dialect.
mlir::LLVM::GlobalOp addLack(mlir::ModuleOp lowered);
void storeLack(mlir::OpBuilder &builder, mlir::Location loc, Lack lack);
mlir::Value loadLack(mlir::OpBuilder &builder, mlir::Location loc);

/// Makes functions return when an allocation fails.
void guardAllocations(mlir::ModuleOp lowered);

} // namespace hone

#endif // HONE_LIB_EXPORT_GUARDS_H
