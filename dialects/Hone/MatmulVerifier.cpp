//===- MatmulVerifier.cpp - Laws of hone.matmul ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per law of the table in Hone.td. A law may rely on those before it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/MatmulLaws.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hone;
using namespace hone::matmul;

namespace {
struct Matrix {
  StringRef name; ///< that messages use
  ShapedType type;
  std::string letters;
  StringRef matrix; ///< the letters that it has besides batches
};
} // namespace

InFlightDiagnostic matmul::broken(MatmulOp op, unsigned law) {
  return op.emitOpError() << "matmul_c" << law << ": expected ";
}

static SmallVector<Matrix, 3> matricesOf(MatmulOp op) {
  return {{"A", op.getA().getType(), op.getLettersA(), "mk"},
          {"B", op.getB().getType(), op.getLettersB(), "kn"},
          {"C", op.getC().getType(), op.getLettersC(), "mn"}};
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

// matmul_c1
static LogicalResult verifyOperandKind(MatmulOp op) {
  bool tensors = isa<RankedTensorType>(op.getC().getType());
  for (Type type : op->getOperandTypes())
    if (isa<RankedTensorType>(type) != tensors)
      return broken(op, 1) << "all operands to be "
                           << (tensors ? "tensors" : "memrefs")
                           << " as C is, but got " << type
                           << "; use bufferization to convert them together";
  return success();
}

/// The form that needs no letters: the dimensions of a matrix and, before them,
/// at most the batches of C.
static LogicalResult verifyUsualRank(MatmulOp op, const Matrix &matrix,
                                     size_t batches) {
  size_t rank = matrix.type.getRank(), min = matrix.matrix.size();
  if (op.getRagged() && !op.isBatched() && matrix.name == "B")
    min += 1;
  if (rank >= min && rank <= min + batches)
    return success();
  InFlightDiagnostic diagnostic = broken(op, 2)
                                  << matrix.name << " to have rank " << min;
  if (matrix.name == "C")
    diagnostic << ", or " << min + 1 << " to " << min + batches
               << " with batches";
  else if (batches)
    diagnostic << " to " << min + batches;
  return diagnostic << ", but got rank " << rank
                    << "; use collapse_shape or expand_shape";
}

/// One letter for each dimension: those of the matrix, and some of `batches`.
static LogicalResult verifyLetters(MatmulOp op, const Matrix &matrix,
                                   StringRef batches) {
  StringRef letters = matrix.letters;
  std::string known = (batches + matrix.matrix).str();
  bool isLegal = llvm::all_of(
      matrix.matrix, [&](char letter) { return letters.contains(letter); });
  isLegal &= letters.find_first_not_of(known) == StringRef::npos;
  if (!isLegal)
    return broken(op, 2) << "dimensions of " << matrix.name << " to be "
                         << matrix.matrix << " and some of " << batches
                         << ", each once, but got '" << letters
                         << "'; use a letter for each dimension";
  if (static_cast<int64_t>(letters.size()) != matrix.type.getRank())
    return broken(op, 2) << matrix.name << " to have rank " << letters.size()
                         << " for its dimensions, but got " << matrix.type
                         << "; use one letter for each dimension";
  return success();
}

// matmul_c2
static LogicalResult verifyRanks(MatmulOp op) {
  auto matrices = matricesOf(op);
  std::array dims = {op.getDimsA(), op.getDimsB(), op.getDimsC()};
  const Matrix &c = matrices[2];
  if (!op.getDimsC() && failed(verifyUsualRank(op, c, kBatchLetters.size())))
    return failure();
  StringRef batches = op.getBatches();
  for (auto [matrix, given] : llvm::zip(matrices, dims)) {
    if (op.getWindowAttr() && matrix.name == "A")
      continue;
    if (!given && failed(verifyUsualRank(op, matrix, batches.size())))
      return failure();
    bool hasGroups = op.getRagged() && batches.empty() && matrix.name == "B";
    if (failed(verifyLetters(op, matrix,
                             hasGroups ? kBatchLetters.take_front() : batches)))
      return failure();
  }
  for (char batch : batches)
    if (!op.isRaggedSum() &&
        !StringRef(matrices[0].letters + matrices[1].letters).contains(batch))
      return broken(op, 2) << "A or B to have the batch that C has, but got "
                           << matrices[0].type << " and " << matrices[1].type
                           << "; use a matmul without a batch";
  if (op.getOrderA() != orderOf(matrices[0].letters, "mk") ||
      op.getOrderB() != orderOf(matrices[1].letters, "kn"))
    return broken(op, 2) << "orders as the dimensions " << matrices[0].letters
                         << " of A and " << matrices[1].letters
                         << " of B say, but got others; use either";
  return success();
}

/// Two dimensions must have the same extent.
static LogicalResult verifySameExtent(MatmulOp op, StringRef extent,
                                      StringRef left, int64_t leftSize,
                                      StringRef right, int64_t rightSize) {
  if (succeeded(verifyCompatibleShape({leftSize}, {rightSize})))
    return success();
  return broken(op, 3) << extent << " to be the same in " << left << " and "
                       << right << ", but got " << leftSize << " and "
                       << rightSize
                       << "; use 'col' before a matrix that is transposed";
}

// matmul_c3
static LogicalResult verifyExtents(MatmulOp op) {
  for (const Matrix &matrix : matricesOf(op))
    for (int64_t size : matrix.type.getShape())
      if (!ShapedType::isDynamic(size) && (size < 1 || size > INT32_MAX))
        return broken(op, 3)
               << "extents of " << matrix.name << " to be 1 to " << INT32_MAX
               << ", but got " << size << "; use no matmul for it";
  auto matrices = matricesOf(op);
  auto sameIn = [&](StringRef extent, char letter, unsigned left,
                    unsigned right) {
    // The window has its own laws for an image, and any rows may be gathered.
    if (left == 0 && (op.getWindowAttr() || (letter == 'm' && op.getGather())))
      return success();
    size_t inLeft = matrices[left].letters.find(letter);
    size_t inRight = matrices[right].letters.find(letter);
    if (inLeft == std::string::npos || inRight == std::string::npos)
      return success();
    return verifySameExtent(
        op, extent, matrices[left].name, matrices[left].type.getDimSize(inLeft),
        matrices[right].name, matrices[right].type.getDimSize(inRight));
  };
  if (failed(sameIn("m", 'm', 0, 2)) || failed(sameIn("n", 'n', 1, 2)) ||
      failed(sameIn("k", 'k', 0, 1)))
    return failure();
  int64_t together = 1;
  for (char batch : op.getBatches()) {
    std::string name =
        batch == 'b' ? "batch" : "batch " + std::string(1, batch);
    if (failed(sameIn(name, batch, 0, 2)) || failed(sameIn(name, batch, 1, 2)))
      return failure();
    int64_t extent = op.getExtent(batch);
    together *= ShapedType::isDynamic(extent) ? 1 : extent;
    if (together > INT32_MAX)
      return broken(op, 3) << "all batches together to be at most " << INT32_MAX
                           << ", but got more; use a loop around the matmul";
  }
  return success();
}

// matmul_c4
static LogicalResult verifyElementTypes(MatmulOp op) {
  for (const Matrix &matrix : matricesOf(op)) {
    Type element = matrix.type.getElementType();
    bool isFactor = matrix.name != "C";
    if (isFactor ? !toFactorType(element) : !toElementType(element))
      return broken(op, 4) << "elements of " << matrix.name
                           << (isFactor ? " to be f16, bf16, f32, f8E4M3FN, "
                                          "f8E5M2 or i8"
                                        : " to be f16, bf16, f32, i8 or i32")
                           << ", but got " << element
                           << "; use a conversion before the matmul";
  }
  Type a = op.getA().getType().getElementType();
  Type b = op.getB().getType().getElementType();
  if (!areMultiplied(*toFactorType(a), *toFactorType(b)))
    return broken(op, 4) << "A and B to have the same elements, both floats of "
                            "8 bits, or B of 8 bits with A of 16, but got "
                         << a << " and " << b
                         << "; use a conversion before the matmul";
  return success();
}

/// Products of integers are added in i32, and those of floats as floats. C is
/// of the same kind unless an epilogue converts.
static LogicalResult verifyKindOfSum(MatmulOp op) {
  bool isInteger =
      accumulatorOf(op.getA().getType().getElementType()).isSignlessInteger();
  bool isSum = isInteger ? op.getAcc().isSignlessInteger(32)
                         : isa<FloatType>(op.getAcc());
  if (!toElementType(op.getAcc()) || !isSum)
    return broken(op, 5) << "the sum to be "
                         << (isInteger ? "i32, as that of i8 is"
                                       : "f16, bf16 or f32")
                         << ", but got " << op.getAcc() << "; use acc("
                         << (isInteger ? "i32" : "f32") << ")";
  Type result = op.getC().getType().getElementType();
  bool isStart = op.getInit() == Init::read;
  bool isLikeSum =
      isInteger ? result.isSignlessInteger(32) : isa<FloatType>(result);
  if (isLikeSum || (op.hasEpilogue() && !isStart))
    return success();
  return broken(op, 5) << "elements of C to be "
                       << (isInteger ? "i32" : "floats")
                       << ", as the sum is, but got " << result
                       << "; use an epilogue that converts it"
                       << (isStart ? ", and init(zero)" : "");
}

// matmul_c5
static LogicalResult verifyAccumulator(MatmulOp op) {
  if (failed(verifyKindOfSum(op)))
    return failure();
  // The type of integer sums is already the widest.
  if (op.getAcc().isInteger())
    return success();
  for (const Matrix &matrix : matricesOf(op)) {
    Type type = matrix.type.getElementType();
    // C is rounded from the sum, unless the sum starts from C.
    if (matrix.name == "C" && op.getInit() == Init::zero && op.hasEpilogue())
      continue;
    if (type != op.getAcc() && !op.getAcc().isF32())
      return broken(op, 5) << "the sum to be " << type << ", as " << matrix.name
                           << ", or f32, but got " << op.getAcc()
                           << "; use acc(f32)";
  }
  return success();
}

// matmul_c15
static LogicalResult verifyProducts(MatmulOp op) {
  auto products = op.getProductsAttr();
  Type element = op.getA().getType().getElementType();
  if (!products || products.getValue() == Products::exact)
    return success();
  ArrayRef<Products> allowed = permissionsOf(*toFactorType(element));
  if (llvm::is_contained(allowed, products.getValue()))
    return success();
  bool isOfBytes = products.getValue() == Products::blocks ||
                   products.getValue() == Products::shortSums;
  return broken(op, 15) << "elements of A and B to "
                        << (isOfBytes ? "be floats of 8 bits" : "be f32")
                        << " for products(" << toString(products.getValue())
                        << "), but got " << element << "; "
                        << (allowed.empty()
                                ? "leave products out"
                                : "use products(" + wordsOf(allowed) + ")");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// matmul_c11
static LogicalResult verifyInputStrides(MatmulOp op) {
  for (const Matrix &matrix : matricesOf(op))
    if (matrix.name != "C" && isa<MemRefType>(matrix.type) &&
        !(matrix.name == "A" && op.getWindowAttr()) &&
        !layoutOf(matrix.type, matrix.letters))
      return broken(op, 11)
             << "one of the last two strides of " << matrix.name
             << " to be 1, but got " << matrix.type
             << "; use identity layouts at function boundaries, or a copy";
  return success();
}

// matmul_c12
static LogicalResult verifyResultStrides(MatmulOp op) {
  auto type = dyn_cast<MemRefType>(op.getC().getType());
  if (!type || type.getShape().back() == 1 ||
      type.getStridesAndOffset().first.back() == 1)
    return success();
  return broken(op, 12)
         << "the last stride of C to be 1, but got " << type
         << "; use the transposed product, or identity layouts at function "
            "boundaries";
}

// matmul_c13
static LogicalResult verifyResultPlaces(MatmulOp op) {
  if (hasDistinctElements(op.getC().getType()) != false)
    return success();
  return broken(op, 13) << "each element of C at a place of its own, but got "
                        << op.getC().getType()
                        << "; use strides that keep rows apart";
}

// matmul_c14
static LogicalResult verifyMemoryOrder(MatmulOp op) {
  if (op.hasTensors() || isa<RankedTensorType>(op.getC().getType()))
    return success();
  for (const Matrix &matrix : matricesOf(op)) {
    std::string expected = batchesFirst(matrix.letters);
    if (matrix.name == "C")
      expected = (op.getBatches() + "mn").str();
    if (matrix.letters != expected)
      return broken(op, 14)
             << "dimensions of " << matrix.name << " to be " << expected
             << " in memory, but got " << matrix.letters
             << "; use memref.transpose, which moves nothing";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The whole op
//===----------------------------------------------------------------------===//

/// The laws of lib/Schedule, for this problem and this arch.
static LogicalResult verifySchedule(MatmulOp op) {
  Problem problem = op.getProblem();
  if (std::optional<std::string> fault = problem.fault())
    return op.emitOpError() << "matmul_c3: " << *fault;
  if (!op.getScheduleAttr() && op.getRangesAttr())
    return op.emitOpError(
        "expected a schedule for values above the ranges, but got none");
  if (!op.getScheduleAttr())
    return success();
  std::optional<Arch> arch;
  if (ArchAttr attribute = op.getArchAttr())
    arch = attribute.getValue();
  const Arch *known = arch ? &*arch : nullptr;
  RangedSchedule schedules = op.getSchedules();
  std::optional<std::string> law = check(schedules.last, &problem, known);
  if (!law)
    law = check(schedules.ranges, &problem, known);
  return law ? op.emitOpError() << *law : success();
}

LogicalResult MatmulOp::verify() {
  for (auto law :
       {verifyOperandKind, verifyImage, verifyRanks, verifyExtents,
        verifyElementTypes, verifyAccumulator, verifyProducts, verifyWindows,
        verifyRagged, verifyGather, verifyEpilogueDims, verifyEpilogueShapes,
        verifyEpilogueArguments, verifyMemoryOrder, verifyInputStrides,
        verifyResultStrides, verifyResultPlaces})
    if (failed(law(*this)))
      return failure();
  return success();
}

LogicalResult MatmulOp::verifyRegions() {
  if (hasEpilogue())
    for (auto law : {verifyYield, verifyEpilogueOps})
      if (failed(law(*this)))
        return failure();
  // Last, because the problem includes the epilogue's text.
  return verifySchedule(*this);
}
