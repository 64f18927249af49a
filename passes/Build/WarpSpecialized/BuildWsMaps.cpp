//===- BuildWsMaps.cpp - Maps and parameters of ws ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a ws kernel: tensor maps of the matrices that the copy engine
// moves, residuals among them, pointers to the others, and numbers.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/AddressMap.h"
#include "hone/Guards/Places.h"
#include "passes/Build/WarpSpecialized/BuildWs.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The lines that the copy engine moves at once: `lines` of a slot, or an even
/// part of them if they exceed a box.
static int64_t boxLines(int64_t lines) {
  // Whole swizzle atoms if possible; this is not required, because the engine
  // permutes by address.
  constexpr int64_t kMax = 256, kAtom = 8;
  int64_t boxes = llvm::divideCeilSigned(lines, kMax);
  int64_t unit = lines % kAtom ? 1 : kAtom;
  while (lines % (boxes * unit))
    ++boxes;
  return lines / boxes;
}

/// The rows or the columns of the tensor cores.
static WsSide sideOf(const GemmOperands &operands, const WarpSpecialized &knobs,
                     bool isRows) {
  const Problem &problem = operands.problem;
  bool isA = isRows != knobs.transposes;
  WsSide side;
  side.name = isA ? "a" : "b";
  side.extent = isA ? "m" : "n";
  side.alongK = knobs.slotsAlongK(problem, isA);
  side.hasWindows = operands.hasWindows && isA;
  side.hasTaps = operands.hasWindows && !isA;
  if (!operands.hasWindows)
    side.batches = isA ? operands.a.batches : operands.b.batches;
  side.hasParts =
      passesOf(problem) > 1 && !(isRows && knobs.splitsRows(problem));
  side.tile = knobs.tile[isRows ? 0 : 1];
  side.sharing = knobs.cluster[isRows ? 1 : 0];
  side.tileK = knobs.tile[2];
  return side;
}

WsSide hone::leftOf(const GemmOperands &operands,
                    const WarpSpecialized &knobs) {
  return sideOf(operands, knobs, /*isRows=*/true);
}

WsSide hone::rightOf(const GemmOperands &operands,
                     const WarpSpecialized &knobs) {
  return sideOf(operands, knobs, /*isRows=*/false);
}

namespace {
/// The box of an operand's map.
struct Box {
  int64_t lines, width;
};
} // namespace

static Box boxOf(const WsSide &side, ElementType type) {
  return {boxLines(side.lines() / side.sharing),
          kernel::kPanelBytes / sizeOf(type)};
}

static Box boxOfC(const GemmOperands &operands, const WarpSpecialized &knobs) {
  int64_t bytes = sizeOf(operands.problem.c);
  Chunks chunks = knobs.chunks(bytes);
  // Rows of the accumulators are a line, or a panel of it.
  if (knobs.transposes)
    return {chunks.boxLines, kernel::panelBytes(64 * bytes) / bytes};
  return {64, chunks.widest};
}

/// Tensor cores truncate the numbers of a factor, which makes all of them
/// smaller. The engine rounds instead. Factors in parts need no rounding: they
/// are tf32 before, or are split later.
static bool isRounded(const Problem &problem) {
  return problem.a.type == ElementType::f32 && passesOf(problem) == 1;
}

/// The map of operand `name`, whose lines have `width` elements. The innermost
/// batch comes first, in the engine's order.
static TensorMap mapOf(const std::string &name, ElementType type, Box box,
                       StringRef width, StringRef lines,
                       const std::string &batches, bool hasHeads,
                       StringRef count = "batch") {
  TensorMap map;
  int64_t bytes = sizeOf(type);
  map.base = argument(name);
  map.type = toString(type);
  map.dims = {argument(width), argument(lines)};
  map.strides = {argument("ld" + name) * bytes};
  map.box = {box.width, box.lines};
  for (char batch : llvm::reverse(batches)) {
    map.dims.push_back(batch == 'h' ? argument("heads")
                       : hasHeads   ? outerBatches()
                                    : argument(count));
    map.strides.push_back(argument(batchStride(batch, name)) * bytes);
    map.box.push_back(1);
  }
  map.swizzle = kernel::swizzleBytes(box.width * sizeOf(type));
  return map;
}

/// The map of A's windows: from the first corner to that of the last window.
static TensorMap windowMapOf(const WsSide &side, ElementType type) {
  TensorMap map;
  Box box = boxOf(side, type);
  map.base = argument(side.name);
  map.type = toString(type);
  map.dims = {argument("channels"), argument("inw"), argument("inh"),
              argument("images")};
  for (const char *stride : {"lda", "ha", "sa"})
    map.strides.push_back(argument(stride) * sizeOf(type));
  for (const char *along : {"w", "h"}) {
    auto of = [&](const char *name) { return argument(name + Twine(along)); };
    map.lower.push_back(0 - of("pad"));
    map.upper.push_back((of("out") - 1) * of("step") - of("pad") - of("in") +
                        1);
    map.steps.push_back(of("step"));
  }
  map.box = {box.width, box.lines};
  map.swizzle = kernel::swizzleBytes(box.width * sizeOf(type));
  return map;
}

static TensorMap mapOf(const WsSide &side, const Problem &problem,
                       ElementType type, bool hasHeads) {
  const char *k = side.hasTaps ? "channels" : "k";
  TensorMap map =
      side.hasWindows
          ? windowMapOf(side, type)
          : mapOf(side.name, type, boxOf(side, type),
                  side.alongK ? k : side.extent, side.alongK ? side.extent : k,
                  side.batches, hasHeads, problem.groups ? "groups" : "batch");
  if (side.hasTaps) {
    map.dims.push_back(argument("taps"));
    PlanFormula stride = argument("channels");
    if (!side.alongK)
      stride = stride * argument("ldb");
    map.strides.push_back(stride * sizeOf(type));
    map.box.push_back(1);
  }
  if (isRounded(problem))
    map.type = "tf32";
  return map;
}

static TensorMap mapOf(const std::string &name, const GemmOperands &operands,
                       const WarpSpecialized &knobs) {
  const Problem &problem = operands.problem;
  bool hasHeads = operands.hasHeads();
  for (const WsSide &side : {leftOf(operands, knobs), rightOf(operands, knobs)})
    if (name == side.name)
      return mapOf(side, problem, knobs.slotType(problem, name == "a"),
                   hasHeads);
  return mapOf(name, problem.c, boxOfC(operands, knobs), "n", "m",
               operands.c.batches, hasHeads);
}

static TensorMap mapOf(const WsResidual &residual, const GemmOperands &operands,
                       const WarpSpecialized &knobs) {
  // Like C's map, apart from the strides.
  int64_t bytes = sizeOf(operands.problem.c);
  TensorMap map =
      mapOf(residual.name(), operands.problem.c, boxOfC(operands, knobs), "n",
            "m", residual.batches, operands.hasHeads());
  map.strides = {argument(residual.lineStride()) * bytes};
  for (char batch : llvm::reverse(residual.batches))
    map.strides.push_back(argument(residual.batchStride(batch)) * bytes);
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

/// Operand `index` as a matrix that the engine can read: of C's type, with
/// lines along C's that start, as far as is known, at multiples of 16 bytes.
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
  WsResidual residual = {index, ""};
  for (auto [dim, stride] : llvm::zip_equal(dims, strides)) {
    if (dim != 'm' && dim != 'n')
      residual.batches += dim;
    if (dim == 'n')
      continue;
    bool isKnown = !ShapedType::isDynamic(stride);
    if (isKnown && (stride <= 0 || stride * sizeOf(problem.c) % kAlign))
      return std::nullopt;
  }
  return residual;
}

std::optional<WsResidual> hone::residualOf(MatmulOp op,
                                           const GemmOperands &operands,
                                           const WarpSpecialized &knobs) {
  // The engine does not end with a group's rows.
  if (!knobs.mayBring() || op.getRagged())
    return std::nullopt;
  if (operands.problem.init == Init::read)
    return WsResidual{/*index=*/-1, operands.c.batches};
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
  auto addMap = [&](const std::string &name, Value memref, Box box, size_t rank,
                    bool rounded = false, bool hasWindows = false) {
    params.push_back(
        {LaunchParam::tensorMap, argument(name),
         kernel::MapType::get(context, box.lines, box.width, elementOf(memref),
                              rank, rounded, hasWindows)});
  };
  WsSide a = leftOf(operands, knobs), b = rightOf(operands, knobs);
  if (knobs.transposes)
    std::swap(a, b);
  const Problem &problem = operands.problem;
  auto addFactor = [&](const WsSide &side, Value memref, ElementType type) {
    addMap(side.name, memref, boxOf(side, type), side.rank(),
           isRounded(problem), side.hasWindows);
  };
  addFactor(a, op.getA(), problem.a.type);
  ElementType typeB = knobs.slotType(problem, /*isA=*/false);
  addFactor(b, typeB == problem.b.type ? op.getB() : op.getA(), typeB);
  if (knobs.storesByEngine())
    addMap("c", op.getC(), boxOfC(operands, knobs),
           2 + operands.c.batches.size());
  std::optional<WsResidual> residual = residualOf(op, operands, knobs);
  if (residual && !residual->isC())
    addMap(residual->name(), op.getC(), boxOfC(operands, knobs),
           2 + residual->batches.size());
  bool needsC = knobs.storesByThreads() ||
                (problem.init == Init::read && !residual) || op.getRagged();
  if (needsC)
    params.addPointer("c", op.getC());
  if (knobs.streams)
    params.push_back(
        {LaunchParam::ptr, argument("ws"),
         kernel::BufferType::get(context, Float32Type::get(context))});
  // For a tile that is cut, threads add up the stored sums.
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    if (!residual || residual->index != int64_t(i) || knobs.streams)
      params.addPointer(epilogueName(i), operand);
  if (operands.hasWindows)
    params.addNumbers(op, LaunchParam::i32,
                      {"m", "n", "group", "channels", "taps", "filterh",
                       "filterw", "outh", "outw", "steph", "stepw", "dilh",
                       "dilw", "padh", "padw"});
  else
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
  if (op.getRagged()) {
    params.addPointer("segments", op.getEnds());
    params.addNumbers(op, LaunchParam::i32, {"groups"});
  }
  return params;
}

TensorMap hone::wsMapOf(const std::string &name, const GemmOperands &operands,
                        const WarpSpecialized &knobs,
                        const std::optional<WsResidual> &residual) {
  return residual && !residual->isC() && name == residual->name()
             ? mapOf(*residual, operands, knobs)
             : mapOf(name, operands, knobs);
}
