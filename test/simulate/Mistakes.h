//===- Mistakes.h - What one can get wrong in a kernel ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One mistake at a time, systematically:
//
//   | mistake | where                                                        |
//   |---------|--------------------------------------------------------------|
//   | delete  | each op that synchronises, starts or ends something          |
//   | count   | +1 and -1 of arrivals, bytes, pending groups                 |
//   | phase   | each kernel.await with the other phase                       |
//   | shift   | each slot of a ring, each barrier: the next one              |
//   | part    | each shared load: the same part by everybody; each arrival   |
//   |         | everywhere: one block fewer; each share of sums: another     |
//   |         | tile's                                                       |
//   | mask    | each mask of blocks: one block fewer, or one more            |
//   | twice   | each arrival in other blocks                                 |
//   | merge   | each pair of rings, partial sums and barriers: same place    |
//   | move    | kernel.depend.wait: to the end, into each role, into one     |
//   |         | cluster                                                      |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SIMULATE_MISTAKES_H
#define HONE_TEST_SIMULATE_MISTAKES_H

#include "Cases.h"

namespace hone::test {

/// A change of the `index`-th op of the kernel.
struct Mistake {
  std::string kind, op, detail;
  size_t index;
  std::function<void(mlir::Operation *)> make;

  std::string str() const {
    return kind + " " + op + (detail.empty() ? "" : " " + detail);
  }
};

std::vector<Mistake> mistakesIn(mlir::gpu::GPUFuncOp kernel);
/// The op that a mistake's index means.
mlir::Operation *operationAt(mlir::gpu::GPUFuncOp kernel, size_t wanted);
/// A copy of the kernel with the mistake in it.
mlir::OwningOpRef<mlir::gpu::GPUFuncOp> mutate(mlir::gpu::GPUFuncOp kernel,
                                               const Mistake &mistake);

} // namespace hone::test

#endif // HONE_TEST_SIMULATE_MISTAKES_H
