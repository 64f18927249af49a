//===- MatchContraction.cpp - Which dimension is which --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a linalg op as C += A * B. The body says whether it is one; the
// indexing maps say which letter each dimension is, and from there on the many
// spellings (transposed, batched, a vector for a matrix) are one.
//
// Two products have two readings, and one is chosen: where C comes out
// transposed, A and B change places, and a product with a vector is a row times
// a matrix (m = 1), so that the long side of C is the contiguous one.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Match.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Letters
//===----------------------------------------------------------------------===//

namespace {
/// How one operand is read: as it is, or copied to the order that another
/// access to the same elements has.
struct Reading {
  Access access;
  std::optional<Access> order;
};

/// Reads one op. A, B and C are at index 0, 1 and 2 of everything.
class Reader {
public:
  Reader(linalg::LinalgOp op, const std::array<Reading, 3> &choices,
         std::string &why)
      : op(op), why(why), maps(op.getIndexingMapsArray()),
        extents(op.getStaticLoopRanges()), choices(choices) {}

  /// Reads the op; the dimension `batch`, if any, is a batch that either A or B
  /// lacks.
  FailureOr<Contraction> read(std::optional<unsigned> batch);

private:
  LogicalResult nameLoops(std::optional<unsigned> batch);
  char letterOf(unsigned loop) const;
  void dropUnits();
  Side makeSide(const Reading &choice) const;
  void orderMemory(Side &side);
  void chooseSides();
  FailureOr<View> view(unsigned operand, StringRef matrix);
  LogicalResult checkOrders();

  /// Letters of an operand's dimensions, in the order in which they are taken.
  std::string lettersOf(const Side &side) const;
  /// What runs over the dimensions with `letter`, from the outermost on.
  Pieces piecesOf(const Side &side, char letter) const;
  bool hasTensors() { return op.hasPureTensorSemantics(); }
  LogicalResult refuse(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  linalg::LinalgOp op;
  std::string &why;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> extents;
  const std::array<Reading, 3> &choices;
  std::array<Side, 3> sides;
  std::string letters; ///< of each loop
};
} // namespace

static constexpr StringRef kNames[] = {"A", "B", "C"};

/// The letter that a loop's presence in A, B and C makes it; 0 for none.
char Reader::letterOf(unsigned loop) const {
  bool inA = maps[0].isFunctionOfDim(loop), inB = maps[1].isFunctionOfDim(loop),
       inC = maps[2].isFunctionOfDim(loop);
  if (inC)
    return inA && inB ? 'b' : inA ? 'm' : inB ? 'n' : 0;
  return inA && inB ? 'k' : 0;
}

LogicalResult Reader::nameLoops(std::optional<unsigned> batch) {
  letters.clear();
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    if (extent == 0)
      return refuse("dimension d" + Twine(loop) + " is empty");
    char letter = batch && *batch == loop ? 'b' : letterOf(loop);
    if (!letter && extent != 1)
      return refuse("dimension d" + Twine(loop) +
                    " is in one of A, B and C only");
    letters += letter ? letter : kUnit;
  }
  dropUnits();
  return success();
}

/// Makes dimensions of one element units, so that they stand in no reshape's
/// way. On memrefs, where a reshape needs contiguous memory, only the needless
/// ones.
void Reader::dropUnits() {
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    char letter = letters[loop];
    bool needed =
        !hasTensors() && letter != 'b' && StringRef(letters).count(letter) == 1;
    if (extent == 1 && !needed)
      letters[loop] = kUnit;
  }
}

std::string Reader::lettersOf(const Side &side) const {
  std::string result;
  for (const Pieces &pieces : side.dims)
    result += pieces.empty() ? kUnit : letters[pieces.front().loop];
  return result;
}

Pieces Reader::piecesOf(const Side &side, char letter) const {
  Pieces result;
  for (const Pieces &pieces : side.dims)
    for (const Piece &piece : pieces)
      if (letters[piece.loop] == letter)
        result.push_back(piece);
  return joined(result);
}

Side Reader::makeSide(const Reading &choice) const {
  if (choice.order)
    return sideInOrderOf(choice.access, *choice.order);
  return sideOf(choice.access,
                [&](const Piece &piece) { return letters[piece.loop]; });
}

/// The dimension of `order` whose elements are neighbours in memory, one of
/// several elements if there is; the last if there is none.
static int64_t contiguousDim(MemRefType type, ArrayRef<int64_t> order) {
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  int64_t found = order.back();
  for (int64_t dim : llvm::reverse(order)) {
    if (strides[dim] != 1)
      continue;
    if (type.getDimSize(dim) != 1)
      return dim;
    found = strides[found] == 1 ? found : dim;
  }
  return found;
}

/// Takes the dimensions of a memref in another order, which costs nothing: the
/// batch first, and the contiguous dimension last, so that the order the op
/// says is the order in memory.
void Reader::orderMemory(Side &side) {
  auto type = dyn_cast<MemRefType>(side.view.value.getType());
  if (!type || type.getRank() < 2)
    return;
  std::string own = lettersOf(side);
  SmallVector<int64_t> order;
  for (bool batch : {true, false})
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if ((own[dim] == 'b') == batch)
        order.push_back(dim);
  int64_t inner = contiguousDim(type, order);
  if (own[inner] != 'b') {
    llvm::erase(order, inner);
    order.push_back(inner);
  }
  if (llvm::is_sorted(order))
    return;
  side.view.permutation = order;
  side.dims =
      llvm::map_to_vector(order, [&](int64_t dim) { return side.dims[dim]; });
}

/// Lets A and B change places where C comes out transposed, or has no columns.
void Reader::chooseSides() {
  std::string inC = lettersOf(sides[2]);
  size_t m = inC.find('m'), n = inC.find('n');
  bool transposed = m != std::string::npos && (n == std::string::npos || n < m);
  if (!transposed)
    return;
  std::swap(sides[0], sides[1]);
  for (char &letter : letters)
    letter = letter == 'm' ? 'n' : letter == 'n' ? 'm' : letter;
}

/// True if one part at most of each dimension that is cut is not known, and
/// the others say what it is.
static bool isCuttable(const View &view) {
  auto type = cast<ShapedType>(view.value.getType());
  for (auto [dim, parts] : llvm::enumerate(view.cuts)) {
    int64_t known = 1, unknown = 0;
    for (int64_t part : parts) {
      bool isDynamic = ShapedType::isDynamic(view.partExtents[part]);
      unknown += isDynamic;
      known *= isDynamic ? 1 : view.partExtents[part];
    }
    if (parts.size() > 1 &&
        (unknown > 1 || (unknown == 0) == type.isDynamicDim(dim) ||
         (unknown == 0 && known != type.getDimSize(dim))))
      return false;
  }
  return true;
}

/// The view of an operand whose matrix has the two letters of `matrix`.
FailureOr<View> Reader::view(unsigned operand, StringRef matrix) {
  const Side &side = sides[operand];
  std::string own = lettersOf(side);
  std::string order = StringRef(own).contains('b') ? "b" : "";
  // C is stored in rows. In A and B a dimension that is missing has one element
  // and stands first: the one that is there is then contiguous.
  for (char letter : matrix)
    if (operand == 2 || !StringRef(own).contains(letter))
      order += letter;
  for (char letter : own)
    if (letter != kUnit && !StringRef(order).contains(letter))
      order += letter;
  if (!isCuttable(side.view))
    return refuse("a dimension of " + kNames[operand] +
                  " is cut in a place that is not known");
  FailureOr<View> result = makeMatrix(side.view.value, own, order);
  if (failed(result))
    return refuse("dimensions of one kind are not adjacent in " +
                  kNames[operand] + " (" + own + ")");
  result->cuts = side.view.cuts;
  result->partExtents = side.view.partExtents;
  result->permutation = side.view.permutation;
  size_t batch = result->letters.find('b');
  if (batch != std::string::npos && batch != 0)
    return refuse("the batch is not the leading dimension of " +
                  kNames[operand] + " (" + result->letters + ")");
  return result;
}

/// Dimensions that are collapsed must be in one order everywhere.
LogicalResult Reader::checkOrders() {
  constexpr struct {
    unsigned left, right;
    char letter;
  } kShared[] = {
      {0, 2, 'b'}, {1, 2, 'b'}, {0, 2, 'm'}, {1, 2, 'n'}, {0, 1, 'k'}};
  for (auto [left, right, letter] : kShared) {
    Pieces inLeft = piecesOf(sides[left], letter);
    if (!inLeft.empty() && inLeft != piecesOf(sides[right], letter))
      return refuse(Twine("the ") + Twine(letter) +
                    " dimensions have another order in " + kNames[left] +
                    " than in " + kNames[right]);
  }
  if (piecesOf(sides[2], 'b').empty() || !piecesOf(sides[0], 'b').empty() ||
      !piecesOf(sides[1], 'b').empty())
    return success();
  return refuse("neither A nor B has the batch that C has");
}

FailureOr<Contraction> Reader::read(std::optional<unsigned> batch) {
  if (failed(nameLoops(batch)))
    return failure();
  for (auto [side, choice] : llvm::zip(sides, choices)) {
    side = makeSide(choice);
    orderMemory(side);
  }
  chooseSides();
  bool batched = StringRef(letters).contains('b');
  FailureOr<View> a = view(0, "mk");
  if (failed(a))
    return failure();
  FailureOr<View> b = view(1, "kn");
  if (failed(b))
    return failure();
  FailureOr<View> c = view(2, "mn");
  if (failed(c) || failed(checkOrders()))
    return failure();
  Contraction result;
  result.op = op;
  result.a = *a;
  result.b = *b;
  result.c = *c;
  result.lettersC = lettersOf(sides[2]);
  result.batched = batched;
  result.sumType = readBody(op)->sumType;
  return result;
}

//===----------------------------------------------------------------------===//
// The whole op
//===----------------------------------------------------------------------===//

/// True if a kernel's pointer may point into this memory space.
static bool isGlobal(Attribute space) {
  if (auto number = dyn_cast_if_present<IntegerAttr>(space))
    return number.getInt() <= 1;
  auto name = dyn_cast_if_present<gpu::AddressSpaceAttr>(space);
  return !space || (name && name.getValue() == gpu::AddressSpace::Global);
}

/// Why a matmul can not have this operand; empty if it can.
static std::string refuseOperand(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!toElementType(element))
    return "element type " + print(element);
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

/// Why the operands of `op` can not be taken; empty if they may.
static std::string refuseOperands(linalg::LinalgOp op) {
  for (Type type : op->getOperandTypes())
    if (std::string why = refuseOperand(type); !why.empty())
      return why;
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return "it has other operands than A, B and C";
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return "its operands are neither all tensors nor all memrefs";
  std::optional<Product> product = readBody(op);
  return product && isPlain(op, *product) ? "" : "its body is not c + a * b";
}

//===----------------------------------------------------------------------===//
// Which values to read
//===----------------------------------------------------------------------===//

/// The narrowest type that both A and B can be read in; null if there is none.
static Type commonType(ArrayRef<Access> a, ArrayRef<Access> b) {
  Type common;
  for (const Access &access : a) {
    Type type = access.elementType();
    bool isShared =
        toElementType(type) && llvm::any_of(b, [&](const Access &other) {
          return other.elementType() == type;
        });
    bool isNarrower = !common || type.getIntOrFloatBitWidth() <
                                     common.getIntOrFloatBitWidth();
    if (isShared && isNarrower)
      common = type;
  }
  return common;
}

/// The order of a canonical matrix, as far as C and then `rest` say it: pieces of
/// C, then what is summed.
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

/// How an operand can be read in `type`: from the farthest value, which leaves
/// most of the program out; from one on the way, after what the program does
/// with it; or from a copy of the farthest, in an order that `other`, or the
/// loops of the op, have too.
static SmallVector<Reading> choicesOf(linalg::LinalgOp op,
                                     ArrayRef<Access> accesses,
                                     ArrayRef<Access> other, const Access &c,
                                     Type type) {
  SmallVector<Reading> choices;
  for (const Access &access : llvm::reverse(accesses))
    if (access.elementType() == type)
      choices.push_back({access, std::nullopt});
  if (!op.hasPureTensorSemantics())
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

/// Says from what one operand is extended: ", extended from f16".
static std::string describe(StringRef name, ArrayRef<Access> accesses) {
  Type nearest = accesses.front().elementType();
  Type farthest = accesses.back().elementType();
  std::string text = (name + " is " + print(nearest)).str();
  return nearest == farthest ? text
                             : text + " extended from " + print(farthest);
}

/// The loop of the first dimension of a C that may have a batch.
static std::optional<unsigned> firstLoop(linalg::LinalgOp op) {
  AffineMap map = op.getIndexingMapsArray().back();
  if (map.getNumResults() < 3 || !isa<AffineDimExpr>(map.getResult(0)))
    return std::nullopt;
  return cast<AffineDimExpr>(map.getResult(0)).getPosition();
}

/// Reads `op` with one choice for each operand.
static FailureOr<Contraction> readChoices(linalg::LinalgOp op,
                                          const std::array<Reading, 3> &choices,
                                          std::string &why) {
  FailureOr<Contraction> contraction =
      Reader(op, choices, why).read(std::nullopt);
  // The first dimension of C may be a batch that one matrix serves.
  std::optional<unsigned> first = firstLoop(op);
  if (succeeded(contraction) || !first)
    return contraction;
  std::string whyNot;
  return Reader(op, choices, whyNot).read(first);
}

/// Reads `op` with the first choices that a matmul can be made of, where a copy
/// comes after everything else. `why` gets what is wrong with the op's own
/// operands.
static FailureOr<Contraction> readFirst(linalg::LinalgOp op, ArrayRef<Reading> a,
                                        ArrayRef<Reading> b, const Reading &c,
                                        std::string &why) {
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
  for (const Pair &pair : pairs) {
    std::string whyNot;
    FailureOr<Contraction> contraction =
        readChoices(op, {a[pair.a], b[pair.b], c}, whyNot);
    if (succeeded(contraction)) {
      contraction->copied = pair.copies ? why : "";
      return contraction;
    }
    if (pair.copies == 0)
      why = whyNot;
  }
  return failure();
}

FailureOr<Contraction> match::analyze(linalg::LinalgOp op, std::string &why) {
  why = refuseOperands(op);
  if (!why.empty())
    return failure();
  SmallVector<Access> a = accessesOf(op, 0), b = accessesOf(op, 1);
  FailureOr<Access> c = accessOf(op, 2);
  if (a.empty() || b.empty() || failed(c)) {
    why = "an indexing map is not a projected permutation";
    return failure();
  }
  Type type = commonType(a, b);
  if (!type) {
    why = "A and B have different element types: " + describe("A", a) +
          ", and " + describe("B", b);
    return failure();
  }
  FailureOr<Contraction> contraction =
      readFirst(op, choicesOf(op, a, b, *c, type),
                choicesOf(op, b, a, *c, type), {*c, std::nullopt}, why);
  bool isNarrowest =
      type == a.back().elementType() && type == b.back().elementType();
  if (succeeded(contraction) && !isNarrowest)
    contraction->mixed = describe("A", a) + ", and " + describe("B", b);
  return contraction;
}
