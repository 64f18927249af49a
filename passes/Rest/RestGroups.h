//===- RestGroups.h - Groups of ops that share a kernel ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that share rows become one kernel. A softmax, for example, is five ops,
// and one block runs each of its rows. The ops of a group move down to the last
// of them, past ops that do not access the group's memory.
//
// Rows are equal parts of memory. If an op of a group writes a buffer, the
// others may access the buffer only in the same row (RestStep::staysInRow), and
// only as a whole, in any shape. Blocks then need no exchange.
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
  /// True if `other` reads memory that these ops write.
  bool feeds(const RestTouched &other) const;
  bool writesTo(llvm::ArrayRef<mlir::Value> roots) const;

private:
  using Roots = llvm::SmallSetVector<mlir::Value, 8>;
  static bool meet(const Roots &a, const Roots &b);

  Roots read, written;
  /// True if an op may access any memory.
  bool isUnknown = false;
};

/// Ops of one kernel, in order.
struct RestGroup {
  std::vector<RestStep> steps;
  RestTouched touched;
  /// The number of rows that all steps share; 0 while no step reduces rows.
  int64_t rows = 0;
  /// The number of rows counts as unknown: no step has rows to share.
  bool hidesRows = false;

  bool has(mlir::Operation *op) const;
  void add(const RestStep &step, const BufferRoots &roots);
};

/// The memrefs and scalars that steps take from outside of themselves.
llvm::SetVector<mlir::Value> valuesOf(llvm::ArrayRef<RestStep> steps);

/// Finds the groups of one function.
class RestGrouper {
public:
  RestGrouper(mlir::func::FuncOp function, std::vector<RestStep> steps,
              bool hidesRows);

  /// The next group; nothing if there is none left. The caller replaces the
  /// group's ops by one op at the last one's position.
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
  const bool hidesRows;
  BufferRoots roots;
  /// The steps of the ops that are in no group yet, by op; and all ops, last
  /// first.
  llvm::DenseMap<mlir::Operation *, size_t> numbers;
  llvm::SmallVector<mlir::Operation *> left;
};

} // namespace hone

#endif // HONE_PASSES_REST_RESTGROUPS_H
