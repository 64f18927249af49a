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
//   B[a, b, f, h] = A[f, a, h, b]   loops: f, a, h / 32, b / 8, b % 8, h % 32
//
// A thread of this kernel takes 8 x 8 elements of f16: 16 bytes along b in A, and
// along h in B. Four threads of a warp have one line of B, and eight have one of
// A. A cost in cycles decides between such rectangles.
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

  /// Returns a loop over the first `count` points, and becomes one over such
  /// loops.
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

/// The loop along which neighbours in the operand are at the smallest distance.
static CrossLoop *findFastest(CrossLoops &loops, unsigned operand) {
  CrossLoop *fastest = nullptr;
  for (CrossLoop &loop : loops)
    if (int64_t stride = loop.strides[operand])
      if (!fastest || stride < fastest->strides[operand])
        fastest = &loop;
  return fastest;
}

/// Removes that loop.
static std::optional<CrossLoop> takeFastest(CrossLoops &loops,
                                            unsigned operand) {
  CrossLoop *fastest = findFastest(loops, operand);
  if (!fastest)
    return std::nullopt;
  CrossLoop taken = *fastest;
  loops.erase(fastest);
  return taken;
}

/// The power of two, up to 16 bytes, of neighbours that a thread takes.
static int64_t vectorOf(int64_t extent, int64_t bytes) {
  int64_t width = std::min<int64_t>(8, std::max<int64_t>(1, 16 / bytes));
  while (extent % width)
    width /= 2;
  return width;
}

namespace {
/// One order of the loops.
struct CrossOrder {
  CrossLoops loops; ///< the fastest first
  /// The elements of a thread: of the result's lines, and of the input's.
  int64_t width = 1, columns = 1;
};

/// The unit of the memory's traffic, in bytes.
constexpr int64_t kSector = 32;

/// The operands that cross: their numbers, and the bytes of their elements.
struct Crossing {
  unsigned result, input;
  int64_t bytes, bytesIn;

  bool isAcross(CrossLoops loops) const;
  std::optional<CrossOrder> order(CrossLoops loops, int64_t columns,
                                  int64_t lanes) const;
  double cost(const CrossOrder &order) const;

private:
  std::array<int64_t, 2> placesOf(const CrossOrder &order,
                                  int64_t thread) const;
};
} // namespace

/// The largest number of lanes, up to `max`, that divides `extent`; all of it
/// where that is one.
static int64_t pieceOf(int64_t extent, int64_t max) {
  for (int64_t piece = std::min(extent, max); piece > 1; --piece)
    if (extent % piece == 0)
      return piece;
  return extent;
}

/// True if the input's lines run across the result's, or if both run along one
/// loop that has less than a sector.
bool Crossing::isAcross(CrossLoops loops) const {
  std::optional<CrossLoop> line = takeFastest(loops, result);
  if (!line || line->strides[result] != 1)
    return false;
  if (line->strides[input] == 1)
    return line->extent * bytes < kSector && takeFastest(loops, input);
  std::optional<CrossLoop> crossing = takeFastest(loops, input);
  return crossing && crossing->strides[input] == 1;
}

/// The thread's loops, those of `lanes` threads along the result's lines, 64
/// bytes of the input's neighbours, and the others. Nothing if the input's
/// lines have no such `columns`.
std::optional<CrossOrder> Crossing::order(CrossLoops loops, int64_t columns,
                                          int64_t lanes) const {
  std::optional<CrossLoop> line = takeFastest(loops, result),
                           crossing = takeFastest(loops, input);
  if (columns > 1 &&
      (crossing->strides[input] != 1 || crossing->extent % columns != 0))
    return std::nullopt;
  CrossOrder made{{}, vectorOf(line->extent, bytes), columns};
  CrossLoops rest;
  // Of the input's lines in the result, without those that a thread has whole.
  CrossLoop *nearest = &*crossing;
  if (crossing->extent == columns)
    if (CrossLoop *next = findFastest(loops, input))
      nearest = next;
  int64_t run = nearest->strides[result];
  auto take = [&](CrossLoop loop, int64_t unit) {
    int64_t piece = pieceOf(loop.extent / unit, lanes);
    made.loops.push_back(loop.splitOff(piece * unit));
    rest.push_back(loop);
    lanes = loop.extent == 1 ? lanes / piece : 0;
  };
  take(*line, made.width);
  if (columns > 1)
    made.loops.push_back(crossing->splitOff(columns));
  while (lanes > 1) {
    auto next = takeFastest(loops, result);
    // Where the input's lines are nearer, they are the next lanes.
    if (next && next->strides[result] < run) {
      take(*next, /*unit=*/1);
      continue;
    }
    if (next)
      rest.push_back(*next);
    break;
  }
  made.loops.push_back(*crossing);
  for (int64_t size = bytesIn * columns * crossing->extent; size < 64;) {
    auto next = takeFastest(loops, input);
    if (!next)
      break;
    size *= next->extent;
    made.loops.push_back(*next);
  }
  while (auto next = takeFastest(rest, result))
    made.loops.push_back(*next);
  llvm::append_range(made.loops, llvm::reverse(loops));
  llvm::erase_if(made.loops,
                 [](const CrossLoop &loop) { return loop.extent == 1; });
  return made;
}

/// The first element of a thread in the result and in the input.
std::array<int64_t, 2> Crossing::placesOf(const CrossOrder &order,
                                          int64_t thread) const {
  std::array<int64_t, 2> places = {0, 0};
  for (auto [at, loop] : llvm::enumerate(order.loops)) {
    int64_t unit = at == 0                        ? order.width
                   : at == 1 && order.columns > 1 ? order.columns
                                                  : 1;
    int64_t count = loop.extent / unit, own = thread % count * unit;
    thread /= count;
    places[0] += own * loop.strides[result];
    places[1] += own * loop.strides[input];
  }
  return places;
}

/// Cycles for each element, of the first threads: for the numbers of elements,
/// for the sectors and cache lines of each instruction of a warp, and for the
/// sectors of a block, which cross the bus.
double Crossing::cost(const CrossOrder &order) const {
  constexpr int64_t kLine = 4, kWarp = 32, kThreads = 256;
  constexpr double kNumbers = 10, kOfSector = 0.5, kBus = 1.7;
  // Between the lines of a thread.
  int64_t across = order.loops[0].strides[input];
  int64_t along = order.columns > 1 ? order.loops[1].strides[result] : 0;
  int64_t loads = across == 1 ? 1 : order.width;
  int64_t size = across == 1 ? order.width : order.columns;
  using Places = llvm::DenseSet<std::pair<int64_t, int64_t>>;
  Places ofBlock;
  double cycles = 0;
  for (int64_t warp = 0; warp < kThreads; warp += kWarp) {
    std::vector<Places> sectors(loads + order.columns), lines = sectors;
    auto touch = [&](int64_t instruction, int64_t first, int64_t bytes) {
      int64_t isLoad = instruction < loads;
      for (int64_t at = first / kSector; at <= (first + bytes - 1) / kSector;
           ++at) {
        sectors[instruction].insert({isLoad, at});
        lines[instruction].insert({isLoad, at / kLine});
        ofBlock.insert({isLoad, at});
      }
    };
    for (int64_t lane = 0; lane < kWarp; ++lane) {
      auto [out, in] = placesOf(order, warp + lane);
      for (int64_t i = 0; i < loads; ++i)
        touch(i, (in + i * across) * bytesIn, size * bytesIn);
      for (int64_t i = 0; i < order.columns; ++i)
        touch(loads + i, (out + i * along) * bytes, order.width * bytes);
    }
    cycles += kNumbers;
    for (auto [own, of] : llvm::zip_equal(sectors, lines))
      cycles += kOfSector * double(own.size()) + double(of.size());
  }
  cycles += kBus * double(ofBlock.size());
  return cycles / double(kThreads * order.width * order.columns);
}

/// The order with the lowest cost.
static CrossOrder bestOrder(const Crossing &crossing, const CrossLoops &loops) {
  CrossOrder best = *crossing.order(loops, /*columns=*/1, /*lanes=*/1);
  double min = crossing.cost(best);
  for (int64_t columns = vectorOf(kSector, crossing.bytesIn); columns > 0;
       columns /= 2)
    for (int64_t lanes = 1; lanes <= 32; lanes *= 2) {
      auto order = crossing.order(loops, columns, lanes);
      double cost = order ? crossing.cost(*order) : min;
      if (cost >= min)
        continue;
      min = cost;
      best = std::move(*order);
    }
  return best;
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

/// The operands of an elementwise op that cross; nothing where none do.
static std::optional<Crossing> crossingOf(linalg::GenericOp op,
                                          const CrossLoops &loops) {
  OpOperand *result = op.getDpsInitOperand(0);
  // The lines of all results run along one loop.
  for (OpOperand &init : op.getDpsInitsMutable())
    for (const CrossLoop &loop : loops)
      if ((loop.strides[init.getOperandNumber()] == 1) !=
          (loop.strides[result->getOperandNumber()] == 1))
        return std::nullopt;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<MemRefType>(input->get().getType()) ||
        getElementTypeOrSelf(input->get()).isInteger(1) ||
        !op.payloadUsesValueFromOperand(input))
      continue;
    Crossing crossing{result->getOperandNumber(), input->getOperandNumber(),
                      bytesOf(*result), bytesOf(*input)};
    if (crossing.isAcross(loops))
      return crossing;
  }
  return std::nullopt;
}

void hone::crossLines(RewriterBase &rewriter, func::FuncOp function) {
  auto ops = llvm::to_vector(function.getOps<linalg::GenericOp>());
  int64_t rows =
      cast<IntegerAttr>(function->getAttr(kernel::kRestAttr)).getInt();
  if (ops.size() != 1 || rows > 0 || ops.front().hasIndexSemantics())
    return;
  RestStep step = RestStep::of(ops.front());
  if (!mayCross(step))
    return;
  auto loops = readLoops(step);
  if (failed(loops))
    return;
  mergeLoops(*loops);
  std::optional<Crossing> crossing = crossingOf(step.op, *loops);
  if (!crossing)
    return;
  CrossOrder best = bestOrder(*crossing, *loops);
  applyLoops(rewriter, function, step.op,
             llvm::to_vector(llvm::reverse(best.loops)));
}
