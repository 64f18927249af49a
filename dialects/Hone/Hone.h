//===- Hone.h - Dialect hone ------------------------------------*- C++ -*-===//
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

#include "hone/Schedule/Ranges.h"
#include "hone/Schedule/WholeKernel.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hone {
class EpilogueFunction; // hone/Schedule/EpilogueFunction.h

/// Letters of batch dimensions, outermost first. A matmul with fewer batches
/// uses the first ones.
constexpr llvm::StringLiteral kBatchLetters = "bhij";
/// The most dimensions that windows slide along.
constexpr unsigned kMaxSides = 2;
/// The largest number of a window: products of three fit 64 bits.
constexpr int64_t kMaxWindowNumber = 1 << 20;
/// Letters of the other dimensions.
constexpr llvm::StringLiteral kMatrixLetters = "mnk";

/// The layout of a matrix in memory. The numbers are dimensions of its type; a
/// dimension of extent 1 counts as contiguous with any stride.
struct MatrixLayout {
  unsigned inner; ///< elements along it are contiguous
  unsigned outer; ///< the other one; its stride is the leading dimension
  /// Largest power of two, at most 16, that divides the byte address of every
  /// row start, as proven by the type.
  int64_t align;
};
} // namespace hone

#include "hone/dialects/Hone/HoneDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "hone/dialects/Hone/HoneAttrs.h.inc"
#define GET_OP_CLASSES
#include "hone/dialects/Hone/HoneOps.h.inc"

namespace hone {
/// The ElementType of a sum, of C or of an epilogue's operand, if `type` is
/// one.
std::optional<ElementType> toElementType(mlir::Type type);
/// The ElementType of A and B, if `type` is one.
std::optional<ElementType> toFactorType(mlir::Type type);
/// The ElementType of any of these.
std::optional<ElementType> toAnyElementType(mlir::Type type);
/// The type of elements of `element`.
mlir::Type toType(mlir::MLIRContext *context, ElementType element);
/// The type in which kernels add products of `factor`: f32, or i32 for
/// integers.
mlir::Type accumulatorOf(mlir::Type factor);

/// The layout of a matrix of tensor type (stored contiguously) or of memref
/// type, whose dimensions are `letters`; nothing if the type does not prove
/// rows or columns contiguous. If both are, the better aligned one is `inner`.
std::optional<MatrixLayout> layoutOf(mlir::ShapedType type,
                                     llvm::StringRef letters);
/// The access to the windows of an image of this type: A of a matmul.
OperandAccess imageAccess(mlir::ShapedType type, WindowAttr window);
/// The alignment in bytes of every pixel of an image of this type, up to 16.
int64_t pixelAlignment(mlir::ShapedType type);
/// Default letters of a matrix of this rank: batches, then `matrix`.
std::string usualLetters(size_t rank, llvm::StringRef matrix);
/// The order of a matrix that is stored in rows if its letters are in the order
/// of `matrix`.
Order orderOf(llvm::StringRef letters, llvm::StringRef matrix);
/// `letters` with the batches first, as in a matmul in memory.
std::string batchesFirst(llvm::StringRef letters);

/// The product of extents; `kDynamic` if not all are known. If some are out of
/// a problem's range, the smallest of these is returned, because the product
/// might overflow.
int64_t extentOfAll(llvm::ArrayRef<int64_t> sizes);

/// True if no two elements of a matrix whose last dimension is contiguous share
/// an address; nothing if the extents or strides that decide this are unknown.
std::optional<bool> hasDistinctElements(mlir::ShapedType type);

/// True if `op` may occur in an epilogue region: a scalar, pure arith or math
/// op that the lowerings support. Otherwise `why` gets the reason.
bool isEpilogueOp(mlir::Operation *op, std::string *why = nullptr);
} // namespace hone

#endif // HONE_DIALECTS_HONE_HONE_H
