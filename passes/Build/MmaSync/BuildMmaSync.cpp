//===- BuildMmaSync.cpp - Launches of mma_sync ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch side of the kind: the kernels that a matmul needs (one for the
// likely alignment, a sibling for any), the plan that chooses between them, and
// the arguments. The kernel itself is in BuildMmaSyncKernel.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/MmaSync/BuildMmaSync.h"

using namespace mlir;
using namespace hone;

/// The alignment for which to build the first kernel. For known strides it is
/// the proven one. For strides that only the launch determines, it is the
/// expected one, or else the largest that helps.
static int64_t likelyAlign(Value memref, const MatrixDims &dims, int64_t proven,
                           int64_t expected) {
  auto [strides, offset] =
      cast<MemRefType>(memref.getType()).getStridesAndOffset();
  auto batches = ArrayRef(strides).take_front(dims.batches.size());
  bool known = !ShapedType::isDynamic(strides[dims.line]) &&
               llvm::none_of(batches, ShapedType::isDynamic) &&
               !ShapedType::isDynamic(offset);
  return known ? proven : std::max(expected, proven);
}

/// kLinesAttr of the op: of A, B and C, in bytes.
static std::array<int64_t, 3> expectedAligns(MatmulOp op) {
  auto lines = op->getAttrOfType<DenseI64ArrayAttr>(kLinesAttr);
  if (!lines || lines.size() != 3)
    return {kBestAlign, kBestAlign, kBestAlign};
  std::array<int64_t, 3> aligns;
  for (auto [align, line] : llvm::zip_equal(aligns, lines.asArrayRef()))
    align = line >= 1 && line <= kBestAlign && llvm::isPowerOf2_64(line)
                ? line
                : kBestAlign;
  return aligns;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

KernelParams hone::mmaSyncParams(MatmulOp op) {
  KernelParams params;
  params.addPointer("a", op.getA());
  params.addPointer("b", op.getB());
  params.addPointer("c", op.getC());
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    params.addPointer(epilogueName(i), operand);
  params.addNumbers(op, LaunchParam::i32, {"m", "n", "k", "group"});
  params.addNumbers(op, LaunchParam::i64, {"lda", "ldb", "ldc"});
  if (op.isBatched())
    params.addNumbers(op, LaunchParam::i64, {"sa", "sb", "sc"});
  if (op.getBatches().size() > 1) {
    params.addNumbers(op, LaunchParam::i32, {"heads"});
    params.addNumbers(op, LaunchParam::i64, {"ha", "hb", "hc"});
  }
  params.addEpilogueStrides(op);
  if (op.getRagged()) {
    params.addPointer("segments", op.getEnds());
    params.addNumbers(op, LaunchParam::i32, {"groups"});
    if (!op.isBatched())
      params.addNumbers(op, LaunchParam::i64, {"sb"});
  }
  if (op.getGather()) {
    params.addPointer("index", op.getIndex());
    params.addNumbers(op, LaunchParam::i32, {"ma"});
  }
  return params;
}

static PlanAlternative alternativeFor(MatmulOp op, const Problem &problem,
                                      const MmaSync &schedule,
                                      StringRef entry) {
  KernelLaunch launch;
  launch.entry = entry.str();
  PlanFormula tilesM = ceildiv(argument("m"), schedule.tile[0]);
  // The last tile of each group may have fewer rows, and those after all groups
  // are one more.
  if (problem.groups)
    tilesM = tilesM + argument("groups");
  PlanFormula &grid = launch.grid[0];
  grid = tilesM * ceildiv(argument("n"), schedule.tile[1]);
  if (problem.batch)
    grid = grid * argument("batch");
  if (schedule.splits > 1) {
    launch.cluster[0] = schedule.splits;
    grid = grid * schedule.splits;
  }
  launch.block[0] = schedule.threads();
  launch.sharedBytes = schedule.sharedBytes(&problem);
  launch.programmatic = overlaps(op.getArchAttr().getValue());
  for (const KernelParam &param : mmaSyncParams(op))
    launch.params.push_back({param.kind, param.value, {}});
  PlanAlternative alternative;
  alternative.guard =
      both(both(alignmentGuard(problem, GemmOperands(op)), groupsGuard(op)),
           placesGuard(op));
  alternative.launches.push_back(std::move(launch));
  return alternative;
}

//===----------------------------------------------------------------------===//
// The builder
//===----------------------------------------------------------------------===//

/// The problem with the likely alignments.
static Problem likelyProblem(MatmulOp op, const GemmOperands &operands) {
  Problem likely = operands.problem;
  auto [a, b, c] = expectedAligns(op);
  likely.a.align = likelyAlign(op.getA(), operands.a, likely.a.align, a);
  likely.b.align = likelyAlign(op.getB(), operands.b, likely.b.align, b);
  likely.alignC = likelyAlign(op.getC(), operands.c, likely.alignC, c);
  return likely;
}

/// The problem with operands aligned to at least `bytes`, or to elements.
static Problem withAlignment(Problem problem, int64_t bytes) {
  problem.a.align = std::max(bytes, sizeOf(problem.a.type));
  problem.b.align = std::max(bytes, sizeOf(problem.b.type));
  problem.alignC = std::max(bytes, sizeOf(problem.c));
  return problem;
}

/// Adds a kernel for these alignments. Returns its name.
static std::string addAlternative(KernelModule &module, MatmulOp op,
                                  Problem problem, const MmaSync &schedule,
                                  KernelPlan &plan) {
  // A group's rows, or its part of k, begin anywhere in a line along them.
  bool isSum = problem.isRaggedSum;
  if ((problem.groups || isSum) &&
      problem.a.order == (isSum ? Order::row : Order::col))
    problem.a.align = sizeOf(problem.a.type);
  if (isSum && problem.b.order == Order::col)
    problem.b.align = sizeOf(problem.b.type);
  std::string name = kernelName(op, problem, schedule);
  if (!module.find(name))
    buildMmaSyncKernel(module, name, op, problem, schedule);
  plan.alternatives.push_back(alternativeFor(op, problem, schedule, name));
  return name;
}

/// Adds a kernel for the alignments of `best`. With `fallback`, and unless that
/// kernel needs no alignment, adds one for any operands. Returns the first
/// one's name.
static std::string addAlternatives(KernelModule &module, MatmulOp op,
                                   const Problem &best, const MmaSync &schedule,
                                   bool fallback, KernelPlan &plan) {
  std::string first = addAlternative(module, op, best, schedule, plan);
  Problem any = withAlignment(best, 1);
  // With no alignment beyond the proven one, one kernel is enough.
  if (fallback && kernelName(op, any, schedule) != first)
    addAlternative(module, op, any, schedule, plan);
  return first;
}

bool hone::addFallback(MatmulOp op, const GemmOperands &operands,
                       KernelPlan &plan) {
  const Arch &arch = op.getArchAttr().getValue();
  // In a module of its own: most programs never load it.
  KernelModule module(op->getParentOfType<ModuleOp>(), arch, "fallback");
  // Four bytes is the minimum that can be copied without going through
  // registers. Both kernels have the schedule that suits their operands best.
  for (int64_t align : {4, 1}) {
    Problem problem = withAlignment(operands.problem, align);
    // Elements of four bytes are always aligned to four.
    if (align < 4 && problem == withAlignment(operands.problem, 4))
      continue;
    MmaSync schedule(MmaSync::kind().makeDefault(problem, arch));
    // Invariant numbers may exclude the kind's order of additions.
    if (problem.numbers.isInvariant() && !isLegal(schedule, problem, arch))
      return false;
    addAlternative(module, op, problem, schedule, plan);
  }
  return true;
}

FailureOr<KernelPlan> hone::buildMmaSync(KernelModule &module, MatmulOp op,
                                         const Schedule &schedule,
                                         bool fallback) {
  GemmOperands operands(op);
  KernelPlan plan;
  plan.name = addAlternatives(module, op, likelyProblem(op, operands),
                              MmaSync(schedule), fallback, plan);
  return plan;
}
