//===- Parts.h - Loops of a kernel, found by their ops ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites find ops by their function. A kernel whose copy engine fills rings
// has two loops over the steps of K, each with ops that only this loop has:
//
//   the producer's                     the consumers'
//   ---------------------------------  ------------------------------------
//   await empty[slot]                  await full[slot]
//   expect full[slot]                  mma.fence; mma.async ...; mma.commit
//   load A; load B                     mma.wait
//                                      arrive empty[slot]
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REWRITE_PARTS_H
#define HONE_PASSES_REWRITE_PARTS_H

#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Rewrite/Rewrite.h"

namespace hone::rewrite {

/// The producer's loop.
struct Loading {
  mlir::scf::ForOp loop;
  kernel::AwaitOp await;                      ///< until a slot is empty
  llvm::SmallVector<kernel::LoadOp, 2> loads; ///< into it
  kernel::RoleOp role() { return loop->getParentOfType<kernel::RoleOp>(); }
  mlir::Value empty() { return await.getBarriers(); }
};

/// The consumers' loop, and the ops that give back a slot in it and after it.
struct Multiplying {
  mlir::scf::ForOp loop;
  kernel::AwaitOp await; ///< until a slot is full
  llvm::SmallVector<kernel::MmaAsyncOp, 16> products;
  kernel::MmaCommitOp commit;
  kernel::MmaWaitOp wait;
  kernel::RoleOp role() { return loop->getParentOfType<kernel::RoleOp>(); }
};

/// Both fail with a refusal where there is no such loop, or more than one.
Outcome find(mlir::gpu::GPUFuncOp kernel, Loading &loading);
Outcome find(mlir::gpu::GPUFuncOp kernel, Multiplying &multiplying);

mlir::Value i32(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

/// The only op of a type in `block` itself, or null.
template <typename OpT>
OpT onlyOf(mlir::Block &block) {
  OpT only;
  for (OpT op : block.getOps<OpT>()) {
    if (only)
      return OpT();
    only = op;
  }
  return only;
}

} // namespace hone::rewrite

#endif // HONE_PASSES_REWRITE_PARTS_H
