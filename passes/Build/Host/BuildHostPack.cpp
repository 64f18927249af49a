//===- BuildHostPack.cpp - Panels for the host's micro-kernel -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing reduces many problems to one: for any storage order and element type,
// the micro-kernel reads f32 panels [panel][depth][width] front to back. Edges
// are padded with zeros, so the micro-kernel has none.
//
// Where the source runs along the panel's width its rows are copied; where it
// runs along the depth, small blocks are transposed in registers.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Build/Host/BuildHostParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::host;

namespace {
/// Columns [offset, offset + size) of a panel; size is a power of two.
struct Piece {
  int64_t offset, size;
};

/// The function under construction, inside the loop over panels.
struct PackBody {
  ImplicitLocOpBuilder &b;
  const Kernel &kernel;
  Value source, panels, depth; ///< arguments
  Value panel, across;         ///< number of the panel; its first column
};
} // namespace

/// `width` as pieces that fill a vector where they can: 14 = 8 + 4 + 2.
static SmallVector<Piece> pieces(int64_t width, int64_t lanes) {
  SmallVector<Piece> result;
  for (int64_t offset = 0; offset < width; offset += result.back().size) {
    int64_t max = std::min(lanes, width - offset);
    result.push_back({offset, int64_t(llvm::bit_floor(uint64_t(max)))});
  }
  return result;
}

static Value add(ImplicitLocOpBuilder &b, Value value, int64_t offset) {
  return offset == 0 ? value
                     : arith::AddIOp::create(b, value, index(b, offset));
}

/// Copies row by row: the source runs along the panel's width.
static void packRows(PackBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  int64_t width = cast<MemRefType>(body.panels.getType()).getDimSize(2);
  Value rows = memref::DimOp::create(b, body.source, 0);
  auto store = [&](Value row, Piece piece, Value vector) {
    vector::StoreOp::create(b, vector, body.panels,
                            {body.panel, row, index(b, piece.offset)});
  };
  {
    OpBuilder::InsertionGuard guard(b);
    Value row = enterLoop(b, index(b, 0), rows, 1);
    for (Piece piece : pieces(width, body.kernel.lanes)) {
      Value column = add(b, body.across, piece.offset);
      Value read = readVector(b, body.source, {row, column}, piece.size);
      store(row, piece, convertFloat(b, read, b.getF32Type()));
    }
  }
  OpBuilder::InsertionGuard guard(b);
  Value row = enterLoop(b, rows, body.depth, 1);
  for (Piece piece : pieces(width, body.kernel.lanes)) {
    auto type = VectorType::get(piece.size, b.getF32Type());
    store(row, piece, arith::ConstantOp::create(b, b.getZeroAttr(type)));
  }
}

/// Transposes blocks of a piece of the width by a vector's length of depth: the
/// source runs along the depth.
static void packColumns(PackBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  int64_t width = cast<MemRefType>(body.panels.getType()).getDimSize(2);
  Type element = cast<MemRefType>(body.source.getType()).getElementType();
  int64_t lanes = body.kernel.lanes;
  OpBuilder::InsertionGuard guard(b);
  Value row = enterLoop(b, index(b, 0), body.depth, lanes);
  for (Piece piece : pieces(width, lanes)) {
    Value column = add(b, body.across, piece.offset);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
    Value read = vector::TransferReadOp::create(
        b, VectorType::get({piece.size, lanes}, element), body.source,
        ValueRange{column, row}, zero, ArrayRef<bool>{false, false});
    Value block = convertFloat(b, read, b.getF32Type());
    Value turned =
        vector::TransposeOp::create(b, block, ArrayRef<int64_t>{1, 0});
    vector::TransferWriteOp::create(
        b, turned, body.panels,
        ValueRange{body.panel, row, index(b, piece.offset)},
        ArrayRef<bool>{true, true});
  }
}

func::FuncOp host::buildPack(ImplicitLocOpBuilder &b, const Kernel &kernel,
                             StringRef suffix, const Packing &packing) {
  OpBuilder::InsertionGuard guard(b);
  Type types[] = {packing.source, panelsType(b.getContext(), packing.width),
                  b.getIndexType()};
  auto function = startFunction(b, kernel.name + suffix.str(), types);
  Value source = function.getArgument(0);

  Value across = memref::DimOp::create(b, source, packing.depthIsFirst ? 1 : 0);
  Value count = ceilDiv(b, across, packing.width);
  Value panel = enterLoop(b, index(b, 0), count, 1);
  Value column = arith::MulIOp::create(b, panel, index(b, packing.width));
  PackBody body = {
      b,     kernel, source, function.getArgument(1), function.getArgument(2),
      panel, column};

  if (packing.depthIsFirst)
    packRows(body);
  else
    packColumns(body);
  return function;
}
