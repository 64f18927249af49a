//===- Hone.h - The hone dialect --------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ side of Hone.td: the dialect, its attributes around the plain values
// of include/hone/Schedule, and `hone.matmul`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_HONE_H
#define HONE_DIALECTS_HONE_HONE_H

#include "hone/Schedule/Schedule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hone {
class EpilogueFunction; // hone/Schedule/EpilogueFunction.h

/// Letters of batch dimensions, outermost first. A matmul with fewer has the
/// first ones.
constexpr llvm::StringLiteral kBatchLetters = "bhij";
/// Those of the other dimensions.
constexpr llvm::StringLiteral kMatrixLetters = "mnk";

/// How a matrix lies in memory. The numbers are dimensions of its type; a
/// dimension of extent 1 counts as contiguous, and its stride says nothing.
struct MatrixLayout {
  unsigned inner; ///< elements along it are contiguous
  unsigned outer; ///< the other one; its stride is the leading dimension
  /// Largest power of two, at most 16, that divides the byte address of every
  /// row start as far as the type proves it.
  int64_t align;
};
} // namespace hone

#include "dialects/Hone/HoneDialect.h.inc"
#include "dialects/Hone/HoneEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Hone/HoneAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Hone/HoneOps.h.inc"

namespace hone {
/// The element type that `type` is, if it is one.
std::optional<ElementType> toElementType(mlir::Type type);

/// The layout of a matrix of tensor type (stored contiguously) or of memref
/// type, whose dimensions are `letters`; nothing if the type does not prove rows
/// or columns contiguous. Where both are, the better aligned is `inner`.
std::optional<MatrixLayout> layoutOf(mlir::ShapedType type,
                                     llvm::StringRef letters);
/// Letters of a matrix of this rank where nothing else is said: batches, then
/// `matrix`.
std::string usualLetters(size_t rank, llvm::StringRef matrix);
/// The order of a matrix that is stored in rows if the letters of `matrix` come
/// in this order.
MatrixOrder orderOf(llvm::StringRef letters, llvm::StringRef matrix);
/// `letters` with the batches first, as a matmul in memory has them.
std::string batchesFirst(llvm::StringRef letters);

/// The extent of dimensions that count together; `kDynamic` if not all are
/// known. Of those that no problem can have the least stands for all: their
/// product may be no number.
int64_t extentOfAll(llvm::ArrayRef<int64_t> sizes);

/// Whether all elements of a matrix whose last dimension is contiguous lie in
/// places of their own; nothing where extents or strides that decide it are
/// unknown.
std::optional<bool> hasDistinctElements(mlir::ShapedType type);

/// True if `op` may stand in an epilogue region: a scalar, pure arith or math
/// op that the lowerings know. `why` gets the reason otherwise.
bool isEpilogueOp(mlir::Operation *op, std::string *why = nullptr);
} // namespace hone

#endif // HONE_DIALECTS_HONE_HONE_H
