//===- MatmulVerifierEpilogue.cpp - Laws of epilogues ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MatmulLaws.h.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/MatmulLaws.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hone;
using namespace hone::matmul;

// matmul_c6
LogicalResult matmul::verifyEpilogueDims(MatmulOp op) {
  size_t operands = op.getEpilogueOperands().size();
  if (op.getEpilogueDims().size() != operands)
    return broken(op, 6) << "dimensions of " << operands
                         << " epilogue operands, but got "
                         << op.getEpilogueDims().size()
                         << "; use one list for each";
  std::string letters = (op.getBatches() + "mn").str();
  for (size_t i = 0; i < operands; ++i) {
    StringRef dims = op.getDimsOf(i);
    if (dims.find_first_not_of(letters) != StringRef::npos)
      return broken(op, 6) << "dimensions of epilogue operand " << i
                           << " to be some of " << letters
                           << ", each once, but got '" << dims << "'; use ["
                           << letters.back() << "] for a row";
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
  return op.getC().getType().getDimSize(op.getLettersC().find(letter));
}

// matmul_c7
LogicalResult matmul::verifyEpilogueShapes(MatmulOp op) {
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands())) {
    auto type = cast<ShapedType>(operand.getType());
    if (!toElementType(type.getElementType()))
      return broken(op, 7) << "elements of epilogue operand " << i
                           << " to be f16, bf16, f32, i8 or i32, but got "
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
LogicalResult matmul::verifyEpilogueArguments(MatmulOp op) {
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
LogicalResult matmul::verifyYield(MatmulOp op) {
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
  return diagnostic << "; use "
                    << (expected.isInteger() ? "arith.trunci or arith.fptosi"
                                             : "arith.truncf or arith.extf")
                    << " before the yield";
}

// matmul_c10
LogicalResult matmul::verifyEpilogueOps(MatmulOp op) {
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
