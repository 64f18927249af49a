//===- BuildGemm.cpp - Operands and arguments of GPU kernels --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the GPU families. The epilogue is in BuildEpilogue.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/BuildGemm.h"
#include "hone/Guards/Places.h"
#include "hone/Schedule/Geometry.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Layout of operands in memory
//===----------------------------------------------------------------------===//

static MatrixDims matrixDims(StringRef letters, Order typeOrder, Order order) {
  int64_t rank = letters.size();
  // The type has the outer index first unless the strides differ.
  bool swapped = (typeOrder == Order::row) != (order == Order::row);
  return {swapped ? rank - 1 : rank - 2, letters.drop_back(2).str()};
}

GemmOperands::GemmOperands(MatmulOp op)
    : problem(op.getProblem()),
      a(matrixDims(op.getLettersA(), op.getOrderA(), problem.a.order)),
      b(matrixDims(op.getLettersB(), op.getOrderB(), problem.b.order)),
      c(matrixDims(op.getLettersC(), Order::row, Order::row)),
      hasWindows(bool(op.getWindowAttr())) {
  // An image's columns are lines, its rows and images batches.
  if (hasWindows)
    a.batches = kKernelBatches;
}

std::string hone::batchStride(char batch, StringRef name) {
  return ((batch == 'b' ? "s" : "h") + name).str();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Type hone::elementOf(Value memref) {
  return cast<ShapedType>(memref.getType()).getElementType();
}

void KernelParams::addPointer(std::string name, Value memref) {
  push_back({LaunchParam::ptr, PlanFormula::argument(std::move(name)),
             kernel::BufferType::get(memref.getContext(), elementOf(memref))});
}

void KernelParams::addNumbers(MatmulOp op, LaunchParam::Kind kind,
                              ArrayRef<StringRef> names) {
  auto type =
      IntegerType::get(op.getContext(), kind == LaunchParam::i32 ? 32 : 64);
  for (StringRef name : names)
    push_back({kind, argument(name), type});
}

void KernelParams::addEpilogueStrides(MatmulOp op) {
  for (size_t i = 0; i < op.getEpilogueOperands().size(); ++i)
    for (char letter : op.getDimsOf(i))
      addNumbers(op, LaunchParam::i64, {epilogueName(i, letter)});
}

gpu::GPUFuncOp hone::createKernel(KernelModule &module, MatmulOp op,
                                  StringRef name, const KernelParams &params,
                                  int64_t threads, int64_t clusterBlocks) {
  auto types = llvm::map_to_vector(
      params, [](const KernelParam &param) { return param.type; });
  auto func = module.create(op.getLoc(), name, types, threads);
  if (clusterBlocks > 1)
    func->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                  DenseI32ArrayAttr::get(op.getContext(),
                                         {int32_t(clusterBlocks), 1, 1}));
  return func;
}

std::string hone::epilogueName(int64_t index, char dim) {
  std::string name = "e" + std::to_string(index);
  return dim ? name + dim : name;
}

static void addDecisions(LaunchArgs &args, const Schedule &schedule) {
  for (const Schedule::Decided &one : schedule.decided())
    if (one.decision->when == When::runTime &&
        !llvm::is_contained(args.getNames(), one.decision->name.str()))
      args.addConstant(one.decision->name, one.numbers.front());
}

namespace {
/// A stride of A, B or C, as guards name it and the host passes it.
struct Step {
  std::string name;
  char batch; ///< 0 for the stride from line to line
};
} // namespace

/// The strides of operand `name` that a kernel may need to be multiples: guards
/// check only these (alignmentGuard), and the host passes only these
/// (collectArgs).
static SmallVector<Step> stepsOf(StringRef name, const MatrixDims &dims) {
  SmallVector<Step> steps = {{("ld" + name).str(), 0}};
  for (char batch : kKernelBatches)
    if (dims.hasBatch(batch))
      steps.push_back({batchStride(batch, name), batch});
  return steps;
}

/// Adds the strides of one operand along its lines, or along `batch`. The
/// latter is 0 if one matrix serves all batches.
static void addStep(LaunchArgs &args, StringRef name, Value memref,
                    const MatrixDims &dims, char batch) {
  int64_t unit = kBestAlign / *bytesOfElement(hone::elementOf(memref));
  for (const Step &step : stepsOf(name, dims))
    if (step.batch == batch)
      return args.addStep(step.name, memref,
                          batch ? dims.batches.find(batch) : dims.line,
                          dims.inner(), unit);
  args.addConstant(batchStride(batch, name), 0);
}

static void addSteps(LaunchArgs &args, MatmulOp op,
                     const GemmOperands &operands, char batch) {
  if (!operands.hasWindows)
    addStep(args, "a", op.getA(), operands.a, batch);
  addStep(args, "b", op.getB(), operands.b, batch);
  addStep(args, "c", op.getC(), operands.c, batch);
}

static void addBatch(LaunchArgs &args, MatmulOp op,
                     const GemmOperands &operands) {
  args.addExtents("batch", op.getC(), operands.c.batches.size());
  addSteps(args, op, operands, 'b');
  if (!operands.hasHeads())
    return;
  args.addExtent("heads", op.getC(), operands.c.batches.find('h'));
  addSteps(args, op, operands, 'h');
}

/// The windows of an op as it states them.
static Window statedWindow(MatmulOp op) {
  auto type = cast<MemRefType>(op.getA().getType());
  WindowAttr attribute = op.getWindowAttr();
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  auto known = [](int64_t number) {
    return ShapedType::isDynamic(number) ? kDynamic : number;
  };
  Window window;
  window.images = known(type.getDimSize(0));
  window.imagePitch = window.h.pitch = known(strides.front());
  window.channels = known(type.getShape().back());
  unsigned sides = attribute.getSize().size();
  for (unsigned i = 0; i < sides; ++i) {
    Window::Side &side = i + 1 == sides ? window.w : window.h;
    int64_t extent = type.getDimSize(i + 1);
    side = {known(extent),
            known(strides[i + 1]),
            known(attribute.countAlong(i, extent)),
            attribute.getSize()[i],
            attribute.getStep()[i],
            attribute.getDilation()[i],
            attribute.getLow()[i]};
  }
  return window;
}

/// The numbers of windows, as the copy engine reads them: the same places as
/// the op's, but perhaps of another image (hone/Schedule/Access.h).
static void addWindows(LaunchArgs &args, MatmulOp op, const Window &window) {
  auto image = cast<MemRefType>(op.getA().getType());
  int64_t inner = image.getRank() - 1;
  int64_t unit = kBestAlign / *bytesOfElement(hone::elementOf(op.getA()));
  auto addPitch = [&](StringRef name, int64_t pitch, int64_t dim) {
    if (pitch == kDynamic)
      args.addStep(name, op.getA(), dim, inner, unit);
    else
      args.addConstant(name, pitch);
  };
  if (window.images == kDynamic)
    args.addExtent("images", op.getA(), 0);
  else
    args.addConstant("images", window.images);
  args.addConstant("channels", window.channels);
  args.addConstant("taps", window.h.size * window.w.size);
  for (auto [along, side] : {std::pair("h", &window.h), {"w", &window.w}}) {
    auto add = [&, along = along](StringRef name, int64_t number) {
      args.addConstant((name + along).str(), number);
    };
    add("in", side->extent);
    add("out", side->count);
    add("filter", side->size);
    add("step", side->step);
    add("dil", side->dilation);
    add("pad", side->low);
  }
  addPitch("lda", window.w.pitch, inner - 1);
  addPitch("ha", window.h.pitch, inner - 2);
  addPitch("sa", window.imagePitch, 0);
  args.addFact(equals(argument("images") * argument("outh") * argument("outw"),
                      argument("m")));
  args.addFact(equals(argument("taps") * argument("channels"), argument("k")));
}

LaunchArgs hone::collectArgs(MatmulOp op, const GemmOperands &operands,
                             const RangedSchedule &schedules) {
  LaunchArgs args;
  args.addAddress("a", op.getA());
  args.addAddress("b", op.getB());
  args.addAddress("c", op.getC());
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    args.addAddress(epilogueName(i), operand);

  int64_t rank = cast<MemRefType>(op.getC().getType()).getRank();
  args.addExtent("m", op.getC(), rank - 2);
  args.addExtent("n", op.getC(), rank - 1);
  if (operands.hasWindows) {
    args.addExtent("k", op.getB(), op.getLettersB().find('k'));
    // Without the number of images, rows of windows may be images, too.
    Window window = *operands.problem.a.access->window();
    if (window.images == kDynamic)
      window = statedWindow(op);
    addWindows(args, op, window);
  } else {
    int64_t rankA = cast<MemRefType>(op.getA().getType()).getRank();
    args.addExtent("k", op.getA(),
                   op.getOrderA() == Order::row ? rankA - 1 : rankA - 2);
  }
  addDecisions(args, schedules.last);
  for (const ScheduleRange &range : schedules.ranges)
    addDecisions(args, range.schedule);

  addSteps(args, op, operands, /*batch=*/0);
  if (op.isBatched())
    addBatch(args, op, operands);
  if (op.getRagged()) {
    args.addAddress("segments", op.getEnds());
    args.addExtent("groups", op.getEnds(), 0);
    args.addFact(groupsGuard(op));
    if (!op.isBatched())
      addStep(args, "b", op.getB(), operands.b, 'b');
  }
  if (op.getGather()) {
    args.addAddress("index", op.getIndex());
    args.addExtent("ma", op.getA(), 0);
  }
  for (auto [i, operand] : llvm::enumerate(op.getEpilogueOperands()))
    for (auto [dim, letter] : llvm::enumerate(op.getDimsOf(i)))
      args.addStride(epilogueName(i, letter), operand, dim);
  if (PlanFormula places = placesGuard(op); !places.empty())
    args.addFact(places);
  return args;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

PlanFormula hone::placesGuard(MatmulOp op) {
  if (hasDistinctElements(op.getC().getType()))
    return {};
  return distinctPlaces(op.getBatches().size());
}

PlanFormula hone::groupsGuard(MatmulOp op) {
  if (!op.getRagged())
    return PlanFormula();
  PlanFormula guard = argument("groups") < kMaxGroups + 1;
  // The start of a segment, of a part of it, and of a step are added in 32 bits.
  constexpr int64_t kMaxExtent = int64_t(1) << 30;
  const char *extent = op.isRaggedSum() ? "k" : "m";
  return both(guard, argument(extent) < kMaxExtent + 1);
}

kernel::SegmentOp hone::createSegment(OpBuilder &builder, Location loc,
                                      Value tile,
                                      std::map<std::string, Value> &params,
                                      int64_t height, Value columns,
                                      ValueRange after) {
  SmallVector<Type> types(6, builder.getI32Type());
  return kernel::SegmentOp::create(
      builder, loc, types, tile, params["segments"], params["groups"],
      params["m"], params["k"], height, columns, after);
}

Value hone::groupOf(OpBuilder &builder, kernel::SegmentOp segment) {
  Location loc = segment.getLoc();
  Value exists =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                            segment.getSegment(), segment.getGroups());
  Value first =
      arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), 0);
  return arith::SelectOp::create(builder, loc, exists, segment.getSegment(),
                                 first);
}

PlanFormula hone::alignmentGuard(const Problem &problem,
                                 const GemmOperands &operands) {
  PlanFormula guard = 1;
  auto require = [&](StringRef name, const MatrixDims &dims, int64_t align,
                     int64_t elementBytes) {
    if (align <= elementBytes)
      return;
    guard = both(guard, isMultiple(argument(name), align));
    for (const Step &step : stepsOf(name, dims))
      guard =
          both(guard, isMultiple(argument(step.name), align / elementBytes));
  };
  require("a", operands.a, problem.a.align, sizeOf(problem.a.type));
  require("b", operands.b, problem.b.align, sizeOf(problem.b.type));
  require("c", operands.c, problem.alignC, sizeOf(problem.c));
  return guard;
}

bool hone::alwaysHolds(MatmulOp op, const GemmOperands &operands,
                       const KernelPlan &plan) {
  return collectArgs(op, operands, op.getSchedules())
      .facts()
      .implies(plan.alternatives.back().guard);
}
