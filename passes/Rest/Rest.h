//===- Rest.h - GPU kernels for ops that are not matmuls --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With `rest=gpu` the linalg ops that are left around the matmuls become
// kernels, in three passes:
//
//   FuseRest.cpp     elementwise ops move into their readers, on tensors;
//                    small reductions become elementwise (UnrollRest.cpp)
//   OutlineRest.cpp  the ops of one kernel become a private function that is
//                    marked `hone.rest`: one op, or several that share rows
//   BuildRest.cpp    each such function becomes a kernel (RestKernel.cpp) and
//                    a launch plan, each call a launch
//
// In between, the function is host code that describes the kernel. The passes
// about memory and time treat its calls as work of the device.
//
// A kernel is one of two:
//
//   | kind | blocks               | division of the work                      |
//   |------|----------------------|-------------------------------------------|
//   | flat | as the device holds  | threads take points of the parallel loops |
//   |      |                      | in turn; one thread does a reduction      |
//   | rows | one for each row     | threads share a row of each op, op after  |
//   |      |                      | op; a reduction is a tree over threads    |
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
  /// The extents of the loops; ShapedType::kDynamic where one is unknown.
  llvm::SmallVector<int64_t> extents;
  /// The loops of each kind, outermost first.
  llvm::SmallVector<unsigned> parallel, reduced;
  /// The op that adds a point to each result; none if one of them is reduced in
  /// another way.
  llvm::SmallVector<mlir::Operation *> combiners;
  /// The number of parallel loops that number rows.
  unsigned rowLoops = 0;

  static RestStep of(mlir::linalg::GenericOp op);

  /// True if the op reduces to one element per row and the order of the
  /// reduction does not matter.
  bool reducesRows() const { return !reduced.empty() && !combiners.empty(); }
  /// The number of points of these loops; kDynamic if it is unknown.
  int64_t countOf(llvm::ArrayRef<unsigned> loops) const;
  /// The number of rows that the op reduces to one element each.
  int64_t rows() const { return countOf(parallel); }
  /// Lets the outermost parallel loops number `rows` rows; false if no set of
  /// outermost loops has that many points.
  bool splitRows(int64_t rows);
  llvm::ArrayRef<unsigned> rowNumbers() const {
    return llvm::ArrayRef(parallel).take_front(rowLoops);
  }
  /// The loops within a row that threads share.
  llvm::ArrayRef<unsigned> shared() const {
    return reducesRows() ? llvm::ArrayRef(reduced)
                         : llvm::ArrayRef(parallel).drop_front(rowLoops);
  }
  /// True if the step accesses only its own row of `operand`.
  bool staysInRow(mlir::OpOperand &operand) const;
};

/// Turns reductions of a few elements across lines into elementwise ops that
/// load these elements in their bodies, where a thread then takes several
/// results at once (UnrollRest.cpp).
void unrollReductions(mlir::Operation *module, const Arch &arch);
/// Makes the assertions in the body of `op` an op of their own, which sets
/// flags of the program, and limits the indices of loads. Returns the reason
/// why not, with nothing changed; empty if `op` has no assertion left.
std::string splitAssertions(mlir::RewriterBase &rewriter,
                            mlir::linalg::GenericOp op);
/// The reason why no kernel can run `op`; empty if one can.
std::string whyNotRest(mlir::linalg::GenericOp op);
/// The arguments that a launch with an operand of this type has.
int64_t launchArgsOf(mlir::Type type);
/// The maximum number of arguments of a launch of the rest.
inline constexpr int64_t kMaxRestArgs = 60;

/// True if kernels can compute `op`, in the body of a linalg op.
bool isRestScalar(mlir::Operation *op);
/// The result of `op`, on `operands`, which replace its own, in ops that need
/// no library.
mlir::Value emitRestScalar(mlir::OpBuilder &builder, mlir::Operation *op,
                           mlir::ValueRange operands);

/// In kernel::kRestAttr instead of a number of rows: the number must not change
/// the order of a sum.
constexpr int64_t kHiddenRows = -1;

/// True for an elementwise step with known extents that loads nothing itself.
bool mayCross(const RestStep &step);
/// The input of an elementwise step, with known extents, whose lines run along
/// `loop` and across those of every result; null if there is none.
mlir::OpOperand *crossingInput(const RestStep &step, unsigned loop);
/// The bytes of an element of an array; booleans have one.
int64_t bytesOf(mlir::OpOperand &operand);
/// Merges, splits and orders the loops of such an op so that a warp takes a
/// rectangle of the results' lines, which run along the last loop, and of the
/// input's. Arguments of the function get types with other dimensions for the
/// same elements.
void crossLines(mlir::RewriterBase &rewriter, mlir::func::FuncOp function);

/// The points that a thread takes at once: `width` neighbours along the last
/// loop, of `columns` neighbours along the one before, of `rows` along the one
/// before that. Chunks are numbered in the order of the loops; with a `slice`,
/// that many of a line come first, then those of their neighbours, then the
/// others of the line: blocks then read an image in squares.
struct RestTile {
  int64_t width = 1, columns = 1, rows = 1, slice = 0;
  int64_t threads = 256; ///< of a block

  int64_t points() const { return width * columns * rows; }
  bool isLine() const { return columns * rows == 1 && slice == 0; }
};

/// The tiling of a kernel of the rest.
struct RestLayout {
  std::vector<RestStep> steps;
  bool isRows = false;
  /// True if the kernel may start before its predecessor has ended.
  bool mayOverlap = false;
  int64_t threads = 256;
  llvm::SmallVector<RestTile> tiles; ///< by step
  /// The type of positions: 32 or 64 bits.
  unsigned indexBits = 64;

  RestLayout(mlir::func::FuncOp function, const Arch &arch);
  /// The maximum number of blocks: those that run at once take all points.
  static int64_t maxBlocks(const Arch &arch) { return arch.processors * 8; }
  /// The layout with one element at a time, for operands of any alignment.
  RestLayout unaligned() const;
};

/// One parameter of a kernel, made from an argument of its function.
struct RestParam {
  enum Kind { address, extent, stride, scalar } kind;
  unsigned argument;
  int64_t dim = 0;

  /// The parameter's name in the launch plan.
  std::string name() const;
};
llvm::SmallVector<RestParam> restParams(mlir::func::FuncOp function);

/// Writes the body of `kernel`, whose arguments are those of restParams: the
/// steps of `function`, cut as `layout` states. Returns the alignment in bytes
/// that the body assumes of each argument's address.
llvm::SmallVector<int64_t> buildRestBody(mlir::func::FuncOp function,
                                         const RestLayout &layout,
                                         mlir::Operation *kernel);
/// The type of a parameter of a kernel.
mlir::Type restParamType(mlir::func::FuncOp function, const RestParam &param);

} // namespace hone

#endif // HONE_PASSES_REST_REST_H
