//===- RestElements.cpp - Loads, stores and bodies of steps ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and bodies at the points of a chunk. Neighbours of a line are
// moved at once where they are adjacent in memory.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Rest/RestKernel.h"
#include "passes/Support.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

IndexValue RestKernel::positionOf(AffineExpr expr, const Position &position) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return position[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return number(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexValue a = positionOf(binary.getLHS(), position);
  IndexValue b = positionOf(binary.getRHS(), position);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return a % b;
  case AffineExprKind::FloorDiv:
    return a / b;
  default:
    return (a + b + -1) / b;
  }
}

Value RestKernel::addressOf(const RestStep &step, OpOperand &operand,
                            const Position &position) {
  linalg::GenericOp op = step.op;
  const RestMatrix &matrix = matrices.at(operand.get());
  // A stride that is known only at the launch may be negative. Positions then
  // have 64 bits (RestLayout) and are signed.
  bool isSigned = llvm::is_contained(matrix.known, ShapedType::kDynamic);
  auto times = [&](IndexValue a, IndexValue b) {
    return isSigned ? emit.index(arith::MulIOp::create(builder, loc, a, b))
                    : a * b;
  };
  auto plus = [&](IndexValue a, IndexValue b) {
    return isSigned ? emit.index(arith::AddIOp::create(builder, loc, a, b))
                    : a + b;
  };
  IndexValue offset = number(0);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr);
        constant && constant.getValue() == 0)
      continue;
    IndexValue at = positionOf(expr, position);
    int64_t known = matrix.known[dim];
    offset =
        plus(offset, known > 0 ? at * known : times(at, matrix.strides[dim]));
  }
  return emit.element(matrix.pointer, offset.to(builder.getI64Type()),
                      matrix.element);
}

/// The layout at `width` neighbours along a loop.
RestLanes RestKernel::lanesOf(const RestStep &step, OpOperand &operand,
                              size_t width, unsigned loop) {
  linalg::GenericOp op = step.op;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isFunctionOfDim(loop))
    return RestLanes::same;
  const RestMatrix &matrix = matrices.at(operand.get());
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    bool isLast = dim + 1 == map.getNumResults();
    if (isLast ? matrix.known[dim] != 1 ||
                     expr != getAffineDimExpr(loop, op.getContext())
               : expr.isFunctionOfDim(loop) ||
                     ShapedType::isDynamic(matrix.known[dim]) ||
                     matrix.known[dim] % int64_t(width) != 0)
      return RestLanes::apart;
  }
  bool isOdd = matrix.element.isIndex() || matrix.element.isInteger(1);
  return isOdd ? RestLanes::apart : RestLanes::adjacent;
}

/// The alignment in bytes of `width` elements that are taken at once.
static int64_t alignOf(Type element, size_t width) {
  return std::min<int64_t>(16, width * *bytesOfElement(element));
}

/// `width` adjacent elements from `first` on.
SmallVector<Value> RestKernel::loadLine(OpOperand &operand,
                                        const RestStep &step,
                                        const Position &first, size_t width) {
  RestMatrix &matrix = matrices.at(operand.get());
  int64_t align = alignOf(matrix.element, width);
  matrix.align = std::max(matrix.align, align);
  Value all =
      LLVM::LoadOp::create(builder, loc, VectorType::get(width, matrix.element),
                           addressOf(step, operand, first), align);
  SmallVector<Value> values;
  for (size_t lane = 0; lane < width; ++lane)
    values.push_back(
        LLVM::ExtractElementOp::create(builder, loc, all, emit.i32(lane)));
  return values;
}

/// The values at all lines of a tile. An operand whose own lines run across
/// them is loaded along its lines.
std::vector<SmallVector<Value>> RestKernel::loadTile(const RestStep &step,
                                                     OpOperand &operand,
                                                     ArrayRef<Line> tile) {
  std::vector<SmallVector<Value>> values(tile.size());
  size_t loops = step.shared().size();
  unsigned across = loops > 1 ? step.shared()[loops - 2] : 0;
  bool isSquare = loops > 1 && tile.size() > 1 &&
                  llvm::isPowerOf2_64(tile.size()) &&
                  isa<MemRefType>(operand.get().getType()) &&
                  tile.back().distance[across] + 1 == int64_t(tile.size());
  if (!isSquare ||
      lanesOf(step, operand, tile.size(), across) != RestLanes::adjacent) {
    for (auto [own, line] : llvm::zip_equal(values, tile))
      own = load(step, operand, line.points);
    return values;
  }
  for (const Position &first : tile.front().points)
    for (auto [own, value] :
         llvm::zip_equal(values, loadLine(operand, step, first, tile.size())))
      own.push_back(value);
  return values;
}

SmallVector<Value> RestKernel::load(const RestStep &step, OpOperand &operand,
                                    const Points &points) {
  SmallVector<Value> values;
  size_t width = points.size();
  if (!isa<MemRefType>(operand.get().getType())) {
    values.assign(width, scalars.lookupOrDefault(operand.get()));
    return values;
  }
  RestMatrix &matrix = matrices.at(operand.get());
  RestLanes lanes = lanesOf(step, operand, width);
  if (lanes == RestLanes::adjacent)
    return loadLine(operand, step, points.front(), width);
  Type type = matrix.element.isIndex() ? builder.getI64Type() : matrix.element;
  for (const Position &point : points) {
    if (lanes == RestLanes::same && !values.empty()) {
      values.push_back(values.front());
      continue;
    }
    Value value = LLVM::LoadOp::create(builder, loc, type,
                                       addressOf(step, operand, point));
    values.push_back(fromWord(builder, loc, value, matrix.element));
  }
  return values;
}

void RestKernel::store(const RestStep &step, OpOperand &operand,
                       const Points &points, ArrayRef<Value> values) {
  RestMatrix &matrix = matrices.at(operand.get());
  if (lanesOf(step, operand, points.size()) == RestLanes::adjacent) {
    int64_t align = alignOf(matrix.element, points.size());
    matrix.align = std::max(matrix.align, align);
    Value all = LLVM::PoisonOp::create(
        builder, loc, VectorType::get(points.size(), matrix.element));
    for (auto [lane, value] : llvm::enumerate(values))
      all = LLVM::InsertElementOp::create(builder, loc, all, value,
                                          emit.i32(lane));
    LLVM::StoreOp::create(builder, loc, all,
                          addressOf(step, operand, points.front()), align);
    return;
  }
  for (auto [point, value] : llvm::zip(points, values)) {
    Value word = value;
    if (word.getType().isIndex())
      word =
          arith::IndexCastOp::create(builder, loc, builder.getI64Type(), word);
    LLVM::StoreOp::create(builder, loc, word, addressOf(step, operand, point));
  }
}

/// `width` neighbours are a vector.
Value RestKernel::loadInBody(memref::LoadOp op, ValueRange indices,
                             int64_t width) {
  RestMatrix &matrix = matrices.at(op.getMemRef());
  Type i64 = builder.getI64Type();
  Value offset = emit.i64(0);
  auto add = [&](Value index, IndexValue stride) {
    Value at = arith::IndexCastOp::create(builder, loc, i64, index);
    Value scaled = arith::MulIOp::create(builder, loc, at, stride.to(i64));
    offset = arith::AddIOp::create(builder, loc, offset, scaled);
  };
  // Lines of a tile share the position in a line.
  if (width > 1)
    add(indices.back(), matrix.strides.back());
  for (auto [index, stride] :
       llvm::zip(width > 1 ? indices.drop_back() : indices, matrix.strides))
    add(index, stride);
  Value address = emit.element(matrix.pointer, offset, matrix.element);
  if (width > 1) {
    int64_t align = alignOf(matrix.element, width);
    matrix.align = std::max(matrix.align, align);
    return LLVM::LoadOp::create(
        builder, loc, VectorType::get(width, matrix.element), address, align);
  }
  Type type = matrix.element.isIndex() ? i64 : matrix.element;
  Value value = LLVM::LoadOp::create(builder, loc, type, address);
  return fromWord(builder, loc, value, matrix.element);
}

/// The values that the body of `step` yields at a position.
SmallVector<Value> RestKernel::compute(const RestStep &step,
                                       const Position &position,
                                       ValueRange inputs) {
  linalg::GenericOp op = step.op;
  IRMapping mapping = scalars;
  for (auto [argument, value] :
       llvm::zip_equal(op.getBody()->getArguments(), inputs))
    if (value)
      mapping.map(argument, value);
  return computeBlock(*op.getBody(), position, mapping);
}

SmallVector<Value> RestKernel::computeBlock(Block &block,
                                            const Position &position,
                                            IRMapping &mapping) {
  auto lookup = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  for (Operation &inner : block.without_terminator()) {
    Value result;
    if (auto loop = dyn_cast<scf::ForOp>(inner)) {
      computeLoop(loop, position, mapping);
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      result = arith::IndexCastUIOp::create(
          builder, loc, builder.getIndexType(), position[index.getDim()]);
    else if (auto load = dyn_cast<memref::LoadOp>(inner))
      result = loadInBody(load, lookup(load.getIndices()));
    else
      result = emitRestScalar(builder, &inner, lookup(inner.getOperands()));
    mapping.map(inner.getResult(0), result);
  }
  return lookup(block.getTerminator()->getOperands());
}

/// A loop inside a body.
void RestKernel::computeLoop(scf::ForOp loop, const Position &position,
                             IRMapping &mapping) {
  SmallVector<Value> starts;
  for (Value start : loop.getInitArgs())
    starts.push_back(mapping.lookupOrDefault(start));
  auto copy = scf::ForOp::create(
      builder, loc, mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()), starts,
      [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(copy.getBody());
  mapping.map(loop.getBody()->getArguments(), copy.getBody()->getArguments());
  scf::YieldOp::create(builder, loc,
                       computeBlock(*loop.getBody(), position, mapping));
  mapping.map(loop.getResults(), copy.getResults());
}
