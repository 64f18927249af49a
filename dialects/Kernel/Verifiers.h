//===- Verifiers.h - Checks shared by the verifiers -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to dialects/Kernel: checks of places in memory, and of sums that move
// from the threads that multiplied to those that finish them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_VERIFIERS_H
#define HONE_DIALECTS_KERNEL_VERIFIERS_H

#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"

namespace hone::kernel {

/// A place in memory, in bytes, that must be a multiple of `align`.
inline mlir::LogicalResult verifyOffset(mlir::Operation *op, int64_t offset,
                                        int64_t align) {
  if (offset >= 0 && offset % align == 0)
    return mlir::success();
  return op->emitOpError("expected an offset that is a multiple of ")
         << align << " bytes, but got " << offset;
}

/// True for an element of slots: a factor for tensor cores, or a stored
/// element.
inline bool isSlotElement(mlir::Type element) {
  return toAnyElementType(element).has_value();
}
constexpr llvm::StringLiteral kSlotElements =
    "f16, bf16, f32, f8E4M3FN, f8E5M2, i8 or i32";

inline bool isShortFloat(mlir::Type element) {
  std::optional<ElementType> factor = toFactorType(element);
  return factor && hone::isShortFloat(*factor);
}

/// True for a factor of 8 bits.
inline bool isByte(mlir::Type element) {
  return element.isSignlessInteger(8) || isShortFloat(element);
}

/// True if tensor cores multiply one by the other without a conversion.
inline bool multiplyEachOther(mlir::Type a, mlir::Type b) {
  return a == b || (isShortFloat(a) && isShortFloat(b));
}

/// True if elements of 8 bits may become these of 16, which rounds none.
inline bool mayWiden(mlir::Type from, mlir::Type to) {
  std::optional<ElementType> narrow = toFactorType(from),
                             wide = toFactorType(to);
  return narrow && wide && isConverted(*wide, *narrow);
}

/// True for the type of a sum of products.
inline bool isSum(mlir::Type element) {
  return element.isF32() || element.isSignlessInteger(32);
}
inline llvm::StringRef nameOfSum(mlir::Type element) {
  return element.isInteger() ? "i32" : "f32";
}

/// The op must be in a role of groups of four warps.
inline mlir::LogicalResult verifyGroup(mlir::Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  if (role && !role.getOneThread() && role.getWarps() % 4 == 0)
    return mlir::success();
  return op->emitOpError("expected a role of groups of 4 warps around it");
}

/// Checks a tile of sums in memory.
inline mlir::LogicalResult
verifySumTile(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
              int64_t rows, int64_t cols) {
  constexpr int64_t kMax = 1024, kPiece = 16;
  for (int64_t extent : {rows, cols})
    if (extent < kPiece || extent > kMax || extent % kPiece)
      return emitError() << "expected extents that are multiples of " << kPiece
                         << " up to " << kMax << ", but got " << rows << " x "
                         << cols;
  return mlir::success();
}

/// Checks sums in the layout of products.
inline mlir::LogicalResult verifyPutSums(mlir::Operation *op, AccType acc) {
  if (isSum(acc.getElement()) && !acc.getRun())
    return mlir::success();
  return op->emitOpError(
             "expected an accumulator of f32 or i32 without runs, but got ")
         << acc;
}

/// Checks sums that are read: at most `rows` whole lines of `cols`, in runs.
inline mlir::LogicalResult verifyReadSums(mlir::Operation *op, AccType acc,
                                          int64_t rows, int64_t cols) {
  if (!isSum(acc.getElement()) || !acc.getRun())
    return op->emitOpError("expected a result of f32 or i32 in runs, but got ")
           << acc;
  if (acc.getRows() > rows || acc.getCols() != cols)
    return op->emitOpError("expected a result of at most ")
           << rows << " lines of " << cols << ", but got " << acc;
  return mlir::success();
}

} // namespace hone::kernel

#endif // HONE_DIALECTS_KERNEL_VERIFIERS_H
