//===- MatmulVerifier.cpp - The laws of hone.matmul -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per law of the table in Hone.td, in the table's order. A law may
// rely on those before it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hone;

namespace {
/// A matrix with the name that messages use.
struct Matrix {
  StringRef name;
  ShapedType type;
};
} // namespace

static InFlightDiagnostic broken(MatmulOp op, unsigned law) {
  return op.emitOpError() << "matmul_c" << law << ": expected ";
}

static SmallVector<Matrix, 3> matricesOf(MatmulOp op) {
  return {{"A", op.getA().getType()},
          {"B", op.getB().getType()},
          {"C", op.getC().getType()}};
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

// matmul_c2
static LogicalResult verifyRanks(MatmulOp op) {
  int64_t rank = op.getC().getType().getRank();
  if (rank != 2 && rank != 3)
    return broken(op, 2) << "C to have rank 2, or 3 with a batch, but got rank "
                         << rank << "; use collapse_shape or expand_shape";
  int64_t rankA = op.getA().getType().getRank();
  int64_t rankB = op.getB().getType().getRank();
  for (auto [name, operandRank] :
       {std::pair{"A", rankA}, std::pair{"B", rankB}})
    if (operandRank != 2 && operandRank != rank)
      return broken(op, 2) << name << " to have rank 2"
                           << (rank == 3 ? " or 3" : "") << ", but got rank "
                           << operandRank
                           << "; use collapse_shape or expand_shape";
  if (rank == 3 && rankA == 2 && rankB == 2)
    return broken(op, 2) << "A or B to have the batch that C has, but got rank "
                            "2 for both; use a matmul without a batch";
  return success();
}

/// Two dimensions that stand for one extent.
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
  auto shapeA = op.getA().getType().getShape();
  auto shapeB = op.getB().getType().getShape();
  auto shapeC = op.getC().getType().getShape();
  auto lastA = shapeA.take_back(2), lastB = shapeB.take_back(2);
  bool swapA = op.getOrderA() == MatrixOrder::col;
  bool swapB = op.getOrderB() == MatrixOrder::col;
  int64_t m = shapeC[shapeC.size() - 2], n = shapeC.back();
  if (failed(verifySameExtent(op, "m", "A", lastA[swapA], "C", m)) ||
      failed(verifySameExtent(op, "n", "B", lastB[!swapB], "C", n)) ||
      failed(verifySameExtent(op, "k", "A", lastA[!swapA], "B", lastB[swapB])))
    return failure();
  if (!op.isBatched())
    return success();
  if (shapeA.size() == 3 &&
      failed(verifySameExtent(op, "batch", "A", shapeA[0], "C", shapeC[0])))
    return failure();
  if (shapeB.size() == 3 &&
      failed(verifySameExtent(op, "batch", "B", shapeB[0], "C", shapeC[0])))
    return failure();
  return success();
}

// matmul_c4
static LogicalResult verifyElementTypes(MatmulOp op) {
  for (const Matrix &matrix : matricesOf(op))
    if (!toElementType(matrix.type.getElementType()))
      return broken(op, 4) << "elements of " << matrix.name
                           << " to be f16, bf16 or f32, but got "
                           << matrix.type.getElementType()
                           << "; use a conversion before the matmul";
  Type a = op.getA().getType().getElementType();
  Type b = op.getB().getType().getElementType();
  if (a != b)
    return broken(op, 4) << "A and B to have the same elements, but got " << a
                         << " and " << b
                         << "; use a conversion before the matmul";
  return success();
}

// matmul_c5
static LogicalResult verifyAccumulator(MatmulOp op) {
  if (!toElementType(op.getAcc()))
    return broken(op, 5) << "the sum to be f16, bf16 or f32, but got "
                         << op.getAcc() << "; use acc(f32)";
  for (const Matrix &matrix : matricesOf(op)) {
    Type type = matrix.type.getElementType();
    // C is rounded from the sum, unless it is where the sum starts.
    if (matrix.name == "C" && op.getInit() == MatmulInit::zero &&
        op.hasEpilogue())
      continue;
    if (type != op.getAcc() && !op.getAcc().isF32())
      return broken(op, 5) << "the sum to be " << type << ", as " << matrix.name
                           << ", or f32, but got " << op.getAcc()
                           << "; use acc(f32)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

// matmul_c6
static LogicalResult verifyEpilogueDims(MatmulOp op) {
  size_t operands = op.getEpilogueOperands().size();
  if (op.getEpilogueDims().size() != operands)
    return broken(op, 6) << "dimensions of " << operands
                         << " epilogue operands, but got "
                         << op.getEpilogueDims().size()
                         << "; use one string for each";
  StringRef letters = op.isBatched() ? "bmn" : "mn";
  for (size_t i = 0; i < operands; ++i) {
    StringRef dims = op.getDimsOf(i);
    for (char dim : dims)
      if (!letters.contains(dim) || dims.count(dim) != 1)
        return broken(op, 6)
               << "dimensions of epilogue operand " << i << " to be some of "
               << letters << ", each once, but got '" << dims << "'; use ["
               << letters.take_back(1) << "] for a row";
    auto type = cast<ShapedType>(op.getEpilogueOperands()[i].getType());
    if (type.getRank() != static_cast<int64_t>(dims.size()))
      return broken(op, 6) << "epilogue operand " << i << " to have rank "
                           << dims.size() << " for its dimensions, but got "
                           << type << "; use one dimension for each index";
  }
  return success();
}

/// Extent of C's dimension `letter`.
static int64_t extentOf(MatmulOp op, char letter) {
  ArrayRef<int64_t> shape = op.getC().getType().getShape();
  if (letter == 'b')
    return shape.front();
  return letter == 'm' ? shape[shape.size() - 2] : shape.back();
}

// matmul_c7
static LogicalResult verifyEpilogueShapes(MatmulOp op) {
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands())) {
    auto type = cast<ShapedType>(operand.getType());
    if (!toElementType(type.getElementType()))
      return broken(op, 7) << "elements of epilogue operand " << i
                           << " to be f16, bf16 or f32, but got "
                           << type.getElementType()
                           << "; use a conversion before the matmul";
    for (auto [size, letter] : llvm::zip(type.getShape(), op.getDimsOf(i)))
      if (failed(verifyCompatibleShape({size}, {extentOf(op, letter)})))
        return broken(op, 7)
               << "dimension " << Twine(letter) << " of epilogue operand " << i
               << " to be " << extentOf(op, letter) << " as in C, but got "
               << size << "; use the dimensions that the operand has";
  }
  return success();
}

// matmul_c8
static LogicalResult verifyEpilogueArguments(MatmulOp op) {
  SmallVector<Type> expected;
  expected.push_back(op.getAcc());
  for (Value operand : op.getEpilogueOperands())
    expected.push_back(getElementTypeOrSelf(operand));
  if (op.hasEpilogue() &&
      TypeRange(op.getEpilogue().getArgumentTypes()) == TypeRange(expected))
    return success();
  if (!op.hasEpilogue() && expected.size() == 1)
    return success();
  InFlightDiagnostic diagnostic = broken(op, 8)
                                  << "an epilogue with arguments (" << expected
                                  << "), but got ";
  if (op.hasEpilogue())
    diagnostic << "(" << op.getEpilogue().getArgumentTypes() << ")";
  else
    diagnostic << "no region";
  return diagnostic << "; use the sum first, then one element of each operand";
}

// matmul_c9
static LogicalResult verifyYield(MatmulOp op) {
  auto yield = dyn_cast_or_null<YieldOp>(
      op.getEpilogue().front().empty() ? nullptr
                                       : &op.getEpilogue().front().back());
  Type expected = op.getC().getType().getElementType();
  if (yield && yield.getValue().getType() == expected)
    return success();
  InFlightDiagnostic diagnostic = broken(op, 9) << "the epilogue to yield "
                                                << expected << ", but got ";
  if (yield)
    diagnostic << yield.getValue().getType();
  else
    diagnostic << "no hone.yield";
  return diagnostic << "; use arith.truncf or arith.extf before the yield";
}

// matmul_c10
static LogicalResult verifyEpilogueOps(MatmulOp op) {
  std::string why;
  for (Operation &inner : op.getEpilogue().front().without_terminator())
    if (!isEpilogueOp(&inner, &why)) {
      InFlightDiagnostic diagnostic =
          broken(op, 10)
          << "scalar arith and math ops in the epilogue, but got " << why
          << "; use a separate op for it";
      diagnostic.attachNote(inner.getLoc()) << "see this op";
      return diagnostic;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// matmul_c11
static LogicalResult verifyInputStrides(MatmulOp op) {
  for (const Matrix &matrix : matricesOf(op))
    if (matrix.name != "C" && !layoutOf(matrix.type))
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

//===----------------------------------------------------------------------===//
// The whole op
//===----------------------------------------------------------------------===//

/// The laws of the schedule room, for this problem and this arch.
static LogicalResult verifySchedule(MatmulOp op) {
  Problem problem = op.getProblem();
  if (std::optional<std::string> fault = problem.fault())
    return op.emitOpError() << "matmul_c3: " << *fault;
  if (!op.getScheduleAttr())
    return success();
  std::optional<Arch> arch;
  if (ArchAttr attribute = op.getArchAttr())
    arch = attribute.getValue();
  std::optional<std::string> law =
      check(op.getScheduleAttr().getValue(), &problem, arch ? &*arch : nullptr);
  return law ? op.emitOpError() << *law : success();
}

LogicalResult MatmulOp::verify() {
  for (auto law : {verifyOperandKind, verifyRanks, verifyExtents,
                   verifyElementTypes, verifyAccumulator, verifyEpilogueDims,
                   verifyEpilogueShapes, verifyEpilogueArguments,
                   verifyInputStrides, verifyResultStrides, verifyResultPlaces})
    if (failed(law(*this)))
      return failure();
  return success();
}

LogicalResult MatmulOp::verifyRegions() {
  if (hasEpilogue())
    for (auto law : {verifyYield, verifyEpilogueOps})
      if (failed(law(*this)))
        return failure();
  // The problem includes the epilogue's text, so this is last.
  return verifySchedule(*this);
}
