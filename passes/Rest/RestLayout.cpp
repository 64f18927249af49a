//===- RestLayout.cpp - Tiling of kernels of the rest ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows or points, threads, elements at a time, and the launch's parameters.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/BuildGemm.h"
#include "passes/Rest/RestLines.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::string RestParam::name() const {
  std::string base = "p" + std::to_string(argument);
  switch (kind) {
  case address:
    return base;
  case extent:
    return base + "d" + std::to_string(dim);
  case stride:
    return base + "s" + std::to_string(dim);
  case scalar:
    return "x" + std::to_string(argument);
  }
  llvm_unreachable("a kind of parameter");
}

SmallVector<RestParam> hone::restParams(func::FuncOp function) {
  SmallVector<RestParam> params;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    unsigned argument = number;
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      params.push_back({RestParam::scalar, argument});
      continue;
    }
    params.push_back({RestParam::address, argument});
    auto [strides, offset] = memref.getStridesAndOffset();
    for (int64_t dim = 0; dim < memref.getRank(); ++dim) {
      if (memref.isDynamicDim(dim))
        params.push_back({RestParam::extent, argument, dim});
      if (ShapedType::isDynamic(strides[dim]))
        params.push_back({RestParam::stride, argument, dim});
    }
  }
  return params;
}

Type hone::restParamType(func::FuncOp function, const RestParam &param) {
  MLIRContext *context = function.getContext();
  Type type = function.getArgumentTypes()[param.argument];
  switch (param.kind) {
  case RestParam::address:
    return LLVM::LLVMPointerType::get(context, /*addressSpace=*/1);
  case RestParam::extent:
  case RestParam::stride:
    return IntegerType::get(context, 64);
  case RestParam::scalar:
    // The launch passes words of 32 bits and of 64.
    return type.isF32() ? type
           : type.isIndex() || type.getIntOrFloatBitWidth() == 64
               ? IntegerType::get(context, 64)
               : Type(IntegerType::get(context, 32));
  }
  llvm_unreachable("a kind of parameter");
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// True if an operand's lines run along `loop`: the loop's neighbours are
/// adjacent elements.
static bool runsAlong(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || map.getNumResults() == 0)
    return false;
  auto [strides, offset] = type.getStridesAndOffset();
  return strides.back() == 1 &&
         map.getResults().back() == getAffineDimExpr(loop, map.getContext());
}

int64_t hone::bytesOf(OpOperand &operand) {
  Type type = cast<MemRefType>(operand.get().getType()).getElementType();
  return type.isIndex() ? 8 : (type.getIntOrFloatBitWidth() + 7) / 8;
}

/// The loop that the lines of an operand run along; none if it is not known.
static std::optional<unsigned> lineLoop(linalg::GenericOp op,
                                        OpOperand &operand) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (runsAlong(op, operand, loop))
      return loop;
  return std::nullopt;
}

bool hone::mayCross(const RestStep &step) {
  linalg::GenericOp op = step.op;
  auto isOpen = [](int64_t extent) { return ShapedType::isDynamic(extent); };
  return step.reduced.empty() && llvm::none_of(step.extents, isOpen) &&
         op.getBody()->getOps<memref::LoadOp>().empty();
}

OpOperand *hone::crossingInput(const RestStep &step, unsigned loop) {
  linalg::GenericOp op = step.op;
  if (!mayCross(step))
    return nullptr;
  auto last = lineLoop(op, *op.getDpsInitOperand(0));
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!last || *last == loop || lineLoop(op, init) != last)
      return nullptr;
  for (OpOperand *input : op.getDpsInputOperands())
    if (runsAlong(op, *input, loop) &&
        !getElementTypeOrSelf(input->get()).isInteger(1) &&
        op.getMatchingIndexingMap(input).isFunctionOfDim(*last) &&
        op.payloadUsesValueFromOperand(input))
      return input;
  return nullptr;
}

/// True if threads that share a row would each read another line, while threads
/// with a row each would read adjacent elements.
static bool readsAcrossLines(RestStep &step) {
  if (step.parallel.empty())
    return false;
  auto along = [&](unsigned loop) {
    return llvm::any_of(step.op.getDpsInputOperands(), [&](OpOperand *input) {
      return runsAlong(step.op, *input, loop);
    });
  };
  return !along(step.reduced.back()) && along(step.parallel.back());
}

/// The bits of the smallest element of which neighbours are moved at once; 0 if
/// there is none, and 1 for booleans, which cannot be a vector in memory.
static int64_t smallestBits(RestStep &step, const RestLines &lines) {
  int64_t bits = 0;
  auto add = [&](Type type) {
    Type element = cast<MemRefType>(type).getElementType();
    int64_t own = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    bits = bits ? std::min(bits, own) : own;
  };
  for (OpOperand &operand : step.op->getOpOperands())
    if (runsAlong(step.op, operand, step.shared().back()))
      add(operand.get().getType());
  for (memref::LoadOp load : lines.loads())
    add(load.getMemRefType());
  return bits;
}

/// The maximum number of elements of a line that a thread can take at once: 16
/// bytes of the smallest element, at most 8 elements, and a divisor of the
/// line's length. It is reduced until at least `min` chunks are left.
static int64_t widthOf(RestStep &step, int64_t min) {
  ArrayRef<unsigned> shared = step.shared();
  bool isReduced = !step.reduced.empty() && !step.reducesRows();
  bool hasLoop = !step.op.getBody()->getOps<scf::ForOp>().empty();
  if (shared.empty() || isReduced || hasLoop)
    return 1;
  unsigned loop = shared.back();
  int64_t extent = step.extents[loop], points = step.countOf(shared);
  if (ShapedType::isDynamic(extent) || extent == 0)
    return 1;
  int64_t bits = smallestBits(step, RestLines(step, /*width=*/1));
  if (bits < 8)
    return 1;
  int64_t width = std::min<int64_t>(8, 128 / bits);
  while (width > 1 && (extent % width || (!ShapedType::isDynamic(points) &&
                                          points / width < min)))
    width /= 2;
  return width;
}

/// Threads of a block share lines of an image. Each has up to 128 registers, of
/// which a quarter has the values of its points.
static int64_t threadsOf(const RestTile &tile) {
  return tile.rows * tile.columns > 1 && tile.points() <= 32 ? 512 : 256;
}

/// Squares where an input's lines run across those of the results: 16 bytes of
/// both, if at least `min` chunks are left.
static RestTile crossedTile(RestStep &step, OpOperand &input, int64_t width,
                            int64_t min) {
  RestTile tile{width};
  ArrayRef<unsigned> loops = step.shared();
  int64_t points = step.countOf(loops);
  int64_t columns = std::min<int64_t>(8, 16 / bytesOf(input));
  while (columns > 1 && (step.extents[loops.drop_back().back()] % columns ||
                         points / (width * columns) < min))
    columns /= 2;
  tile.columns = columns;
  tile.threads = threadsOf(tile);
  return tile;
}

/// True if a body reads windows along `loop` at a step of one: positions that
/// depend on it are at distances from it, and one of them is not the loop's.
static bool hasDenseWindows(const RestStep &step, const RestLines &lines,
                            unsigned loop) {
  linalg::GenericOp op = step.op;
  bool isDense = true, hasDistance = false;
  for (Operation &inner : op.getBody()->without_terminator()) {
    const LoopSum *sum =
        inner.getNumResults() ? lines.sumOf(inner.getResult(0)) : nullptr;
    if (!sum || sum->factors[loop] == 0)
      continue;
    isDense &= sum->factors[loop] == 1;
    hasDistance |= sum->constant != 0;
  }
  return isDense && hasDistance;
}

/// Of a line of chunks, the number that comes first: from `min` to `max`, or 0.
static int64_t sliceOf(int64_t line, int64_t min, int64_t max) {
  for (int64_t slice = max; slice >= min && line > max; --slice)
    if (line % slice == 0)
      return slice;
  return 0;
}

/// Points of two rows, or else of one, whose bodies load some lines of an image
/// alike, if at least `min` chunks are left.
static RestTile tileOf(RestStep &step, int64_t width, int64_t min) {
  RestTile tile{width};
  int64_t points = step.countOf(step.shared());
  if (ArrayRef<unsigned> loops = step.shared(); loops.size() > 1)
    if (OpOperand *input = crossingInput(step, loops.drop_back().back()))
      return crossedTile(step, *input, width, min);
  RestLines lines(step, width);
  size_t loads = lines.loads().size();
  if (width == 1 || loads < 4 || !step.reduced.empty() ||
      step.shared().size() < 2)
    return tile;
  ArrayRef<unsigned> before = step.shared().drop_back();
  auto isMultiple = [&](ArrayRef<unsigned> loops, int64_t count) {
    int64_t extent = loops.empty() ? 1 : step.extents[loops.back()];
    return count == 1 ||
           (!ShapedType::isDynamic(extent) && extent % count == 0);
  };
  auto fits = [&](int64_t width, int64_t rows, int64_t columns) {
    return isMultiple(before, columns) &&
           isMultiple(before.drop_back(), rows) &&
           (ShapedType::isDynamic(points) ||
            points / (width * rows * columns) >= min);
  };
  int64_t line = step.extents[step.shared().back()];
  // Lines of several rows of large windows fit registers if they are short. That
  // pays where neighbours share most of their windows.
  constexpr size_t kMaxLoads = 20;
  constexpr int64_t kShort = 2;
  struct Size {
    int64_t rows, columns, threads;
  };
  constexpr Size kLarge[] = {
      {4, 7, 256}, {2, 14, 256}, {2, 7, 512}, {2, 8, 384}};
  bool isLarge = loads > kMaxLoads;
  if (isLarge && width > kShort && before.size() > 1 &&
      hasDenseWindows(step, lines, before.back()) &&
      hasDenseWindows(step, lines, before.drop_back().back()))
    for (auto [rows, columns, threads] : kLarge)
      if (fits(kShort, rows, columns))
        return {kShort, columns, rows, sliceOf(line / kShort, 8, 16), threads};
  constexpr std::pair<int64_t, int64_t> kSizes[] = {{2, 2}, {1, 4}, {1, 3},
                                                    {1, 7}, {1, 5}, {1, 2}};
  for (auto [rows, columns] : kSizes)
    if (tile.rows * tile.columns == 1 && !(isLarge && rows > 1) &&
        fits(width, rows, columns)) {
      tile.rows = rows;
      tile.columns = columns;
      tile.threads = threadsOf(tile);
    }
  tile.slice = sliceOf(line / width, 4, 8);
  return tile;
}

/// True if 32 bits number every point and every element. A loop's counter may
/// overshoot the last point by up to `step`.
static bool fitsIn32(func::FuncOp function, ArrayRef<RestStep> steps,
                     int64_t step) {
  constexpr int64_t kMax = int64_t(1) << 31;
  for (Type type : function.getArgumentTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      continue;
    auto [strides, offset] = memref.getStridesAndOffset();
    int64_t last = 0;
    for (auto [size, stride] : llvm::zip(memref.getShape(), strides)) {
      if (ShapedType::isDynamic(size) || ShapedType::isDynamic(stride) ||
          stride < 0)
        return false;
      last += size * stride;
    }
    if (last >= kMax)
      return false;
  }
  auto isBelow = [](int64_t count, int64_t end) {
    return !ShapedType::isDynamic(count) && count < end;
  };
  return llvm::all_of(steps, [&](const RestStep &each) {
    return isBelow(each.countOf(each.parallel), kMax) &&
           isBelow(each.countOf(each.shared()), kMax - step) &&
           llvm::all_of(each.extents,
                        [&](int64_t extent) { return isBelow(extent, kMax); });
  });
}

RestLayout::RestLayout(func::FuncOp function, const Arch &arch)
    : mayOverlap(overlaps(arch)) {
  for (auto op : function.getOps<linalg::GenericOp>())
    steps.push_back(RestStep::of(op));
  int64_t rows =
      cast<IntegerAttr>(function->getAttr(kernel::kRestAttr)).getInt();
  constexpr int64_t kWarp = 32;
  if (rows == 0 || rows == kHiddenRows) {
    // One thread reduces a short row, or one that crosses lines, alone.
    RestStep &only = steps.front();
    int64_t points = only.countOf(only.reduced);
    bool isShort = !ShapedType::isDynamic(points) && points < kWarp;
    int64_t results = only.rows();
    bool isMany = rows == kHiddenRows || ShapedType::isDynamic(results) ||
                  results >= 1024;
    if (only.reducesRows() && isMany && (isShort || readsAcrossLines(only)))
      only.combiners.clear();
    isRows = only.reducesRows();
    if (isRows)
      only.rowLoops = only.parallel.size();
  } else {
    isRows = true;
    for (RestStep &step : steps)
      (void)step.splitRows(rows);
  }
  // Widths leave one chunk of a row per lane of a warp, or enough chunks of all
  // points for every processor.
  int64_t min = isRows ? kWarp : arch.processors * 128;
  int64_t max = 0;
  for (RestStep &step : steps) {
    int64_t width = widthOf(step, min);
    tiles.push_back(isRows ? RestTile{width} : tileOf(step, width, 2 * min));
    int64_t points = step.countOf(step.shared());
    max = std::max(max, ShapedType::isDynamic(points)
                            ? int64_t(2048)
                            : llvm::divideCeilSigned(points, width));
  }
  threads = tiles.front().threads;
  if (isRows)
    threads = std::clamp<int64_t>(llvm::alignTo(max, kWarp), kWarp, 512);
  // Blocks of a flat loop take chunks in turn; a row has one block.
  int64_t blocks = isRows ? 1 : maxBlocks(arch);
  indexBits = fitsIn32(function, steps, threads * blocks) ? 32 : 64;
}

RestLayout RestLayout::unaligned() const {
  RestLayout layout = *this;
  llvm::fill(layout.tiles, RestTile());
  return layout;
}
