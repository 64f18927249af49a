//===- BuildHostTile.cpp - Micro-tile of a host kernel --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The micro-kernel sums a micro-tile in vector registers and leaves it in a
// scratch tile that stays in the first-level cache. A second function adds the
// old sums, applies the epilogue and stores the rows and columns that exist.
// The detour through memory costs two instructions a vector, once per block of
// K, and keeps the epilogue and the edges out of the critical code.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Build/Host/BuildHostParts.h"

using namespace mlir;
using namespace hone;
using namespace hone::host;

//===----------------------------------------------------------------------===//
// Multiply
//===----------------------------------------------------------------------===//

/// sums + a[step] (x) b[step], sums in rows of vectors.
static SmallVector<Value> multiplyStep(ImplicitLocOpBuilder &b,
                                       const Kernel &kernel, Value panelA,
                                       Value panelB, Value step,
                                       ValueRange sums) {
  auto type = VectorType::get(kernel.lanes, b.getF32Type());
  SmallVector<Value> row;
  for (int64_t j = 0; j < kernel.microN(); j += kernel.lanes)
    row.push_back(
        vector::LoadOp::create(b, type, panelB, ValueRange{step, index(b, j)}));
  SmallVector<Value> result;
  for (int64_t i = 0; i < kernel.microM(); ++i) {
    Value a = memref::LoadOp::create(b, panelA, ValueRange{step, index(b, i)});
    Value spread = vector::BroadcastOp::create(b, type, a);
    for (Value vector : row)
      result.push_back(
          vector::FMAOp::create(b, spread, vector, sums[result.size()]));
  }
  return result;
}

/// The type of the old sums that a tile is added to.
static MemRefType oldSumsType(const Kernel &kernel) {
  if (kernel.keepsSums())
    return sumsType(kernel.c.getContext());
  return dropBatches(kernel.c, kernel.lettersC);
}

/// Prefetches the old sums while the new ones are computed. At an edge the
/// addresses are beyond the memref; prefetching these has no effect.
static void prefetchOldSums(ImplicitLocOpBuilder &b, const Kernel &kernel,
                            Value oldSums) {
  constexpr int64_t kLineBytes = 64;
  auto type = cast<MemRefType>(oldSums.getType());
  int64_t step = kLineBytes * 8 / type.getElementTypeBitWidth();
  for (int64_t i = 0; i < kernel.microM(); ++i)
    for (int64_t j = 0; j < kernel.microN(); j += step)
      memref::PrefetchOp::create(b, oldSums,
                                 ValueRange{index(b, i), index(b, j)},
                                 /*isWrite=*/false, /*localityHint=*/3,
                                 /*isDataCache=*/true);
}

func::FuncOp host::buildMultiply(ImplicitLocOpBuilder &b,
                                 const Kernel &kernel) {
  OpBuilder::InsertionGuard guard(b);
  MLIRContext *context = b.getContext();
  Type types[] = {panelType(context, kernel.microM()),
                  panelType(context, kernel.microN()),
                  tileType(context, kernel), oldSumsType(kernel)};
  auto function = startFunction(b, kernel.name + "_multiply", types);
  prefetchOldSums(b, kernel, function.getArgument(3));
  Value panelA = function.getArgument(0), panelB = function.getArgument(1);
  Value tile = function.getArgument(2);

  auto type = VectorType::get(kernel.lanes, b.getF32Type());
  int64_t columns = kernel.microN() / kernel.lanes;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  SmallVector<Value> zeros(kernel.microM() * columns, zero);
  Value depth = memref::DimOp::create(b, panelA, 0);
  auto loop = scf::ForOp::create(b, index(b, 0), depth,
                                 index(b, kernel.knobs.unroll), zeros);
  {
    OpBuilder::InsertionGuard inLoop(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> sums(loop.getRegionIterArgs());
    for (int64_t u = 0; u < kernel.knobs.unroll; ++u) {
      Value step =
          arith::AddIOp::create(b, loop.getInductionVar(), index(b, u));
      sums = multiplyStep(b, kernel, panelA, panelB, step, sums);
    }
    scf::YieldOp::create(b, sums);
  }
  for (auto [number, sum] : llvm::enumerate(loop.getResults()))
    vector::StoreOp::create(
        b, sum, tile,
        ValueRange{index(b, number / columns),
                   index(b, number % columns * kernel.lanes)});
  return function;
}

//===----------------------------------------------------------------------===//
// Store
//===----------------------------------------------------------------------===//

namespace {
/// The function under construction, inside the loop over vectors of a tile.
struct StoreBody {
  ImplicitLocOpBuilder &b;
  const Kernel &kernel;
  Block::BlockArgListType arguments;
  Value row, column; ///< of the vector, in the tile
  VectorType type;   ///< of the sum

  Value tile() const { return arguments[0]; }
  Value c() const { return arguments[1]; }
  Value first() const { return arguments[2]; }
  Value last() const { return arguments[3]; }
  /// The memory of sums between blocks of K: C itself, or their own buffer.
  Value sums() const { return kernel.keepsSums() ? arguments[4] : c(); }
  Value epilogueOperand(unsigned i) const {
    return arguments[(kernel.keepsSums() ? 5 : 4) + i];
  }

  /// The vector's elements of C or of the sums, as f32.
  Value read(Value memref) const {
    Value vector = readVector(b, memref, {row, column}, kernel.lanes);
    return convertFloat(b, vector, b.getF32Type());
  }
  void write(Value vector, Value memref) const {
    vector::TransferWriteOp::create(b, vector, memref, ValueRange{row, column},
                                    ArrayRef<bool>{false});
  }
};
} // namespace

/// Selects one of two values, and computes only the selected one.
static Value choose(ImplicitLocOpBuilder &b, Value condition,
                    llvm::function_ref<Value()> yes,
                    llvm::function_ref<Value()> no) {
  auto branch = [&](llvm::function_ref<Value()> value) {
    return [&b, value](OpBuilder &builder, Location) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(builder.getInsertionBlock(),
                          builder.getInsertionPoint());
      scf::YieldOp::create(b, value());
    };
  };
  return scf::IfOp::create(b, condition, branch(yes), branch(no)).getResult(0);
}

/// The elements of epilogue operand `i` for the vector. The operand has no
/// batch dimension here.
static Value readEpilogueOperand(const StoreBody &body, unsigned i) {
  ImplicitLocOpBuilder &b = body.b;
  Value memref = body.epilogueOperand(i);
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> at;
  AffineExpr vectorDim;
  for (char dim : body.kernel.epilogueDims[i])
    if (!kBatchLetters.contains(dim)) {
      if (dim == 'n')
        vectorDim = b.getAffineDimExpr(at.size());
      at.push_back(dim == 'n' ? body.column : body.row);
    }
  auto vectorType = VectorType::get(body.kernel.lanes, type.getElementType());
  if (!vectorDim) {
    Value scalar = memref::LoadOp::create(b, memref, at);
    return vector::BroadcastOp::create(b, vectorType, scalar);
  }
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(b, vectorType, memref, at, zero,
                                        AffineMap::get(at.size(), 0, vectorDim),
                                        ArrayRef<bool>{false});
}

/// The epilogue's ops on vectors: each scalar type becomes a vector of it.
static Value applyEpilogue(const StoreBody &body, Value sum) {
  ImplicitLocOpBuilder &b = body.b;
  MatmulOp op = body.kernel.op;
  if (!op.hasEpilogue())
    return convertFloat(b, sum, body.kernel.c.getElementType());

  Block &block = op.getEpilogue().front();
  IRMapping map;
  map.map(block.getArgument(0), sum);
  for (unsigned i = 0; i < body.kernel.epilogue.size(); ++i)
    map.map(block.getArgument(1 + i), readEpilogueOperand(body, i));
  for (Operation &inner : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      auto type = VectorType::get(body.kernel.lanes, constant.getType());
      auto splat = DenseElementsAttr::get(type, constant.getValue());
      map.map(constant.getResult(), arith::ConstantOp::create(b, splat));
      continue;
    }
    Operation *clone = b.clone(inner, map);
    for (Value result : clone->getResults())
      result.setType(VectorType::get(body.kernel.lanes, result.getType()));
  }
  return map.lookup(block.getTerminator()->getOperand(0));
}

/// sums += tile; C = epilogue(sums) after the last block of K.
static void storeVector(const StoreBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  const Kernel &kernel = body.kernel;
  MatmulOp op = kernel.op;
  Value tile = vector::LoadOp::create(b, body.type, body.tile(),
                                      ValueRange{body.row, body.column});
  auto before = [&]() -> Value {
    if (op.getInit() == Init::read)
      return body.read(body.c());
    return arith::ConstantOp::create(b, b.getZeroAttr(body.type));
  };
  Value old =
      choose(b, body.first(), before, [&] { return body.read(body.sums()); });
  Value sum = arith::AddFOp::create(b, old, tile);

  if (!kernel.keepsSums()) {
    if (op.hasEpilogue())
      sum = choose(
          b, body.last(), [&] { return applyEpilogue(body, sum); },
          [&] { return sum; });
    return body.write(sum, body.c());
  }
  auto branch = scf::IfOp::create(b, body.last(), /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  body.write(applyEpilogue(body, sum), body.c());
  b.setInsertionPointToStart(branch.elseBlock());
  body.write(sum, body.sums());
}

func::FuncOp host::buildStore(ImplicitLocOpBuilder &b, const Kernel &kernel) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types = {tileType(b.getContext(), kernel),
                             dropBatches(kernel.c, kernel.lettersC),
                             b.getI1Type(), b.getI1Type()};
  if (kernel.keepsSums())
    types.push_back(sumsType(b.getContext()));
  for (auto [type, dims] :
       llvm::zip_equal(kernel.epilogue, kernel.epilogueDims))
    types.push_back(dropBatches(type, dims));
  auto function = startFunction(b, kernel.name + "_store", types);
  Value c = function.getArgument(1);
  Value rows = memref::DimOp::create(b, c, 0);
  Value columns = memref::DimOp::create(b, c, 1);
  Value row = enterLoop(b, index(b, 0), rows, 1);
  Value column = enterLoop(b, index(b, 0), columns, kernel.lanes);
  storeVector({b, kernel, function.getArguments(), row, column,
               VectorType::get(kernel.lanes, b.getF32Type())});
  return function;
}
