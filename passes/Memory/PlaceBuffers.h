//===- PlaceBuffers.h - The parts of hone-place-buffers ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roots that may be reached through one value share one *memory*: the decision
// is made for all of them at once. The place of some is given from outside of
// the function (an argument, a global, the result of a call). The others,
// allocations, are placed where their users are:
//
//   | touched by     | allocation        | argument, global, result of a call |
//   |----------------|-------------------|------------------------------------|
//   | its own side   | there             | stays                              |
//   | the other side | on the other side | a copy there, if only read         |
//   | both           | shared            | replaced by shared memory          |
//
// A constant of the module is on both sides: kernels use a copy that is loaded
// once, with their code.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MEMORY_PLACEBUFFERS_H
#define HONE_PASSES_MEMORY_PLACEBUFFERS_H

#include "mlir/IR/PatternMatch.h"
#include "passes/Memory/Buffers.h"

namespace hone {

/// The memory of elements.
enum class Space { host, device, shared };

/// Roots that share one decision, and the sides that touch them.
struct BufferGroup {
  llvm::SmallVector<mlir::Value> roots;
  llvm::SmallVector<Touch> host, device;
  llvm::SmallVector<mlir::memref::CopyOp> copies;
  llvm::SmallVector<mlir::OpOperand *> returns;
  llvm::SmallVector<mlir::Operation *> deallocs;
  /// True if an op in the function changes elements.
  bool isWritten = false;
  Space space = Space::host;
};

/// The memory of a root that this function cannot choose; nothing if it can.
std::optional<Space> homeOf(mlir::Value root, Boundary boundary);

/// True for a constant of the module, of which the device can have a copy that
/// is loaded once.
bool isModuleConstant(mlir::Value root);
/// The device's copy of a constant, at the start of the function.
mlir::Value deviceConstant(mlir::RewriterBase &rewriter, mlir::Value root);

/// Replaces `root`, which `group` has on one side only, with a copy for the
/// touches of the other side. Returns false, and changes nothing, if a use
/// cannot be redirected to the copy.
bool copyForOtherSide(mlir::RewriterBase &rewriter, const BufferGroup &group,
                      mlir::Value root, Space home);

/// Replaces `root` with shared memory for all users, and copies written
/// elements back. Fails with a diagnostic if that is not possible.
mlir::LogicalResult shareRoot(mlir::RewriterBase &rewriter,
                              const BufferGroup &group, mlir::Value root);

/// Gives `function`, whose arguments are on the host, buffers of its own for
/// arguments with gaps that the device touches.
void gatherArguments(mlir::func::FuncOp function);

/// Makes a function return a copy in `space` of a result that is elsewhere.
mlir::LogicalResult returnCopy(mlir::RewriterBase &rewriter,
                               mlir::OpOperand &operand, Space space);
/// Frees, in front of a return, the buffers in `space` that copies have
/// replaced as results. A buffer that was several results is freed once.
void freeReturned(mlir::RewriterBase &rewriter, const BufferGroup &group,
                  mlir::Operation *end, llvm::ArrayRef<mlir::Value> values,
                  Space space);

} // namespace hone

#endif // HONE_PASSES_MEMORY_PLACEBUFFERS_H
