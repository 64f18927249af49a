//===- Guards.h - Memory that a program does not get ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory a call of a compiled function did not get, in a variable of each
// thread (Guards.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EXPORT_GUARDS_H
#define HONE_LIB_EXPORT_GUARDS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace hone {

enum class Lack : int32_t { none, device, host };

/// Adds the variable to a module in the LLVM dialect.
mlir::LLVM::GlobalOp addLack(mlir::ModuleOp lowered);
void storeLack(mlir::OpBuilder &builder, mlir::Location loc, Lack lack);
mlir::Value loadLack(mlir::OpBuilder &builder, mlir::Location loc);

/// Has functions return where they do not get memory.
void guardAllocations(mlir::ModuleOp lowered);

} // namespace hone

#endif // HONE_LIB_EXPORT_GUARDS_H
