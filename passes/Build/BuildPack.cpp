//===- BuildPack.cpp - Operands copied before the product -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel that copies operands, and its launch; see BuildPack.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/BuildPack.h"
#include "dialects/Kernel/LineMap.h"
#include "hone/Guards/Places.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

static constexpr int64_t kThreads = 256;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

PlanFormula PackedOperand::heads() const {
  return llvm::is_contained(batches, 'h') ? argument("heads") : 1;
}

PlanFormula PackedOperand::matrices() const {
  bool hasOuter = llvm::is_contained(batches, 'b');
  if (!hasOuter)
    return heads();
  if (!hasHeads || !heads().isNumber(1))
    return argument("batch");
  return outerBatches();
}

/// The number of elements in 128 bytes, of which lines are multiples.
static int64_t unitOf(ElementType type) {
  constexpr int64_t kUnitBytes = 128;
  return kUnitBytes / sizeOf(type);
}

PlanFormula PackedOperand::stride() const {
  int64_t unit = unitOf(copiedType);
  return ceildiv(copiedWidth(), unit) * unit;
}

/// The total over all matrices, given the amount for one.
static PlanFormula ofAll(const PlanFormula &matrices, const PlanFormula &one) {
  return matrices.isNumber(1) ? one : matrices * one;
}

PlanFormula PackedOperand::batchStride(char batch) const {
  return ofAll(batch == 'b' ? heads() : 1, copiedLines() * stride());
}

PlanFormula PackedOperand::partStride() const {
  return ofAll(matrices(), copiedLines() * stride());
}

PlanFormula PackedOperand::bytes() const {
  PlanFormula units = ofAll(
      matrices(), copiedLines() * ceildiv(copiedWidth(), unitOf(copiedType)));
  return isSplit ? units * 256 : ceildiv(units, 2) * 256;
}

PlanFormula PackedOperand::pieces() const {
  return lines * ceildiv(width, pieceElements(sizeOf(copiedType)));
}

PlanFormula PackedOperand::runs(int64_t threads) const {
  return ofAll(matrices(),
               isTransposed
                   ? ceildiv(lines, kTurnedLines) *
                         ceildiv(width, turnedColumns(threads, sizeOf(type)))
                   : ceildiv(pieces(), runPieces(threads)));
}

PlanFormula hone::packGuard(const PackedOperand &operand) {
  constexpr int64_t kMax = int64_t(1) << 31;
  return operand.pieces() < kMax;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// The parameters of one operand; see BuildPack.h.
static KernelParams paramsOf(MatmulOp op, const PackedOperand &operand) {
  MLIRContext *context = op.getContext();
  Type element = elementOf(operand.name == "a" ? op.getA() : op.getB());
  auto buffer = BufferType::get(context, element);
  // Only B is converted, to the type of A.
  auto copies = operand.copiedType == operand.type
                    ? buffer
                    : BufferType::get(context, elementOf(op.getA()));
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  auto strideOf = [&](char batch) -> PlanFormula {
    return llvm::is_contained(operand.batches, batch)
               ? argument(batchStride(batch, operand.name))
               : 0;
  };
  KernelParams params;
  auto add = [&](LaunchParam::Kind kind, PlanFormula value, Type type) {
    params.push_back({kind, std::move(value), type});
  };
  add(LaunchParam::ptr, argument(operand.name), buffer);
  add(LaunchParam::ptr, operand.base, copies);
  add(LaunchParam::i32, operand.lines, i32);
  add(LaunchParam::i32, operand.width, i32);
  add(LaunchParam::i32, operand.matrices(), i32);
  add(LaunchParam::i32, operand.heads(), i32);
  add(LaunchParam::i64, argument("ld" + operand.name), i64);
  add(LaunchParam::i64, strideOf('b'), i64);
  add(LaunchParam::i64, strideOf('h'), i64);
  add(LaunchParam::i64, operand.stride(), i64);
  return params;
}

namespace {

class PackKernel {
public:
  PackKernel(gpu::GPUFuncOp func, Location loc,
             ArrayRef<PackedOperand> operands)
      : func(func), loc(loc), operands(operands),
        builder(OpBuilder::atBlockBegin(&func.getBody().front())) {}

  void build() {
    DependReleaseOp::create(builder, loc);
    SmallVector<Source> sources;
    for (size_t i = 0; i < operands.size(); ++i)
      sources.push_back(sourceOf(i));
    Value total = sources.front().total;
    for (const Source &source : llvm::drop_begin(sources))
      total = arith::AddIOp::create(builder, loc, total, source.total);
    Type i32 = builder.getI32Type();
    auto place = WorkerOp::create(builder, loc, i32, i32, /*blocks=*/1);
    DependWaitOp::create(builder, loc);
    auto loop = scf::ForOp::create(builder, loc, place.getWorker(), total,
                                   place.getWorkers());
    builder.setInsertionPointToStart(loop.getBody());
    copyOneOf(sources, loop.getInductionVar());
    builder.setInsertionPointAfter(loop);
    gpu::ReturnOp::create(builder, loc);
  }

private:
  /// An operand's parameters, and its runs: per matrix, and in total.
  struct Source {
    Value from, to, lines, width, matrices, heads, ld, outer, inner, ldTo;
    Value runs, total;
    const PackedOperand *operand;
  };

  Source sourceOf(size_t index) {
    constexpr size_t kParams = 10;
    auto args = func.getArguments().slice(index * kParams, kParams);
    Source source = {args[0], args[1], args[2],         args[3], args[4],
                     args[5], args[6], args[7],         args[8], args[9],
                     Value(), Value(), &operands[index]};
    source.runs = runsOf(source);
    source.total =
        arith::MulIOp::create(builder, loc, source.runs, source.matrices);
    return source;
  }

  Value runsOf(const Source &source) {
    int64_t bytes = sizeOf(source.operand->copiedType);
    if (source.operand->isTransposed)
      return mul(ceilDiv(source.lines, kTurnedLines),
                 ceilDiv(source.width, turnedColumns(kThreads, bytes)));
    Value perLine = ceilDiv(source.width, pieceElements(bytes));
    return ceilDiv(mul(source.lines, perLine), runPieces(kThreads));
  }

  /// Copies run `number` of all sources, which are numbered one after the
  /// other.
  void copyOneOf(ArrayRef<Source> sources, Value number) {
    if (sources.size() == 1)
      return copyRun(sources.front(), number);
    Value total = sources.front().total;
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, number, total);
    auto branch = scf::IfOp::create(builder, loc, isFirst,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    copyRun(sources.front(), number);
    builder.setInsertionPointToStart(branch.elseBlock());
    copyOneOf(sources.drop_front(),
              arith::SubIOp::create(builder, loc, number, total));
  }

  void copyRun(const Source &source, Value number) {
    Value matrix = arith::DivUIOp::create(builder, loc, number, source.runs);
    Value run = arith::RemUIOp::create(builder, loc, number, source.runs);
    Value outer = arith::DivUIOp::create(builder, loc, matrix, source.heads);
    Value inner = arith::RemUIOp::create(builder, loc, matrix, source.heads);
    Value from =
        add(mul(extend(outer), source.outer), mul(extend(inner), source.inner));
    bool turns = source.operand->isTransposed;
    Value lines = extend(turns ? source.width : source.lines);
    Value to = mul(mul(extend(matrix), lines), source.ldTo), low;
    if (source.operand->isSplit) {
      Value part = mul(mul(extend(source.matrices), lines), source.ldTo);
      low = placeCopy(source, add(to, part));
    }
    Value original = place(source.from, from, source.lines, source.width,
                           source.ld, sizeOf(source.operand->type));
    Value copy = placeCopy(source, to);
    if (turns)
      TransposeLinesOp::create(builder, loc, run, original, copy, low);
    else
      CopyLinesOp::create(builder, loc, run, original, copy, low);
  }

  Value placeCopy(const Source &source, Value offset) {
    Value lines = source.lines, width = source.width;
    if (source.operand->isTransposed)
      std::swap(lines, width);
    return place(source.to, offset, lines, width, source.ldTo, kChunkBytes);
  }

  Value place(Value buffer, Value offset, Value lines, Value width,
              Value stride, int64_t align) {
    Type element = cast<BufferType>(buffer.getType()).getElement();
    auto type = MatrixType::get(builder.getContext(), element, align);
    return MatrixOp::create(builder, loc, type, buffer, offset, lines, width,
                            stride);
  }

  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value extend(Value number) {
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), number);
  }
  Value ceilDiv(Value a, int64_t b) {
    Value unit =
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(b));
    return arith::CeilDivUIOp::create(builder, loc, a, unit);
  }

  gpu::GPUFuncOp func;
  Location loc;
  ArrayRef<PackedOperand> operands;
  OpBuilder builder;
};

} // namespace

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

KernelLaunch hone::buildPack(KernelModule &module, MatmulOp op,
                             ArrayRef<PackedOperand> operands, bool overlaps) {
  // The number of blocks that a processor runs at once if each thread has its
  // pieces in registers.
  constexpr int64_t kBlocksOfProcessor = 4;
  KernelLaunch launch;
  KernelParams params;
  PlanFormula runs;
  launch.entry = "hone_pack";
  for (const PackedOperand &operand : operands) {
    launch.entry += ("_" + toString(operand.type)).str();
    if (operand.copiedType != operand.type)
      launch.entry += ("_to_" + toString(operand.copiedType)).str();
    if (operand.isSplit)
      launch.entry += "_split";
    if (operand.isTransposed)
      launch.entry += "_turned";
    params.append(paramsOf(op, operand));
    PlanFormula own = operand.runs(kThreads);
    runs = runs.empty() ? own : runs + own;
  }
  launch.grid[0] =
      min(op.getArchAttr().getValue().processors * kBlocksOfProcessor, runs);
  launch.block[0] = kThreads;
  launch.programmatic = overlaps;
  for (const KernelParam &param : params)
    launch.params.push_back({param.kind, param.value, {}});
  if (!module.find(launch.entry)) {
    gpu::GPUFuncOp func = createKernel(module, op, launch.entry, params,
                                       kThreads, /*clusterBlocks=*/1);
    PackKernel(func, op.getLoc(), operands).build();
  }
  return launch;
}
