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
#include <limits>

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

/// The dimension of `letters` that is the other one of a matrix.
static unsigned otherDim(StringRef letters, unsigned inner) {
  for (auto [dim, letter] : llvm::enumerate(letters))
    if (dim != inner && !kBatchLetters.contains(letter))
      return dim;
  llvm_unreachable("a matrix has two dimensions");
}

/// The layout of a matrix whose rows run along `inner`.
static MatrixLayout layoutAlong(ShapedType type, StringRef letters,
                                const Strides &strides, unsigned inner) {
  return {inner, otherDim(letters, inner), alignmentOf(type, strides, inner)};
}

std::optional<MatrixLayout> hone::layoutOf(ShapedType type, StringRef letters) {
  Strides strides = stridesOf(type);
  std::optional<MatrixLayout> best;
  for (unsigned inner = type.getRank(); inner-- > 0;) {
    if (kBatchLetters.contains(letters[inner]) ||
        !isContiguous(type, strides, inner))
      continue;
    MatrixLayout layout = layoutAlong(type, letters, strides, inner);
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

/// True if each dimension steps over all that the ones with smaller steps reach.
static bool areNested(ArrayRef<Steps> dims, int64_t width) {
  using Wide = __int128;
  auto magnitude = [](const Steps &dim) {
    return dim.stride < 0 ? -Wide(dim.stride) : Wide(dim.stride);
  };
  SmallVector<Steps> sorted(dims);
  llvm::sort(sorted, [&](const Steps &left, const Steps &right) {
    return magnitude(left) < magnitude(right);
  });
  Wide reached = width;
  for (const Steps &dim : sorted) {
    if (magnitude(dim) < reached)
      return false;
    Wide further = dim.count - 1;
    // More than this no address can be, and the next would be no number.
    if (further > std::numeric_limits<int64_t>::max() / magnitude(dim))
      return false;
    reached += further * magnitude(dim);
  }
  return true;
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
  if (outer.size() < 2 || areNested(outer, width))
    return true;
  // What several dimensions interleave is asked at run time.
  if (outer.size() > 2)
    return std::nullopt;
  return !overlap(outer[0], outer[1], width);
}

/// `type` with its dimensions `from` in the order `to`.
static ShapedType reorder(ShapedType type, StringRef from, StringRef to) {
  auto shape = llvm::map_to_vector(
      to, [&](char letter) { return type.getDimSize(from.find(letter)); });
  return type.clone(shape);
}

/// A tensor that has no contiguous rows is copied, batches first.
static MatrixLayout layoutOrCopy(ShapedType type, StringRef letters) {
  if (std::optional<MatrixLayout> layout = layoutOf(type, letters))
    return *layout;
  std::string ordered = batchesFirst(letters);
  return *layoutOf(reorder(type, letters, ordered), ordered);
}

MatrixLayout MatmulOp::getLayoutA() {
  return layoutOrCopy(getA().getType(), getLettersA());
}
MatrixLayout MatmulOp::getLayoutB() {
  return layoutOrCopy(getB().getType(), getLettersB());
}
MatrixLayout MatmulOp::getLayoutC() {
  std::string letters = getLettersC(), stored = (getBatches() + "mn").str();
  ShapedType type = getC().getType();
  if (letters.back() != 'n') {
    type = reorder(type, letters, stored);
    letters = stored;
  }
  return layoutAlong(type, letters, stridesOf(type), type.getRank() - 1);
}

//===----------------------------------------------------------------------===//
// Letters
//===----------------------------------------------------------------------===//

std::string hone::usualLetters(size_t rank, StringRef matrix) {
  size_t batches = rank < matrix.size() ? 0 : rank - matrix.size();
  return (kBatchLetters.take_front(batches) + matrix).str();
}

std::string hone::batchesFirst(StringRef letters) {
  std::string result;
  for (char batch : kBatchLetters)
    if (letters.contains(batch))
      result += batch;
  for (char letter : letters)
    if (!kBatchLetters.contains(letter))
      result += letter;
  return result;
}

MatrixOrder hone::orderOf(StringRef letters, StringRef matrix) {
  return letters.find(matrix[0]) < letters.find(matrix[1]) ? MatrixOrder::row
                                                           : MatrixOrder::col;
}

static std::string lettersOf(std::optional<StringRef> dims, ShapedType type,
                             StringRef matrix) {
  return dims ? dims->str() : usualLetters(type.getRank(), matrix);
}

std::string MatmulOp::getLettersA() {
  return lettersOf(getDimsA(), getA().getType(),
                   getOrderA() == MatrixOrder::row ? "mk" : "km");
}
std::string MatmulOp::getLettersB() {
  return lettersOf(getDimsB(), getB().getType(),
                   getOrderB() == MatrixOrder::row ? "kn" : "nk");
}
std::string MatmulOp::getLettersC() {
  return lettersOf(getDimsC(), getC().getType(), "mn");
}

void MatmulOp::setLetters(StringRef a, StringRef b, StringRef c) {
  // What rank and order say is not said again.
  auto dims = [&](StringRef letters, StringRef matrix) {
    return letters == usualLetters(letters.size(), matrix)
               ? StringAttr()
               : StringAttr::get(getContext(), letters);
  };
  setOrderA(orderOf(a, "mk"));
  setOrderB(orderOf(b, "kn"));
  setDimsAAttr(dims(a, getOrderA() == MatrixOrder::row ? "mk" : "km"));
  setDimsBAttr(dims(b, getOrderB() == MatrixOrder::row ? "kn" : "nk"));
  setDimsCAttr(dims(c, "mn"));
}

StringRef MatmulOp::getBatches() {
  size_t count = llvm::count_if(getLettersC(), [](char letter) {
    return kBatchLetters.contains(letter);
  });
  return kBatchLetters.take_front(count);
}

int64_t MatmulOp::getExtent(char letter) {
  for (auto [letters, type] : {std::pair(getLettersA(), getA().getType()),
                               std::pair(getLettersB(), getB().getType()),
                               std::pair(getLettersC(), getC().getType())})
    if (size_t dim = letters.find(letter);
        dim != std::string::npos && !type.isDynamicDim(dim))
      return type.getDimSize(dim);
  return ShapedType::kDynamic;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

int64_t hone::extentOfAll(ArrayRef<int64_t> sizes) {
  int64_t extent = 1;
  for (int64_t size : sizes)
    if (ShapedType::isDynamic(size) || extent == kDynamic)
      extent = kDynamic;
    else if (__builtin_mul_overflow(extent, size, &extent) ||
             extent > kLargestExtent)
      extent = kLargestExtent + 1;
  return extent;
}

static int64_t toExtent(int64_t size) {
  return ShapedType::isDynamic(size) ? kDynamic : size;
}

/// Describes A or B, whose matrix has its dimensions in `order`.
static Operand describe(ShapedType type, MatrixOrder order,
                        const MatrixLayout &layout, bool shared) {
  Operand operand;
  operand.type = *toElementType(type.getElementType());
  bool laterIsInner = layout.inner > layout.outer;
  operand.order =
      (order == MatrixOrder::row) == laterIsInner ? Order::row : Order::col;
  operand.align = layout.align;
  operand.shared = shared;
  return operand;
}

Problem MatmulOp::getProblem() {
  Problem problem;
  problem.m = toExtent(getExtent('m'));
  problem.n = toExtent(getExtent('n'));
  problem.k = toExtent(getExtent('k'));
  // Batches count together: how their strides differ is no part of a problem.
  SmallVector<int64_t> batches;
  for (char batch : getBatches())
    batches.push_back(getExtent(batch));
  if (isBatched())
    problem.batch = extentOfAll(batches);
  auto isShared = [&](StringRef letters) {
    return isBatched() &&
           letters.find_first_of(kBatchLetters) == StringRef::npos;
  };
  problem.a = describe(getA().getType(), getOrderA(), getLayoutA(),
                       isShared(getLettersA()));
  problem.b = describe(getB().getType(), getOrderB(), getLayoutB(),
                       isShared(getLettersB()));
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
