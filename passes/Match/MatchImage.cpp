//===- MatchImage.cpp - Windows that slide over an image ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution multiplies windows that overlap. With an operand that has a
// dimension for each loop, x[i, p, q, r, s, c], it would be a product. The
// program gets that operand as a cast of the image, which is never evaluated:
// the matmul reads the image and its window from the cast. A pad in front of
// the image becomes zeros of the window.
//
// Images are channels-last, on tensors, of known size; their number may be
// unknown.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/WarpSpecialized.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "passes/Match/MatchContraction.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

static constexpr StringLiteral kWindow = "hone.window";
static constexpr StringLiteral kReason = "hone.reason";

namespace {
/// A dimension of an image along which windows move: loops, or `kOne`, and
/// their steps.
struct ImageSide {
  int64_t start = kOne, step = 1;
  int64_t element = kOne, dilation = 1;
  int64_t low = 0, high = 0; ///< zeros that a pad adds
};
} // namespace

std::optional<Image> match::imageOf(Value value) {
  auto cast = value.getDefiningOp<UnrealizedConversionCastOp>();
  auto window = cast ? cast->getAttrOfType<WindowAttr>(kWindow) : WindowAttr();
  if (!window)
    return std::nullopt;
  return Image{cast.getInputs().front(), window,
               cast->getAttrOfType<StringAttr>(kReason).getValue().str()};
}

/// Adds the terms of the index along one side: a loop that is summed, and one
/// that is not.
static LogicalResult addTerms(linalg::LinalgOp op, AffineExpr expr,
                              ImageSide &side) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && binary.getKind() == AffineExprKind::Add)
    return success(succeeded(addTerms(op, binary.getLHS(), side)) &&
                   succeeded(addTerms(op, binary.getRHS(), side)));
  int64_t step = 1;
  if (binary && binary.getKind() == AffineExprKind::Mul)
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
      step = factor.getValue();
      expr = binary.getLHS();
    }
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim || step < 1)
    return failure();
  bool isSummed = op.getIteratorTypesArray()[dim.getPosition()] ==
                  utils::IteratorType::reduction;
  int64_t &loop = isSummed ? side.element : side.start;
  if (loop != kOne)
    return failure();
  loop = dim.getPosition();
  (isSummed ? side.dilation : side.step) = step;
  return success();
}

/// The sides of an image with `map` as its index.
static std::optional<SmallVector<ImageSide>> sidesOf(linalg::LinalgOp op,
                                                     AffineMap map) {
  unsigned rank = map.getNumResults();
  if (rank < 3 || rank > 2 + kMaxSides)
    return std::nullopt;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto isLoop = [&](AffineExpr expr, utils::IteratorType kind) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim && kinds[dim.getPosition()] == kind;
  };
  if (!isLoop(map.getResult(0), utils::IteratorType::parallel) ||
      !isLoop(map.getResult(rank - 1), utils::IteratorType::reduction))
    return std::nullopt;
  SmallVector<ImageSide> sides(rank - 2);
  for (auto [i, side] : llvm::enumerate(sides))
    if (failed(addTerms(op, map.getResult(i + 1), side)))
      return std::nullopt;
  return sides;
}

/// Takes a pad of zeros along the sides alone from `image`.
static void takePad(Value &image, MutableArrayRef<ImageSide> sides) {
  auto pad = image.getDefiningOp<tensor::PadOp>();
  Value zero = pad ? pad.getConstantPaddingValue() : Value();
  if (!zero || !matchPattern(zero, m_AnyZeroFloat()))
    return;
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  for (auto [dim, before, after] :
       llvm::zip(llvm::seq<size_t>(0, low.size()), low, high)) {
    bool isSide = dim > 0 && dim + 1 < low.size();
    if (before < 0 || after < 0 || (!isSide && (before || after)))
      return;
  }
  for (auto [i, side] : llvm::enumerate(sides)) {
    side.low = low[i + 1];
    side.high = high[i + 1];
  }
  image = pad.getSource();
}

/// The window of `sides`; null if a number is unknown, or the image has room
/// for more windows than the program computes.
static WindowAttr windowOf(linalg::LinalgOp op, ShapedType image,
                           ArrayRef<ImageSide> sides) {
  SmallVector<int64_t> size, step, dilation, low, high, counts;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto extentOf = [&](int64_t loop) {
    return loop == kOne ? 1 : extents[loop];
  };
  for (const ImageSide &side : sides) {
    size.push_back(extentOf(side.element));
    counts.push_back(extentOf(side.start));
    step.push_back(side.step);
    dilation.push_back(side.dilation);
    low.push_back(side.low);
    high.push_back(side.high);
  }
  if (llvm::any_of(size, ShapedType::isDynamic) ||
      llvm::any_of(counts, ShapedType::isDynamic) ||
      ShapedType::isDynamic(image.getShape().back()))
    return {};
  for (ArrayRef<int64_t> numbers : {size, step, dilation, low, high})
    if (llvm::any_of(numbers, [](int64_t n) { return n > kMaxWindowNumber; }))
      return {};
  auto window =
      WindowAttr::get(op.getContext(), size, step, dilation, low, high);
  for (unsigned i = 0; i < sides.size(); ++i)
    if (window.countAlong(i, image.getDimSize(i + 1)) != counts[i])
      return {};
  return window;
}

FailureOr<PlainFactor> match::readWindows(OpBuilder &builder,
                                          linalg::LinalgOp op, unsigned index,
                                          StringRef reason) {
  Value image = op->getOperand(index);
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(index));
  auto type = dyn_cast<RankedTensorType>(image.getType());
  std::optional<SmallVector<ImageSide>> sides = sidesOf(op, map);
  if (!type || type.getEncoding() || !sides)
    return failure();
  takePad(image, *sides);
  auto source = cast<RankedTensorType>(image.getType());
  WindowAttr window = windowOf(op, source, *sides);
  if (!window || imageAccess(source, window).order())
    return failure();

  SmallVector<int64_t> shape = {source.getShape().front()};
  SmallVector<AffineExpr> read = {map.getResult(0)};
  auto add = [&](int64_t loop) {
    shape.push_back(loop == kOne ? 1 : op.getStaticLoopRanges()[loop]);
    read.push_back(loop == kOne ? builder.getAffineConstantExpr(0)
                                : builder.getAffineDimExpr(loop));
  };
  for (const ImageSide &side : *sides)
    add(side.start);
  for (const ImageSide &side : *sides)
    add(side.element);
  shape.push_back(source.getShape().back());
  read.push_back(map.getResults().back());
  auto windows = UnrealizedConversionCastOp::create(
      builder, op.getLoc(), RankedTensorType::get(shape, type.getElementType()),
      image);
  windows->setAttr(kWindow, window);
  windows->setAttr(kReason, builder.getStringAttr(reason));
  return PlainFactor{
      windows.getResult(0),
      AffineMap::get(op.getNumLoops(), 0, read, op.getContext())};
}

//===----------------------------------------------------------------------===//
// Windows that no kernel reads
//===----------------------------------------------------------------------===//

/// Why a GPU cannot read windows of an unknown number of images as the program
/// states them; nothing if it can. The laws see the canonical access, which may
/// have other numbers for the same places.
static std::optional<std::string> refuseUnknownImages(const Image &image) {
  auto type = cast<ShapedType>(image.value.getType());
  if (!type.isDynamicDim(0))
    return std::nullopt;
  Window window;
  window.images = kDynamic;
  window.channels = type.getShape().back();
  std::array sides = {&window.h, &window.w};
  for (size_t i = 0; i < image.window.getSize().size(); ++i) {
    Window::Side &side = *sides[i];
    side.extent = type.getDimSize(i + 1);
    side.count = image.window.countAlong(i, side.extent);
    side.size = image.window.getSize()[i];
    side.step = image.window.getStep()[i];
    side.dilation = image.window.getDilation()[i];
    side.low = image.window.getLow()[i];
  }
  auto broken = refuseWindow(window, *toFactorType(type.getElementType()));
  if (!broken)
    return std::nullopt;
  return "no kernel reads its windows from an unknown number of images: " +
         *broken;
}

bool match::refuseImages(const Contraction &contraction, const Problem &problem,
                         const Arch *target, std::string &why) {
  for (const View *view : {&contraction.a, &contraction.b, &contraction.c}) {
    std::optional<Image> image = imageOf(view->value);
    if (!image)
      continue;
    bool isA = view == &contraction.a && view->letters == "mk" &&
               view->permutation.empty() && view->cuts.empty();
    bool isRead =
        isA && target && llvm::any_of(allKinds(), [&](const Kind *kind) {
          return !kind->refuseArch(*target) && kind->refuseAccess;
        });
    why = image->reason;
    if (!isRead)
      return true;
    if (!target->isHost())
      if (auto reason = refuseUnknownImages(*image)) {
        why = *reason;
        return true;
      }
    auto broken = check(defaultSchedule(problem, *target), &problem, target);
    if (!broken)
      return false;
    why = "no kernel for " + target->name + " reads its windows: " + *broken;
    return true;
  }
  return false;
}
