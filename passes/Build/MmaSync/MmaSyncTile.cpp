//===- MmaSyncTile.cpp - Tile of a block of mma_sync ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MmaSyncTile.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/MmaSync/MmaSyncTile.h"
#include "dialects/Kernel/AddressMap.h"
#include "hone/Schedule/ExactF32.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

MmaSyncTile::MmaSyncTile(gpu::GPUFuncOp func, MatmulOp op,
                         const Problem &problem, const MmaSync &schedule)
    : func(func), op(op), problem(problem), schedule(schedule),
      builder(OpBuilder::atBlockBegin(&func.getBody().front())),
      loc(op.getLoc()), isExact(isExactF32(problem)),
      elementA(elementOf(op.getA())), elementB(elementOf(op.getB())),
      elementC(elementOf(op.getC())), epilogue(builder, op, problem, params) {
  for (auto [param, value] : llvm::zip(mmaSyncParams(op), func.getArguments()))
    params[param.name().str()] = value;
}

void MmaSyncTile::placeTile() {
  Value tilesM =
      arith::CeilDivUIOp::create(builder, loc, params["m"], i32(tileM()));
  Value tilesN =
      arith::CeilDivUIOp::create(builder, loc, params["n"], i32(tileN()));
  if (problem.groups)
    tilesM = add(tilesM, params["groups"]);
  Type type = builder.getI32Type();
  Value index;
  if (schedule.splits > 1 || problem.groups)
    index =
        WorkerOp::create(builder, loc, type, type, schedule.splits).getWorker();
  // Ends are read before the first copy.
  if (op.getRagged() && overlaps(op.getArchAttr().getValue()))
    DependWaitOp::create(builder, loc);
  if (problem.groups)
    placeSegment(index, tilesM, tilesN);
  auto tile = TileOp::create(builder, loc, type, type, type, index, tilesM,
                             tilesN, params["group"]);
  Value first =
      arith::MulIOp::create(builder, loc, tile.getTileM(), i32(tileM()));
  row = row ? add(row, first) : first;
  col = arith::MulIOp::create(builder, loc, tile.getTileN(), i32(tileN()));
  batch = tile.getBatch();
  if (problem.batch)
    placeBatch(batch);
}

/// The tile's rows are those of one group: for this block, the matrices end
/// where they do, and rows of no group have no k. `index` becomes the number of
/// the tile in its segment.
void MmaSyncTile::placeSegment(Value &index, Value &tilesM, Value tilesN) {
  SegmentOp segment =
      createSegment(builder, loc, index, params, tileM(), tilesN);
  index = segment.getNumber();
  tilesM = segment.getRowsOfTiles();
  row = segment.getFirst();
  params["m"] = segment.getEnd();
  params["k"] = segment.getDepthOfTile();
  placeOfB.batch = arith::ExtUIOp::create(builder, loc, builder.getI64Type(),
                                          groupOf(builder, segment));
}

void MmaSyncTile::placeBatch(Value number) {
  auto extend = [&](Value value) -> Value {
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value);
  };
  auto heads = params.find("heads");
  if (heads == params.end()) {
    place.batch = extend(number);
    return;
  }
  place.batch =
      extend(arith::DivUIOp::create(builder, loc, number, heads->second));
  place.head =
      extend(arith::RemUIOp::create(builder, loc, number, heads->second));
}

Value MmaSyncTile::matrix(const std::string &name, Type element, int64_t align,
                          bool row, Value rows, Value cols) {
  auto type = MatrixType::get(builder.getContext(), element, align);
  const BatchPlace &at = problem.groups && name == "b" ? placeOfB : place;
  return MatrixOp::create(builder, loc, type, params[name],
                          epilogue.batchOffset(at, "s" + name, "h" + name),
                          row ? rows : cols, row ? cols : rows,
                          params["ld" + name]);
}

Value MmaSyncTile::add(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}
Value MmaSyncTile::mul(Value a, int64_t b) {
  return arith::MulIOp::create(builder, loc, a, i32(b));
}
Value MmaSyncTile::i32(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}
