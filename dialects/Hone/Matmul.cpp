//===- Matmul.cpp - hone.matmul's layout, problem, effects ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the canonical Problem off the op. The order in which a matrix is stored
// and the alignment of its rows come from the strides of its memref; a tensor
// is taken to be stored contiguously, as bufferization with identity layouts
// does.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Types and layouts
//===----------------------------------------------------------------------===//

std::optional<ElementType> hone::toElementType(Type type) {
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float16Type) { return ElementType::f16; })
      .Case([](BFloat16Type) { return ElementType::bf16; })
      .Case([](Float32Type) { return ElementType::f32; })
      .Default(std::nullopt);
}

namespace {
/// Strides and offset in elements, `ShapedType::kDynamic` where unknown, and
/// for each stride a number that is known to divide it.
struct Strides {
  SmallVector<int64_t> strides, divisors;
  int64_t offset = 0;
};
} // namespace

/// Strides of a contiguous value. One that is unknown is the product of extents
/// some of which are known.
static Strides contiguousStrides(ShapedType type) {
  Strides result;
  result.strides.assign(type.getRank(), 1);
  result.divisors.assign(type.getRank(), 1);
  for (int64_t dim = type.getRank() - 1; dim > 0; --dim) {
    int64_t stride = result.strides[dim], size = type.getDimSize(dim);
    bool known = !type.isDynamicDim(dim);
    result.strides[dim - 1] = known && !ShapedType::isDynamic(stride)
                                  ? stride * size
                                  : ShapedType::kDynamic;
    result.divisors[dim - 1] = result.divisors[dim] * (known ? size : 1);
  }
  return result;
}

static Strides stridesOf(ShapedType type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return contiguousStrides(type);
  Strides result;
  std::tie(result.strides, result.offset) = memref.getStridesAndOffset();
  result.divisors = llvm::map_to_vector(result.strides, [](int64_t stride) {
    return ShapedType::isDynamic(stride) ? 1 : stride;
  });
  return result;
}

/// True if elements along `dim` are neighbours in memory; one element is.
static bool isContiguous(ShapedType type, const Strides &strides,
                         unsigned dim) {
  return strides.strides[dim] == 1 || type.getDimSize(dim) == 1;
}

/// Alignment of every row start when rows run along `inner`.
static int64_t alignmentOf(ShapedType type, const Strides &strides,
                           unsigned inner) {
  constexpr int64_t kLargest = 16;
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  int64_t align = kLargest;
  // Only the last bits count, and what a type says may be any number.
  auto meet = [&](int64_t elements) {
    if (int64_t rest = elements % kLargest)
      align = llvm::MinAlign(align, rest * elementBytes);
  };
  // An unknown offset belongs to the base address, which the launch checks.
  if (!ShapedType::isDynamic(strides.offset))
    meet(strides.offset);
  for (auto [dim, divisor] : llvm::enumerate(strides.divisors))
    if (dim != inner && type.getDimSize(dim) != 1)
      meet(divisor);
  return align;
}

/// The layout of a matrix whose rows run along `inner`.
static MatrixLayout layoutAlong(ShapedType type, const Strides &strides,
                                unsigned inner) {
  unsigned rank = type.getRank();
  MatrixLayout layout;
  layout.inner = inner;
  layout.outer = inner == rank - 1 ? rank - 2 : rank - 1;
  if (rank == 3)
    layout.batch = 0;
  layout.align = alignmentOf(type, strides, inner);
  return layout;
}

std::optional<MatrixLayout> hone::layoutOf(ShapedType type) {
  Strides strides = stridesOf(type);
  std::optional<MatrixLayout> best;
  for (unsigned inner : {type.getRank() - 1, type.getRank() - 2}) {
    if (!isContiguous(type, strides, inner))
      continue;
    MatrixLayout layout = layoutAlong(type, strides, inner);
    if (!best || layout.align > best->align)
      best = layout;
  }
  return best;
}

namespace {
/// A dimension of several lines.
struct Steps {
  int64_t count, stride;
};
} // namespace

/// True if two lines of `width` elements overlap, of those that lie at
/// multiples of both strides.
static bool overlap(Steps outer, Steps inner, int64_t width) {
  // Distances count, so the strides' signs do not. Numbers of a type have up to
  // 64 bits, and their products more.
  using Wide = __int128;
  auto magnitude = [](int64_t value) {
    return value < 0 ? -Wide(value) : value;
  };
  Wide step = magnitude(inner.stride);
  // So many steps of the outer dimension are looked at one by one. Nobody
  // interleaves more.
  constexpr int64_t kMost = 4096;
  for (int64_t i = 1; i < std::min(outer.count, kMost); ++i) {
    Wide distance = i * magnitude(outer.stride);
    if (distance - (inner.count - 1) * step >= width)
      return false;
    Wide lower = std::min<Wide>(distance / step, inner.count - 1);
    Wide upper = std::min<Wide>(lower + 1, inner.count - 1);
    if (distance - lower * step < width ||
        (upper * step >= distance && upper * step - distance < width))
      return true;
  }
  return false;
}

std::optional<bool> hone::hasDistinctElements(ShapedType type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides = memref.getStridesAndOffset().first;
  int64_t width = memref.getShape().back();
  if (width == 0)
    return true;
  bool isKnown = true;
  SmallVector<Steps> outer;
  for (auto [size, stride] : llvm::zip(memref.getShape().drop_back(),
                                       ArrayRef(strides).drop_back())) {
    if (size == 1)
      continue;
    outer.push_back({size, stride});
    bool isOpen = ShapedType::isDynamic(size) ||
                  ShapedType::isDynamic(stride) || ShapedType::isDynamic(width);
    isKnown &= !isOpen;
    if (!isOpen && stride > -width && stride < width)
      return false;
  }
  if (!isKnown)
    return std::nullopt;
  return outer.size() < 2 || !overlap(outer[0], outer[1], width);
}

MatrixLayout MatmulOp::getLayoutA() { return *layoutOf(getA().getType()); }
MatrixLayout MatmulOp::getLayoutB() { return *layoutOf(getB().getType()); }
MatrixLayout MatmulOp::getLayoutC() {
  ShapedType type = getC().getType();
  return layoutAlong(type, stridesOf(type), type.getRank() - 1);
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

static int64_t toExtent(int64_t size) {
  return ShapedType::isDynamic(size) ? kDynamic : size;
}

/// What is known of an extent that two dimensions share.
static int64_t eitherExtent(int64_t left, int64_t right) {
  return toExtent(ShapedType::isDynamic(left) ? right : left);
}

/// Describes A or B, whose type's last two dimensions are (m, k) or (k, n)
/// unless `order` swaps them.
static Operand describe(ShapedType type, MatrixOrder order,
                        const MatrixLayout &layout, bool batched) {
  Operand operand;
  operand.type = *toElementType(type.getElementType());
  bool lastIsInner = layout.inner + 1 == type.getRank();
  operand.order =
      (order == MatrixOrder::row) == lastIsInner ? Order::row : Order::col;
  operand.align = layout.align;
  operand.shared = batched && type.getRank() == 2;
  return operand;
}

Problem MatmulOp::getProblem() {
  ArrayRef<int64_t> shapeA = getA().getType().getShape().take_back(2);
  ArrayRef<int64_t> shapeB = getB().getType().getShape().take_back(2);
  ArrayRef<int64_t> shapeC = getC().getType().getShape();
  bool swapA = getOrderA() == MatrixOrder::col;
  bool swapB = getOrderB() == MatrixOrder::col;

  Problem problem;
  problem.m = eitherExtent(shapeA[swapA], shapeC[shapeC.size() - 2]);
  problem.k = eitherExtent(shapeA[!swapA], shapeB[swapB]);
  problem.n = eitherExtent(shapeB[!swapB], shapeC.back());
  if (isBatched()) {
    int64_t batch = shapeC.front();
    for (Value matrix : {getA(), getB()})
      if (auto type = cast<ShapedType>(matrix.getType()); type.getRank() == 3)
        batch = ShapedType::isDynamic(batch) ? type.getDimSize(0) : batch;
    problem.batch = toExtent(batch);
  }
  problem.a =
      describe(getA().getType(), getOrderA(), getLayoutA(), isBatched());
  problem.b =
      describe(getB().getType(), getOrderB(), getLayoutB(), isBatched());
  problem.acc = *toElementType(getAcc());
  problem.c = *toElementType(getC().getType().getElementType());
  problem.alignC = getLayoutC().align;
  problem.init = getInit() == MatmulInit::zero ? Init::zero : Init::read;
  problem.epilogue = getEpilogueText();
  return problem;
}

StringRef MatmulOp::getDimsOf(unsigned i) {
  return cast<StringAttr>(getEpilogueDims()[i]).getValue();
}

//===----------------------------------------------------------------------===//
// Building and interfaces
//===----------------------------------------------------------------------===//

void MatmulOp::build(OpBuilder &, OperationState &state, MatmulOp other,
                     Value a, Value b, Value c, ValueRange epilogueOperands) {
  state.addOperands({a, b, c});
  state.addOperands(epilogueOperands);
  if (isa<RankedTensorType>(c.getType()))
    state.addTypes(c.getType());
  state.addAttributes(other->getAttrs());
  IRMapping mapping;
  other.getEpilogue().cloneInto(state.addRegion(), mapping);
}

void MatmulOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (hasTensors())
    return;
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (!isDpsInit(&operand) || getInit() == MatmulInit::read)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  effects.emplace_back(MemoryEffects::Write::get(), &getCMutable());
}

/// A matmul faults on no value, so one on tensors may run where it need not.
Speculation::Speculatability MatmulOp::getSpeculatability() {
  return hasTensors() ? Speculation::Speculatable
                      : Speculation::NotSpeculatable;
}

void MatmulOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  for (BlockArgument argument : region.getArguments())
    setName(argument, argument.getArgNumber() == 0 ? "sum" : "in");
}
