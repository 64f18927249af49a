//===- MatchChannels.cpp - Images with channels first ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels read windows of images with channels last. A convolution of images
// with channels first becomes one with channels last, between two transposes.
// So do all convolutions that are connected to it by elementwise ops, pads and
// pools: the transpose after a convolution moves through these ops, until it
// meets the one in front of the next convolution, and both vanish.
//
//   conv, relu, pad, conv  -->  transpose, conv, relu, pad, conv, transpose
//
// Convolutions of one element are products with channels first, too, and alone
// stay as they are.
//
//===----------------------------------------------------------------------===//

#include "passes/Match/MatchChannels.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Ops with images
//===----------------------------------------------------------------------===//

std::optional<unsigned> match::loopOf(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

bool match::isPlainTensor(Value value, int64_t rank) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == rank && !type.getEncoding();
}

/// The order of a filter's dimensions whose channels, or filters of depthwise
/// ones, are in front of the elements of a window.
static DimOrder orderOfFilter(AffineMap map, unsigned channel, unsigned result,
                              int64_t sides) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(map.getNumResults()));
  auto isAt = [&](unsigned dim, unsigned loop) {
    return dim < map.getNumResults() && loopOf(map.getResult(dim)) == loop;
  };
  bool isDepthwise = channel == result;
  unsigned at = isDepthwise ? 0 : 1;
  if (int64_t(map.getNumResults()) != sides + 1 + at || !isAt(at, channel) ||
      (!isDepthwise && !isAt(0, result)))
    return order;
  order.erase(order.begin() + at);
  order.push_back(at);
  return order;
}

std::optional<PlanarConvolution> match::planarOf(Operation *operation) {
  auto op = dyn_cast<linalg::LinalgOp>(operation);
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || !readBody(op))
    return std::nullopt;
  auto kinds = op.getIteratorTypesArray();
  auto isParallel = [&](std::optional<unsigned> loop) {
    return loop && kinds[*loop] == utils::IteratorType::parallel;
  };
  AffineMap written = op.getIndexingMapsArray()[2];
  int64_t rank = written.getNumResults();
  if (rank < 3 || rank > 2 + kMaxSides || !written.isProjectedPermutation() ||
      !isPlainTensor(op.getDpsInits()[0], rank))
    return std::nullopt;
  for (unsigned image : {0, 1}) {
    AffineMap read = op.getIndexingMapsArray()[image];
    AffineMap filter = op.getIndexingMapsArray()[1 - image];
    if (read.getNumResults() != rank ||
        !isPlainTensor(op->getOperand(image), rank) ||
        !isPlainTensor(op->getOperand(1 - image), filter.getNumResults()))
      continue;
    auto images = loopOf(read.getResult(0)),
         channel = loopOf(read.getResult(1));
    unsigned result = *loopOf(written.getResult(1));
    bool isPlanar = isParallel(images) && channel &&
                    loopOf(written.getResult(0)) == images &&
                    !filter.isFunctionOfDim(*images) &&
                    filter.isFunctionOfDim(*channel) &&
                    filter.isFunctionOfDim(result) &&
                    (channel == result || !read.isFunctionOfDim(result)) &&
                    isParallel(channel) == (channel == result);
    for (int64_t side = 2; side < rank && isPlanar; ++side)
      isPlanar = read.getResult(side).isFunctionOfDim(
          *loopOf(written.getResult(side)));
    if (isPlanar)
      return PlanarConvolution{
          image, 1 - image, orderOfFilter(filter, *channel, result, rank - 2)};
  }
  return std::nullopt;
}

bool match::carriesImages(Operation *op, Value image) {
  int64_t rank = cast<RankedTensorType>(image.getType()).getRank();
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return pad.getConstantPaddingValue() &&
           isPlainTensor(pad.getResult(), rank);
  if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
      OpTrait::hasElementwiseMappableTraits(op))
    return llvm::all_of(op->getOperands(),
                        [&](Value v) { return isPlainTensor(v, rank); });
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      looksLikeMatmul(linalgOp) || op->getNumResults() == 0)
    return false;
  for (OpOperand &result : linalgOp.getDpsInitsMutable())
    if (!isPlainTensor(result.get(), rank) ||
        !linalgOp.getMatchingIndexingMap(&result).isProjectedPermutation())
      return false;
  AffineMap written =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  auto isAligned = [&](AffineMap map) {
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim < 2 ? map.getResult(dim) != written.getResult(dim)
                  : !map.getResult(dim).isFunctionOfDim(
                        *loopOf(written.getResult(dim))))
        return false;
    return true;
  };
  for (OpOperand &operand : op->getOpOperands())
    if ((linalgOp.isDpsInit(&operand) || operand.get() == image) &&
        !isAligned(linalgOp.getMatchingIndexingMap(&operand)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Connected convolutions
//===----------------------------------------------------------------------===//

/// Adds the convolutions that are connected to `seed` by ops that carry images.
static void addConnected(Operation *seed,
                         llvm::SmallSetVector<Operation *, 8> &members) {
  SmallVector<Value> images;
  llvm::SmallPtrSet<Value, 16> seen;
  auto add = [&](Value value, int64_t rank) {
    if (isPlainTensor(value, rank) && seen.insert(value).second)
      images.push_back(value);
  };
  auto addConvolution = [&](Operation *op, const PlanarConvolution &planar) {
    members.insert(op);
    int64_t rank = cast<ShapedType>(op->getResult(0).getType()).getRank();
    add(op->getOperand(planar.image), rank);
    add(op->getResult(0), rank);
  };
  addConvolution(seed, *planarOf(seed));
  while (!images.empty()) {
    Value image = images.pop_back_val();
    int64_t rank = cast<RankedTensorType>(image.getType()).getRank();
    Operation *before = image.getDefiningOp();
    if (before)
      if (auto planar = planarOf(before))
        addConvolution(before, *planar);
    if (before)
      for (Value operand : before->getOperands())
        if (isPlainTensor(operand, rank) && carriesImages(before, operand))
          add(operand, rank);
    for (Operation *user : image.getUsers()) {
      if (user->getBlock() != seed->getBlock())
        continue;
      auto planar = planarOf(user);
      if (planar && user->getOperand(planar->image) == image)
        addConvolution(user, *planar);
      else if (carriesImages(user, image))
        add(user->getResult(0), rank);
    }
  }
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

/// True if a kernel reads the windows of `op` with channels last alone.
static bool needsChannelsLast(RewriterBase &rewriter, linalg::LinalgOp op,
                              const PlanarConvolution &planar,
                              llvm::function_ref<bool(linalg::LinalgOp)> test) {
  if (test(op))
    return false;
  Operation *before = op->getPrevNode();
  rewriter.setInsertionPoint(op);
  int64_t rank = cast<ShapedType>(op->getResult(0).getType()).getRank();
  SmallVector<DimOrder> orders(3, channelsLast(rank));
  orders[planar.filter] = planar.filterOrder;
  SmallVector<Value> operands;
  for (auto [operand, order] : llvm::zip(op->getOperands(), orders)) {
    auto type = reordered(cast<RankedTensorType>(operand.getType()), order);
    // Only types matter, and a pad in front of the image.
    auto pad = operand.getDefiningOp<tensor::PadOp>();
    Value zero = pad ? pad.getConstantPaddingValue() : Value();
    if (zero)
      type = reordered(pad.getSourceType(), order);
    Value value =
        UnrealizedConversionCastOp::create(rewriter, op.getLoc(), type,
                                           zero ? pad.getSource() : operand)
            .getResult(0);
    if (zero)
      value = tensor::PadOp::create(
          rewriter, op.getLoc(), reordered(pad.getResultType(), order), value,
          applyPermutation(pad.getMixedLowPad(), order),
          applyPermutation(pad.getMixedHighPad(), order), zero);
    operands.push_back(value);
  }
  bool isRead = test(writeReordered(rewriter, op, operands, orders));
  while (op->getPrevNode() != before)
    rewriter.eraseOp(op->getPrevNode());
  return isRead;
}

void match::moveChannelsLast(RewriterBase &rewriter, Operation *root,
                             llvm::function_ref<bool(linalg::LinalgOp)> test) {
  SmallVector<linalg::LinalgOp> planar;
  root->walk([&](linalg::LinalgOp op) {
    if (planarOf(op) && looksLikeMatmul(op))
      planar.push_back(op);
  });
  llvm::SmallSetVector<Operation *, 8> members;
  for (linalg::LinalgOp op : planar)
    if (!members.contains(op) &&
        needsChannelsLast(rewriter, op, *planarOf(op), test))
      addConnected(op, members);
  Reorderer writer(rewriter);
  for (linalg::LinalgOp op : planar)
    if (members.contains(op))
      remarkPassed(writer.convert(op), "channels-last",
                   "its images have channels last instead of first");
  writer.finish();
}
