//===- MatchChoice.cpp - Choice of the values for A and B -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul may read an operand of the program's op, or a value that the operand
// was made from. The first choice that makes a valid matmul is taken; choices
// with a copy come last.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Match/MatchContraction.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Unsupported operands
//===----------------------------------------------------------------------===//

/// True if a kernel's pointer may point into this memory space.
static bool isGlobal(Attribute space) {
  if (auto number = dyn_cast_if_present<IntegerAttr>(space))
    return number.getInt() <= 1;
  auto name = dyn_cast_if_present<gpu::AddressSpaceAttr>(space);
  return !space || (name && name.getValue() == gpu::AddressSpace::Global);
}

/// The reason for an element type that no kernel takes.
static std::string refuseElement(Type type, bool isFactor) {
  return "element type " + print(type) +
         (isFactor
              ? "; kernels multiply f16, bf16, f32, f8E4M3FN, f8E5M2 and i8"
              : "; kernels store f16, bf16, f32, i8 and i32");
}

/// The reason why a matmul cannot have this operand, which is A or B or else C;
/// empty if it can, or if the source of its extension may be supported.
static std::string refuseOperand(Type type, bool isFactor) {
  Type element = getElementTypeOrSelf(type);
  if (isFactor ? !toAnyElementType(element) : !toElementType(element))
    return refuseElement(element, isFactor);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getEncoding() ? "a tensor with an encoding" : "";
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return "an operand is neither a ranked tensor nor a memref";
  if (!memref.isStrided())
    return "a memref has a layout without strides";
  return isGlobal(memref.getMemorySpace()) ? ""
                                           : "a memref is not in global memory";
}

/// The reason why the operands of `op` are unsupported; empty if they may be.
static std::string refuseOperands(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands())
    if (std::string why =
            refuseOperand(operand.get().getType(), op.isDpsInput(&operand));
        !why.empty())
      return why;
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return "it has other operands than A, B and C";
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return "its operands are neither all tensors nor all memrefs";
  std::optional<Product> product = readBody(op);
  return product && isPlain(op, *product) ? "" : "its body is not c + a * b";
}

//===----------------------------------------------------------------------===//
// Values to read
//===----------------------------------------------------------------------===//

namespace {
/// The types in which A and B are read; null if there are none.
struct FactorTypes {
  Type a, b;

  unsigned bits() const {
    return a.getIntOrFloatBitWidth() + b.getIntOrFloatBitWidth();
  }
};
} // namespace

/// True if `op` may have factors of these types. An integer sum needs integers.
/// Any other sum needs at least one float, and the other factor, if an integer,
/// is converted.
static bool areFactors(Type a, Type b, bool areWhole, bool mayConvert) {
  std::optional<ElementType> left = toFactorType(a), right = toFactorType(b);
  if (!left || !right || !areMultiplied(*left, *right))
    return false;
  if (isConverted(*left, *right))
    return mayConvert && !areWhole;
  return isInteger(*left) == areWhole;
}

/// The narrowest types that A and B can be read and multiplied in.
static FactorTypes narrowestTypes(linalg::LinalgOp op, ArrayRef<Access> a,
                                  ArrayRef<Access> b, bool mayConvert) {
  FactorTypes narrowest;
  std::optional<Product> product = readBody(op);
  bool areWhole = product && isa<IntegerType>(product->sumType);
  for (const Access &left : a)
    for (const Access &right : b) {
      FactorTypes types = {left.elementType(), right.elementType()};
      if (areFactors(types.a, types.b, areWhole, mayConvert) &&
          (!narrowest.a || types.bits() < narrowest.bits()))
        narrowest = types;
    }
  return narrowest;
}

std::optional<unsigned> match::factorBits(linalg::LinalgOp op) {
  FactorTypes types = narrowestTypes(op, accessesOf(op, 0), accessesOf(op, 1),
                                     /*mayConvert=*/true);
  return types.a ? std::optional(types.bits()) : std::nullopt;
}

/// The order of a canonical matrix, as C and then `rest` define it: the pieces
/// of C, then those that are summed.
static Access canonicalOrder(const Access &access, const Access &c,
                             ArrayRef<Piece> rest) {
  Pieces order;
  for (const Pieces &pieces : c.dims)
    llvm::append_range(order, pieces);
  auto isNew = [&](const Piece &piece) {
    return llvm::none_of(order, [&](const Piece &other) {
      return other.loop == piece.loop && other.low == piece.low;
    });
  };
  for (const Piece &piece : rest)
    if (isNew(piece))
      order.push_back(piece);
  return {access.value, {order}};
}

/// The ways to read an operand in `type`, in this order: from the farthest
/// value, which skips most ops; from a value on the way, after some of the ops;
/// and from a copy of the farthest value, in an order that it shares with
/// `other` or with the loops of the op.
static SmallVector<Reading> choicesOf(linalg::LinalgOp op,
                                      ArrayRef<Access> accesses,
                                      ArrayRef<Access> other, const Access &c,
                                      Type type) {
  SmallVector<Reading> choices;
  for (const Access &access : llvm::reverse(accesses))
    if (access.elementType() == type)
      choices.push_back({access, std::nullopt});
  // Windows have no elements to copy.
  if (!op.hasPureTensorSemantics() || imageOf(accesses.back().value))
    return choices;
  Access farthest = choices.front().access;
  Pieces summed, loops;
  for (const Pieces &pieces : other.back().dims)
    llvm::append_range(summed, pieces);
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    loops.push_back({static_cast<unsigned>(loop), extent, 1, extent});
  for (const Pieces &rest : {summed, loops})
    choices.push_back({farthest, canonicalOrder(farthest, c, rest)});
  return choices;
}

/// Describes the extension of one operand: ", extended from f16".
static std::string describe(StringRef name, ArrayRef<Access> accesses) {
  Type nearest = accesses.front().elementType();
  Type farthest = accesses.back().elementType();
  std::string text = (name + " is " + print(nearest)).str();
  return nearest == farthest ? text
                             : text + " extended from " + print(farthest);
}

/// Reads `op` with the first valid choices; choices with a copy come last. With
/// `mayCopy` later choices may be better. `why` gets the fault of the op's own
/// operands.
static FailureOr<Contraction> readBest(linalg::LinalgOp op, ArrayRef<Reading> a,
                                       ArrayRef<Reading> b, const Reading &c,
                                       bool mayCopy, std::string &why) {
  struct Pair {
    size_t a, b, copies;
  };
  SmallVector<Pair> pairs;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j)
      pairs.push_back(
          {i, j, size_t(a[i].order.has_value()) + b[j].order.has_value()});
  llvm::sort(pairs, [](const Pair &left, const Pair &right) {
    return std::tuple(left.copies, left.a + left.b, left.a) <
           std::tuple(right.copies, right.a + right.b, right.a);
  });
  FailureOr<Contraction> best = failure();
  std::optional<double> first, lowest; // costs
  for (const Pair &pair : pairs) {
    std::string whyNot;
    FailureOr<Contraction> contraction =
        read(op, {a[pair.a], b[pair.b], c}, whyNot);
    if (failed(contraction)) {
      if (pair.copies == 0 && failed(best))
        why = whyNot;
      continue;
    }
    std::optional<double> own = costOf(*contraction);
    bool isFirst = failed(best);
    if (!isFirst && (!isClearlyLess(own, first) || *own >= *lowest))
      continue;
    best = contraction;
    first = isFirst ? own : first;
    lowest = own;
    if (pair.copies)
      best->copied = isFirst ? why : kManyBatches.str();
    if (!mayCopy || !repeatsFactors(*best))
      break;
  }
  return best;
}

FailureOr<Contraction> match::analyze(linalg::LinalgOp op, bool mayConvert,
                                      bool mayCopy, std::string &why) {
  why = refuseOperands(op);
  if (!why.empty())
    return failure();
  SmallVector<Access> a = accessesOf(op, 0), b = accessesOf(op, 1);
  FailureOr<Access> c = accessOf(op, 2);
  if (a.empty() || b.empty() || failed(c)) {
    why = "an indexing map is not a projected permutation";
    return failure();
  }
  FactorTypes types = narrowestTypes(op, a, b, mayConvert);
  for (const Access &own : {a.front(), b.front()})
    if (!types.a && !toFactorType(own.elementType())) {
      why = refuseElement(own.elementType(), /*isFactor=*/true);
      return failure();
    }
  if (!types.a) {
    why = "A and B have different element types: " + describe("A", a) +
          ", and " + describe("B", b);
    return failure();
  }
  FailureOr<Contraction> contraction = readBest(
      op, choicesOf(op, a, b, *c, types.a), choicesOf(op, b, a, *c, types.b),
      {*c, std::nullopt}, mayCopy, why);
  bool isNarrowest =
      types.a == a.back().elementType() && types.b == b.back().elementType();
  if (succeeded(contraction) && !isNarrowest)
    contraction->mixed = describe("A", a) + ", and " + describe("B", b);
  return contraction;
}
