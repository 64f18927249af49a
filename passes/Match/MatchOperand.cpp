//===- MatchOperand.cpp - Producers of A and B ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontends transform the operands of a product first. torch extends f16 to
// f32, stores weights transposed, and flattens heads into a batch; ONNX
// broadcasts one matrix over a batch. None of this changes an element, and a
// product of extended f16 is bit for bit that of the f16. So each operand is
// followed up the program, one op at a time, and every value on the way is an
// access that a matmul may read.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Match/MatchContraction.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// The product of `sizes`; `kDynamic` if one is unknown.
static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result = ShapedType::isDynamic(size) || ShapedType::isDynamic(result)
                 ? ShapedType::kDynamic
                 : result * size;
  return result;
}

Pieces match::joined(ArrayRef<Piece> pieces) {
  Pieces result;
  for (const Piece &piece : pieces) {
    if (result.empty() || result.back().loop != piece.loop ||
        result.back().low != piece.high) {
      result.push_back(piece);
      continue;
    }
    result.back().size = product({result.back().size, piece.size});
    result.back().low = piece.low;
  }
  return result;
}

static Piece wholeLoop(unsigned loop, int64_t extent) {
  return {loop, /*high=*/extent, /*low=*/1, /*size=*/extent};
}

namespace {
/// Assigns the pieces of one dimension to the dimensions that it was collapsed
/// from, the innermost first.
class Dealer {
public:
  /// `place` distinguishes unknown boundaries from all others.
  Dealer(ArrayRef<Piece> pieces, int64_t &place)
      : rest(pieces.begin(), pieces.end()), place(place) {}

  /// The pieces of the next dimension, which has `size` elements and follows
  /// `outer` ones. Fails if a piece cannot be split there.
  FailureOr<Pieces> take(int64_t size, ArrayRef<int64_t> outer);

private:
  bool isWhole(int64_t left, ArrayRef<int64_t> outer) const;
  bool split(int64_t size);

  Pieces rest; ///< outermost first
  int64_t &place;
};
} // namespace

/// True if the innermost piece is all, or a factor, of `left` indices.
bool Dealer::isWhole(int64_t left, ArrayRef<int64_t> outer) const {
  int64_t next = rest.back().size;
  if (!ShapedType::isDynamic(next))
    return !ShapedType::isDynamic(left) && left % next == 0;
  if (!ShapedType::isDynamic(left))
    return false;
  // Neither is known; they are equal if all other factors are.
  int64_t others = product(
      llvm::map_to_vector(ArrayRef(rest).drop_back(),
                          [](const Piece &piece) { return piece.size; }));
  return !ShapedType::isDynamic(others) && others == product(outer);
}

/// Splits the innermost piece, so that its inner part has `size` indices.
bool Dealer::split(int64_t size) {
  Piece &outer = rest.back();
  bool isKnown = !ShapedType::isDynamic(size) && outer.low > 0;
  if (!ShapedType::isDynamic(outer.size) && (!isKnown || outer.size % size))
    return false;
  int64_t boundary = isKnown ? outer.low * size : (place -= 2);
  Piece inner = {outer.loop, boundary, outer.low, size};
  outer.low = boundary;
  if (!ShapedType::isDynamic(outer.size))
    outer.size /= size;
  rest.push_back(inner);
  return true;
}

FailureOr<Pieces> Dealer::take(int64_t size, ArrayRef<int64_t> outer) {
  if (llvm::all_of(outer, [](int64_t other) { return other == 1; }))
    return std::move(rest);
  Pieces taken;
  for (int64_t left = size; left != 1;) {
    if (rest.empty())
      return failure();
    bool whole = isWhole(left, outer);
    if (!whole && !split(left))
      return failure();
    int64_t next = rest.back().size;
    left = whole && !ShapedType::isDynamic(left) ? left / next : 1;
    taken.insert(taken.begin(), rest.pop_back_val());
  }
  return taken;
}

//===----------------------------------------------------------------------===//
// The op's own operand
//===----------------------------------------------------------------------===//

/// The loop that runs over each dimension of `operand`, from its first element
/// to its last, or `kOne`. Fails if an index has another form.
static FailureOr<SmallVector<int64_t>> loopsOf(linalg::LinalgOp op,
                                               OpOperand &operand) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges(), loops;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [expr, size] : llvm::zip(map.getResults(), op.getShape(&operand))) {
    std::optional<StridedLoops> terms = termsOf(op, expr);
    if (!terms || terms->size() > 1 ||
        (!terms->empty() && terms->front().stride != 1))
      return failure();
    int64_t loop = terms->empty() ? kOne : terms->front().loop;
    if (loop != kOne && llvm::is_contained(loops, loop))
      return failure();
    // An index that is not a loop by itself may skip elements.
    int64_t extent = loop == kOne ? 1 : extents[loop];
    if (!isa<AffineDimExpr>(expr) &&
        (size != extent || ShapedType::isDynamic(size)))
      return failure();
    loops.push_back(loop);
  }
  return loops;
}

FailureOr<Access> match::accessOf(linalg::LinalgOp op, unsigned index) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  FailureOr<SmallVector<int64_t>> loops = loopsOf(op, op->getOpOperand(index));
  if (failed(loops))
    return failure();
  Access access;
  access.value = op->getOperand(index);
  for (int64_t loop : *loops) {
    Pieces &pieces = access.dims.emplace_back();
    if (loop != kOne)
      pieces.push_back(wholeLoop(loop, extents[loop]));
  }
  return access;
}

//===----------------------------------------------------------------------===//
// One step up
//===----------------------------------------------------------------------===//

/// True if every float of 16 bits or more can hold `value` exactly: a signed
/// i8, or one that was extended.
static bool isWidened(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtSIOp>())
    value = extension.getIn();
  return getElementTypeOrSelf(value.getType()).isSignlessInteger(8);
}

/// The value before its extension, or before its exact conversion to a float.
Value match::skipWidenings(Value value) {
  for (;;) {
    value = skipExtensions(value);
    auto conversion = value.getDefiningOp<arith::SIToFPOp>();
    if (!conversion || !isWidened(conversion.getIn()))
      return value;
    value = conversion.getIn();
  }
}

/// The input that an elementwise op extends, or only copies, to `result`.
static OpOperand *extendedInput(linalg::LinalgOp op, OpResult result) {
  if (op.getNumLoops() != op.getNumParallelLoops() ||
      !op.hasPureTensorSemantics())
    return nullptr;
  Value yielded =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  auto argument = dyn_cast<BlockArgument>(skipWidenings(yielded));
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return op.isDpsInput(operand) ? operand : nullptr;
}

/// True if a value may be repeated along a piece.
using MayRepeat = llvm::function_ref<bool(const Piece &)>;

/// Looks through `linalg.transpose`, `broadcast`, `copy` and equivalent
/// generics.
static FailureOr<Access> throughElementwise(const Access &access,
                                            MayRepeat mayRepeat) {
  auto op = access.value.getDefiningOp<linalg::LinalgOp>();
  auto result = dyn_cast<OpResult>(access.value);
  OpOperand *input = op ? extendedInput(op, result) : nullptr;
  if (!input || !isa<RankedTensorType>(input->get().getType()))
    return failure();
  AffineMap written = op.getIndexingMapMatchingResult(result);
  FailureOr<SmallVector<int64_t>> read = loopsOf(op, *input);
  if (!written.isPermutation() || failed(read))
    return failure();
  SmallVector<Pieces> loops(op.getNumLoops());
  for (auto [dim, expr] : llvm::enumerate(written.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    loops[loop] = access.dims[dim];
    if (!llvm::is_contained(*read, loop) &&
        !llvm::all_of(loops[loop], mayRepeat))
      return failure();
  }
  Access source;
  source.value = input->get();
  for (int64_t loop : *read)
    source.dims.push_back(loop == kOne ? Pieces() : loops[loop]);
  return source;
}

static FailureOr<Access> throughExpand(const Access &access) {
  auto op = access.value.getDefiningOp<tensor::ExpandShapeOp>();
  if (!op)
    return failure();
  Access source;
  source.value = op.getSrc();
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Pieces pieces;
    for (int64_t dim : group)
      llvm::append_range(pieces, access.dims[dim]);
    source.dims.push_back(joined(pieces));
  }
  return source;
}

static FailureOr<Access> throughCollapse(const Access &access, int64_t &place) {
  auto op = access.value.getDefiningOp<tensor::CollapseShapeOp>();
  if (!op)
    return failure();
  RankedTensorType type = op.getSrcType();
  Access source;
  source.value = op.getSrc();
  source.dims.resize(type.getRank());
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    Dealer dealer(access.dims[dim], place);
    SmallVector<int64_t> sizes;
    for (int64_t part : group)
      sizes.push_back(type.getDimSize(part));
    while (!sizes.empty()) {
      int64_t part = group[sizes.size() - 1], size = sizes.pop_back_val();
      if (size == 1)
        continue;
      FailureOr<Pieces> pieces = dealer.take(size, sizes);
      if (failed(pieces))
        return failure();
      source.dims[part] = *pieces;
    }
  }
  return source;
}

/// Looks through ops that keep every dimension in place.
static FailureOr<Access> throughCast(const Access &access) {
  Operation *op = access.value.getDefiningOp();
  auto conversion = dyn_cast_or_null<arith::SIToFPOp>(op);
  bool isExact = conversion && isWidened(conversion.getIn());
  if ((!isExact &&
       !isa_and_present<arith::ExtFOp, arith::ExtSIOp, tensor::CastOp>(op)) ||
      !isa<RankedTensorType>(op->getOperand(0).getType()))
    return failure();
  Access source = access;
  source.value = op->getOperand(0);
  return source;
}

static FailureOr<Access> lookThrough(const Access &access, int64_t &place,
                                     MayRepeat mayRepeat) {
  FailureOr<Access> source = throughElementwise(access, mayRepeat);
  if (failed(source))
    source = throughExpand(access);
  if (failed(source))
    source = throughCollapse(access, place);
  return failed(source) ? throughCast(access) : source;
}

//===----------------------------------------------------------------------===//
// All steps up
//===----------------------------------------------------------------------===//

/// Drops pieces of one element.
static void dropUnits(Access &access) {
  for (Pieces &pieces : access.dims)
    llvm::erase_if(pieces, [](const Piece &piece) { return piece.size == 1; });
}

SmallVector<Access> match::accessesOf(linalg::LinalgOp op, unsigned index) {
  FailureOr<Access> access = accessOf(op, index);
  if (failed(access))
    return {};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (!op.hasPureTensorSemantics() || llvm::is_contained(extents, 0))
    return {*access};
  auto isBatch = [&](const Piece &piece) {
    return piece == wholeLoop(piece.loop, extents[piece.loop]) &&
           llvm::all_of(maps, [&](AffineMap map) {
             return map.isFunctionOfDim(piece.loop);
           });
  };
  SmallVector<Access> result;
  dropUnits(*access);
  int64_t place = index; // even and odd numbers keep A and B apart
  while (succeeded(access)) {
    result.push_back(*access);
    access = lookThrough(result.back(), place, isBatch);
  }
  return result;
}
