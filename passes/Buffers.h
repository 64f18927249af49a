//===- Buffers.h - Which memory a value is, and who touches it --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes on memory and time share. After bufferization a value of
// memref type is a view of one or several *roots*: allocations, arguments,
// results of calls, globals. Ops *touch* the elements of a root:
//
//   | side   | who                                              | when           |
//   |--------|--------------------------------------------------|----------------|
//   | host   | linalg and loops that stay, loads, stores,       | at once        |
//   |        | calls of functions the module does not define    |                |
//   | device | hone.matmul, calls of the module's own functions | some time after|
//   | copy   | gpu.memcpy, gpu.memset                           | some time after|
//
// What is done on the device or by its copy engine is done in the order of the
// program, but later than it stands there; what the host does is done where it
// stands. Everything else that takes a memref (views, casts, control flow, the
// question how large it is) touches nothing.
//
//   Buffers.cpp             roots and touches
//   PlaceBuffers.cpp        which memory each root is
//   PlaceBuffersCopies.cpp  what is put in the place of memory one side lacks
//   InsertWaits.cpp         where the host waits
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_BUFFERS_H
#define HONE_PASSES_BUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {

/// The function attribute that says in which memory a function takes its
/// arguments and leaves its results.
inline constexpr llvm::StringLiteral kMemoryAttr = "hone.memory";

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// In which memory the arguments and results of a function are.
enum class Boundary { device, host };

/// The functions whose bodies these passes look at: those that the module
/// defines, kernels aside.
llvm::SmallVector<mlir::func::FuncOp> hostFunctions(mlir::ModuleOp module);

/// The boundary that `hone-place-buffers` wrote at a function; the device's
/// where there is none.
Boundary boundaryOf(mlir::func::FuncOp function);

/// The function of this module that `op` calls, if it has a body.
mlir::func::FuncOp calledFunction(mlir::Operation *op);

/// The extents of `memref` that its type leaves open: what an allocation of the
/// same shape takes.
llvm::SmallVector<mlir::Value>
dynamicSizes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref);

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

enum class Side { host, device, copy };

/// That an op reads or writes elements of an operand.
struct Touch {
  mlir::OpOperand *operand;
  Side side;
  bool reads, writes;
};

/// What `op` itself touches; what stands in its regions is not looked at.
llvm::SmallVector<Touch> touchesOf(mlir::Operation *op);

/// True if `op`, or something in its regions, runs on the device or its copy
/// engine.
bool startsDeviceWork(mlir::Operation *op);

/// What the only result of `op` is a view of; null if `op` makes no view.
mlir::Value viewSourceOf(mlir::Operation *op);

/// True if `op` frees the memory of its operand.
bool isDealloc(mlir::Operation *op);

/// True if a copy of the GPU's can do what `op` does: both sides are contiguous.
bool isContiguousCopy(mlir::Operation *op);
/// True if the elements of a value of this type lie one behind the other.
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

  /// The memory that `value` may be a view of; at least one root. A value made
  /// after the analysis is memory of its own.
  llvm::SmallVector<mlir::Value, 1> of(mlir::Value value) const;
  /// Every memref of the function, in the order of the program.
  llvm::ArrayRef<mlir::Value> allValues() const { return values; }

private:
  llvm::SmallVector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 1>> roots;
};

} // namespace hone

#endif // HONE_PASSES_BUFFERS_H
