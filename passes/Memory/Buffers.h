//===- Buffers.h - Roots of buffers and accesses to them --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the passes on memory and time. After bufferization a value of
// memref type is a view of one or several *roots*: allocations, arguments,
// results of calls, globals. Ops *touch* the elements of a root:
//
//   | side   | ops                                        | time            |
//   |--------|--------------------------------------------|-----------------|
//   | host   | remaining linalg and loops, loads, stores, | at once         |
//   |        | calls of external functions                |                 |
//   | device | hone.matmul, calls within the module (of  | some time after |
//   |        | the rest, too: passes/Rest/Rest.h)         |                 |
//   | copy   | gpu.memcpy, gpu.memset                     | some time after |
//
// Work of the device and its copy engine runs in program order, but later than
// its place in the program; work of the host runs in place. All other ops on a
// memref (views, casts, control flow, queries of its size) touch nothing.
//
//   Buffers.cpp             roots and touches
//   CarryBuffers.cpp        buffers that loops hand on
//   PlaceBuffers.cpp        the memory of each root
//   PlaceBuffersCopies.cpp  replacements for memory that one side lacks
//   PlaceBuffersGaps.cpp    arguments that cannot be copied as they are
//   TakeDestinations.cpp    results in memory of the caller's
//   InsertWaits.cpp         waits of the host
//   PoolBuffers.cpp         one allocation for many
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MEMORY_BUFFERS_H
#define HONE_PASSES_MEMORY_BUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {

/// The function attribute with the memory in which a function takes its
/// arguments and leaves its results.
inline constexpr llvm::StringLiteral kMemoryAttr = "hone.memory";
/// The attribute of the argument that is a function's workspace.
inline constexpr llvm::StringLiteral kWorkspaceAttr = "hone.workspace";
/// The attribute of an argument of a rest function whose elements change.
inline constexpr llvm::StringLiteral kRestWrittenAttr = "hone.written";

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The memory of a function's arguments and results.
enum class Boundary { device, host };

/// The functions that these passes process: those that the module defines,
/// except kernels and functions that become kernels (passes/Rest/Rest.h).
llvm::SmallVector<mlir::func::FuncOp> hostFunctions(mlir::ModuleOp module);

/// The boundary that `hone-place-buffers` wrote at a function; the device's if
/// there is none.
Boundary boundaryOf(mlir::func::FuncOp function);

/// The function of this module that `op` calls, if it has a body.
mlir::func::FuncOp calledFunction(mlir::Operation *op);

/// The dynamic extents of the type of `memref`: the operands of an allocation
/// of the same shape.
llvm::SmallVector<mlir::Value>
dynamicSizes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref);

/// Gives callers of `function` in the module a private copy of it.
llvm::LogicalResult separateCallers(mlir::ModuleOp module,
                                    mlir::func::FuncOp function);

/// Turns results of public functions, and those of static shape of other
/// functions, into arguments.
llvm::LogicalResult takeDestinations(mlir::ModuleOp module);

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

enum class Side { host, device, copy };

/// A read or write of an operand's elements.
struct Touch {
  mlir::OpOperand *operand;
  Side side;
  bool reads, writes;
};

/// The operands that `op` itself touches; its regions are not visited.
llvm::SmallVector<Touch> touchesOf(mlir::Operation *op);

/// True if `op`, or an op in its regions, runs on the device or its copy
/// engine.
bool startsDeviceWork(mlir::Operation *op);

/// The value of which the only result of `op` is a view; null if there is none.
mlir::Value viewSourceOf(mlir::Operation *op);

/// True if `op` frees the memory of its operand.
bool isDealloc(mlir::Operation *op);

/// True if a copy by the GPU can replace `op`: both sides are contiguous.
bool isContiguousCopy(mlir::Operation *op);
/// True if values of this type are contiguous in memory.
bool isContiguous(mlir::Type type);

/// True if `op` returns from a function.
bool isFunctionReturn(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// The roots of the memrefs of one function.
class BufferRoots {
public:
  explicit BufferRoots(mlir::func::FuncOp function);

  /// The memory that `value` may be a view of; at least one root. A value
  /// created after the analysis is its own root.
  llvm::SmallVector<mlir::Value, 1> of(mlir::Value value) const;
  /// Every memref of the function, in the order of the program.
  llvm::ArrayRef<mlir::Value> allValues() const { return values; }

private:
  llvm::SmallVector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 1>> roots;
};

} // namespace hone

#endif // HONE_PASSES_MEMORY_BUFFERS_H
