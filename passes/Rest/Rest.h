//===- Rest.h - What is not a matmul, on the GPU ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With `rest=gpu` the linalg ops that are left beside the matmuls become
// kernels, in three passes:
//
//   FuseRest.cpp     elementwise ops move into who reads them, on tensors
//   OutlineRest.cpp  what one kernel does becomes a private function that is
//                    marked `hone.rest`: one op, or several that share rows
//   BuildRest.cpp    each such function becomes a kernel (RestKernel.cpp) and
//                    a launch plan, each call a launch
//
// In between, the function is host code that says what the kernel does: the
// passes about memory and time take its calls for work of the device.
//
// A kernel is one of two:
//
//   | kind | blocks                | who does what                             |
//   |------|-----------------------|-------------------------------------------|
//   | flat | as the device holds   | threads take points of the parallel loops |
//   |      |                       | in turn; a reduction is one thread's      |
//   | rows | one of each row       | threads share a row of each op, op behind |
//   |      |                       | op; a reduction is a tree over threads    |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REST_REST_H
#define HONE_PASSES_REST_REST_H

#include "dialects/Kernel/Kernel.h"
#include "hone/Schedule/Arch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <string>
#include <vector>

namespace hone {

/// A linalg op as a kernel runs it.
struct RestStep {
  mlir::linalg::GenericOp op;
  /// Of the loops; ShapedType::kDynamic where it is not known.
  llvm::SmallVector<int64_t> extents;
  /// The loops of each kind, outermost first.
  llvm::SmallVector<unsigned> parallel, reduced;
  /// The op that adds a point to each result; none if one of them is reduced in
  /// another way.
  llvm::SmallVector<mlir::Operation *> combiners;
  /// How many of the parallel loops number rows.
  unsigned rowLoops = 0;

  static RestStep of(mlir::linalg::GenericOp op);

  /// True if the op reduces to one element a row, in a way that does not care
  /// for the order.
  bool reducesRows() const { return !reduced.empty() && !combiners.empty(); }
  /// The number of points of these loops; kDynamic if it is not known.
  int64_t countOf(llvm::ArrayRef<unsigned> loops) const;
  /// The number of rows that the op reduces to one element each.
  int64_t rows() const { return countOf(parallel); }
  /// Lets the outermost parallel loops number `rows` rows; false if none do.
  bool splitRows(int64_t rows);
  llvm::ArrayRef<unsigned> rowNumbers() const {
    return llvm::ArrayRef(parallel).take_front(rowLoops);
  }
  /// The loops within a row that threads share.
  llvm::ArrayRef<unsigned> shared() const {
    return reducesRows() ? llvm::ArrayRef(reduced)
                         : llvm::ArrayRef(parallel).drop_front(rowLoops);
  }
  /// True if another row than the step's own can not be met in `operand`.
  bool staysInRow(mlir::OpOperand &operand) const;
};

/// Why no kernel can do what `op` does; empty if one can.
std::string whyNotRest(mlir::linalg::GenericOp op);
/// The arguments that a launch with an operand of this type has.
int64_t launchArgsOf(mlir::Type type);
/// The most arguments of a launch of the rest.
inline constexpr int64_t kMaxRestArgs = 60;

/// True if kernels can compute `op`, in the body of a linalg op.
bool isRestScalar(mlir::Operation *op);
/// The result of `op`, on `operands`, which replace its own, in ops that need
/// no library.
mlir::Value emitRestScalar(mlir::OpBuilder &builder, mlir::Operation *op,
                           mlir::ValueRange operands);

/// How a kernel of the rest is cut.
struct RestLayout {
  std::vector<RestStep> steps;
  bool isRows = false;
  /// True if the kernel may start before its predecessor has ended.
  bool mayOverlap = false;
  int64_t threads = 256;
  /// How many elements of a line a thread takes at once, by step.
  llvm::SmallVector<int64_t> widths;
  /// The type of positions: 32 or 64 bits.
  unsigned indexBits = 64;

  RestLayout(mlir::func::FuncOp function, const Arch &arch);
  /// As many blocks as run at once: more of them do not share all points.
  static int64_t maxBlocks(const Arch &arch) { return arch.processors * 8; }
  /// One element at a time, wherever operands lie.
  RestLayout unaligned() const;
};

/// What a kernel takes of each argument of its function, in order.
struct RestParam {
  enum Kind { address, extent, stride, scalar } kind;
  unsigned argument;
  int64_t dim = 0;

  /// What the launch plan calls it.
  std::string name() const;
};
llvm::SmallVector<RestParam> restParams(mlir::func::FuncOp function);

/// Writes the body of `kernel`, whose arguments are those of restParams: the
/// steps of `function` as `layout` says. Returns the alignment in bytes that is
/// taken for granted of each argument's address.
llvm::SmallVector<int64_t> buildRestBody(mlir::func::FuncOp function,
                                         const RestLayout &layout,
                                         mlir::Operation *kernel);
/// The type of a parameter of a kernel.
mlir::Type restParamType(mlir::func::FuncOp function, const RestParam &param);

} // namespace hone

#endif // HONE_PASSES_REST_REST_H
