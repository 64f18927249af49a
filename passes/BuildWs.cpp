//===- BuildWs.cpp - Launches of ws ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch side: tensor maps, grid and guard, and the mma_sync siblings for
// what the copy engine can not address. The kernel is in BuildWsKernel.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/BuildWs.h"
#include "dialects/Kernel/AddressMap.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/BuildPack.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// What the copy engine takes of an operand at once: `lines` of a slot, or an
/// even part of them where they are more than a box has.
static int64_t boxLines(int64_t lines) {
  // Whole swizzle atoms where it can be; the engine permutes by address, so it
  // need not.
  constexpr int64_t kMost = 256, kAtom = 8;
  int64_t boxes = llvm::divideCeilSigned(lines, kMost);
  int64_t unit = lines % kAtom ? 1 : kAtom;
  while (lines % (boxes * unit))
    ++boxes;
  return lines / boxes;
}

/// A or B, of which a tile has `tile` of what the other has not.
static WsSide sideOf(const GemmOperands &operands, bool isA, int64_t tile,
                     int64_t sharing, int64_t tileK) {
  const Problem &problem = operands.problem;
  if (isA)
    return {
        "a",     "m",  problem.a.order == Order::row, operands.a.batches, tile,
        sharing, tileK};
  return {
      "b",     "n",  problem.b.order == Order::col, operands.b.batches, tile,
      sharing, tileK};
}

WsSide hone::leftOf(const GemmOperands &operands,
                    const WarpSpecialized &knobs) {
  return sideOf(operands, !knobs.transposes, knobs.tile[0], knobs.cluster[1],
                knobs.tile[2]);
}

WsSide hone::rightOf(const GemmOperands &operands,
                     const WarpSpecialized &knobs) {
  return sideOf(operands, knobs.transposes, knobs.tile[1], knobs.cluster[0],
                knobs.tile[2]);
}

namespace {
/// The box of an operand's map.
struct Box {
  int64_t lines, width;
};
} // namespace

static Box boxOf(const WsSide &side) {
  return {boxLines(side.lines() / side.sharing), 64};
}

static Box boxOfC(const GemmOperands &operands, const WarpSpecialized &knobs) {
  constexpr int64_t kPanelBytes = 128;
  int64_t bytes = sizeOf(operands.problem.c);
  Chunks chunks = knobs.chunks(bytes);
  if (knobs.transposes)
    return {chunks.boxLines, kPanelBytes / bytes};
  return {64, chunks.widest};
}

/// The map of operand `name`, whose lines have `width` elements; the innermost
/// batch first, as the engine counts.
static TensorMap mapOf(const std::string &name, ElementType type, Box box,
                       const std::string &width, const std::string &lines,
                       const std::string &batches, bool hasHeads) {
  TensorMap map;
  std::string bytes = " * " + std::to_string(sizeOf(type));
  map.base = name;
  map.type = toString(type);
  map.dims = {width, lines};
  map.strides = {"ld" + name + bytes};
  map.box = {box.width, box.lines};
  for (char batch : llvm::reverse(batches)) {
    map.dims.push_back(batch == 'h' ? "heads"
                       : hasHeads   ? "batch / max(heads, 1)"
                                    : "batch");
    map.strides.push_back(batchStride(batch, name) + bytes);
    map.box.push_back(1);
  }
  map.swizzle = kernel::swizzleBytes(box.width * sizeOf(type));
  return map;
}

static TensorMap mapOf(const WsSide &side, ElementType type, bool hasHeads) {
  return mapOf(side.name, type, boxOf(side), side.alongK ? "k" : side.extent,
               side.alongK ? side.extent : "k", side.batches, hasHeads);
}

/// The same map of the operand's copies.
static TensorMap packedMap(TensorMap map, const PackedOperand &operand) {
  std::string bytes = " * " + std::to_string(sizeOf(operand.type));
  map.base = operand.base;
  map.strides = {operand.stride() + bytes};
  for (char batch : llvm::reverse(operand.batches))
    map.strides.push_back(operand.batchStride(batch) + bytes);
  return map;
}

static TensorMap mapOf(const std::string &name, const GemmOperands &operands,
                       const WarpSpecialized &knobs) {
  const Problem &problem = operands.problem;
  bool hasHeads = operands.hasHeads();
  for (const WsSide &side : {leftOf(operands, knobs), rightOf(operands, knobs)})
    if (name == side.name)
      return mapOf(side, name == "a" ? problem.a.type : problem.b.type,
                   hasHeads);
  return mapOf(name, problem.c, boxOfC(operands, knobs), "n", "m",
               operands.c.batches, hasHeads);
}

static TensorMap mapOf(const WsResidual &residual, const GemmOperands &operands,
                       const WarpSpecialized &knobs) {
  // Like C's, but for where it lies.
  std::string bytes = " * " + std::to_string(sizeOf(operands.problem.c));
  TensorMap map =
      mapOf(residual.name(), operands.problem.c, boxOfC(operands, knobs), "n",
            "m", residual.batches, operands.hasHeads());
  map.strides = {residual.lineStride() + bytes};
  for (char batch : llvm::reverse(residual.batches))
    map.strides.push_back(residual.batchStride(batch) + bytes);
  return map;
}

//===----------------------------------------------------------------------===//
// Residuals
//===----------------------------------------------------------------------===//

std::string WsResidual::lineStride() const {
  return isC() ? "ldc" : epilogueName(index, 'm');
}

std::string WsResidual::batchStride(char batch) const {
  return isC() ? hone::batchStride(batch, "c") : epilogueName(index, batch);
}

/// Operand `index` as the engine would read it: a matrix of C's type, whose
/// lines lie along C's and start, as far as is known, at multiples of 16 bytes.
static std::optional<WsResidual> residualOf(MatmulOp op, int64_t index,
                                            const Problem &problem) {
  constexpr int64_t kAlign = 16;
  auto type = dyn_cast<MemRefType>(op.getEpilogueOperands()[index].getType());
  StringRef dims = op.getDimsOf(index);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || type.getElementType() != elementOf(op.getC()) ||
      !dims.contains('m') || !isSideBySide(op, index, 'n') ||
      failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  WsResidual residual = {index, "", /*isAligned=*/true};
  for (auto [dim, stride] : llvm::zip_equal(dims, strides)) {
    if (dim != 'm' && dim != 'n')
      residual.batches += dim;
    if (dim == 'n')
      continue;
    bool isKnown = !ShapedType::isDynamic(stride);
    if (isKnown && (stride <= 0 || stride * sizeOf(problem.c) % kAlign))
      return std::nullopt;
    residual.isAligned &= isKnown;
  }
  return residual;
}

std::optional<WsResidual> hone::residualOf(MatmulOp op,
                                           const GemmOperands &operands,
                                           const WarpSpecialized &knobs) {
  if (!knobs.mayBring())
    return std::nullopt;
  if (operands.problem.init == Init::read)
    return WsResidual{/*index=*/-1, operands.c.batches, /*isAligned=*/true};
  for (size_t i = 0; i < op.getEpilogueOperands().size(); ++i)
    if (auto residual = ::residualOf(op, i, operands.problem))
      return residual;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

KernelParams hone::wsParams(MatmulOp op, const GemmOperands &operands,
                            const WarpSpecialized &knobs) {
  MLIRContext *context = op.getContext();
  KernelParams params;
  auto addMap = [&](const std::string &name, Value memref, Box box,
                    const std::string &batches) {
    params.push_back(
        {LaunchParam::tensorMap, name,
         kernel::MapType::get(context, box.lines, box.width, elementOf(memref),
                              2 + batches.size())});
  };
  WsSide left = leftOf(operands, knobs), right = rightOf(operands, knobs);
  addMap("a", op.getA(), boxOf(knobs.transposes ? right : left),
         operands.a.batches);
  addMap("b", op.getB(), boxOf(knobs.transposes ? left : right),
         operands.b.batches);
  if (knobs.storesByEngine())
    addMap("c", op.getC(), boxOfC(operands, knobs), operands.c.batches);
  std::optional<WsResidual> residual = residualOf(op, operands, knobs);
  if (residual && !residual->isC())
    addMap(residual->name(), op.getC(), boxOfC(operands, knobs),
           residual->batches);
  bool needsC = knobs.storesByThreads() ||
                (operands.problem.init == Init::read && !residual);
  if (needsC)
    params.addPointer("c", op.getC());
  if (knobs.streams)
    params.push_back(
        {LaunchParam::ptr, "ws",
         kernel::BufferType::get(context, Float32Type::get(context))});
  // Of a tile that is cut, threads add up what is stored.
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    if (!residual || residual->index != int64_t(i) || knobs.streams)
      params.addPointer(epilogueName(i), operand);
  params.addNumbers(op, LaunchParam::i32, {"m", "n", "k", "group"});
  if (op.isBatched())
    params.addNumbers(op, LaunchParam::i32, {"batch"});
  if (operands.hasHeads())
    params.addNumbers(op, LaunchParam::i32, {"heads"});
  if (needsC)
    params.addNumbers(op, LaunchParam::i64, {"ldc"});
  if (needsC && op.isBatched())
    params.addNumbers(op, LaunchParam::i64, {"sc"});
  if (needsC && operands.hasHeads())
    params.addNumbers(op, LaunchParam::i64, {"hc"});
  params.addEpilogueStrides(op);
  return params;
}

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
  std::string clusters = count(leftOf(operands, knobs).extent, 0) + " * " +
                         count(rightOf(operands, knobs).extent, 1);
  return operands.problem.batch ? clusters + " * batch" : clusters;
}

/// Clusters that are launched, if at most `most` of them run at once. A device
/// says how many do; each processor takes one block.
static std::string workersOf(const GemmOperands &operands,
                             const WarpSpecialized &knobs,
                             const std::string &most) {
  std::string clusters = clustersOf(operands, knobs);
  if (!knobs.persistent)
    return clusters;
  // All of them run at once, so that none gets its tiles when the others are
  // done.
  if (knobs.streams)
    clusters += " * parts";
  return "min(" + most + ", " + clusters + ")";
}

static int64_t mostWorkers(const Arch &arch, const WarpSpecialized &knobs) {
  return arch.processors / knobs.clusterBlocks();
}

static std::string workersOf(MatmulOp op, const GemmOperands &operands,
                             const WarpSpecialized &knobs) {
  Arch arch = op.getArchAttr().getValue();
  return workersOf(operands, knobs,
                   llvm::formatv("resident({0}, {1})",
                                 arch.residentClusters(knobs.clusterBlocks()),
                                 mostWorkers(arch, knobs))
                       .str());
}

/// Counters, and a slot for every worker and every tile that is cut: those are
/// fewer than twice the workers.
static std::string sumBytesOf(MatmulOp op, const GemmOperands &operands,
                              const WarpSpecialized &knobs) {
  constexpr int64_t kSlotsOfWorker = 3;
  int64_t bytes = knobs.tile[0] * knobs.tile[1] * 4;
  std::string most =
      std::to_string(mostWorkers(op.getArchAttr().getValue(), knobs));
  return std::to_string(kCounterBytes) + " + " +
         workersOf(operands, knobs, most) + " * " +
         std::to_string(kSlotsOfWorker * knobs.clusterBlocks() * bytes);
}

/// The operands that are copied first, and where their copies end.
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
    PackedOperand operand = {side.name,
                             isA ? problem.a.type : problem.b.type,
                             side.alongK ? side.extent : "k",
                             side.alongK ? "k" : side.extent,
                             side.batches,
                             operands.hasHeads(),
                             /*base=*/""};
    operand.base = workspaceBytes.empty() ? "ws" : "ws + " + workspaceBytes;
    workspaceBytes += (workspaceBytes.empty() ? "" : " + ") + operand.bytes();
    packed.push_back(std::move(operand));
  }
  return packed;
}

static KernelLaunch launchOf(MatmulOp op, const GemmOperands &operands,
                             const WarpSpecialized &knobs, StringRef entry,
                             ArrayRef<PackedOperand> packed) {
  int64_t blocks = knobs.clusterBlocks();
  KernelLaunch launch;
  launch.entry = entry.str();
  launch.grid[0] = workersOf(op, operands, knobs);
  if (blocks > 1) {
    launch.grid[0] += " * " + std::to_string(blocks);
    launch.cluster[0] = std::to_string(blocks);
  }
  launch.block[0] = std::to_string(knobs.threads());
  launch.programmatic = knobs.overlaps;
  int64_t bytes = sizeOf(operands.problem.c);
  std::optional<WsResidual> residual = residualOf(op, operands, knobs);
  launch.sharedBytes = knobs.sharedBytes(bytes) +
                       (residual ? knobs.residualBarrierBytes(bytes) : 0);
  for (const KernelParam &param : wsParams(op, operands, knobs)) {
    LaunchParam &added = launch.params.emplace_back();
    added.kind = param.kind;
    if (param.kind != LaunchParam::tensorMap) {
      added.value = param.name;
      continue;
    }
    added.map = residual && !residual->isC() && param.name == residual->name()
                    ? mapOf(*residual, operands, knobs)
                    : mapOf(param.name, operands, knobs);
    for (const PackedOperand &operand : packed)
      if (operand.name == param.name)
        added.map = packedMap(added.map, operand);
  }
  return launch;
}

/// True if nothing is left to ask at run time.
static bool isProven(const Problem &problem, const WarpSpecialized &knobs,
                     ArrayRef<PackedOperand> packed,
                     const std::optional<WsResidual> &residual) {
  constexpr int64_t kAlign = 16;
  return (!residual || residual->isAligned) &&
         (problem.a.align >= kAlign || knobs.packsA()) &&
         (problem.b.align >= kAlign || knobs.packsB()) &&
         (problem.alignC >= kAlign || knobs.threadsStore) &&
         problem.k != kDynamic && problem.k > 0 && !problem.batch &&
         llvm::all_of(packed, [&](const PackedOperand &operand) {
           return packGuard(problem, operand).empty();
         });
}

/// What the copy engine needs of a residual that is not C.
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

/// What the copy engine needs: starts and strides of 16 bytes, strides that go
/// forward, and something to read. Of what is packed it sees the copies, and
/// not where threads store.
static std::string guardOf(MatmulOp op, const GemmOperands &operands,
                           const WarpSpecialized &knobs,
                           ArrayRef<PackedOperand> packed) {
  constexpr int64_t kAlign = 16;
  Problem needed = operands.problem;
  needed.a.align = knobs.packsA() ? 0 : kAlign;
  needed.b.align = knobs.packsB() ? 0 : kAlign;
  needed.alignC = knobs.alignC(sizeOf(needed.c));
  std::string aligned = alignmentGuard(needed, operands.hasHeads());
  std::string guard = aligned == "1" ? "k > 0" : aligned + " && k > 0";
  auto require = [&](const std::string &condition) {
    if (!condition.empty())
      guard += " && " + condition;
  };
  if (!knobs.packsA())
    require("lda > 0");
  if (!knobs.packsB())
    require("ldb > 0");
  // Of no columns there is nothing to store, and nothing apart.
  require("ldc >= n");
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
    require(packGuard(operands.problem, operand));
  require(placesGuard(op));
  return guard;
}

LogicalResult hone::buildWarpSpecialized(RewriterBase &rewriter, MatmulOp op,
                                         const Schedule &schedule,
                                         bool fallback) {
  WarpSpecialized knobs = WarpSpecialized(schedule).turned();
  KernelModule module(op->getParentOfType<ModuleOp>(),
                      op.getArchAttr().getValue());
  GemmOperands operands(op);
  LaunchArgs args(rewriter, op.getLoc());
  collectArgs(args, op, operands, schedule);

  // Whether the engine can read a residual is not said by the problem.
  std::optional<WsResidual> residual = residualOf(op, operands, knobs);
  std::string name = kernelName(op, operands.problem, schedule,
                                residual ? residual->name() : "");
  if (!module.find(name))
    buildWsKernel(module, name, op, operands, knobs);
  LaunchPlan plan;
  plan.args.assign(args.getNames().begin(), args.getNames().end());
  PlanAlternative &alternative = plan.alternatives.emplace_back();
  if (knobs.streams) {
    alternative.workspaceBytes = sumBytesOf(op, operands, knobs);
    alternative.workspaceZeroed = true;
  }
  SmallVector<PackedOperand> packed =
      packedOf(operands, knobs, alternative.workspaceBytes);
  alternative.guard = guardOf(op, operands, knobs, packed);
  if (!packed.empty())
    alternative.launches.push_back(
        buildPack(module, op, packed, knobs.overlaps));
  alternative.launches.push_back(launchOf(op, operands, knobs, name, packed));
  if (fallback && !isProven(operands.problem, knobs, packed, residual))
    addFallback(op, operands, plan);
  module.addPlan(name, plan);
  args.launch(rewriter, op, module.planRef(name));
  return success();
}
