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
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Build/BuildPack.h"
#include "passes/Rewrite/Rewrite.h"
#include "passes/WholeKernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// Clusters that the tiles need, with a tile for each block.
static std::string clustersOf(const GemmOperands &operands,
                              const WarpSpecialized &knobs) {
  auto count = [&](const char *extent, int dim) {
    return std::string("ceildiv(") + extent + ", " +
           std::to_string(knobs.tile[dim] * knobs.cluster[dim]) + ")";
  };
  std::string rows = count(leftOf(operands, knobs).extent, 0);
  // The last tile of each group may have fewer rows, and those after all groups
  // are one more.
  if (operands.problem.groups)
    rows = "(" + rows + " + groups)";
  std::string clusters =
      rows + " * " + count(rightOf(operands, knobs).extent, 1);
  return operands.problem.batch ? clusters + " * batch" : clusters;
}

/// Clusters that are launched, if at most `max` of them run at once. The
/// device reports that number; each processor takes one block.
static std::string workersOf(const GemmOperands &operands,
                             const WarpSpecialized &knobs,
                             const std::string &max) {
  std::string clusters = clustersOf(operands, knobs);
  if (!knobs.persistent)
    return clusters;
  // All of them run at once, so that no worker gets its tiles after the others
  // are done.
  if (knobs.streams)
    clusters += " * parts";
  return "min(" + max + ", " + clusters + ")";
}

static int64_t maxWorkers(const Arch &arch, const WarpSpecialized &knobs) {
  return arch.processors / knobs.clusterBlocks();
}

static std::string workersOf(MatmulOp op, const GemmOperands &operands,
                             const WarpSpecialized &knobs) {
  Arch arch = op.getArchAttr().getValue();
  return workersOf(operands, knobs,
                   llvm::formatv("resident({0}, {1})",
                                 arch.residentClusters(knobs.clusterBlocks()),
                                 maxWorkers(arch, knobs))
                       .str());
}

/// Counters, and a slot for every worker and every tile that is cut; there are
/// fewer cut tiles than twice the workers.
static std::string sumBytesOf(MatmulOp op, const GemmOperands &operands,
                              const WarpSpecialized &knobs) {
  constexpr int64_t kSlotsOfWorker = 3;
  int64_t bytes = knobs.tile[0] * knobs.tile[1] * 4;
  std::string max =
      std::to_string(maxWorkers(op.getArchAttr().getValue(), knobs));
  return std::to_string(kCounterBytes) + " + " +
         workersOf(operands, knobs, max) + " * " +
         std::to_string(kSlotsOfWorker * knobs.clusterBlocks() * bytes);
}

/// The operands that are copied first, and the end of their copies.
static SmallVector<PackedOperand> packedOf(const GemmOperands &operands,
                                           const WarpSpecialized &knobs,
                                           std::string &workspaceBytes) {
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
                             liesAlongK ? side.extent : "k",
                             liesAlongK ? "k" : side.extent,
                             liesAlongK != side.alongK,
                             side.batches,
                             operands.hasHeads(),
                             side.hasParts,
                             /*base=*/""};
    operand.base = workspaceBytes.empty() ? "ws" : "ws + " + workspaceBytes;
    workspaceBytes += (workspaceBytes.empty() ? "" : " + ") + operand.bytes();
    packed.push_back(std::move(operand));
  }
  return packed;
}

/// The same map of the operand's copies.
static TensorMap packedMap(TensorMap map, const PackedOperand &operand) {
  std::string bytes = " * " + std::to_string(sizeOf(operand.copiedType));
  map.base = operand.base;
  map.strides = {operand.stride() + bytes};
  for (char batch : llvm::reverse(operand.batches))
    map.strides.push_back(operand.batchStride(batch) + bytes);
  if (operand.isSplit) {
    map.dims.push_back("2");
    map.strides.push_back(operand.partStride() + bytes);
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
  std::string grid = workersOf(op, operands, knobs);
  if (blocks > 1) {
    grid += " * " + std::to_string(blocks);
    launch.cluster[0] = std::to_string(blocks);
  }
  launch.grid[0] = grid;
  launch.block[0] = std::to_string(knobs.threads());
  launch.programmatic = knobs.overlaps;
  int64_t bytes = sizeOf(operands.problem.c);
  std::optional<WsResidual> residual = residualOf(op, operands, knobs);
  launch.sharedBytes = knobs.sharedBytes(&operands.problem) +
                       (residual ? knobs.residualBarrierBytes(bytes) : 0);
  for (const KernelParam &param : wsParams(op, operands, knobs)) {
    LaunchParam &added = launch.params.emplace_back();
    added.kind = param.kind;
    if (param.kind != LaunchParam::tensorMap) {
      added.value = param.name;
      continue;
    }
    added.map = wsMapOf(param.name, operands, knobs, residual);
    for (const PackedOperand &operand : packed)
      if (operand.name == param.name)
        added.map = packedMap(added.map, operand);
  }
  return launch;
}

/// The copy engine's conditions on a residual that is not C.
static std::string guardOf(const WsResidual &residual, int64_t bytes) {
  constexpr int64_t kAlign = 16;
  std::string guard =
      llvm::formatv("{0} % {1} == 0", residual.name(), kAlign).str();
  auto require = [&](const std::string &stride) {
    guard +=
        llvm::formatv(" && {0} % {1} == 0 && {0} > 0", stride, kAlign / bytes)
            .str();
  };
  require(residual.lineStride());
  for (char batch : residual.batches)
    require(residual.batchStride(batch));
  return guard;
}

/// The copy engine's conditions on windows, and limits of their numbers, which
/// kernels multiply in 32 bits.
static std::string windowGuard(int64_t unit) {
  std::string guard = " && images * outh * outw == m"
                      " && filterh * filterw == taps && taps * channels == k";
  auto require = [&](const std::string &condition) {
    guard += " && " + condition;
  };
  require("taps > 0");
  // A tap of B starts at a multiple of 16 bytes, too.
  require(llvm::formatv("channels % {0} == 0", unit));
  require("taps * channels < 2147483648");
  require("taps < 65536");
  require("outh * outw < 134217728");
  for (const char *along : {"h", "w"}) {
    for (const char *name : {"in", "step", "filter"})
      require(llvm::formatv("{0}{1} > 0", name, along));
    require(llvm::formatv("step{0} < 9", along));
    require(llvm::formatv("pad{0} >= 0 && pad{0} < 129", along));
    require(llvm::formatv("filter{0} * dil{0} < 257", along));
    // The corner of the last window, from the last pixel on.
    require(llvm::formatv("(out{0} - 1) * step{0} - pad{0} - in{0} + 1 < 128",
                          along));
    require(
        llvm::formatv("in{0} + pad{0} - (out{0} - 1) * step{0} < 130", along));
  }
  return guard;
}

/// The copy engine's conditions: starts and strides of 16 bytes, positive
/// strides, and nonempty operands. The engine reads the copies of packed
/// operands, and does not access C where threads store.
static std::string guardOf(MatmulOp op, const GemmOperands &operands,
                           const WarpSpecialized &knobs,
                           ArrayRef<PackedOperand> packed) {
  constexpr int64_t kAlign = 16;
  Problem needed = operands.problem;
  needed.a.align = knobs.packsA() ? 0 : kAlign;
  needed.b.align = knobs.packsB() ? 0 : kAlign;
  needed.alignC = knobs.alignC(sizeOf(needed.c));
  std::string aligned = alignmentGuard(needed, operands);
  std::string guard = aligned == "1" ? "k > 0" : aligned + " && k > 0";
  if (operands.hasWindows)
    guard += windowGuard(kAlign / sizeOf(needed.a.type));
  auto require = [&](const std::string &condition) {
    if (!condition.empty())
      guard += " && " + condition;
  };
  if (!knobs.packsA())
    require("lda > 0");
  if (!knobs.packsB())
    require("ldb > 0");
  // Without columns there is nothing to store, and no distinct elements.
  require("ldc >= n");
  // The engine stores whole chunks of 16 bytes (kernel.store.async).
  if (knobs.storesByEngine())
    require(llvm::formatv("n % {0} == 0", kAlign / sizeOf(needed.c)));
  for (char batch : kKernelBatches)
    for (auto [name, dims, isSeen] :
         {std::tuple("a", &operands.a, !knobs.packsA()),
          {"b", &operands.b, !knobs.packsB()},
          {"c", &operands.c, true}})
      if (isSeen && StringRef(dims->batches).contains(batch))
        require(batchStride(batch, name) + " > 0");
  std::optional<WsResidual> residual = residualOf(op, operands, knobs);
  if (residual && !residual->isC())
    require(guardOf(*residual, sizeOf(needed.c)));
  for (const PackedOperand &operand : packed)
    require(packGuard(operand));
  if (op.getRagged())
    require("groups > 0 && groups * n < 2147483648");
  require(groupsGuard(op));
  require(placesGuard(op));
  return guard;
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
  // In a module of its own: most programs never load it.
  KernelModule module(op->getParentOfType<ModuleOp>(),
                      op.getArchAttr().getValue(), "fallback");
  auto sibling = buildWarpSpecialized(module, op, knobs, /*fallback=*/false);
  llvm::append_range(plan.alternatives, sibling->alternatives);
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
  std::string bytes = knobs.streams ? sumBytesOf(op, operands, knobs) : "";
  SmallVector<PackedOperand> packed = packedOf(operands, knobs, bytes);
  alternative.workspaceBytes = bytes;
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
  if (!alwaysHolds(op, operands, plan))
    addFallback(op, operands, plan);
  return plan;
}
