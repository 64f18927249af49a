//===- Guards.h - Memory of the host that is not there ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a call of a compiled function did not get memory of the host, in a
// variable of each thread (Guards.cpp).
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

/// Has functions return where they do not get memory.
void guardAllocations(mlir::ModuleOp lowered);

} // namespace hone

#endif // HONE_LIB_EXPORT_GUARDS_H
