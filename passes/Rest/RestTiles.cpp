//===- RestTiles.cpp - Bodies that load lines -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Op by op, for all points of a tile: neighbours load their elements of a line
// at once, and share values that are the same for all of them. Numbers that are equal
// at several points of a tile are written alike, so LLVM keeps one load of a
// line for all of them.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "passes/Rest/RestKernel.h"

using namespace mlir;
using namespace hone;

/// A sum of positions, with the distances of the point in the constant.
Value RestKernel::numberOf(TileBody &body, const LoopSum &sum, size_t line,
                           size_t lane) {
  int64_t constant = sum.constant;
  const Line &own = body.tile[line];
  const Position &first = body.tile.front().points.front();
  Type index = builder.getIndexType();
  Value value;
  for (auto [loop, factor] : llvm::enumerate(sum.factors)) {
    if (factor == 0)
      continue;
    constant += factor * own.distance[loop];
    if (loop == body.step.shared().back())
      constant += factor * int64_t(lane);
    Value part = arith::IndexCastUIOp::create(builder, loc, index, first[loop]);
    if (factor != 1)
      part = arith::MulIOp::create(
          builder, loc, part,
          arith::ConstantIndexOp::create(builder, loc, factor));
    value = value ? arith::AddIOp::create(builder, loc, value, part) : part;
  }
  Value rest = arith::ConstantIndexOp::create(builder, loc, constant);
  if (!value || constant == 0)
    return value ? value : rest;
  return arith::AddIOp::create(builder, loc, value, rest);
}

Value RestKernel::valueOf(TileBody &body, Value value, size_t line,
                          size_t lane) {
  if (const LoopSum *sum = body.lines.sumOf(value))
    return numberOf(body, *sum, line, lane);
  if (auto found = body.vectors.find(value); found != body.vectors.end())
    return LLVM::ExtractElementOp::create(builder, loc, found->second[line],
                                          emit.i32(lane));
  if (auto found = body.values.find(value); found != body.values.end()) {
    const Values &own = found->second[line];
    return own[own.size() == 1 ? 0 : lane];
  }
  return scalars.lookupOrDefault(value);
}

/// Computes `op` at the points of a line.
void RestKernel::computeOp(TileBody &body, Operation &op, size_t line) {
  size_t width = body.tile[line].points.size();
  auto valuesAt = [&](ValueRange operands, size_t lane) {
    return llvm::map_to_vector(operands, [&](Value operand) {
      return valueOf(body, operand, line, lane);
    });
  };
  Value result = op.getResult(0);
  auto load = dyn_cast<memref::LoadOp>(op);
  if (load && body.lines.isLine(load)) {
    Values indices = valuesAt(load.getIndices(), 0);
    body.vectors[result].push_back(loadInBody(load, indices, width));
    return;
  }
  if (body.lines.isLine(&op)) {
    auto select = cast<arith::SelectOp>(op);
    Attribute other;
    matchPattern(select.getFalseValue(), m_Constant(&other));
    auto type = VectorType::get(width, select.getType());
    Value others = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, other));
    Value condition = valueOf(body, select.getCondition(), line, 0);
    Value own = body.vectors.at(select.getTrueValue())[line];
    body.vectors[result].push_back(
        arith::SelectOp::create(builder, loc, condition, own, others));
    return;
  }
  Values &values = body.values[result].emplace_back();
  for (size_t lane = 0; lane < (body.lines.isSame(result) ? 1 : width);
       ++lane) {
    Values operands = valuesAt(load ? ValueRange(load.getIndices())
                                    : ValueRange(op.getOperands()),
                               lane);
    values.push_back(load ? loadInBody(load, operands)
                          : emitRestScalar(builder, &op, operands));
  }
}

/// The results of each line, one after the other.
std::vector<RestKernel::Values> RestKernel::computeTile(TileBody &body) {
  linalg::GenericOp op = body.step.op;
  for (Operation &inner : op.getBody()->without_terminator())
    if (!body.lines.sumOf(inner.getResult(0)))
      for (size_t line = 0; line < body.tile.size(); ++line)
        computeOp(body, inner, line);
  std::vector<Values> results(body.tile.size());
  for (Value yielded : op.getBody()->getTerminator()->getOperands())
    for (auto [number, line] : llvm::enumerate(body.tile))
      for (size_t lane = 0; lane < line.points.size(); ++lane)
        results[number].push_back(valueOf(body, yielded, number, lane));
  return results;
}
