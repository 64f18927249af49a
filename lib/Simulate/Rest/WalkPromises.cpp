//===- WalkPromises.cpp - Promises of a rest kernel -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that compute nothing, but on which LLVM may rely: ranges,
// fast-math flags, memory that does not change or overlap. A promise that
// cannot be verified is a finding, whatever the ops compute.
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Attributes that only describe a kernel. The number of blocks per processor
/// can only cost time.
static bool isNoPromise(gpu::GPUFuncOp op, StringRef name) {
  return name == SymbolTable::getSymbolAttrName() ||
         name == gpu::GPUDialect::getKernelFuncAttrName() ||
         name == op.getNumWorkgroupAttributionsAttrName() ||
         name == kernel::kRestAttr ||
         name == NVVM::NVVMDialect::getMinctasmAttrName();
}

bool Walk::checkKernel() {
  gpu::GPUFuncOp op = kernel;
  if (op.getNumWorkgroupAttributions() || op.getNumPrivateAttributions())
    return isUnknown(op, "has memory that the proof does not model");
  for (unsigned i = 0; i < op.getNumArguments(); ++i)
    if (DictionaryAttr promises = op.getArgAttrDict(i);
        promises && !promises.empty())
      return isUnknown(op,
                       ("promises '" + promises.begin()->getName().getValue() +
                        "' of parameter " + Twine(i) +
                        ", which the proof does not model")
                           .str());
  for (NamedAttribute promise : op->getDiscardableAttrs())
    if (StringRef name = promise.getName(); !isNoPromise(op, name))
      return isUnknown(
          op,
          ("promises '" + name + "', which the proof does not model").str());
  if (op.getKnownGridSize())
    return isUnknown(op, "promises a size of the grid");
  return true;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// True if `range` contains every number from `first` to `last`.
static bool holds(LLVM::ConstantRangeAttr range, int64_t first, int64_t last) {
  return range.getLower().getSExtValue() <= first &&
         last < range.getUpper().getSExtValue();
}

/// Checks a range of the thread's or the block's number.
bool Walk::checkRange(Operation *op) {
  auto range = op->getAttrOfType<LLVM::ConstantRangeAttr>("range");
  if (!range)
    return true;
  int64_t first = 0, last = launch.threads - 1;
  if (isa<NVVM::BlockDimXOp>(op))
    first = last = launch.threads;
  bool isOfGrid = isa<NVVM::BlockIdXOp, NVVM::GridDimXOp>(op);
  if (isOfGrid) {
    last = launch.grid.last.value_or(INT32_MAX);
    first = isa<NVVM::GridDimXOp>(op) && launch.grid.isPositive;
    last -= isa<NVVM::BlockIdXOp>(op);
  }
  return holds(range, first, last) ||
         fail(op, Fault::bounds, "promises a range that the launch may leave");
}

/// Checks that an access promises nothing: its memory may change and overlap.
bool Walk::checkAccess(Operation *op) {
  for (NamedAttribute promise : op->getAttrDictionary()) {
    StringRef name = promise.getName();
    auto ordering = dyn_cast<LLVM::AtomicOrderingAttr>(promise.getValue());
    bool isPlain =
        ordering && ordering.getValue() == LLVM::AtomicOrdering::not_atomic;
    if (name != "alignment" && name != "nontemporal" && !isPlain)
      return isUnknown(
          op, ("has '" + name + "', which the proof cannot confirm").str());
  }
  return true;
}

bool Walk::checkPromises(Operation *op) {
  if (unsigned more = fastMathOf(op) & ~function.fastMath())
    return fail(op, Fault::value,
                "has fast-math flags that its function does not have: " +
                    arith::stringifyFastMathFlags(arith::FastMathFlags(more)));
  if (isa<LLVM::LoadOp, LLVM::StoreOp>(op))
    return checkAccess(op);
  return checkRange(op);
}
