//===- PlaceBuffers.h - The parts of hone-place-buffers ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roots that may be seen through one value share one *memory*: it is decided
// for all of them at once. Some are where they are because of somebody outside
// of the function (an argument, a global, what a call returned); the others,
// allocations, are put where their users are:
//
//   | touched by     | allocation        | argument, global, result of a call |
//   |----------------|-------------------|------------------------------------|
//   | its own side   | there             | stays                              |
//   | the other side | on the other side | a copy there, if it is only read   |
//   | both           | shared            | shared memory in its place         |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_PLACEBUFFERS_H
#define HONE_PASSES_PLACEBUFFERS_H

#include "mlir/IR/PatternMatch.h"
#include "passes/Buffers.h"

namespace hone {

/// Where elements are.
enum class Space { host, device, shared };

/// Roots that share one decision, and who touches them.
struct BufferGroup {
  llvm::SmallVector<mlir::Value> roots;
  llvm::SmallVector<Touch> host, device;
  llvm::SmallVector<mlir::memref::CopyOp> copies;
  llvm::SmallVector<mlir::OpOperand *> returns;
  llvm::SmallVector<mlir::Operation *> deallocs;
  /// True if something in the function changes elements.
  bool isWritten = false;
  Space space = Space::host;
};

/// Where a root is whatever this function does with it; nothing if that is to
/// be decided.
std::optional<Space> homeOf(mlir::Value root, Boundary boundary);

/// Puts a copy in the place of `root`, which `group` has on one side only, for
/// the touches of the other side. Returns false, and changes nothing, where a
/// use can not be led to the copy.
bool copyForOtherSide(mlir::RewriterBase &rewriter, const BufferGroup &group,
                      mlir::Value root, Space home);

/// Puts shared memory in the place of `root`, for everybody; what was written
/// is copied back. Fails with a diagnostic where that is not possible.
mlir::LogicalResult shareRoot(mlir::RewriterBase &rewriter,
                              const BufferGroup &group, mlir::Value root);

/// Makes a function return a copy in `space` of what is elsewhere.
mlir::LogicalResult returnCopy(mlir::RewriterBase &rewriter,
                               const BufferGroup &group,
                               mlir::OpOperand &operand, Space space);

} // namespace hone

#endif // HONE_PASSES_PLACEBUFFERS_H
