//===- Support.h - Arch names and scalars -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arch that a pass option names, and conversions of scalars. Includes the
// remarks of dialects/Hone/Remarks.h, which most passes emit.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_SUPPORT_H
#define HONE_PASSES_SUPPORT_H

#include "dialects/Hone/Remarks.h"
#include "hone/Schedule/Arch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace hone {

/// The arch named `name`; `native` is the GPU in this machine.
llvm::Expected<Arch> resolveArchName(llvm::StringRef name);

/// The same for a pass option of `module`: errors are reported without a place.
std::optional<Arch> resolveArchOption(mlir::ModuleOp module,
                                      llvm::StringRef name);

/// The frame of passes that do nothing for the host: calls `run` with the GPU
/// that the option `name` names. Fails if the name is invalid, or if `run`
/// does.
mlir::LogicalResult
forGpu(mlir::ModuleOp module, llvm::StringRef name,
       llvm::function_ref<mlir::LogicalResult(const Arch &)> run);

/// The place that a message is about, as compilers and editors spell it:
/// "FILE:LINE:COLUMN: ", or "" if it is unknown.
std::string placePrefix(mlir::Location location);

/// Bytes from one element of this type to the next in a memref, as MLIR lowers
/// memrefs to LLVM: those of the integer with the next power of two of bits,
/// and no less than one. An i1 and an i4 take a byte each, an i24 four. Nothing
/// for types whose elements have no fixed place in memory.
std::optional<int64_t> bytesOfElement(mlir::Type type);

/// `value` converted to `type`, both floats or integers: extended or rounded,
/// integers as signed. A float is not converted to an integer.
mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::Type type);

} // namespace hone

#endif // HONE_PASSES_SUPPORT_H
