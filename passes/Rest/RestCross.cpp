//===- RestCross.cpp - Loops of kernels that transpose --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An input whose lines run across those of the results is read and written in
// sectors of 32 bytes only if the threads of a warp take a rectangle of both.
// So loops are merged where every operand permits it, split to the rectangle's
// sides, and ordered:
//
//   copy[k = (f, h)][m = (a, b)] of an A[f][a][h][b], b fastest in A, h in copy
//   slowest  f  a  h / 8  b / 8 |  b % 8's lanes  h % 8's lanes  fastest
//
//===----------------------------------------------------------------------===//

#include "passes/Rest/Rest.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;

namespace {
/// A loop, and the distance of its neighbours in each operand: 0 where the
/// operand does not depend on it.
struct CrossLoop {
  int64_t extent = 1;
  SmallVector<int64_t> strides;

  /// The loop over its first `count` points; what is left is a loop over these.
  CrossLoop splitOff(int64_t count) {
    CrossLoop inner{count, strides};
    extent /= count;
    for (int64_t &stride : strides)
      stride *= count;
    return inner;
  }
};
using CrossLoops = SmallVector<CrossLoop>;
} // namespace

/// The loops of an op all of whose operands are arrays or numbers with an index
/// of their own for each dimension.
static FailureOr<CrossLoops> readLoops(const RestStep &step) {
  linalg::GenericOp op = step.op;
  CrossLoops loops(step.extents.size());
  for (auto [loop, extent] : llvm::zip_equal(loops, step.extents)) {
    loop.extent = extent;
    loop.strides.assign(op->getNumOperands(), 0);
  }
  llvm::SmallPtrSet<Value, 4> seen;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    if (!isa<BlockArgument>(operand.get()) || !type.hasStaticShape() ||
        !seen.insert(operand.get()).second)
      return failure();
    auto [strides, offset] = type.getStridesAndOffset();
    for (auto [expr, stride] : llvm::zip_equal(
             op.getMatchingIndexingMap(&operand).getResults(), strides)) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || ShapedType::isDynamic(stride))
        return failure();
      int64_t &own =
          loops[dim.getPosition()].strides[operand.getOperandNumber()];
      if (own || stride == 0)
        return failure();
      own = stride;
    }
  }
  return loops;
}

/// Leaves no loop of one point, and makes one of two that every operand
/// contains as one.
static void mergeLoops(CrossLoops &loops) {
  llvm::erase_if(loops, [](const CrossLoop &loop) { return loop.extent == 1; });
  auto follows = [](const CrossLoop &outer, const CrossLoop &inner) {
    return llvm::all_of(
        llvm::zip_equal(outer.strides, inner.strides), [&](auto strides) {
          return std::get<0>(strides) == inner.extent * std::get<1>(strides);
        });
  };
  for (size_t inner = 0; inner < loops.size();) {
    auto *outer = llvm::find_if(loops, [&](const CrossLoop &each) {
      return &each != &loops[inner] && follows(each, loops[inner]);
    });
    if (outer == loops.end()) {
      ++inner;
      continue;
    }
    loops[inner].extent *= outer->extent;
    loops.erase(outer);
    inner = 0;
  }
}

/// Removes the loop along which neighbours in the operand are at the smallest
/// distance.
static std::optional<CrossLoop> takeFastest(CrossLoops &loops,
                                            unsigned operand) {
  CrossLoop *fastest = nullptr;
  for (CrossLoop &loop : loops)
    if (int64_t stride = loop.strides[operand])
      if (!fastest || stride < fastest->strides[operand])
        fastest = &loop;
  if (!fastest)
    return std::nullopt;
  CrossLoop taken = *fastest;
  loops.erase(fastest);
  return taken;
}

namespace {
/// The rectangle of a warp: `lanes` threads along the result's lines. A thread
/// has `width` elements of these, of `columns` elements of the input's lines.
struct Rectangle {
  int64_t width, columns, bytes, bytesIn;

  /// The requests of the caches for a warp's elements: for each line of the
  /// input that a thread reads, and for each of the result that it writes.
  int64_t requests(int64_t lanes) const {
    constexpr int64_t kSector = 32, kWarp = 32;
    auto sectors = [](int64_t size) {
      return llvm::divideCeilSigned(size, kSector);
    };
    int64_t across = llvm::divideCeilSigned(kWarp, lanes);
    return width * lanes * sectors(across * columns * bytesIn) +
           columns * across * sectors(lanes * width * bytes);
  }
  /// The number of lanes with the fewest requests; of equal ones, the largest.
  int64_t bestLanes() const {
    int64_t best = 1;
    for (int64_t lanes = 2; lanes <= 16; lanes *= 2)
      if (requests(lanes) <= requests(best))
        best = lanes;
    return best;
  }
};
} // namespace

/// The power of two, up to 16 bytes, of neighbours that a thread takes.
static int64_t vectorOf(int64_t extent, int64_t bytes) {
  int64_t width = std::min<int64_t>(8, std::max<int64_t>(1, 16 / bytes));
  while (extent % width)
    width /= 2;
  return width;
}

/// The divisor of `extent` that makes the rectangle with the fewest requests.
static int64_t bestPiece(const Rectangle &rectangle, int64_t lanes,
                         int64_t extent) {
  int64_t best = 1;
  for (int64_t piece = 2; piece <= std::min<int64_t>(extent, 32); ++piece)
    if (extent % piece == 0 && rectangle.requests(lanes * piece) <=
                                   rectangle.requests(lanes * best))
      best = piece;
  return best;
}

/// Loops in their new order, the fastest first: the thread's, those of the
/// warp's rectangle, 64 bytes of the input's neighbours, and the others.
/// Fails if a line of either is a single element.
static FailureOr<CrossLoops> ordered(CrossLoops loops, unsigned result,
                                     unsigned input, int64_t bytes,
                                     int64_t bytesIn) {
  std::optional<CrossLoop> first = takeFastest(loops, result),
                           second = takeFastest(loops, input);
  if (!first || !second || first->strides[result] != 1 ||
      second->strides[input] != 1)
    return failure();
  CrossLoop line = *first, crossing = *second;
  Rectangle rectangle{vectorOf(line.extent, bytes),
                      vectorOf(crossing.extent, bytesIn), bytes, bytesIn};
  CrossLoops order, rest;
  int64_t target = rectangle.bestLanes(), lanes = 1;
  auto takePiece = [&](CrossLoop loop, int64_t unit) {
    int64_t piece = loop.extent / unit;
    if (lanes * piece > target)
      piece = bestPiece(rectangle, lanes, piece);
    lanes *= piece;
    order.push_back(loop.splitOff(piece * unit));
    if (loop.extent > 1)
      rest.push_back(loop);
    return loop.extent == 1;
  };
  bool isWhole = takePiece(line, rectangle.width);
  if (rectangle.columns > 1)
    order.push_back(crossing.splitOff(rectangle.columns));
  while (isWhole && lanes < target) {
    auto next = takeFastest(loops, result);
    if (!next)
      break;
    isWhole = takePiece(*next, /*unit=*/1);
  }
  order.push_back(crossing);
  int64_t run = bytesIn * rectangle.columns * crossing.extent;
  for (std::optional<CrossLoop> next; run < 64; run *= next->extent) {
    next = takeFastest(loops, input);
    if (!next)
      break;
    order.push_back(*next);
  }
  while (auto next = takeFastest(rest, result))
    order.push_back(*next);
  llvm::append_range(order, llvm::reverse(loops));
  llvm::erase_if(order, [](const CrossLoop &loop) { return loop.extent == 1; });
  return order;
}

/// The operand's array with a dimension for each loop that it depends on.
static MemRefType typeOf(MemRefType old, ArrayRef<CrossLoop> loops,
                         unsigned operand, SmallVector<AffineExpr> &map) {
  SmallVector<unsigned> dims;
  for (auto [at, loop] : llvm::enumerate(loops))
    if (loop.strides[operand])
      dims.push_back(at);
  llvm::stable_sort(dims, [&](unsigned one, unsigned other) {
    return loops[one].strides[operand] > loops[other].strides[operand];
  });
  SmallVector<int64_t> shape, strides;
  for (unsigned at : dims) {
    shape.push_back(loops[at].extent);
    strides.push_back(loops[at].strides[operand]);
    map.push_back(getAffineDimExpr(at, old.getContext()));
  }
  auto [unused, offset] = old.getStridesAndOffset();
  return MemRefType::get(
      shape, old.getElementType(),
      StridedLayoutAttr::get(old.getContext(), offset, strides),
      old.getMemorySpace());
}

/// Makes `loops`, the slowest first, those of the op. The arguments of the
/// function get other types for the same elements.
static void applyLoops(RewriterBase &rewriter, func::FuncOp function,
                       linalg::GenericOp op, ArrayRef<CrossLoop> loops) {
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<AffineExpr> map;
    if (auto old = dyn_cast<MemRefType>(operand.get().getType()))
      operand.get().setType(
          typeOf(old, loops, operand.getOperandNumber(), map));
    maps.push_back(
        AffineMap::get(loops.size(), /*symbolCount=*/0, map, op.getContext()));
  }
  SmallVector<Attribute> iterators(
      loops.size(), linalg::IteratorTypeAttr::get(
                        op.getContext(), utils::IteratorType::parallel));
  rewriter.modifyOpInPlace(op, [&] {
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    op.setIteratorTypesAttr(rewriter.getArrayAttr(iterators));
  });
  function.setType(rewriter.getFunctionType(
      function.getBody().front().getArgumentTypes(), {}));
}

void hone::crossLines(RewriterBase &rewriter, func::FuncOp function) {
  auto ops = llvm::to_vector(function.getOps<linalg::GenericOp>());
  int64_t rows =
      cast<IntegerAttr>(function->getAttr(kernel::kRestAttr)).getInt();
  if (ops.size() != 1 || rows > 0 || ops.front().hasIndexSemantics())
    return;
  RestStep step = RestStep::of(ops.front());
  for (unsigned loop = 0; loop < step.extents.size(); ++loop) {
    OpOperand *input = crossingInput(step, loop);
    if (!input)
      continue;
    OpOperand *result = step.op.getDpsInitOperand(0);
    auto loops = readLoops(step);
    if (failed(loops))
      return;
    mergeLoops(*loops);
    auto order =
        ordered(std::move(*loops), result->getOperandNumber(),
                input->getOperandNumber(), bytesOf(*result), bytesOf(*input));
    if (failed(order))
      return;
    applyLoops(rewriter, function, step.op,
               llvm::to_vector(llvm::reverse(*order)));
    return;
  }
}
