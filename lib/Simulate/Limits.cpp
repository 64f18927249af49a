//===- Limits.cpp - What is simulated at all ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Limits.h. What is modelled is a list of what is allowed: an op that
// nobody thought of is none of it.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/Limits.h"
#include "Program.h"
#include "hone/Schedule/Problem.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

/// Of the region of an epilogue: arithmetic on scalars, without effects.
static bool isModelledInEpilogue(Operation *op) {
  return isa<kernel::YieldOp>(op) ||
         (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
              op->getDialect()) &&
          op->getNumResults() == 1 &&
          op->getResult(0).getType().isIntOrFloat());
}

static bool isModelled(Operation *op) {
  if (op->getParentOfType<kernel::EpilogueOp>())
    return isModelledInEpilogue(op);
  if (isa<scf::ForOp, scf::IfOp, scf::YieldOp, gpu::ReturnOp>(op))
    return true;
  if (isa_and_nonnull<kernel::KernelDialect>(op->getDialect()))
    return !isa<kernel::LaunchOp>(op);
  bool isFloatConstant =
      isa<arith::ConstantOp>(op) && isa<FloatType>(op->getResult(0).getType());
  return isFloatConstant || isInteger(op);
}

Operation *simulate::firstUnmodelled(gpu::GPUFuncOp kernel) {
  Operation *found = nullptr;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isModelled(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

std::optional<std::string> simulate::faultOfBlock(gpu::GPUFuncOp kernel) {
  constexpr int64_t kMostThreads = 1024;
  Attribute attribute = kernel->getAttr("known_block_size");
  auto size = dyn_cast_if_present<DenseI32ArrayAttr>(attribute);
  int64_t threads = size && size.size() == 3 ? 1 : 0;
  for (int64_t extent : threads ? size.asArrayRef() : ArrayRef<int32_t>())
    // What is too large stays so, and no product of three wraps around.
    threads = extent < 1 || threads > kMostThreads ? threads * (extent >= 1)
                                                   : threads * extent;
  if (threads >= 1 && threads <= kMostThreads)
    return std::nullopt;
  std::string got = "none";
  if (attribute)
    llvm::raw_string_ostream(got = "") << attribute;
  return formatv("expected a known_block_size of three i32 with 1 to {0} "
                 "threads in all, but got {1}",
                 kMostThreads, got);
}

std::optional<std::string> simulate::faultOfSizes(int64_t m, int64_t n,
                                                  int64_t k) {
  constexpr int64_t kMostBytes = int64_t(1) << 28;
  Problem problem;
  problem.m = m, problem.n = n, problem.k = k;
  if (std::optional<std::string> fault = problem.fault())
    return fault;
  if (!problem.isStatic())
    return "expected extents above 0";
  if (*problem.bytes() <= kMostBytes)
    return std::nullopt;
  return formatv("expected matrices of at most {0} MiB in all, to be held with "
                 "what is known of each byte, but got {1:F0} MiB",
                 kMostBytes >> 20, *problem.bytes() / (1 << 20));
}
