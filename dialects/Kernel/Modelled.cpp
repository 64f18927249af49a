//===- Modelled.cpp - Kernels that the proof models -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Modelled.h. An op of kernel IR is modelled if it states its effects.
// Of other ops, the lists have those that are allowed.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Modelled.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

bool kernel::isIntegerArithmetic(Operation *op) {
  auto isNumber = [](Type type) {
    return type.isIntOrIndex() &&
           (type.isIndex() ? 64 : type.getIntOrFloatBitWidth()) <= 64;
  };
  if (op->getNumResults() != 1 || !isNumber(op->getResult(0).getType()) ||
      !llvm::all_of(op->getOperandTypes(), isNumber))
    return false;
  if (isa<arith::ConstantOp>(op))
    return true;
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  return row && row->is(ScalarOp::ofPositions);
}

/// For the region of an epilogue: arithmetic on scalars, without effects.
static bool isModelledInEpilogue(Operation *op) {
  if (isa<kernel::YieldOp, arith::ConstantOp>(op))
    return true;
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  return row && (row->is(ScalarOp::ofEpilogues) || row->onIntegers) &&
         op->getResult(0).getType().isIntOrFloat();
}

bool kernel::isModelled(Operation *op) {
  if (op->getParentOfType<EpilogueOp>())
    return isModelledInEpilogue(op);
  if (isa<scf::ForOp, scf::IfOp, scf::YieldOp, gpu::ReturnOp>(op))
    return true;
  if (isa<KernelEffectsOpInterface>(op))
    return true;
  bool isFloatConstant =
      isa<arith::ConstantOp>(op) && isa<FloatType>(op->getResult(0).getType());
  return isFloatConstant || isIntegerArithmetic(op);
}

Operation *kernel::firstUnmodelled(gpu::GPUFuncOp kernel) {
  Operation *found = nullptr;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isModelled(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

std::optional<std::string> kernel::faultOfBlock(gpu::GPUFuncOp kernel) {
  constexpr int64_t kMaxThreads = 1024;
  Attribute attribute = kernel->getAttr("known_block_size");
  auto size = dyn_cast_if_present<DenseI32ArrayAttr>(attribute);
  int64_t threads = size && size.size() == 3 ? 1 : 0;
  for (int64_t extent : threads ? size.asArrayRef() : ArrayRef<int32_t>())
    // A number that is too large stays so, and no product of three overflows.
    threads = extent < 1 || threads > kMaxThreads ? threads * (extent >= 1)
                                                  : threads * extent;
  if (threads >= 1 && threads <= kMaxThreads)
    return std::nullopt;
  std::string got = "none";
  if (attribute)
    llvm::raw_string_ostream(got = "") << attribute;
  return llvm::formatv("expected a known_block_size of three i32 with 1 to {0} "
                       "threads in all, but got {1}",
                       kMaxThreads, got);
}
