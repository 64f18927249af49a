//===- Copies.cpp - Tensor maps of copied operands ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Copies.h.
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "../Untried/Origins.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

namespace {
/// Values in a copying kernel, for one matrix of an operand.
class MapNumbers {
public:
  MapNumbers(const LaunchValues &launch, int64_t matrix)
      : launch(launch), matrix(matrix) {}

  std::optional<int64_t> of(Value value) const {
    if (auto number = constantOf(value))
      return *number;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (!isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()))
        return std::nullopt;
      return launch.params[argument.getArgNumber()].value;
    }
    return ofOp(value.getDefiningOp());
  }

private:
  std::optional<int64_t> ofOp(Operation *op) const {
    if (isa<arith::ExtUIOp>(op))
      return of(op->getOperand(0));
    if (!isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::CeilDivUIOp>(
            op))
      return std::nullopt;
    auto a = of(op->getOperand(0)), b = of(op->getOperand(1));
    // A run's number divided by the runs per matrix is the matrix's number.
    if (isa<arith::DivUIOp>(op) && !a && b)
      return matrix;
    if (!a || !b)
      return std::nullopt;
    if (isa<arith::AddIOp>(op))
      return *a + *b;
    if (isa<arith::MulIOp>(op))
      return *a * *b;
    if (*b <= 0)
      return std::nullopt;
    return isa<arith::DivUIOp>(op) ? *a / *b : llvm::divideCeil(*a, *b);
  }

  const LaunchValues &launch;
  const int64_t matrix;
};

/// The destination of a launch's copy of an operand, in elements, and the start
/// of the first matrix in bytes.
struct Copy {
  int64_t start, width, lines, stride, next;
};
} // namespace

static std::optional<Copy> copyOf(Value matrix, const LaunchValues &launch) {
  auto to = matrix.getDefiningOp<MatrixOp>();
  if (!to)
    return std::nullopt;
  MapNumbers first(launch, 0), second(launch, 1);
  auto start = first.of(to.getBuffer()), offset = first.of(to.getOffset()),
       next = second.of(to.getOffset()), width = first.of(to.getWidth()),
       lines = first.of(to.getLines()), stride = first.of(to.getStride());
  if (!start || !offset || !next || !width || !lines || !stride)
    return std::nullopt;
  int64_t bytes =
      to.getMatrix().getType().getElement().getIntOrFloatBitWidth() / 8;
  return Copy{*start + *offset * bytes, *width, *lines, *stride,
              *next - *offset};
}

/// The copies that a launch makes, of operands in the order of its ops.
static SmallVector<Copy> copiesOf(gpu::GPUFuncOp kernel,
                                  const LaunchValues &launch) {
  SmallVector<Copy> copies;
  kernel.walk([&](Operation *op) {
    if (isa<CopyLinesOp, TransposeLinesOp>(op))
      for (Value matrix : llvm::drop_begin(op->getOperands()))
        if (auto copy = copyOf(matrix, launch))
          copies.push_back(*copy);
  });
  return copies;
}

/// The matrices of a copy follow each other in memory.
static bool isMapOf(const MapValue &map, const Copy &copy, int64_t bytes) {
  if (map.dims.size() < 2 || map.dims[0] != copy.width ||
      map.dims[1] != copy.lines || map.strides[0] != copy.stride * bytes)
    return false;
  int64_t distance = copy.next * bytes;
  for (size_t i = 1; i < map.strides.size(); ++i) {
    if (map.strides[i] != distance)
      return false;
    distance *= map.dims[i + 1];
  }
  return true;
}

void simulate::checkCopies(const Subject &subject,
                           llvm::ArrayRef<LaunchValues> before,
                           const LaunchValues &launch, Verdict &verdict) {
  SmallVector<Copy> copies;
  for (auto [kernel, values] : llvm::zip(subject.before, before))
    llvm::append_range(copies, copiesOf(kernel, values));
  gpu::GPUFuncOp kernel = subject.kernel;
  for (size_t i = 0; i < launch.params.size(); ++i) {
    if (!launch.params[i].map)
      continue;
    const MapValue &map = *launch.params[i].map;
    const OperandRegion *region = launch.at(map.base);
    if (!region || region->name != "ws")
      continue;
    auto type = cast<MapType>(kernel.getArgumentTypes()[i]);
    int64_t bytes = type.getElement().getIntOrFloatBitWidth() / 8;
    if (llvm::any_of(copies, [&](const Copy &copy) {
          return copy.start == map.base && isMapOf(map, copy, bytes);
        }))
      continue;
    verdict.findings.push_back(
        {Fault::plan,
         formatv("expected the plan's parameter {0} to be the map of a copy "
                 "that an earlier launch makes, but got ({1}) elements with "
                 "strides of ({2}) bytes",
                 i, llvm::iterator_range(map.dims),
                 llvm::iterator_range(map.strides)),
         {kernel.getLoc(), "gpu.func", "", 0, 0, "", {}},
         std::nullopt,
         ""});
  }
}
