//===- LowerKernelLines.h - Lowering of lines of any alignment --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the lowerings of ops on lines that start anywhere. All of them move
// aligned words of 4 bytes and shift them where a line starts in the middle of
// one: a funnel shift of two adjacent words, by the offset of the line's start
// in bits. No branch depends on the start of a line. LineMap.h maps threads to
// parts of lines.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_LOWER_LOWERKERNELLINES_H
#define HONE_PASSES_LOWER_LOWERKERNELLINES_H

#include "dialects/Kernel/LineMap.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Lower/LowerKernel.h"

namespace hone {

/// The fields of a matrix.
struct Lines {
  Lines(KernelEmitter &emit, mlir::Value matrix)
      : start(emit.field(matrix, 0)), lines(emit.index(emit.field(matrix, 1))),
        width(emit.index(emit.field(matrix, 2))),
        stride(emit.field(matrix, 3)) {}

  mlir::Value start;
  IndexValue lines, width;
  mlir::Value stride;
};

/// The values that all of these lowerings compute for each thread.
class LineEmitter {
protected:
  LineEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : emit(builder, loc) {}

  /// The pointer to [`row`, `column`]. Strides may be negative, so it is not
  /// marked as free of overflow.
  mlir::Value pointerTo(const Lines &matrix, IndexValue row, IndexValue column,
                        mlir::Type element) {
    mlir::OpBuilder &b = emit.builder;
    mlir::Type i64 = b.getI64Type();
    mlir::Value line = mlir::arith::MulIOp::create(
        b, emit.loc, mlir::Value(row.to(i64)), matrix.stride);
    mlir::Value at = mlir::arith::AddIOp::create(b, emit.loc, line,
                                                 mlir::Value(column.to(i64)));
    return emit.element(matrix.start, at, element);
  }

  /// The offset of `pointer`, in bytes, in the aligned word of `of` bytes that
  /// contains it.
  IndexValue shiftOf(mlir::Value pointer, int64_t of = kernel::kWordBytes) {
    mlir::OpBuilder &b = emit.builder;
    mlir::Value address =
        mlir::LLVM::PtrToIntOp::create(b, emit.loc, b.getI64Type(), pointer);
    return emit.index(address).to(b.getI32Type()) % of;
  }

  /// The 4 bytes that start `shift` bytes after the beginning of `low`.
  mlir::Value funnel(mlir::Value low, mlir::Value high, IndexValue shift) {
    constexpr int64_t kByte = 8;
    return mlir::LLVM::FshrOp::create(emit.builder, emit.loc, high, low,
                                      mlir::Value(shift * kByte));
  }

  mlir::Value both(mlir::Value a, mlir::Value b) {
    return mlir::arith::AndIOp::create(emit.builder, emit.loc, a, b);
  }

  void storeIf(mlir::Value condition, mlir::Value value, mlir::Value pointer,
               int64_t align) {
    mlir::OpBuilder &b = emit.builder;
    auto branch = mlir::scf::IfOp::create(b, emit.loc, condition);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    mlir::LLVM::StoreOp::create(b, emit.loc, value, pointer, align);
  }

  KernelEmitter emit;
};

} // namespace hone

#endif // HONE_PASSES_LOWER_LOWERKERNELLINES_H
