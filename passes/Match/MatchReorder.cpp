//===- MatchReorder.cpp - Writer of ops with channels last ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value with its dimensions in another order is computed so, if that is as
// cheap as the value itself; else a transpose follows it. The transpose
// after a new op moves through the ops that follow.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "passes/Match/MatchChannels.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

DimOrder match::channelsLast(int64_t rank) {
  DimOrder order = {0};
  for (int64_t dim = 2; dim < rank; ++dim)
    order.push_back(dim);
  order.push_back(1);
  return order;
}

RankedTensorType match::reordered(RankedTensorType type,
                                  ArrayRef<int64_t> order) {
  return RankedTensorType::get(applyPermutation(type.getShape(), order),
                               type.getElementType());
}

/// The input of a transpose with `order`, however it is spelled; null for any
/// other value.
static Value transposedFrom(Value value, ArrayRef<int64_t> order) {
  if (auto op = value.getDefiningOp<linalg::TransposeOp>())
    return op.getPermutation() == order ? op.getInput() : Value();
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getNumReductionLoops() != 0 ||
      op.getBody()->getTerminator()->getOperand(0) !=
          op.getBody()->getArgument(0))
    return {};
  AffineMap read = op.getIndexingMapsArray()[0];
  AffineMap written = op.getIndexingMapsArray()[1];
  if (!read.isPermutation() || !written.isPermutation())
    return {};
  AffineMap moved = written.compose(inversePermutation(read));
  for (auto [dim, expr] : llvm::enumerate(moved.getResults()))
    if (cast<AffineDimExpr>(expr).getPosition() != order[dim])
      return {};
  return op.getDpsInputs().front();
}

linalg::GenericOp match::writeReordered(RewriterBase &rewriter,
                                        linalg::LinalgOp op,
                                        ArrayRef<Value> operands,
                                        ArrayRef<DimOrder> orders) {
  SmallVector<AffineMap> maps;
  for (auto [map, order] : llvm::zip(op.getIndexingMapsArray(), orders))
    maps.push_back(AffineMap::get(map.getNumDims(), 0,
                                  applyPermutation(map.getResults(), order),
                                  op.getContext()));
  unsigned inputs = op.getNumDpsInputs();
  auto kinds = op.getIteratorTypesArray();
  auto generic = linalg::GenericOp::create(
      rewriter, op.getLoc(), TypeRange(ValueRange(operands.drop_front(inputs))),
      operands.take_front(inputs), operands.drop_front(inputs), maps, kinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  copyPins(op, generic);
  // The fastest loop of the result is that of its channels, and the fastest one
  // of a sum that of an input's.
  SmallVector<unsigned> loops;
  for (const AffineMap &map :
       {maps[inputs], maps.front(),
        rewriter.getMultiDimIdentityMap(op.getNumLoops())})
    for (AffineExpr expr : map.getResults())
      expr.walk([&](AffineExpr part) {
        auto loop = loopOf(part);
        if (loop && !llvm::is_contained(loops, *loop))
          loops.push_back(*loop);
      });
  FailureOr<linalg::GenericOp> sorted =
      linalg::interchangeGenericOp(rewriter, generic, loops);
  return succeeded(sorted) ? *sorted : generic;
}

/// A constant with its dimensions in another order; null if its bytes are not
/// known.
static DenseElementsAttr permuteConstant(Attribute constant,
                                         ArrayRef<int64_t> order) {
  auto elements = dyn_cast_if_present<ElementsAttr>(constant);
  auto type = elements ? dyn_cast<RankedTensorType>(elements.getType())
                       : RankedTensorType();
  ArrayRef<char> bytes;
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(constant)) {
    if (dense.isSplat())
      return dense.resizeSplat(reordered(type, order));
    bytes = dense.getRawData();
  } else if (auto resource =
                 dyn_cast_if_present<DenseResourceElementsAttr>(constant)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  }
  if (!type || !type.getElementType().isIntOrFloat())
    return {};
  size_t width = type.getElementTypeBitWidth() / 8;
  if (type.getElementTypeBitWidth() % 8 ||
      bytes.size() != type.getNumElements() * width)
    return {};
  RankedTensorType result = reordered(type, order);
  SmallVector<int64_t> steps =
      applyPermutation(computeStrides(type.getShape()), order);
  SmallVector<int64_t> basis = computeStrides(result.getShape());
  std::vector<char> moved(bytes.size());
  for (int64_t index = 0; index < type.getNumElements(); ++index) {
    int64_t from = linearize(delinearize(index, basis), steps);
    std::copy_n(bytes.begin() + from * width, width,
                moved.begin() + index * width);
  }
  return DenseElementsAttr::getFromRawBuffer(result, moved);
}

Value Reorderer::reorderedEmpty(Value value, const DimOrder &order) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : order)
    sizes.push_back(type.isDynamicDim(dim)
                        ? sizeOf(rewriter, loc, value, dim)
                        : rewriter.getIndexAttr(type.getDimSize(dim)));
  return tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
}

/// True if `op` repeats values of fewer dimensions, as a bias is.
static bool isBroadcast(linalg::LinalgOp op) {
  return op.getNumReductionLoops() == 0 && op->getNumResults() == 1 &&
         op.hasPureTensorSemantics() &&
         llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return op.getMatchingIndexingMap(input).isPermutation();
         });
}

/// `value` with its dimensions in `order`, computed so where that is as cheap.
Value Reorderer::writeReorder(Value value, const DimOrder &order) {
  Location loc = value.getLoc();
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (DenseElementsAttr moved = permuteConstant(constant, order))
      return arith::ConstantOp::create(rewriter, loc, moved);
  Operation *op = value.getDefiningOp();
  if (isa_and_present<tensor::EmptyOp>(op))
    return reorderedEmpty(value, order);
  if (auto fill = dyn_cast_if_present<linalg::FillOp>(op))
    return linalg::FillOp::create(rewriter, loc, fill.value(),
                                  reorderedEmpty(value, order))
        .getResult(0);
  if (auto pad = dyn_cast_if_present<tensor::PadOp>(op))
    if (Value with = pad.getConstantPaddingValue()) {
      Value source = reorder(pad.getSource(), order);
      rewriter.setInsertionPointAfter(pad);
      return tensor::PadOp::create(
          rewriter, loc, reordered(pad.getResultType(), order), source,
          applyPermutation(pad.getMixedLowPad(), order),
          applyPermutation(pad.getMixedHighPad(), order), with);
    }
  if (auto linalgOp = dyn_cast_if_present<linalg::LinalgOp>(op);
      linalgOp && isBroadcast(linalgOp)) {
    SmallVector<Value> operands(op->getOperands());
    SmallVector<DimOrder> orders;
    for (const AffineMap &map : linalgOp.getIndexingMapsArray())
      orders.push_back(
          llvm::to_vector(llvm::seq<int64_t>(map.getNumResults())));
    operands.back() = reorderedEmpty(value, order);
    orders.back() = order;
    return writeReordered(rewriter, linalgOp, operands, orders)->getResult(0);
  }
  return transpose(value, order);
}

Value Reorderer::transpose(Value value, const DimOrder &order) {
  return linalg::TransposeOp::create(rewriter, value.getLoc(), value,
                                     reorderedEmpty(value, order), order)
      ->getResult(0);
}

Value Reorderer::reorder(Value value, const DimOrder &order) {
  if (isIdentityPermutation(order))
    return value;
  if (Value source = transposedFrom(value, invertPermutationVector(order)))
    return source;
  for (auto &[other, result] : known[value])
    if (other == order)
      return result;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(value);
  Value result = writeReorder(value, order);
  known[value].emplace_back(order, result);
  return result;
}

/// Replaces `op` by `results` with channels last, followed by transposes.
void Reorderer::replace(Operation *op, ValueRange results) {
  for (auto [before, after] : llvm::zip(op->getResults(), results)) {
    DimOrder back = invertPermutationVector(
        channelsLast(cast<RankedTensorType>(after.getType()).getRank()));
    Value result = transpose(after, back);
    rewriter.replaceAllUsesWith(before, result);
    pending.push_back(result.getDefiningOp<linalg::TransposeOp>());
  }
  replaced.insert(op);
}

linalg::LinalgOp Reorderer::convert(Operation *operation) {
  auto op = cast<linalg::LinalgOp>(operation);
  PlanarConvolution planar = *planarOf(op);
  SmallVector<DimOrder> orders(
      3, channelsLast(cast<ShapedType>(op->getResult(0).getType()).getRank()));
  orders[planar.filter] = planar.filterOrder;
  SmallVector<Value> operands;
  for (auto [operand, order] : llvm::zip(op->getOperands(), orders))
    operands.push_back(reorder(operand, order));
  rewriter.setInsertionPoint(op);
  linalg::GenericOp anew = writeReordered(rewriter, op, operands, orders);
  replace(op, anew->getResults());
  return cast<linalg::LinalgOp>(anew.getOperation());
}

/// Writes `op`, which reads the transposed `source` as `image`, with channels
/// last. Returns false if it stays.
bool Reorderer::sinkThrough(Operation *op, Value image, Value source) {
  auto type = cast<RankedTensorType>(image.getType());
  DimOrder order = channelsLast(type.getRank());
  rewriter.setInsertionPoint(op);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool carries = carriesImages(op, image);
  if (!carries && (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
                   looksLikeMatmul(linalgOp) || isa<linalg::TransposeOp>(op)))
    return false;
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    replace(op, reorder(pad.getResult(), order));
    return true;
  }
  SmallVector<Value> operands;
  SmallVector<DimOrder> orders;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isMoved = operand.get() == image;
    if (carries)
      isMoved |= !linalgOp || linalgOp.isDpsInit(&operand) ||
                 (isPlainTensor(operand.get(), type.getRank()) &&
                  carriesImages(op, operand.get()));
    int64_t rank = 0;
    if (auto shaped = dyn_cast<RankedTensorType>(operand.get().getType()))
      rank = shaped.getRank();
    orders.push_back(isMoved ? order
                             : llvm::to_vector(llvm::seq<int64_t>(rank)));
    operands.push_back(operand.get() == image
                           ? source
                           : reorder(operand.get(), orders.back()));
  }
  rewriter.setInsertionPoint(op);
  if (!linalgOp) {
    IRMapping mapping;
    mapping.map(op->getOperands(), operands);
    Operation *copy = rewriter.clone(*op, mapping);
    Value result = copy->getResult(0);
    result.setType(reordered(cast<RankedTensorType>(result.getType()), order));
    replace(op, result);
    return true;
  }
  linalg::GenericOp anew = writeReordered(rewriter, linalgOp, operands, orders);
  if (carries) {
    replace(op, anew->getResults());
  } else {
    rewriter.replaceAllUsesWith(op->getResults(), anew->getResults());
    replaced.insert(op);
  }
  return true;
}

/// Moves a transpose after its users, as far as they allow it.
void Reorderer::sink(linalg::TransposeOp transpose) {
  Value image = transpose->getResult(0), source = transpose.getInput();
  DimOrder order =
      channelsLast(cast<RankedTensorType>(image.getType()).getRank());
  SmallVector<Operation *> users(image.getUsers());
  for (Operation *user : users) {
    if (user->getBlock() != transpose->getBlock() || replaced.contains(user))
      continue;
    if (user->getNumResults() == 1 &&
        transposedFrom(user->getResult(0), order) == image) {
      rewriter.replaceAllUsesWith(user->getResult(0), source);
      replaced.insert(user);
      continue;
    }
    sinkThrough(user, image, source);
  }
}

void Reorderer::finish() {
  SmallVector<Operation *> unused;
  size_t next = 0;
  while (next < pending.size()) { // `sink` adds further ones
    linalg::TransposeOp transpose = pending[next++];
    sink(transpose);
    unused.push_back(transpose);
  }
  llvm::append_range(unused, replaced);
  eraseDead(rewriter, unused);
}

//===----------------------------------------------------------------------===//
// Results of contractions
//===----------------------------------------------------------------------===//

/// The elementwise op that alone reads `value`, in its order and with no other
/// operand of that shape; null if there is none.
static linalg::LinalgOp readerOf(Value value) {
  if (!value.hasOneUse())
    return {};
  OpOperand &use = *value.use_begin();
  auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!op || op->getBlock() != value.getParentBlock() ||
      op.getNumReductionLoops() != 0 || op->getNumResults() != 1 ||
      !op.hasPureTensorSemantics() || !op.isDpsInput(&use) ||
      isa<linalg::TransposeOp>(op) ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return {};
  bool isPlain = llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return &operand == &use || op.isDpsInit(&operand)
               ? map.isIdentity()
               : map.isProjectedPermutation() && !map.isPermutation();
  });
  return isPlain ? op : linalg::LinalgOp();
}

/// The order of a result with batches, rows and columns; nothing if it has it.
static std::optional<DimOrder> groupedOrder(ArrayRef<AffineMap> maps) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(maps[2].getNumResults()));
  auto isIn = [&](unsigned factor, int64_t dim) {
    return maps[factor].isFunctionOfDim(maps[2].getDimPosition(dim));
  };
  // The innermost dimension stays innermost.
  bool isRow = !order.empty() && !isIn(1, order.back());
  unsigned inner = isRow ? 0 : 1;
  llvm::stable_sort(order, [&](int64_t left, int64_t right) {
    auto kindOf = [&](int64_t dim) {
      return !isIn(inner, dim) ? 1 : isIn(1 - inner, dim) ? 0 : 2;
    };
    return kindOf(left) < kindOf(right);
  });
  return isIdentityPermutation(order) ? std::nullopt : std::optional(order);
}

FailureOr<Regrouped> match::regroupResult(RewriterBase &rewriter,
                                          linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!op.hasPureTensorSemantics() || maps.size() != 3 ||
      !isPlainTensor(op.getDpsInits()[0], maps[2].getNumResults()) ||
      !llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return failure();
  std::optional<DimOrder> order = groupedOrder(maps);
  if (!order)
    return failure();
  auto ordersOf = [&](linalg::LinalgOp of, Value moved) {
    SmallVector<DimOrder> orders;
    for (OpOperand &operand : of->getOpOperands())
      orders.push_back(
          operand.get() == moved || of.isDpsInit(&operand)
              ? *order
              : llvm::to_vector(llvm::seq<int64_t>(
                    of.getMatchingIndexingMap(&operand).getNumResults())));
    return orders;
  };
  SmallVector<Value> operands(op->getOperands());
  Reorderer writer(rewriter);
  operands.back() = writer.reorder(operands.back(), *order);
  rewriter.setInsertionPoint(op);
  linalg::GenericOp anew =
      writeReordered(rewriter, op, operands, ordersOf(op, Value()));
  // The sums are rounded before they are moved.
  Value before = op->getResult(0), after = anew->getResult(0);
  Value init;
  while (linalg::LinalgOp reader = readerOf(before)) {
    rewriter.setInsertionPoint(reader);
    operands.assign(reader->operand_begin(), reader->operand_end());
    llvm::replace(operands, before, after);
    init = operands.back();
    operands.back() = writer.reorderedEmpty(init, *order);
    after = writeReordered(rewriter, reader, operands, ordersOf(reader, before))
                ->getResult(0);
    before = reader->getResult(0);
  }
  DimOrder back = invertPermutationVector(*order);
  after = init ? linalg::TransposeOp::create(rewriter, op.getLoc(), after, init,
                                             back)
                     ->getResult(0)
               : writer.transpose(after, back);
  return Regrouped{cast<linalg::LinalgOp>(anew.getOperation()), before, after};
}
