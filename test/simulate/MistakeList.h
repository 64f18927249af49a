//===- MistakeList.h - Lists of mistakes ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files Mistakes*.cpp: a list that is filled op by op, and small
// changes of ops.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SIMULATE_MISTAKELIST_H
#define HONE_TEST_SIMULATE_MISTAKELIST_H

#include "Mistakes.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace hone::test {

class MistakeList {
public:
  MistakeList(mlir::gpu::GPUFuncOp kernel, const Problem &problem);

  using Make = std::function<void(mlir::Operation *)>;
  /// Adds a mistake in the current op.
  void add(Cause cause, llvm::StringRef kind, const llvm::Twine &detail,
           Make make);
  void addWrong(Cause cause, llvm::StringRef kind, const llvm::Twine &detail,
                Make make) {
    add(cause, kind, detail, std::move(make));
    list.back().cannotBeRight = true;
  }

  std::vector<Mistake> list;
  /// Blocks of a cluster.
  const int64_t cluster;

  mlir::Operation *op = nullptr;
  size_t index = 0;
};

// One cause or two each, for the list's op.
void listWaits(MistakeList &list);
void listCounts(MistakeList &list);
void listClears(MistakeList &list);
void listClips(MistakeList &list);
void listShares(MistakeList &list);
void listRegisters(MistakeList &list);
/// Sizes that a kernel treats specially.
void listSizes(MistakeList &list);
/// Thresholds that arithmetic hides.
void listHidden(MistakeList &list);
/// All causes: mistakes other than a number off by one.
void listMixups(MistakeList &list);
/// Other orders of additions.
void listOrders(MistakeList &list);
/// Pairs of buffers and barriers at the same place.
void listMerges(MistakeList &list, mlir::gpu::GPUFuncOp kernel);

int64_t clusterOf(mlir::gpu::GPUFuncOp kernel);
void addToAttribute(mlir::Operation *op, llvm::StringRef name, int64_t by);
/// A constant of the type of an integer.
mlir::Value constantLike(mlir::OpBuilder &builder, mlir::Value like,
                         int64_t value);
/// Operand `number` becomes itself and `by`.
void addToOperand(mlir::Operation *op, unsigned number, int64_t by);
/// Operand `number` becomes (itself + by) % modulus.
void shiftOperand(mlir::Operation *op, unsigned number, int64_t by,
                  int64_t modulus);
/// Only where `value` is 0.
void guardByZero(mlir::Operation *op, mlir::Value value);

} // namespace hone::test

#endif // HONE_TEST_SIMULATE_MISTAKELIST_H
