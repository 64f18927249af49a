//===- BuildGemm.cpp - What the GPU families share ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands and arguments. The epilogue is in BuildEpilogue.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/BuildGemm.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Operands as they lie in memory
//===----------------------------------------------------------------------===//

MatrixDims hone::matrixDims(Value memref, MatrixOrder typeOrder, Order order) {
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  // The type lists the outer index first unless the strides say otherwise.
  bool swapped = (typeOrder == MatrixOrder::row) != (order == Order::row);
  MatrixDims dims;
  dims.line = swapped ? rank - 1 : rank - 2;
  if (rank == 3)
    dims.batch = 0;
  return dims;
}

GemmOperands::GemmOperands(MatmulOp op)
    : problem(op.getProblem()),
      a(matrixDims(op.getA(), op.getOrderA(), problem.a.order)),
      b(matrixDims(op.getB(), op.getOrderB(), problem.b.order)),
      c(matrixDims(op.getC(), MatrixOrder::row, Order::row)) {}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::string hone::epilogueName(int64_t index, char dim) {
  std::string name = "e" + std::to_string(index);
  return dim ? name + dim : name;
}

static void addDecisions(LaunchArgs &args, const Schedule &schedule) {
  for (const Schedule::Decided &one : schedule.decided())
    if (one.decision->when == When::runTime)
      args.addConstant(one.decision->name, one.numbers.front());
}

static void addBatch(LaunchArgs &args, MatmulOp op,
                     const GemmOperands &operands) {
  args.addExtent("batch", op.getC(), 0);
  auto addStride = [&](StringRef name, Value memref, const MatrixDims &dims) {
    if (dims.batch)
      args.addStride(name, memref, *dims.batch);
    else
      args.addConstant(name, 0);
  };
  addStride("sa", op.getA(), operands.a);
  addStride("sb", op.getB(), operands.b);
  addStride("sc", op.getC(), operands.c);
}

void hone::collectArgs(LaunchArgs &args, MatmulOp op,
                       const GemmOperands &operands, const Schedule &schedule) {
  args.addAddress("a", op.getA());
  args.addAddress("b", op.getB());
  args.addAddress("c", op.getC());
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    args.addAddress(epilogueName(i), operand);

  int64_t rank = cast<MemRefType>(op.getC().getType()).getRank();
  args.addExtent("m", op.getC(), rank - 2);
  args.addExtent("n", op.getC(), rank - 1);
  int64_t rankA = cast<MemRefType>(op.getA().getType()).getRank();
  args.addExtent("k", op.getA(),
                 op.getOrderA() == MatrixOrder::row ? rankA - 1 : rankA - 2);
  addDecisions(args, schedule);

  args.addStride("lda", op.getA(), operands.a.line);
  args.addStride("ldb", op.getB(), operands.b.line);
  args.addStride("ldc", op.getC(), operands.c.line);
  if (op.isBatched())
    addBatch(args, op, operands);
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    for (auto [dim, letter] : llvm::enumerate(op.getDimsOf(i)))
      args.addStride(epilogueName(i, letter), operand, dim);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Rows are apart, and either matrices follow each other or their rows are
/// interleaved.
std::string hone::placesGuard(MatmulOp op) {
  if (hasDistinctElements(op.getC().getType()))
    return "";
  std::string row = "max(ldc, 0 - ldc)", matrix = "max(sc, 0 - sc)";
  std::string guard = "(m <= 1 || " + row + " >= n)";
  if (op.isBatched())
    guard += " && (batch <= 1 || " + matrix + " >= (m - 1) * " + row +
             " + n || " + row + " >= (batch - 1) * " + matrix + " + n)";
  return guard;
}

std::string hone::alignmentGuard(const Problem &problem) {
  std::string guard;
  auto require = [&](StringRef name, int64_t align, int64_t elementBytes) {
    if (align <= elementBytes)
      return;
    std::string one = (name + " % " + Twine(align) + " == 0").str();
    auto multiple = [&](const Twine &stride) {
      one += (" && " + stride + " % " + Twine(align / elementBytes) + " == 0")
                 .str();
    };
    multiple("ld" + name);
    if (problem.batch)
      multiple("s" + name);
    guard += (guard.empty() ? "" : " && ") + one;
  };
  require("a", problem.a.align, sizeOf(problem.a.type));
  require("b", problem.b.align, sizeOf(problem.b.type));
  require("c", problem.alignC, sizeOf(problem.c));
  return guard.empty() ? "1" : guard;
}
