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

/// The position along `loops` of point `index`. The last loop runs fastest, and
/// one index covers `width` neighbours.
template <typename Extent>
static void unravel(IndexValue index, ArrayRef<unsigned> loops, int64_t width,
                    SmallVectorImpl<IndexValue> &position, Extent extentOf) {
  for (unsigned i = loops.size(); i-- > 0;) {
    int64_t step = i + 1 == loops.size() ? width : 1;
    if (i == 0) {
      position[loops[i]] = index * step;
      break;
    }
    auto [known, extent] = extentOf(loops[i]);
    bool isKnown = !ShapedType::isDynamic(known);
    position[loops[i]] =
        (isKnown ? index % (known / step) : index % extent) * step;
    index = isKnown ? index / (known / step) : index / extent;
  }
}

/// The position of a block's row; zero along the other loops.
RestKernel::Position RestKernel::rowOf(const RestStep &step) {
  Position position(step.extents.size(), number(0));
  if (layout.isRows)
    unravel(emit.block().to(indexType), step.rowNumbers(), /*width=*/1,
            position, [&](unsigned loop) {
              return std::pair(step.extents[loop], extentOf(step, loop));
            });
  return position;
}

/// The points of a chunk: neighbours along the last of the shared loops.
RestKernel::Points RestKernel::pointsOf(const RestStep &step, Position position,
                                        IndexValue chunk, int64_t width) {
  unravel(chunk, step.shared(), width, position, [&](unsigned loop) {
    return std::pair(step.extents[loop], extentOf(step, loop));
  });
  Points points;
  for (int64_t lane = 0; lane < width; ++lane) {
    points.push_back(position);
    if (lane > 0)
      points.back()[step.shared().back()] =
          position[step.shared().back()] + lane;
  }
  return points;
}

/// Runs `body` for each chunk of this thread, with the values that it returned
/// for the chunk before.
SmallVector<Value> RestKernel::forChunks(
    const RestStep &step, int64_t width, ValueRange initial,
    function_ref<SmallVector<Value>(IndexValue, ValueRange)> body) {
  IndexValue end = countOf(step, step.shared());
  int64_t known = step.countOf(step.shared());
  end = ShapedType::isDynamic(known) ? end / width : number(known / width);
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
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(emit.index(loop.getInductionVar()), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

/// Every result at these points, from inputs alone.
void RestKernel::mapPoints(const RestStep &step, const Points &points) {
  linalg::GenericOp op = step.op;
  SmallVector<SmallVector<Value>> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isUsed = op.payloadUsesValueFromOperand(&operand);
    operands.push_back(isUsed ? load(step, operand, points)
                              : SmallVector<Value>(points.size()));
  }
  SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
  for (size_t lane = 0; lane < points.size(); ++lane) {
    SmallVector<Value> inputs;
    for (const SmallVector<Value> &values : operands)
      inputs.push_back(values[lane]);
    for (auto [result, value] :
         llvm::zip(results, compute(step, points[lane], inputs)))
      result.push_back(value);
  }
  for (auto [index, values] : llvm::enumerate(results))
    store(step, *op.getDpsInitOperand(index), points, values);
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
void RestKernel::reduceRow(const RestStep &step, int64_t width) {
  linalg::GenericOp op = step.op;
  SmallVector<Value> neutral;
  for (Operation *combiner : step.combiners)
    neutral.push_back(arith::ConstantOp::create(
        builder, loc, *arith::getNeutralElement(combiner)));
  Position row = rowOf(step);
  SmallVector<Value> sums =
      forChunks(step, width, neutral, [&](IndexValue chunk, ValueRange sums) {
        return addPoints(step, pointsOf(step, row, chunk, width), sums);
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

void RestKernel::runStep(const RestStep &step, int64_t width) {
  if (layout.isRows && step.reducesRows())
    return reduceRow(step, width);
  Position row = rowOf(step);
  forChunks(step, width, {}, [&](IndexValue chunk, ValueRange) {
    Points points = pointsOf(step, row, chunk, width);
    if (step.reduced.empty()) {
      mapPoints(step, points);
      return SmallVector<Value>();
    }
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
    runStep(step, layout.widths[number]);
  }
  gpu::ReturnOp::create(builder, loc);
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
