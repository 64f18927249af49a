//===- PlaceBuffersGaps.cpp - Arguments of the host with gaps -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between the host and the device are of whole blocks. The bytes between
// the rows of an argument may belong to another thread, so they must not be
// written back. Such an argument is gathered into a buffer of the function's
// own, and scattered from there where the function returns:
//
//   func(%a: memref<?x8xf16, strided<[?, 1]>>)
//     %flat = memref.alloc(...) : memref<?xf16>
//     %own = memref.reinterpret_cast %flat to ... strided<[?, 1]>
//     memref.copy %a, %own
//     ... %own instead of %a ...
//     memref.copy %own, %a                    // if an op wrote to it
//     memref.dealloc %flat
//
// The buffer's strides are those of the type where it has them, and without
// gaps otherwise. Its memory and its waits are decided as for any buffer.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Memory/PlaceBuffers.h"

using namespace mlir;
using namespace hone;

namespace {
/// The layout of a buffer: its number of elements, and its strides.
struct OwnLayout {
  SmallVector<OpFoldResult> sizes, strides;
  int64_t offset = 0;
  Value span;
};
} // namespace

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Makes dynamic strides skip all inner dimensions.
static OwnLayout layOut(OpBuilder &builder, Location loc, Value argument,
                        ArrayRef<int64_t> strides, int64_t offset) {
  auto type = cast<MemRefType>(argument.getType());
  Value one = constant(builder, loc, 1);
  OwnLayout layout;
  layout.offset = ShapedType::isDynamic(offset) ? 0 : offset;
  layout.span = one;
  SmallVector<Value> counts;
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    Value size = memref::DimOp::create(builder, loc, argument, dim);
    layout.sizes.push_back(
        type.isDynamicDim(dim)
            ? OpFoldResult(size)
            : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
    layout.strides.push_back(builder.getIndexAttr(stride));
    // An empty dimension counts as one element: a span must not be negative.
    counts.push_back(arith::MaxSIOp::create(builder, loc, size, one));
    if (ShapedType::isDynamic(stride))
      continue;
    Value steps = arith::SubIOp::create(builder, loc, counts.back(), one);
    Value length = arith::MulIOp::create(builder, loc, steps,
                                         constant(builder, loc, stride));
    layout.span = arith::AddIOp::create(builder, loc, layout.span, length);
  }
  for (size_t dim = strides.size(); dim-- > 0;) {
    if (!ShapedType::isDynamic(strides[dim]))
      continue;
    layout.strides[dim] = layout.span;
    layout.span = arith::MulIOp::create(builder, loc, layout.span, counts[dim]);
  }
  return layout;
}

namespace {
/// An allocation, and the view of it that replaces an argument.
struct OwnBuffer {
  Value flat, view;
};
} // namespace

static OwnBuffer allocate(OpBuilder &builder, Value argument,
                          ArrayRef<int64_t> strides, int64_t offset) {
  Location loc = argument.getLoc();
  auto type = cast<MemRefType>(argument.getType());
  OwnLayout layout = layOut(builder, loc, argument, strides, offset);
  Value first = constant(builder, loc, layout.offset);
  Value count = arith::AddIOp::create(builder, loc, layout.span, first);
  auto flatType =
      MemRefType::get({ShapedType::kDynamic}, type.getElementType());
  Value flat =
      memref::AllocOp::create(builder, loc, flatType, ValueRange{count});
  OpFoldResult at = ShapedType::isDynamic(offset)
                        ? OpFoldResult(first)
                        : OpFoldResult(builder.getIndexAttr(layout.offset));
  Value view = memref::ReinterpretCastOp::create(builder, loc, type, flat, at,
                                                 layout.sizes, layout.strides);
  return {flat, view};
}

namespace {
/// The uses of one argument by the function.
struct Uses {
  bool isOnDevice = false, isWritten = false, isReturned = false;
};
} // namespace

static Uses usesOf(func::FuncOp function, const BufferRoots &roots,
                   Value argument) {
  Uses uses;
  function.walk([&](Operation *op) {
    if (isFunctionReturn(op))
      for (Value operand : op->getOperands())
        uses.isReturned |= isa<MemRefType>(operand.getType()) &&
                           llvm::is_contained(roots.of(operand), argument);
    for (Touch touch : touchesOf(op)) {
      if (!llvm::is_contained(roots.of(touch.operand->get()), argument))
        continue;
      uses.isOnDevice |= touch.side == Side::device;
      uses.isWritten |= touch.writes;
    }
  });
  return uses;
}

/// True for layouts that `layOut` supports.
static bool isServed(MemRefType type, SmallVectorImpl<int64_t> &strides,
                     int64_t &offset) {
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  auto isForward = [](int64_t stride) {
    return ShapedType::isDynamic(stride) || stride > 0;
  };
  return llvm::all_of(strides, isForward) &&
         (ShapedType::isDynamic(offset) || offset >= 0);
}

static void gather(func::FuncOp function, BlockArgument argument,
                   const Uses &uses, ArrayRef<int64_t> strides,
                   int64_t offset) {
  Location loc = argument.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  OwnBuffer buffer = allocate(builder, argument, strides, offset);
  auto copy = memref::CopyOp::create(builder, loc, argument, buffer.view);
  argument.replaceUsesWithIf(buffer.view, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user->getBlock() != copy->getBlock() || copy->isBeforeInBlock(user);
  });
  function.walk([&](Operation *op) {
    if (!isFunctionReturn(op) || op->getParentOp() != function)
      return;
    OpBuilder end(op);
    if (uses.isWritten)
      memref::CopyOp::create(end, loc, buffer.view, argument);
    memref::DeallocOp::create(end, loc, buffer.flat);
  });
}

void hone::gatherArguments(func::FuncOp function) {
  BufferRoots roots(function);
  SmallVector<std::pair<BlockArgument, Uses>> gathered;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || isContiguous(type))
      continue;
    Uses uses = usesOf(function, roots, argument);
    if (uses.isOnDevice && !uses.isReturned)
      gathered.push_back({argument, uses});
  }
  for (auto [argument, uses] : gathered) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (isServed(cast<MemRefType>(argument.getType()), strides, offset))
      gather(function, argument, uses, strides, offset);
  }
}
