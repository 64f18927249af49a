//===- RestGroups.h - Which ops one kernel does -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that share rows become one kernel: a softmax is five ops, and each of its
// rows one block's. The ops of a group move down to the last of them, past ops
// that touch nothing of theirs.
//
// Rows are equal parts of memory. What an op of a group writes may be touched
// by the others only in the same row (RestStep::staysInRow), as one buffer in
// any shape: then blocks have nothing to tell each other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REST_RESTGROUPS_H
#define HONE_PASSES_REST_RESTGROUPS_H

#include "passes/Memory/Buffers.h"
#include "passes/Rest/Rest.h"
#include "llvm/ADT/SetVector.h"

namespace hone {

/// The roots that ops read and write.
class RestTouched {
public:
  void add(mlir::Operation *op, const BufferRoots &roots);
  /// True if the order of the two matters.
  bool conflicts(const RestTouched &other) const;
  /// True if `other` reads what these ops write.
  bool feeds(const RestTouched &other) const;
  bool writesTo(llvm::ArrayRef<mlir::Value> roots) const;

private:
  using Roots = llvm::SmallSetVector<mlir::Value, 8>;
  static bool meet(const Roots &a, const Roots &b);

  Roots read, written;
  /// Something that may be anything.
  bool isUnknown = false;
};

/// Ops of one kernel, in order.
struct RestGroup {
  std::vector<RestStep> steps;
  RestTouched touched;
  /// Rows that all steps share; 0 as long as no step reduces some.
  int64_t rows = 0;

  bool has(mlir::Operation *op) const;
  void add(const RestStep &step, const BufferRoots &roots);
};

/// The memrefs and scalars that steps take from outside of themselves.
llvm::SetVector<mlir::Value> valuesOf(llvm::ArrayRef<RestStep> steps);

/// Finds the groups of one function.
class RestGrouper {
public:
  RestGrouper(mlir::func::FuncOp function, std::vector<RestStep> steps);

  /// The next group, whose ops the caller replaces by one in the place of the
  /// last; nothing if there is none left.
  std::optional<RestGroup> next();

private:
  void sinkFills();
  const RestStep *stepOf(mlir::Operation *op) const;
  RestGroup groupFrom(const RestStep &first) const;
  bool fits(RestGroup &group) const;
  bool sharesRows(RestGroup &group) const;
  void takeIn(RestGroup &group, llvm::ArrayRef<mlir::Operation *> passed) const;
  bool canMoveDown(mlir::Operation *op, const RestGroup &group) const;

  std::vector<RestStep> steps;
  BufferRoots roots;
  /// Of ops in no group yet, their steps; and all ops, last first.
  llvm::DenseMap<mlir::Operation *, size_t> numbers;
  llvm::SmallVector<mlir::Operation *> left;
};

} // namespace hone

#endif // HONE_PASSES_REST_RESTGROUPS_H
