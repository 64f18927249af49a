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
      : op(op), why(why), extents(op.getStaticLoopRanges()) {
    for (auto [operand, map] :
         llvm::zip(op->getOperands(), op.getIndexingMapsArray()))
      operands.push_back({operand, map});
  }

  FailureOr<Contraction> read();

private:
  LogicalResult nameLoops();
  char letterOf(unsigned loop) const;
  void dropUnits();
  void chooseSides();
  LogicalResult checkSums();
  LogicalResult checkInnermost();
  void orderMemory(unsigned operand);
  FailureOr<View> view(unsigned operand, StringRef matrix);

  /// Letters of an operand's dimensions, in the order in which they are taken.
  std::string lettersOf(unsigned operand) const {
    return operands[operand].lettersIn(letters);
  }
  SmallVector<unsigned> loopsOf(unsigned operand, char letter) const;
  bool hasTensors() { return op.hasPureTensorSemantics(); }
  LogicalResult refuse(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  linalg::LinalgOp op;
  std::string &why;
  SmallVector<Access> operands;
  SmallVector<int64_t> extents;
  std::array<SmallVector<int64_t>, 3> permutations;
  std::string letters; ///< of each loop
};
} // namespace

static constexpr StringRef kNames[] = {"A", "B", "C"};

/// The letter that a loop's presence in A, B and C makes it; 0 for none.
char Reader::letterOf(unsigned loop) const {
  bool inA = operands[0].map.isFunctionOfDim(loop),
       inB = operands[1].map.isFunctionOfDim(loop),
       inC = operands[2].map.isFunctionOfDim(loop);
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

SmallVector<unsigned> Reader::loopsOf(unsigned operand, char letter) const {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : operands[operand].map.getResults())
    if (unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        letters[loop] == letter)
      loops.push_back(loop);
  return loops;
}

/// Lets A and B change places where C comes out transposed, or has no columns:
/// columns are innermost in C then.
void Reader::chooseSides() {
  std::string inC = lettersOf(2);
  std::optional<int64_t> dim = operands[2].innermost(letters);
  char inner = dim ? inC[*dim] : kUnit;
  // A batch says nothing; nor does a dimension of one element.
  if (inner != 'm' && inner != 'n')
    if (size_t last = inC.find_last_of("mn"); last != std::string::npos)
      inner = inC[last];
  if (inner != 'm')
    return;
  std::swap(operands[0], operands[1]);
  for (char &letter : letters)
    letter = letter == 'm' ? 'n' : letter == 'n' ? 'm' : letter;
}

/// The dimensions that are summed over must be one in A and B.
LogicalResult Reader::checkSums() {
  for (unsigned operand : {0, 1}) {
    std::string own = lettersOf(operand);
    llvm::erase(own, kUnit);
    size_t first = own.find('k'), count = llvm::count(own, 'k');
    if (count && own.find_last_of('k') != first + count - 1)
      return refuse("dimensions of one kind are not adjacent in " +
                    kNames[operand] + " (" + lettersOf(operand) + ")");
  }
  if (loopsOf(0, 'k') != loopsOf(1, 'k'))
    return refuse("the k dimensions have another order in A than in B");
  return success();
}

/// A tensor's rows or columns must be contiguous; of a memref the strides say
/// later whether they are.
LogicalResult Reader::checkInnermost() {
  if (!hasTensors())
    return success();
  for (unsigned operand : {0, 1, 2}) {
    std::string own = lettersOf(operand);
    std::optional<int64_t> dim = operands[operand].innermost(letters);
    bool isBatch = dim && kBatchLetters.contains(own[*dim]);
    if (isBatch && own.find_first_of("mnk") != std::string::npos)
      return refuse("a batch is the innermost dimension of " + kNames[operand] +
                    " (" + own + ")");
  }
  return success();
}

/// Takes the dimensions of a memref in another order, which costs nothing: the
/// batches first, and what is contiguous last, so that the order the op says is
/// the order in memory. Dimensions of one element stay with their neighbours.
void Reader::orderMemory(unsigned operand) {
  auto &[value, map] = operands[operand];
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || type.getRank() < 2)
    return;
  std::string own = lettersOf(operand);
  char inner = own[*operands[operand].innermost(letters)];
  size_t place = kBatchLetters.size();
  SmallVector<size_t> places;
  for (char letter : own) {
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
  permutations[operand] = order;
  map = AffineMap::get(
      map.getNumDims(), 0,
      llvm::map_to_vector(
          order, [&map = map](int64_t dim) { return map.getResult(dim); }),
      op.getContext());
}

/// The view of an operand whose matrix has the two letters of `matrix`.
FailureOr<View> Reader::view(unsigned operand, StringRef matrix) {
  std::string own = lettersOf(operand), order;
  for (char letter : own)
    if (letter != kUnit && !StringRef(order).contains(letter))
      order += letter;
  // A dimension that is missing has one element and stands first, behind the
  // batches: the one that is there is then contiguous.
  size_t place = std::min(order.find_first_not_of(kBatchLetters), order.size());
  for (char letter : matrix)
    if (!StringRef(own).contains(letter))
      order.insert(place++, 1, letter);
  FailureOr<View> result = makeMatrix(operands[operand].value, own, order);
  if (failed(result))
    return refuse("dimensions of one kind are not adjacent in " +
                  kNames[operand] + " (" + own + ")");
  result->permutation = permutations[operand];
  return result;
}

FailureOr<Contraction> Reader::read() {
  if (failed(nameLoops()))
    return failure();
  chooseSides();
  if (failed(checkSums()))
    return failure();
  if (std::string reason = nameBatches(operands, extents, letters);
      !reason.empty())
    return refuse(reason);
  if (failed(checkInnermost()))
    return failure();
  for (unsigned operand : {0, 1, 2})
    orderMemory(operand);
  FailureOr<View> a = view(0, "mk");
  if (failed(a))
    return failure();
  FailureOr<View> b = view(1, "kn");
  if (failed(b))
    return failure();
  FailureOr<View> c = view(2, "mn");
  if (failed(c))
    return failure();
  Contraction result = {op, *a, *b, *c, lettersOf(2), sumTypeOf(op)};
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
  return Reader(op, why).read();
}
