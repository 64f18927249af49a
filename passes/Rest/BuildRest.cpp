//===- BuildRest.cpp - Kernels and launches for functions of the rest -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass. Each function that hone-outline-rest has made becomes a kernel and
// a launch plan; where alignment matters, it gets a second kernel for unaligned
// operands. Each call of the function becomes a launch.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Build/BuildKernel.h"
#include "passes/Passes.h"
#include "passes/Rest/Rest.h"
#include "passes/Support.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

namespace hone {
#define GEN_PASS_DEF_BUILDREST
#include "passes/Passes.h.inc"
} // namespace hone

using namespace mlir;
using namespace hone;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The number of points of `loops`, in arguments of the launch.
static PlanFormula countOf(const RestStep &step, ArrayRef<unsigned> loops) {
  linalg::GenericOp op = step.op;
  auto nameOf = [&](unsigned loop) -> std::string {
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (expr == getAffineDimExpr(loop, op.getContext())) {
          auto type = cast<MemRefType>(operand.get().getType());
          unsigned argument = cast<BlockArgument>(operand.get()).getArgNumber();
          if (type.isDynamicDim(dim))
            return RestParam{RestParam::extent, argument, int64_t(dim)}.name();
        }
    }
    llvm_unreachable("a dynamic extent is that of an operand");
  };
  int64_t known = 1;
  for (unsigned loop : loops)
    if (!ShapedType::isDynamic(step.extents[loop]))
      known *= step.extents[loop];
  PlanFormula count = known;
  for (unsigned loop : loops)
    if (ShapedType::isDynamic(step.extents[loop]))
      count = count * PlanFormula::argument(nameOf(loop));
  return count;
}

static LaunchParam::Kind kindOf(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LaunchParam::ptr;
  if (type.isF32())
    return LaunchParam::f32;
  return type.isInteger(32) ? LaunchParam::i32 : LaunchParam::i64;
}

static KernelLaunch launchOf(func::FuncOp function, const RestLayout &layout,
                             StringRef entry, const Arch &arch) {
  KernelLaunch launch;
  launch.entry = entry.str();
  launch.block[0] = layout.threads;
  const RestStep &step = layout.steps.front();
  if (layout.isRows) {
    launch.grid[0] = countOf(step, step.rowNumbers());
  } else {
    int64_t points = layout.threads * layout.tiles.front().points();
    launch.grid[0] = min(RestLayout::maxBlocks(arch),
                         ceildiv(countOf(step, step.parallel), points));
  }
  launch.programmatic = layout.mayOverlap;
  for (const RestParam &param : restParams(function)) {
    LaunchParam &added = launch.params.emplace_back();
    added.kind = kindOf(restParamType(function, param));
    added.value = PlanFormula::argument(param.name());
  }
  return launch;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Makes the kernels and the plan of one function.
class Builder {
public:
  Builder(KernelModule &module, const Arch &arch, func::FuncOp function)
      : module(module), arch(arch), function(function) {}

  /// Records the plan under a name that holds everything that the function's
  /// name leaves out: in every module, equal names mean equal kernels.
  FailureOr<SymbolRefAttr> build(LaunchPlan &plan) {
    RestLayout layout(function, arch);
    std::string name = formatv("{0}_{1}_{2}", function.getName(), arch.isa,
                               layout.tiles.front().width);
    for (const RestParam &param : restParams(function))
      plan.args.push_back(param.name());
    PlanFormula aligned = 1;
    for (auto [argument, align] : llvm::enumerate(buildKernel(layout, name)))
      if (align > 1) {
        RestParam address = {RestParam::address, unsigned(argument)};
        aligned = both(
            aligned, equals(PlanFormula::argument(address.name()) % align, 0));
      }
    addAlternative(plan, aligned, layout, name);
    if (!aligned.isNumber(1)) {
      RestLayout any = layout.unaligned();
      buildKernel(any, name + "_unaligned");
      addAlternative(plan, 1, any, name + "_unaligned");
    }
    return module.addPlan(function.getLoc(), name, plan);
  }

private:
  /// Returns the alignment that the kernel assumes of its arguments.
  SmallVector<int64_t> buildKernel(const RestLayout &layout, StringRef name) {
    SmallVector<Type> types;
    for (const RestParam &param : restParams(function))
      types.push_back(restParamType(function, param));
    gpu::GPUFuncOp kernel =
        module.create(function.getLoc(), name, types, layout.threads);
    kernel->setAttr(kernel::kRestAttr, function.getNameAttr());
    return buildRestBody(function, layout, kernel);
  }

  void addAlternative(LaunchPlan &plan, const PlanFormula &guard,
                      const RestLayout &layout, StringRef name) {
    PlanAlternative &alternative = plan.alternatives.emplace_back();
    alternative.guard = guard;
    alternative.launches.push_back(launchOf(function, layout, name, arch));
  }

  KernelModule &module;
  const Arch &arch;
  func::FuncOp function;
};
} // namespace

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// A scalar as the bits of a 64-bit word.
static Value toWord(OpBuilder &builder, Location loc, Value scalar) {
  Type type = scalar.getType(), i64 = builder.getI64Type();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, scalar);
  Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (type != integer)
    scalar = arith::BitcastOp::create(builder, loc, integer, scalar);
  return integer == i64
             ? scalar
             : arith::ExtUIOp::create(builder, loc, i64, scalar).getResult();
}

static LogicalResult makeLaunch(RewriterBase &rewriter, func::CallOp call,
                                func::FuncOp function, const LaunchPlan &plan,
                                SymbolRefAttr reference) {
  rewriter.setInsertionPoint(call);
  LaunchArgs args;
  for (const RestParam &param : restParams(function)) {
    Value value = call.getOperand(param.argument);
    switch (param.kind) {
    case RestParam::address:
      args.addAddress(param.name(), value);
      break;
    case RestParam::extent:
      args.addExtent(param.name(), value, param.dim);
      break;
    case RestParam::stride:
      args.addStride(param.name(), value, param.dim);
      break;
    case RestParam::scalar:
      args.addWord(param.name(), toWord(rewriter, call.getLoc(), value));
      break;
    }
  }
  if (failed(verifyLastAlternative(call, plan, args)))
    return failure();
  args.launch(rewriter, call.getLoc(), reference);
  rewriter.eraseOp(call);
  return success();
}

/// Removes ops without a point: they leave their results unchanged.
static void dropEmptySteps(func::FuncOp function) {
  for (auto op :
       llvm::make_early_inc_range(function.getOps<linalg::GenericOp>()))
    if (llvm::is_contained(op.getStaticLoopRanges(), 0))
      op.erase();
}

namespace {
struct BuildRestPass : hone::impl::BuildRestBase<BuildRestPass> {
  using BuildRestBase::BuildRestBase;

  void runOnOperation() override {
    // On the host, the function itself runs.
    auto run = [&](const Arch &gpu) { return build(gpu); };
    if (failed(forGpu(getOperation(), arch, run)))
      signalPassFailure();
  }

private:
  LogicalResult build(const Arch &gpu) {
    llvm::StringMap<SmallVector<func::CallOp>> calls;
    getOperation().walk(
        [&](func::CallOp call) { calls[call.getCallee()].push_back(call); });
    SmallVector<func::FuncOp> functions;
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!function->hasAttr(kernel::kRestAttr))
        continue;
      dropEmptySteps(function);
      if (!function.getOps<linalg::GenericOp>().empty()) {
        functions.push_back(function);
        continue;
      }
      for (func::CallOp call : calls.lookup(function.getName()))
        call.erase();
      function.erase();
    }
    if (functions.empty())
      return success();
    KernelModule kernels(getOperation(), gpu);
    IRRewriter rewriter(&getContext());
    for (func::FuncOp function : functions) {
      LaunchPlan plan;
      crossLines(rewriter, function);
      FailureOr<SymbolRefAttr> name =
          Builder(kernels, gpu, function).build(plan);
      if (failed(name))
        return failure();
      for (func::CallOp call : calls.lookup(function.getName()))
        if (failed(makeLaunch(rewriter, call, function, plan, *name)))
          return failure();
    }
    return success();
  }
};
} // namespace
