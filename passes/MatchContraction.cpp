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
// The body
//===----------------------------------------------------------------------===//

/// The value before it was extended to a wider type.
static Value skipExtensions(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value;
}

/// The type in which the body sums, the narrower of product and sum; null if
/// the body is not `c + a * b`.
static Type sumTypeOf(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  Value a = body->getArgument(0), b = body->getArgument(1),
        c = body->getArgument(2);
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || (sum.getLhs() == c) == (sum.getRhs() == c))
    return {};
  Value addend = sum.getLhs() == c ? sum.getRhs() : sum.getLhs();
  auto product = skipExtensions(addend).getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  Value left = skipExtensions(product.getLhs());
  Value right = skipExtensions(product.getRhs());
  if (!(left == a && right == b) && !(left == b && right == a))
    return {};
  return sum.getType().isF32() ? product.getType() : sum.getType();
}

bool match::looksLikeMatmul(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  // Sums of dimensions index a convolution.
  auto indexesByDims = [](AffineMap map) {
    return map.isProjectedPermutation(/*allowZeroInResults=*/true);
  };
  bool isProduct =
      op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 && sumTypeOf(op);
  return (isProduct &&
          llvm::all_of(op.getIndexingMapsArray(), indexesByDims)) ||
         linalg::isaContractionOpInterface(op) ||
         op->getName().getStringRef().contains("matmul");
}

//===----------------------------------------------------------------------===//
// Letters
//===----------------------------------------------------------------------===//

namespace {
/// Reads one op. A, B and C are at index 0, 1 and 2 of everything.
class Reader {
public:
  Reader(linalg::LinalgOp op, std::string &why)
      : op(op), why(why), maps(op.getIndexingMapsArray()),
        extents(op.getStaticLoopRanges()),
        values{op->getOperand(0), op->getOperand(1), op->getOperand(2)} {}

  /// Reads the op; the dimension `batch`, if any, is a batch that either A or B
  /// lacks.
  FailureOr<Contraction> read(std::optional<unsigned> batch);

private:
  LogicalResult nameLoops(std::optional<unsigned> batch);
  char letterOf(unsigned loop) const;
  void dropUnits();
  void orderMemory(unsigned operand);
  void chooseSides();
  FailureOr<View> view(unsigned operand, StringRef matrix);
  LogicalResult checkOrders();

  /// Letters of an operand's dimensions, in the order in which they are taken.
  std::string lettersOf(unsigned operand) const;
  SmallVector<unsigned> loopsOf(unsigned operand, char letter) const;
  bool hasTensors() { return op.hasPureTensorSemantics(); }
  LogicalResult refuse(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  linalg::LinalgOp op;
  std::string &why;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> extents;
  std::array<Value, 3> values;
  std::array<SmallVector<int64_t>, 3> permutations;
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

std::string Reader::lettersOf(unsigned operand) const {
  std::string result;
  for (AffineExpr expr : maps[operand].getResults())
    result += letters[cast<AffineDimExpr>(expr).getPosition()];
  return result;
}

SmallVector<unsigned> Reader::loopsOf(unsigned operand, char letter) const {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : maps[operand].getResults())
    if (unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        letters[loop] == letter)
      loops.push_back(loop);
  return loops;
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
void Reader::orderMemory(unsigned operand) {
  auto type = dyn_cast<MemRefType>(values[operand].getType());
  if (!type || type.getRank() < 2)
    return;
  std::string own = lettersOf(operand);
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
  permutations[operand] = order;
  maps[operand] = AffineMap::get(
      maps[operand].getNumDims(), 0,
      llvm::map_to_vector(
          order, [&](int64_t dim) { return maps[operand].getResult(dim); }),
      op.getContext());
}

/// Lets A and B change places where C comes out transposed, or has no columns.
void Reader::chooseSides() {
  std::string inC = lettersOf(2);
  size_t m = inC.find('m'), n = inC.find('n');
  bool transposed = m != std::string::npos && (n == std::string::npos || n < m);
  if (!transposed)
    return;
  std::swap(values[0], values[1]);
  std::swap(maps[0], maps[1]);
  std::swap(permutations[0], permutations[1]);
  for (char &letter : letters)
    letter = letter == 'm' ? 'n' : letter == 'n' ? 'm' : letter;
}

/// The view of an operand whose matrix has the two letters of `matrix`.
FailureOr<View> Reader::view(unsigned operand, StringRef matrix) {
  std::string own = lettersOf(operand);
  std::string order = StringRef(own).contains('b') ? "b" : "";
  // C is stored in rows. In A and B a dimension that is missing has one element
  // and stands first: the one that is there is then contiguous.
  for (char letter : matrix)
    if (operand == 2 || !StringRef(own).contains(letter))
      order += letter;
  for (char letter : own)
    if (letter != kUnit && !StringRef(order).contains(letter))
      order += letter;
  FailureOr<View> result = makeMatrix(values[operand], own, order);
  if (failed(result))
    return refuse("dimensions of one kind are not adjacent in " +
                  kNames[operand] + " (" + own + ")");
  result->permutation = permutations[operand];
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
    SmallVector<unsigned> inLeft = loopsOf(left, letter);
    if (!inLeft.empty() && inLeft != loopsOf(right, letter))
      return refuse(Twine("the ") + Twine(letter) +
                    " dimensions have another order in " + kNames[left] +
                    " than in " + kNames[right]);
  }
  return success();
}

FailureOr<Contraction> Reader::read(std::optional<unsigned> batch) {
  if (failed(nameLoops(batch)))
    return failure();
  for (unsigned operand : {0, 1, 2})
    orderMemory(operand);
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
  Contraction result = {op, *a, *b, *c, lettersOf(2), batched, sumTypeOf(op)};
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

/// Why the types of `op` can not be taken; empty if they can.
static std::string refuseTypes(linalg::LinalgOp op) {
  for (Type type : op->getOperandTypes())
    if (std::string why = refuseOperand(type); !why.empty())
      return why;
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return "it has other operands than A, B and C";
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return "its operands are neither all tensors nor all memrefs";
  Type a = getElementTypeOrSelf(op->getOperand(0));
  Type b = getElementTypeOrSelf(op->getOperand(1));
  if (a != b)
    return "A and B have different element types, " + print(a) + " and " +
           print(b);
  return "";
}

FailureOr<Contraction> match::analyze(linalg::LinalgOp op, std::string &why) {
  why = refuseTypes(op);
  if (!why.empty())
    return failure();
  if (!sumTypeOf(op)) {
    why = "its body is not c + a * b";
    return failure();
  }
  auto isPermutation = [](AffineMap map) {
    return map.isProjectedPermutation();
  };
  if (!llvm::all_of(op.getIndexingMapsArray(), isPermutation)) {
    why = "an indexing map is not a projected permutation";
    return failure();
  }
  FailureOr<Contraction> contraction = Reader(op, why).read(std::nullopt);
  AffineMap mapC = op.getIndexingMapsArray().back();
  if (succeeded(contraction) || mapC.getNumResults() < 3)
    return contraction;
  // The first dimension of C may be a batch that one matrix serves.
  std::string whyNot;
  unsigned first = cast<AffineDimExpr>(mapC.getResult(0)).getPosition();
  FailureOr<Contraction> shared = Reader(op, whyNot).read(first);
  return succeeded(shared) ? shared : contraction;
}
