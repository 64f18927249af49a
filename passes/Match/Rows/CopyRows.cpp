//===- CopyRows.cpp - Copies of rows that are read through an index -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only kernels of mma_sync read rows of A through an index. Where the products
// take most of the time, a copy of the rows and a kernel of ws take less:
//
//   %c = hone.matmul ins(%a, %b) gather(%index) ...
//
// becomes
//
//   %copy = linalg.generic ins(%index)     %a[%index[i], k], or 0 outside of A
//   %c = hone.matmul ins(%copy, %b) ...
//
// The same is done where no kernel of the chip reads this type through an index.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "dialects/Hone/Remarks.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Passes.h"
#include "passes/Support.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
#define GEN_PASS_DEF_COPYROWS
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;

/// Seconds of a product without a copy, at `share` of the peak rate.
static double secondsOf(const Problem &problem, const Arch &arch,
                        double share) {
  constexpr int64_t kTileRows = 64;
  int64_t groups = problem.groups.value_or(1);
  int64_t own = llvm::divideCeil(problem.m, groups);
  double rows = double(groups * llvm::alignTo(own, kTileRows));
  // The peak is that of types of 16 bits.
  double size = double(sizeOf(problem.a.type));
  double products = 2 * rows * double(problem.n) * double(problem.k),
         rate = share * arch.peakTflops * 1e12 * 2 / size;
  double matrices = double(std::min(groups, problem.m)),
         bytes = size * matrices * double(problem.n) * double(problem.k);
  return std::max(products / rate, bytes / (arch.memoryGBs * 1e9));
}

/// True if a copy of the rows saves time, by an estimate.
static bool isCopyFaster(const Problem &problem, const Arch &arch) {
  // Shares of the peak on an H200, with 8 and 128 groups; and of a launch.
  constexpr double kGathered = 0.33, kCopied = 0.7, kLaunchSeconds = 3e-6;
  bool isKnown = problem.m != kDynamic && problem.n != kDynamic &&
                 problem.k != kDynamic && problem.groups != kDynamic;
  if (!isKnown || !arch.peakTflops || !arch.memoryGBs)
    return false;
  double bytes = 2 * double(sizeOf(problem.a.type)) * double(problem.m) *
                 double(problem.k);
  double copy = kLaunchSeconds + bytes / (arch.memoryGBs * 1e9);
  return secondsOf(problem, arch, kCopied) + copy <
         secondsOf(problem, arch, kGathered);
}

/// The reason to copy the rows that `op` reads; empty if there is none.
static StringRef reasonToCopy(MatmulOp op, const Arch &arch) {
  Problem problem = op.getProblem(), copied = problem;
  copied.isIndexed = false;
  auto isTaken = [&](const Problem &problem) {
    return !check(defaultSchedule(problem, arch), &problem, &arch);
  };
  if (!isTaken(copied))
    return "";
  if (!isTaken(problem))
    return "no kernel of the chip reads this type through an index";
  if (&defaultSchedule(copied, arch).kind() == &WarpSpecialized::kind() &&
      isCopyFaster(problem, arch))
    return "a faster kernel multiplies them";
  return "";
}

/// The rows of A that the index of `op` names, with zeros for others.
static Value copyRows(OpBuilder &builder, MatmulOp op) {
  Location loc = op.getLoc();
  Value a = op.getA(), index = op.getIndex();
  OpFoldResult sizes[] = {tensor::getMixedSize(builder, loc, index, 0),
                          tensor::getMixedSize(builder, loc, a, 1)};
  Type element = getElementTypeOrSelf(a.getType());
  Value out = tensor::EmptyOp::create(builder, loc, sizes, element);
  Value lines = builder.createOrFold<tensor::DimOp>(loc, a, 0);
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  AffineMap each = builder.getMultiDimIdentityMap(2), row = each.getSubMap({0});
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      builder, loc, out.getType(), index, out, {row, each}, loops,
      [&](OpBuilder &b, Location loc, ValueRange values) {
        Value line =
            arith::IndexCastOp::create(b, loc, b.getIndexType(), values[0]);
        // Without signs, a negative number is large.
        Value isLine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                             line, lines);
        line = arith::SelectOp::create(b, loc, isLine, line, first);
        Value column = linalg::IndexOp::create(b, loc, 1);
        Value value =
            tensor::ExtractOp::create(b, loc, a, ValueRange{line, column});
        value = arith::SelectOp::create(b, loc, isLine, value, zero);
        linalg::YieldOp::create(b, loc, value);
      });
  return copy.getResult(0);
}

namespace {
struct CopyRowsPass : hone::impl::CopyRowsBase<CopyRowsPass> {
  using CopyRowsBase::CopyRowsBase;

  void runOnOperation() override {
    if (failed(forGpu(getOperation(), arch, [&](const Arch &gpu) {
          SmallVector<MatmulOp> ops;
          getOperation().walk([&](MatmulOp op) {
            if (op.getGather() && isa<RankedTensorType>(op.getA().getType()))
              ops.push_back(op);
          });
          for (MatmulOp op : ops)
            rewrite(op, reasonToCopy(op, gpu));
          return success();
        })))
      signalPassFailure();
  }

private:
  static void rewrite(MatmulOp op, StringRef reason) {
    if (reason.empty())
      return;
    IRRewriter rewriter(op.getContext());
    rewriter.setInsertionPoint(op);
    Value rows = copyRows(rewriter, op);
    auto copied = MatmulOp::create(rewriter, op.getLoc(), op, rows, op.getB(),
                                   op.getC(), op.getFurther().drop_back());
    copied.removeGatherAttr();
    remarkPassed(copied, "rows-copied",
                 "reads a copy of the rows of its index: " + reason);
    rewriter.replaceOp(op, copied);
  }
};
} // namespace
