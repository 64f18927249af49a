//===- MatchContraction.cpp - Letters of the dimensions of A, B and C -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a linalg op as C += A * B. The indexing maps give each dimension its
// letter. From there on the many spellings (transposed, batched, a vector for a
// matrix) are one.
//
// Two kinds of product could be read in two ways. Where C is transposed, A and
// B are exchanged. A product with a vector is a row times a matrix (m = 1), so
// that the long side of C is the contiguous one.
//
//===----------------------------------------------------------------------===//

#include "passes/Match/MatchContraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Letters
//===----------------------------------------------------------------------===//

namespace {
/// Reads one op. A, B and C are at index 0, 1 and 2 of everything.
class Reader {
public:
  Reader(linalg::LinalgOp op, const std::array<Reading, 3> &choices,
         std::string &why)
      : op(op), why(why), maps(op.getIndexingMapsArray()),
        extents(op.getStaticLoopRanges()), choices(choices) {}

  FailureOr<Contraction> read();

private:
  LogicalResult nameLoops();
  char letterOf(unsigned loop) const;
  void dropUnits();
  SmallVector<Access> orders() const;
  AccessSide makeSide(const Reading &choice) const;
  void orderMemory(AccessSide &side);
  void chooseSides();
  FailureOr<View> view(unsigned operand, StringRef matrix);
  LogicalResult checkOrders();
  LogicalResult checkInnermost();

  /// Letters of an operand's dimensions, in the order in which they are taken.
  std::string lettersOf(const AccessSide &side) const;
  /// The pieces of the dimensions with `letter`, from the outermost on.
  Pieces piecesOf(const AccessSide &side, char letter) const;
  bool hasTensors() { return op.hasPureTensorSemantics(); }
  LogicalResult refuse(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  linalg::LinalgOp op;
  std::string &why;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> extents;
  std::array<Reading, 3> choices;
  std::array<AccessSide, 3> sides;
  std::string letters; ///< of each loop
};
} // namespace

static constexpr StringRef kNames[] = {"A", "B", "C"};

/// The letter of a loop, from its presence in A, B and C; 0 for none.
char Reader::letterOf(unsigned loop) const {
  bool inA = maps[0].isFunctionOfDim(loop), inB = maps[1].isFunctionOfDim(loop),
       inC = maps[2].isFunctionOfDim(loop);
  if (inC)
    return inA && inB ? 'b' : inA ? 'm' : inB ? 'n' : 0;
  return inA && inB ? 'k' : 0;
}

LogicalResult Reader::nameLoops() {
  letters.clear();
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    if (extent == 0)
      return refuse("dimension d" + Twine(loop) + " is empty");
    char letter = letterOf(loop);
    if (!letter && extent != 1)
      return refuse("dimension d" + Twine(loop) +
                    " is in one of A, B and C only");
    letters += letter ? letter : kUnit;
  }
  dropUnits();
  return success();
}

/// Makes dimensions of one element units, so that they do not block a reshape.
/// On memrefs, where a reshape needs contiguous memory, only the redundant
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

std::string Reader::lettersOf(const AccessSide &side) const {
  std::string result;
  for (const Pieces &pieces : side.dims)
    result += pieces.empty() ? kUnit : letters[pieces.front().loop];
  return result;
}

Pieces Reader::piecesOf(const AccessSide &side, char letter) const {
  Pieces result;
  for (const Pieces &pieces : side.dims)
    for (const Piece &piece : pieces)
      if (letters[piece.loop] == letter)
        result.push_back(piece);
  return joined(result);
}

AccessSide Reader::makeSide(const Reading &choice) const {
  if (choice.order)
    return sideInOrderOf(choice.access, *choice.order);
  return sideOf(choice.access,
                [&](const Piece &piece) { return letters[piece.loop]; });
}

/// The pieces of the operands' dimensions, in the order in which they are
/// taken.
SmallVector<Access> Reader::orders() const {
  return llvm::map_to_vector(choices, [](const Reading &choice) {
    Access access = choice.access;
    if (choice.order)
      access.dims = choice.order->dims;
    return access;
  });
}

/// Reorders the dimensions of a memref, which costs nothing: batches first, and
/// the contiguous dimension last, so that the order of the op is the order in
/// memory. Dimensions of one element stay with their neighbours.
void Reader::orderMemory(AccessSide &side) {
  auto type = dyn_cast<MemRefType>(side.view.value.getType());
  if (!type || type.getRank() < 2)
    return;
  std::optional<unsigned> loop =
      innermostLoop({side.view.value, side.dims}, letters);
  char inner = loop ? letters[*loop] : kUnit;
  size_t place = kBatchLetters.size();
  SmallVector<size_t> places;
  for (char letter : lettersOf(side)) {
    if (size_t batch = kBatchLetters.find(letter); batch != StringRef::npos)
      place = batch;
    else if (letter != kUnit)
      place = kBatchLetters.size() + (letter == inner);
    places.push_back(place);
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  llvm::stable_sort(order, [&](int64_t left, int64_t right) {
    return places[left] < places[right];
  });
  if (llvm::is_sorted(order))
    return;
  side.view.permutation = order;
  side.dims =
      llvm::map_to_vector(order, [&](int64_t dim) { return side.dims[dim]; });
}

/// Exchanges A and B where C is transposed, or has no columns. Columns are then
/// innermost in C.
void Reader::chooseSides() {
  Access c = orders()[2];
  std::optional<unsigned> loop = innermostLoop(c, letters);
  char inner = loop ? letters[*loop] : kUnit;
  // A batch, or a dimension of one element, does not decide.
  if (inner != 'm' && inner != 'n')
    for (const Pieces &pieces : c.dims)
      for (const Piece &piece : pieces)
        if (char letter = letters[piece.loop]; letter == 'm' || letter == 'n')
          inner = letter;
  if (inner != 'm')
    return;
  std::swap(choices[0], choices[1]);
  std::swap(maps[0], maps[1]);
  for (char &letter : letters)
    letter = letter == 'm' ? 'n' : letter == 'n' ? 'm' : letter;
}

/// A tensor's rows or columns must be contiguous; for a memref the strides are
/// checked later.
LogicalResult Reader::checkInnermost() {
  if (!hasTensors())
    return success();
  for (auto [name, side] : llvm::zip(kNames, sides)) {
    std::string own = lettersOf(side);
    llvm::erase(own, kUnit);
    if (own.find_first_of("mnk") != std::string::npos &&
        kBatchLetters.contains(own.back()))
      return refuse("a batch is the innermost dimension of " + name + " (" +
                    own + ")");
  }
  return success();
}

/// True if each cut dimension has one unknown part at most, which the others
/// determine.
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
  const AccessSide &side = sides[operand];
  std::string own = lettersOf(side), order;
  for (char letter : own)
    if (letter != kUnit && !StringRef(order).contains(letter))
      order += letter;
  // A missing dimension has one element and is placed first, after the batches:
  // the dimension that exists is then contiguous.
  size_t place = std::min(order.find_first_not_of(kBatchLetters), order.size());
  for (char letter : matrix)
    if (!StringRef(own).contains(letter))
      order.insert(place++, 1, letter);
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
  return result;
}

/// Checks that collapsed dimensions have one order in all operands.
LogicalResult Reader::checkOrders() {
  auto isSame = [&](char letter, unsigned left, unsigned right) {
    Pieces inLeft = piecesOf(sides[left], letter);
    if (inLeft.empty() || inLeft == piecesOf(sides[right], letter))
      return success();
    return refuse(Twine("the ") + Twine(letter) +
                  " dimensions have another order in " + kNames[left] +
                  " than in " + kNames[right]);
  };
  if (failed(isSame('m', 0, 2)) || failed(isSame('n', 1, 2)) ||
      failed(isSame('k', 0, 1)))
    return failure();
  for (char batch : kBatchLetters) {
    if (failed(isSame(batch, 0, 2)) || failed(isSame(batch, 1, 2)))
      return failure();
    if (!piecesOf(sides[2], batch).empty() &&
        piecesOf(sides[0], batch).empty() && piecesOf(sides[1], batch).empty())
      return refuse("neither A nor B has the batch that C has");
  }
  return success();
}

FailureOr<Contraction> Reader::read() {
  if (failed(nameLoops()))
    return failure();
  chooseSides();
  // No kernel reads windows as columns. A result in another order can be copied.
  if (std::optional<Image> image = imageOf(choices[1].access.value))
    return refuse(image->reason);
  if (std::string reason = nameBatches(orders(), extents, letters);
      !reason.empty())
    return refuse(reason);
  for (auto [side, choice] : llvm::zip(sides, choices)) {
    side = makeSide(choice);
    orderMemory(side);
  }
  FailureOr<View> a = view(0, "mk");
  if (failed(a))
    return failure();
  FailureOr<View> b = view(1, "kn");
  if (failed(b))
    return failure();
  FailureOr<View> c = view(2, "mn");
  if (failed(c) || failed(checkOrders()) || failed(checkInnermost()))
    return failure();
  Contraction result;
  result.op = op;
  result.a = *a;
  result.b = *b;
  result.c = *c;
  result.lettersC = lettersOf(sides[2]);
  result.sumType = readBody(op)->sumType;
  return result;
}

FailureOr<Contraction> match::read(linalg::LinalgOp op,
                                   const std::array<Reading, 3> &choices,
                                   std::string &why) {
  return Reader(op, choices, why).read();
}
