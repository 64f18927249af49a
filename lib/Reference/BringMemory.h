//===- BringMemory.h - Callers of functions that take memory ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With `results=destinations` and `workspace=argument` a function takes memory
// after its arguments. For calls with the arguments of the original program,
// each such function gets a caller with its name:
//
//   func @f(%a, %b) -> memref        allocates the result and the workspace,
//     call @f_emitted(%a, %b, ...)   in the memory that `hone.memory` names
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_REFERENCE_BRINGMEMORY_H
#define HONE_LIB_REFERENCE_BRINGMEMORY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace hone {

/// Fails if the size of a result is unknown.
llvm::Error bringMemory(mlir::ModuleOp emitted);

} // namespace hone

#endif // HONE_LIB_REFERENCE_BRINGMEMORY_H
