//===- RestKernel.cpp - Parameters and loops of kernels of the rest -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps as loops over the points that a thread takes; see RestKernel.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Rest/RestKernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Value hone::fromWord(OpBuilder &builder, Location loc, Value word, Type type) {
  if (word.getType() == type)
    return word;
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, word);
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = builder.getIntegerType(bits);
  if (word.getType() != integer)
    word = arith::TruncIOp::create(builder, loc, integer, word);
  return type == integer
             ? word
             : arith::BitcastOp::create(builder, loc, type, word).getResult();
}

void RestKernel::readParams() {
  for (Value argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    RestMatrix &matrix = matrices[argument];
    matrix.element = type.getElementType();
    auto [strides, offset] = type.getStridesAndOffset();
    for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
      matrix.extents.push_back(number(std::max<int64_t>(size, 0)));
      matrix.strides.push_back(
          number(ShapedType::isDynamic(stride) ? 0 : stride));
      matrix.known.push_back(stride);
    }
  }
  for (auto [param, value] :
       llvm::zip_equal(restParams(function), kernel.getArguments())) {
    Value argument = function.getArgument(param.argument);
    if (param.kind == RestParam::scalar)
      scalars.map(argument, fromWord(builder, loc, value, argument.getType()));
    else if (param.kind == RestParam::address)
      matrices[argument].pointer = value;
    else if (param.kind == RestParam::extent)
      matrices[argument].extents[param.dim] = toIndex(value);
    else
      matrices[argument].strides[param.dim] = toIndex(value);
  }
}

/// Tables become constants of the kernel's module, under their names.
void RestKernel::readGlobals() {
  for (Operation &op : function.getBody().front()) {
    if (op.hasTrait<OpTrait::ConstantLike>())
      builder.clone(op, scalars);
    auto get = dyn_cast<memref::GetGlobalOp>(op);
    if (!get)
      continue;
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        function, get.getNameAttr());
    auto type = cast<MemRefType>(get.getType());
    auto values = cast<DenseElementsAttr>(*global.getInitialValue());
    auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
    std::string name = ("hone_table_" + get.getName()).str();
    if (!module.lookupSymbol(name)) {
      OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
      int64_t count = type.getNumElements();
      // LLVM's arrays have one dimension.
      auto flat = values.isSplat() ? values.resizeSplat(RankedTensorType::get(
                                         {count}, type.getElementType()))
                                   : values.reshape(RankedTensorType::get(
                                         {count}, type.getElementType()));
      LLVM::GlobalOp::create(
          top, loc, LLVM::LLVMArrayType::get(type.getElementType(), count),
          /*isConstant=*/true, LLVM::Linkage::Internal, name, flat,
          /*alignment=*/16, kGlobalSpace);
    }
    RestMatrix &matrix = matrices[get];
    matrix.pointer = LLVM::AddressOfOp::create(
        builder, loc,
        LLVM::LLVMPointerType::get(builder.getContext(), kGlobalSpace), name);
    matrix.element = type.getElementType();
    auto [strides, offset] = type.getStridesAndOffset();
    for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
      matrix.extents.push_back(number(size));
      matrix.strides.push_back(number(stride));
      matrix.known.push_back(stride);
    }
  }
}

/// The extent of a loop: the size of an operand's dimension that only this loop
/// indexes.
IndexValue RestKernel::extentOf(const RestStep &step, unsigned loop) {
  if (!ShapedType::isDynamic(step.extents[loop]))
    return number(step.extents[loop]);
  linalg::GenericOp op = step.op;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(loop, op.getContext()))
        return matrices.at(operand.get()).extents[dim];
  }
  llvm_unreachable("linalg ops find the extents of their loops");
}

IndexValue RestKernel::countOf(const RestStep &step, ArrayRef<unsigned> loops) {
  int64_t known = step.countOf(loops);
  if (!ShapedType::isDynamic(known))
    return number(known);
  IndexValue count = number(1);
  for (unsigned loop : loops)
    count = count * extentOf(step, loop);
  return count;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// A digit of a chunk's number: `count` times `by` positions along a loop.
struct Digit {
  unsigned loop;
  int64_t by, count; ///< kDynamic: the loop's extent
};
} // namespace

/// The digits of a tile's number, the fastest first.
static SmallVector<Digit>
digitsOf(const RestStep &step, ArrayRef<unsigned> loops, const RestTile &tile) {
  SmallVector<Digit> digits;
  int64_t sizes[] = {tile.width, tile.columns, tile.rows};
  for (auto [i, loop] : llvm::enumerate(llvm::reverse(loops))) {
    int64_t by = i < std::size(sizes) ? sizes[i] : 1;
    int64_t extent = step.extents[loop];
    digits.push_back(
        {loop, by, ShapedType::isDynamic(extent) ? extent : extent / by});
  }
  if (tile.slice) {
    Digit &first = digits.front();
    Digit others = {first.loop, first.by * tile.slice,
                    first.count / tile.slice};
    first.count = tile.slice;
    digits.push_back(others);
  }
  return digits;
}

/// The position along `loops` of tile `index`.
template <typename Extent>
static void unravel(IndexValue index, ArrayRef<Digit> digits,
                    SmallVectorImpl<IndexValue> &position, Extent extentOf) {
  for (const Digit &digit : digits) {
    bool isLast = &digit == &digits.back();
    if (digit.count == 1 && !isLast)
      continue; // at 0, as before
    bool isKnown = !ShapedType::isDynamic(digit.count);
    IndexValue own = isLast    ? index
                     : isKnown ? index % digit.count
                               : index % extentOf(digit.loop);
    bool isMore =
        isLast && digits.size() > 1 && digit.loop == digits.front().loop;
    position[digit.loop] =
        isMore ? position[digit.loop] + own * digit.by : own * digit.by;
    if (!isLast)
      index = isKnown ? index / digit.count : index / extentOf(digit.loop);
  }
}

/// The position of a block's row; zero along the other loops.
RestKernel::Position RestKernel::rowOf(const RestStep &step) {
  Position position(step.extents.size(), number(0));
  if (layout.isRows)
    unravel(emit.block().to(indexType),
            digitsOf(step, step.rowNumbers(), RestTile()), position,
            [&](unsigned loop) { return extentOf(step, loop); });
  return position;
}

/// The points of a chunk: lines of neighbours along the last of the shared
/// loops.
std::vector<RestKernel::Line> RestKernel::pointsOf(const RestStep &step,
                                                   Position position,
                                                   IndexValue chunk,
                                                   const RestTile &tile) {
  ArrayRef<unsigned> loops = step.shared();
  unravel(chunk, digitsOf(step, loops, tile), position,
          [&](unsigned loop) { return extentOf(step, loop); });
  std::vector<Line> lines;
  for (int64_t i = 0; i < tile.rows * tile.columns; ++i) {
    Line &line = lines.emplace_back();
    line.distance.resize(position.size());
    Position first = position;
    for (auto [before, distance] :
         {std::pair(2, i % tile.columns), std::pair(3, i / tile.columns)}) {
      if (distance == 0)
        continue;
      unsigned loop = loops[loops.size() - before];
      line.distance[loop] = distance;
      first[loop] = first[loop] + distance;
    }
    for (int64_t lane = 0; lane < tile.width; ++lane) {
      line.points.push_back(first);
      if (lane > 0)
        line.points.back()[loops.back()] = first[loops.back()] + lane;
    }
  }
  return lines;
}

/// Runs `body` for each chunk of this thread, with the values that it returned
/// for the chunk before.
SmallVector<Value> RestKernel::forChunks(
    const RestStep &step, const RestTile &tile, ValueRange initial,
    function_ref<SmallVector<Value>(IndexValue, ValueRange)> body) {
  IndexValue end = countOf(step, step.shared());
  int64_t known = step.countOf(step.shared());
  int64_t points = tile.points();
  end = ShapedType::isDynamic(known) ? end / points : number(known / points);
  IndexValue first = emit.thread(layout.threads).to(indexType);
  IndexValue stride = number(layout.threads);
  if (!layout.isRows) {
    first = emit.block().to(indexType) * layout.threads + first;
    IndexValue blocks = emit.index(
        NVVM::GridDimXOp::create(builder, loc, builder.getI32Type()));
    stride = blocks.to(indexType) * layout.threads;
  }
  auto loop =
      scf::ForOp::create(builder, loc, first, end, stride, initial,
                         [](OpBuilder &, Location, Value, ValueRange) {});
  if (!tile.isLine())
    loop->setAttr(
        kernel::kTileAttr,
        builder.getDenseI64ArrayAttr({tile.rows, tile.columns, tile.slice}));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(emit.index(loop.getInductionVar()), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

/// Every result at these points, from inputs alone.
void RestKernel::mapPoints(const RestStep &step, ArrayRef<Line> tile) {
  linalg::GenericOp op = step.op;
  RestLines lines(step, tile.front().points.size());
  TileBody body(step, lines, tile);
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand))
      body.values[op.getMatchingBlockArgument(&operand)] =
          loadTile(step, operand, tile);
  std::vector<Values> results; // of each line, result by result
  if (!lines.loads().empty() && tile.front().points.size() > 1) {
    results = computeTile(body);
  } else {
    for (auto [at, line] : llvm::enumerate(tile)) {
      Values &own = results.emplace_back();
      own.resize(line.points.size() * op.getNumDpsInits());
      for (size_t lane = 0; lane < line.points.size(); ++lane) {
        SmallVector<Value> inputs;
        for (BlockArgument argument : op.getBody()->getArguments()) {
          auto found = body.values.find(argument);
          inputs.push_back(
              found == body.values.end() ? Value() : found->second[at][lane]);
        }
        for (auto [i, value] :
             llvm::enumerate(compute(step, line.points[lane], inputs)))
          own[i * line.points.size() + lane] = value;
      }
    }
  }
  for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable()))
    for (auto [line, values] : llvm::zip_equal(tile, results)) {
      size_t width = line.points.size();
      store(step, init, line.points,
            ArrayRef(values).slice(index * width, width));
    }
}

/// Adds these points to `sums`, one after the other.
SmallVector<Value> RestKernel::addPoints(const RestStep &step,
                                         const Points &points,
                                         ValueRange sums) {
  linalg::GenericOp op = step.op;
  SmallVector<SmallVector<Value>> inputs;
  for (OpOperand *operand : op.getDpsInputOperands())
    inputs.push_back(load(step, *operand, points));
  SmallVector<Value> next(sums);
  for (size_t lane = 0; lane < points.size(); ++lane) {
    SmallVector<Value> values;
    for (const SmallVector<Value> &input : inputs)
      values.push_back(input[lane]);
    llvm::append_range(values, next);
    next = compute(step, points[lane], values);
  }
  return next;
}

/// Adds all points along `loops` to `sums`, in this thread.
SmallVector<Value> RestKernel::reduceAlone(const RestStep &step,
                                           Position position,
                                           ArrayRef<unsigned> loops,
                                           ValueRange sums) {
  if (loops.empty())
    return addPoints(step, {position}, sums);
  auto loop = scf::ForOp::create(
      builder, loc, number(0), extentOf(step, loops.front()), number(1), sums,
      [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  position[loops.front()] = emit.index(loop.getInductionVar());
  scf::YieldOp::create(builder, loc,
                       reduceAlone(step, position, loops.drop_front(),
                                   loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

/// Makes one result per row. Each thread adds up its points, the block adds up
/// its threads' sums, and the first thread adds the total to the old element.
void RestKernel::reduceRow(const RestStep &step, const RestTile &tile) {
  linalg::GenericOp op = step.op;
  SmallVector<Value> neutral;
  for (Operation *combiner : step.combiners)
    neutral.push_back(arith::ConstantOp::create(
        builder, loc, *arith::getNeutralElement(combiner)));
  Position row = rowOf(step);
  SmallVector<Value> sums =
      forChunks(step, tile, neutral, [&](IndexValue chunk, ValueRange sums) {
        Line line = pointsOf(step, row, chunk, tile).front();
        return addPoints(step, line.points, sums);
      });
  for (auto [index, combiner] : llvm::enumerate(step.combiners))
    sums[index] = sumOfBlock(combiner, sums[index], index);
  Value isFirst = emit.thread(layout.threads).lessThan(emit.i32(1));
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  for (auto [index, combiner] : llvm::enumerate(step.combiners)) {
    OpOperand &result = *op.getDpsInitOperand(index);
    Value before = load(step, result, {row}).front();
    store(step, result, {row}, {combine(combiner, before, sums[index])});
  }
}

void RestKernel::runStep(const RestStep &step, const RestTile &tile) {
  if (layout.isRows && step.reducesRows())
    return reduceRow(step, tile);
  Position row = rowOf(step);
  forChunks(step, tile, {}, [&](IndexValue chunk, ValueRange) {
    std::vector<Line> lines = pointsOf(step, row, chunk, tile);
    if (step.reduced.empty()) {
      mapPoints(step, lines);
      return SmallVector<Value>();
    }
    Points &points = lines.front().points;
    linalg::GenericOp op = step.op;
    SmallVector<Value> sums;
    for (OpOperand &result : op.getDpsInitsMutable())
      sums.push_back(load(step, result, points).front());
    sums = reduceAlone(step, points.front(), step.reduced, sums);
    for (auto [index, sum] : llvm::enumerate(sums))
      store(step, *op.getDpsInitOperand(index), points, {sum});
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

SmallVector<int64_t> RestKernel::build() {
  indexType = builder.getIntegerType(layout.indexBits);
  if (layout.mayOverlap)
    kernel::DependReleaseOp::create(builder, loc);
  readParams();
  readGlobals();
  if (layout.mayOverlap)
    kernel::DependWaitOp::create(builder, loc);
  for (auto [number, step] : llvm::enumerate(layout.steps)) {
    // The next step reads the memory that this one wrote, and reuses the shared
    // memory of its sums.
    if (number > 0)
      kernel::BarrierOp::create(builder, loc);
    runStep(step, layout.tiles[number]);
  }
  gpu::ReturnOp::create(builder, loc);
  // Points of a tile have many numbers and lines in common.
  if (!llvm::all_of(layout.tiles, [](auto &tile) { return tile.isLine(); })) {
    IRRewriter rewriter(builder);
    DominanceInfo dominance(kernel);
    eliminateCommonSubExpressions(rewriter, dominance, kernel);
  }
  SmallVector<int64_t> aligns;
  for (Value argument : function.getArguments())
    aligns.push_back(
        isa<MemRefType>(argument.getType()) ? matrices.at(argument).align : 1);
  return aligns;
}

SmallVector<int64_t> hone::buildRestBody(func::FuncOp function,
                                         const RestLayout &layout,
                                         Operation *kernel) {
  return RestKernel(function, layout, cast<gpu::GPUFuncOp>(kernel)).build();
}
