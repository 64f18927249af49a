//===- Growing.cpp - Integers that depend on a launch ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Growing.h.
//
//===----------------------------------------------------------------------===//

#include "Growing.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

Growing::Growing(gpu::GPUFuncOp kernel, Of of) : of(of) {
  if (of == launch)
    values.insert_range(kernel.getArguments());
  size_t before = 0;
  do {
    before = values.size();
    kernel.walk([&](Operation *op) { spread(op); });
  } while (values.size() != before);
}

void Growing::spread(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    bool isLong = contains(loop.getLowerBound()) ||
                  contains(loop.getUpperBound()) || contains(loop.getStep());
    if (isLong)
      values.insert(loop.getInductionVar());
    for (auto [init, argument, yielded, result] :
         llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                         loop.getYieldedValues(), loop.getResults()))
      if (isLong || contains(init) || contains(yielded)) {
        values.insert(argument);
        values.insert(result);
      }
    return;
  }
  bool grows = isa<kernel::WorkerOp>(op) ||
               (of == launch && isa<kernel::TileOp>(op)) ||
               llvm::any_of(op->getOperands(),
                            [&](Value value) { return contains(value); });
  // The results of a branch.
  if (auto branch = dyn_cast<scf::IfOp>(op))
    for (mlir::Region *region : branch.getRegions())
      for (Block &block : *region)
        for (Value value : block.getTerminator()->getOperands())
          grows |= contains(value);
  if (grows)
    values.insert_range(op->getResults());
}
