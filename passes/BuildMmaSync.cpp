//===- BuildMmaSync.cpp - Kernels of the mma_sync family ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch side of the family: which kernels a matmul needs (one for the
// alignment that is likely, a sibling for any), the plan that chooses between
// them, and the arguments. The kernel itself is in BuildMmaSyncKernel.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/BuildMmaSync.h"

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

/// Alignment to build the first kernel for: what is proven where strides are
/// known, and the most that helps where only the launch can tell.
static int64_t likelyAlign(Value memref, MatrixDims dims, int64_t proven) {
  auto [strides, offset] =
      cast<MemRefType>(memref.getType()).getStridesAndOffset();
  bool known = !ShapedType::isDynamic(strides[dims.line]) &&
               (!dims.batch || !ShapedType::isDynamic(strides[*dims.batch])) &&
               !ShapedType::isDynamic(offset);
  return known ? proven : 16;
}

MmaSyncOperands::MmaSyncOperands(MatmulOp op)
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

/// Everything the host passes, by the names the plan uses.
static void collectArgs(LaunchArgs &args, MatmulOp op,
                        const MmaSyncOperands &operands,
                        const MmaSync &schedule) {
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
  args.addConstant("group", schedule.group);

  args.addStride("lda", op.getA(), operands.a.line);
  args.addStride("ldb", op.getB(), operands.b.line);
  args.addStride("ldc", op.getC(), operands.c.line);
  if (op.isBatched()) {
    args.addExtent("batch", op.getC(), 0);
    auto addBatchStride = [&](StringRef name, Value memref,
                              const MatrixDims &dims) {
      if (dims.batch)
        args.addStride(name, memref, *dims.batch);
      else
        args.addConstant(name, 0);
    };
    addBatchStride("sa", op.getA(), operands.a);
    addBatchStride("sb", op.getB(), operands.b);
    addBatchStride("sc", op.getC(), operands.c);
  }
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    for (auto [dim, letter] : llvm::enumerate(op.getDimsOf(i)))
      args.addStride(epilogueName(i, letter), operand, dim);
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// What must hold at run time for a kernel built for these alignments.
static std::string guardOf(const Problem &problem) {
  std::string guard;
  auto require = [&](StringRef name, int64_t align, int64_t elementBytes,
                     bool batched) {
    if (align <= elementBytes)
      return;
    std::string one = (name + " % " + Twine(align) + " == 0").str();
    auto multiple = [&](const Twine &stride) {
      one += (" && " + stride + " % " + Twine(align / elementBytes) + " == 0")
                 .str();
    };
    multiple("ld" + name);
    if (batched)
      multiple("s" + name);
    guard += (guard.empty() ? "" : " && ") + one;
  };
  bool batched = problem.batch.has_value();
  require("a", problem.a.align, sizeOf(problem.a.type), batched);
  require("b", problem.b.align, sizeOf(problem.b.type), batched);
  require("c", problem.alignC, sizeOf(problem.c), batched);
  return guard.empty() ? "1" : guard;
}

SmallVector<MmaSyncParam> hone::mmaSyncParams(MatmulOp op) {
  SmallVector<MmaSyncParam> params;
  auto add = [&](LaunchParam::Kind kind, std::string name) {
    params.push_back({kind, std::move(name)});
  };
  for (const char *name : {"a", "b", "c"})
    add(LaunchParam::ptr, name);
  for (size_t i = 0; i < op.getEpilogueOperands().size(); ++i)
    add(LaunchParam::ptr, epilogueName(i));
  for (const char *name : {"m", "n", "k", "group"})
    add(LaunchParam::i32, name);
  for (const char *name : {"lda", "ldb", "ldc"})
    add(LaunchParam::i64, name);
  if (op.isBatched())
    for (const char *name : {"sa", "sb", "sc"})
      add(LaunchParam::i64, name);
  for (size_t i = 0; i < op.getEpilogueOperands().size(); ++i)
    for (char letter : op.getDimsOf(i))
      add(LaunchParam::i64, epilogueName(i, letter));
  return params;
}

static PlanAlternative alternativeFor(MatmulOp op, const Problem &problem,
                                      const MmaSync &schedule,
                                      StringRef entry) {
  KernelLaunch launch;
  launch.entry = entry.str();
  auto tiles = [](const char *extent, int64_t tile) {
    return std::string("ceildiv(") + extent + ", " + std::to_string(tile) + ")";
  };
  launch.grid[0] =
      tiles("m", schedule.tile[0]) + " * " + tiles("n", schedule.tile[1]);
  if (problem.batch)
    launch.grid[0] += " * batch";
  launch.block[0] = std::to_string(schedule.threads());
  launch.sharedBytes = schedule.sharedBytes();
  for (const MmaSyncParam &param : mmaSyncParams(op))
    launch.params.push_back({param.kind, param.name, {}});
  PlanAlternative alternative;
  alternative.guard = guardOf(problem);
  alternative.launches.push_back(std::move(launch));
  return alternative;
}

//===----------------------------------------------------------------------===//
// The builder
//===----------------------------------------------------------------------===//

LogicalResult hone::buildMmaSync(RewriterBase &rewriter, MatmulOp op,
                                 const MmaSync &schedule) {
  KernelModule module(op->getParentOfType<ModuleOp>(),
                      op.getArchAttr().getValue());
  MmaSyncOperands operands(op);
  LaunchArgs args(rewriter, op.getLoc());
  collectArgs(args, op, operands, schedule);

  Problem likely = operands.problem, any = operands.problem;
  likely.a.align = likelyAlign(op.getA(), operands.a, likely.a.align);
  likely.b.align = likelyAlign(op.getB(), operands.b, likely.b.align);
  likely.alignC = likelyAlign(op.getC(), operands.c, likely.alignC);
  any.a.align = sizeOf(any.a.type);
  any.b.align = sizeOf(any.b.type);
  any.alignC = sizeOf(any.c);

  LaunchPlan plan;
  plan.args.assign(args.getNames().begin(), args.getNames().end());
  std::string planName;
  for (const Problem &problem : {likely, any}) {
    std::string name = kernelName(op, problem, schedule);
    if (name == planName)
      break; // Nothing was likely that is not proven: one kernel is enough.
    if (planName.empty())
      planName = name;
    if (!module.find(name))
      buildMmaSyncKernel(module, name, op, problem, schedule);
    plan.alternatives.push_back(alternativeFor(op, problem, schedule, name));
  }
  // A plan is named after the kernel it prefers.
  module.addPlan(planName, plan);
  args.launch(rewriter, op, module.planRef(planName));
  return success();
}
