//===- BuildWs.cpp - Launches of ws ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch side: grid and guard, and the mma_sync siblings for operands that
// the copy engine cannot address. Maps and parameters are in BuildWsMaps.cpp,
// the kernel is in BuildWsKernel.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/WarpSpecialized/BuildWs.h"
#include "dialects/Kernel/AddressMap.h"
#include "hone/Schedule/MmaSync.h"
#include "passes/Build/BuildPack.h"
#include "passes/Rewrite/Rewrite.h"
#include "passes/WholeKernel.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// Clusters that the tiles need, with a tile for each block.
static PlanFormula clustersOf(const GemmOperands &operands,
                              const WarpSpecialized &knobs) {
  auto count = [&](const char *extent, int dim) {
    return ceildiv(argument(extent), knobs.tile[dim] * knobs.cluster[dim]);
  };
  PlanFormula rows = count(leftOf(operands, knobs).extent, 0);
  // The last tile of each group may have fewer rows, and those after all groups
  // are one more.
  if (operands.problem.groups)
    rows = rows + argument("groups");
  PlanFormula clusters = rows * count(rightOf(operands, knobs).extent, 1);
  return operands.problem.batch ? clusters * argument("batch") : clusters;
}

/// Clusters that are launched, if at most `max` of them run at once. The
/// device reports that number; each processor takes one block.
static PlanFormula workersOf(const GemmOperands &operands,
                             const WarpSpecialized &knobs,
                             const PlanFormula &max) {
  PlanFormula clusters = clustersOf(operands, knobs);
  if (!knobs.persistent)
    return clusters;
  // All of them run at once, so that no worker gets its tiles after the others
  // are done.
  if (knobs.streams)
    clusters = clusters * argument("parts");
  return min(max, clusters);
}

static int64_t maxWorkers(const Arch &arch, const WarpSpecialized &knobs) {
  return arch.processors / knobs.clusterBlocks();
}

static PlanFormula workersOf(MatmulOp op, const GemmOperands &operands,
                             const WarpSpecialized &knobs) {
  Arch arch = op.getArchAttr().getValue();
  PlanFormula usual = arch.residentClusters(knobs.clusterBlocks());
  return workersOf(operands, knobs, resident(usual, maxWorkers(arch, knobs)));
}

/// Counters, and a slot for every worker and every tile that is cut; there are
/// fewer cut tiles than twice the workers.
static PlanFormula sumBytesOf(MatmulOp op, const GemmOperands &operands,
                              const WarpSpecialized &knobs) {
  constexpr int64_t kSlotsOfWorker = 3;
  int64_t bytes = knobs.tile[0] * knobs.tile[1] * 4;
  int64_t max = maxWorkers(op.getArchAttr().getValue(), knobs);
  return kCounterBytes + workersOf(operands, knobs, max) *
                             (kSlotsOfWorker * knobs.clusterBlocks() * bytes);
}

/// The operands that are copied first, and the end of their copies.
static SmallVector<PackedOperand> packedOf(const GemmOperands &operands,
                                           const WarpSpecialized &knobs,
                                           PlanFormula &workspaceBytes) {
  SmallVector<PackedOperand> packed;
  WsSide a = leftOf(operands, knobs), b = rightOf(operands, knobs);
  if (knobs.transposes)
    std::swap(a, b);
  for (const WsSide &side : {a, b}) {
    bool isA = side.name == StringRef("a");
    if (!(isA ? knobs.packsA() : knobs.packsB()))
      continue;
    const Problem &problem = operands.problem;
    bool liesAlongK =
        isA ? problem.a.order == Order::row : problem.b.order == Order::col;
    PackedOperand operand = {side.name,
                             isA ? problem.a.type : problem.b.type,
                             isA ? problem.a.type : problem.multipliedB(),
                             argument(liesAlongK ? side.extent : "k"),
                             argument(liesAlongK ? "k" : side.extent),
                             liesAlongK != side.alongK,
                             side.batches,
                             operands.hasHeads(),
                             side.hasParts,
                             /*base=*/argument("ws")};
    if (!workspaceBytes.empty())
      operand.base = operand.base + workspaceBytes;
    workspaceBytes = workspaceBytes.empty() ? operand.bytes()
                                            : workspaceBytes + operand.bytes();
    packed.push_back(std::move(operand));
  }
  return packed;
}

/// The same map of the operand's copies.
static TensorMap packedMap(TensorMap map, const PackedOperand &operand) {
  int64_t bytes = sizeOf(operand.copiedType);
  map.base = operand.base;
  map.strides = {operand.stride() * bytes};
  for (char batch : llvm::reverse(operand.batches))
    map.strides.push_back(operand.batchStride(batch) * bytes);
  if (operand.isSplit) {
    map.dims.push_back(2);
    map.strides.push_back(operand.partStride() * bytes);
    map.box.push_back(1);
  }
  return map;
}

static KernelLaunch launchOf(MatmulOp op, const GemmOperands &operands,
                             const WarpSpecialized &knobs, StringRef entry,
                             ArrayRef<PackedOperand> packed) {
  int64_t blocks = knobs.clusterBlocks();
  KernelLaunch launch;
  launch.entry = entry.str();
  launch.grid[0] = workersOf(op, operands, knobs);
  if (blocks > 1) {
    launch.grid[0] = launch.grid[0] * blocks;
    launch.cluster[0] = blocks;
  }
  launch.block[0] = knobs.threads();
  launch.programmatic = knobs.overlaps;
  int64_t bytes = sizeOf(operands.problem.c);
  std::optional<WsResidual> residual = residualOf(op, operands, knobs);
  launch.sharedBytes = knobs.sharedBytes(&operands.problem) +
                       (residual ? knobs.residualBarrierBytes(bytes) : 0);
  for (const KernelParam &param : wsParams(op, operands, knobs)) {
    LaunchParam &added = launch.params.emplace_back();
    added.kind = param.kind;
    if (param.kind != LaunchParam::tensorMap) {
      added.value = param.value;
      continue;
    }
    std::string name = param.name().str();
    added.map = wsMapOf(name, operands, knobs, residual);
    for (const PackedOperand &operand : packed)
      if (operand.name == name)
        added.map = packedMap(added.map, operand);
  }
  return launch;
}

/// The copy engine's conditions on a residual that is not C.
static PlanFormula guardOf(const WsResidual &residual, int64_t bytes) {
  constexpr int64_t kAlign = 16;
  PlanFormula guard = isMultiple(argument(residual.name()), kAlign);
  auto require = [&](const std::string &name) {
    PlanFormula stride = argument(name);
    guard = both(both(guard, isMultiple(stride, kAlign / bytes)), stride > 0);
  };
  require(residual.lineStride());
  for (char batch : residual.batches)
    require(residual.batchStride(batch));
  return guard;
}

/// The copy engine's conditions on windows, and limits of their numbers, which
/// kernels multiply in 32 bits.
static PlanFormula windowGuard(int64_t unit) {
  PlanFormula guard;
  auto require = [&](PlanFormula condition) {
    guard = both(std::move(guard), std::move(condition));
  };
  PlanFormula taps = argument("taps"), channels = argument("channels");
  PlanFormula pixels = argument("outh") * argument("outw");
  require(equals(argument("images") * pixels, argument("m")));
  require(equals(argument("filterh") * argument("filterw"), taps));
  require(equals(taps * channels, argument("k")));
  require(taps > 0);
  // A tap of B starts at a multiple of 16 bytes, too.
  require(isMultiple(channels, unit));
  require(taps * channels < 2147483648);
  require(taps < 65536);
  require(pixels < 134217728);
  for (const char *along : {"h", "w"}) {
    auto side = [&](const char *name) { return argument(name + Twine(along)); };
    PlanFormula in = side("in"), step = side("step"), pad = side("pad"),
                filter = side("filter");
    for (const PlanFormula &count : {in, step, filter})
      require(count > 0);
    require(step < 9);
    require(both(pad >= 0, pad < 129));
    require(filter * side("dil") < 257);
    // The corner of the last window, from the last pixel on.
    PlanFormula last = (side("out") - 1) * step;
    require(last - pad - in + 1 < 128);
    require(in + pad - last < 130);
  }
  return guard;
}

/// The copy engine's conditions: starts and strides of 16 bytes, positive
/// strides, and nonempty operands. The engine reads the copies of packed
/// operands, and does not access C where threads store.
static PlanFormula guardOf(MatmulOp op, const GemmOperands &operands,
                           const WarpSpecialized &knobs,
                           ArrayRef<PackedOperand> packed) {
  constexpr int64_t kAlign = 16;
  Problem needed = operands.problem;
  needed.a.align = knobs.packsA() ? 0 : kAlign;
  needed.b.align = knobs.packsB() ? 0 : kAlign;
  needed.alignC = knobs.alignC(sizeOf(needed.c));
  PlanFormula guard = alignmentGuard(needed, operands);
  auto require = [&](PlanFormula condition) {
    guard = both(std::move(guard), std::move(condition));
  };
  require(argument("k") > 0);
  if (operands.hasWindows)
    require(windowGuard(kAlign / sizeOf(needed.a.type)));
  if (!knobs.packsA())
    require(argument("lda") > 0);
  if (!knobs.packsB())
    require(argument("ldb") > 0);
  // Without columns there is nothing to store, and no distinct elements.
  require(argument("ldc") >= argument("n"));
  // The engine stores whole chunks of 16 bytes (kernel.store.async).
  if (knobs.storesByEngine())
    require(isMultiple(argument("n"), kAlign / sizeOf(needed.c)));
  for (char batch : kKernelBatches)
    for (auto [name, dims, isSeen] :
         {std::tuple("a", &operands.a, !knobs.packsA()),
          {"b", &operands.b, !knobs.packsB()},
          {"c", &operands.c, true}})
      if (isSeen && StringRef(dims->batches).contains(batch))
        require(argument(batchStride(batch, name)) > 0);
  std::optional<WsResidual> residual = residualOf(op, operands, knobs);
  if (residual && !residual->isC())
    require(guardOf(*residual, sizeOf(needed.c)));
  for (const PackedOperand &operand : packed)
    require(packGuard(operand));
  if (op.getRagged())
    require(both(argument("groups") > 0,
                 argument("groups") * argument("n") < 2147483648));
  require(groupsGuard(op));
  require(placesGuard(op));
  return guard;
}

/// Adds the kernel of a schedule, in a module of its own: most programs never
/// load it.
static void addSibling(MatmulOp op, const WarpSpecialized &knobs,
                       KernelPlan &plan) {
  KernelModule module(op->getParentOfType<ModuleOp>(),
                      op.getArchAttr().getValue(), "fallback");
  auto sibling = buildWarpSpecialized(module, op, knobs, /*fallback=*/false);
  llvm::append_range(plan.alternatives, sibling->alternatives);
}

/// Adds a kernel for element types that no other family multiplies: all
/// operands are copied first, and threads store.
static void addPackedSibling(MatmulOp op, const WarpSpecialized &fast,
                             KernelPlan &plan) {
  if (fast.packsA() && fast.packsB() && fast.threadsStore)
    return;
  WarpSpecialized knobs;
  constexpr int64_t kLineBytes = 128;
  ElementType multiplied = GemmOperands(op).problem.a.type;
  knobs.tile = {128, 128, kLineBytes / sizeOf(multiplied)};
  knobs.packs = 4;
  knobs.threadsStore = true;
  addSibling(op, knobs, plan);
}

/// Adds a kernel whose sums have the same order, and whose packed operand has
/// known extents if one has: their guard is a fact.
static void addFetchingSibling(MatmulOp op, const Problem &problem,
                               KernelPlan &plan) {
  WarpSpecialized knobs;
  constexpr int64_t kRows = 128, kCols = 64, kStages = 3;
  knobs.tile = {kRows, kCols, 0};
  knobs.stages = kStages;
  bool rowsAreB = problem.n == kDynamic && problem.m != kDynamic;
  if (rowsAreB)
    knobs = knobs.mirrored();
  knobs = knobs.fetching(problem);
  knobs.tile[2] = knobs.panelOf(problem, /*isA=*/!rowsAreB);
  knobs.splits = problem.numbers.parts;
  knobs.persistent = knobs.splits == 1;
  knobs.threadsStore = true;
  if (isLegal(knobs, problem, op.getArchAttr().getValue()))
    addSibling(op, knobs, plan);
}

FailureOr<KernelPlan> hone::buildWarpSpecialized(KernelModule &module,
                                                 MatmulOp op,
                                                 const Schedule &schedule,
                                                 bool fallback) {
  WarpSpecialized knobs = WarpSpecialized(schedule).turned();
  GemmOperands operands(op);

  // The problem does not determine whether the engine can read a residual.
  std::optional<WsResidual> residual = residualOf(op, operands, knobs);
  KernelPlan plan;
  plan.name = kernelName(op, operands.problem, schedule,
                         residual ? residual->name() : "");
  // The only kernel of this name is the rewritten one.
  if (!module.find(plan.name)) {
    buildWsKernel(module, plan.name, op, operands, knobs);
    gpu::GPUFuncOp kernel = module.find(plan.name);
    if (failed(rewrite::rewriteKernel(kernel, schedule)) ||
        failed(placeWholeKernel(kernel, schedule))) {
      kernel.erase();
      return failure();
    }
  }
  PlanAlternative &alternative = plan.alternatives.emplace_back();
  alternative.workspaceZeroed = knobs.streams;
  if (knobs.streams)
    alternative.workspaceBytes = sumBytesOf(op, operands, knobs);
  SmallVector<PackedOperand> packed =
      packedOf(operands, knobs, alternative.workspaceBytes);
  alternative.guard = guardOf(op, operands, knobs, packed);
  if (!packed.empty())
    alternative.launches.push_back(
        buildPack(module, op, packed, knobs.overlaps));
  alternative.launches.push_back(
      launchOf(op, operands, knobs, plan.name, packed));
  // No other kernel reads windows.
  if (!fallback || operands.hasWindows || alwaysHolds(op, operands, plan))
    return plan;
  if (!isReadWhole(operands.problem) && !operands.problem.groups)
    addPackedSibling(op, knobs, plan);
  // Only the fallback multiplies an empty K, or reads a packed operand with a
  // negative stride.
  if (!alwaysHolds(op, operands, plan) && !addFallback(op, operands, plan))
    addFetchingSibling(op, operands.problem, plan);
  return plan;
}
