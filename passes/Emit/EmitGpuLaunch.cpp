//===- EmitGpuLaunch.cpp - Launches through the gpu dialect ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs with a GPU runtime of their own. A plan becomes
// `gpu.launch_func` under its guards, with the plan's expressions written out
// as arithmetic. Launches that gpu.launch_func cannot express (tensor maps,
// clusters, workspace) stay with libhone_rt.
//
//===----------------------------------------------------------------------===//

#include "hone/Runtime/Expression.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Emit/Emit.h"

using namespace mlir;
using namespace hone;

static bool isPlain(const KernelLaunch &launch) {
  bool mapped = llvm::any_of(launch.params, [](const LaunchParam &param) {
    return param.kind == LaunchParam::tensorMap;
  });
  bool clustered = llvm::any_of(launch.cluster, [](const PlanFormula &extent) {
    return !extent.isNumber(1);
  });
  // A programmatic launch may overlap with its predecessor, but need not.
  return !mapped && !clustered;
}

bool hone::isPlainLaunch(const LaunchPlan &plan) {
  return llvm::all_of(plan.alternatives,
                      [](const PlanAlternative &alternative) {
                        return alternative.workspaceBytes.empty() &&
                               llvm::all_of(alternative.launches, isPlain);
                      });
}

namespace {

/// Writes the expressions of one plan out for one launch.
class PlanWriter {
public:
  PlanWriter(OpBuilder &builder, kernel::LaunchOp launch,
             const LaunchPlan &plan, StringRef binary)
      : builder(builder), loc(launch.getLoc()), args(launch.getArgs()),
        plan(plan), binary(binary) {}

  /// The alternatives from `index` on: one if per guard, each in the else of
  /// the one before.
  LogicalResult writeFrom(size_t index) {
    if (index == plan.alternatives.size())
      return success();
    const PlanAlternative &alternative = plan.alternatives[index];
    decisions = alternative.decisions;
    if (alternative.guard.isNumber(1) && alternative.extent.empty())
      return writeLaunches(alternative);
    FailureOr<Value> condition = evaluate(conditionOf(alternative));
    if (failed(condition))
      return failure();
    auto branch = scf::IfOp::create(builder, loc, isTrue(*condition),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard keep(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    if (failed(writeLaunches(alternative)))
      return failure();
    builder.setInsertionPointToStart(branch.elseBlock());
    return writeFrom(index + 1);
  }

private:
  /// Bound and guard, as one expression.
  static PlanFormula conditionOf(const PlanAlternative &alternative) {
    if (alternative.extent.empty())
      return alternative.guard;
    return PlanFormula::of(Expression::Op::logicalAnd,
                           PlanFormula::argument(alternative.extent) <=
                               alternative.max,
                           alternative.guard);
  }

  LogicalResult writeLaunches(const PlanAlternative &alternative) {
    for (const KernelLaunch &launch : alternative.launches)
      if (failed(writeLaunch(launch)))
        return failure();
    return success();
  }

  LogicalResult writeLaunch(const KernelLaunch &launch) {
    FailureOr<gpu::KernelDim3> grid = evaluate3(launch.grid);
    FailureOr<gpu::KernelDim3> block = evaluate3(launch.block);
    if (failed(grid) || failed(block))
      return failure();
    SmallVector<Value> params;
    for (const LaunchParam &param : launch.params) {
      FailureOr<Value> value = evaluate(param.value);
      if (failed(value))
        return failure();
      params.push_back(asParam(param.kind, *value));
    }
    // The driver refuses a grid without blocks, which an empty matrix has.
    Value blocks = arith::MulIOp::create(builder, loc, grid->x, grid->y);
    auto branch = scf::IfOp::create(
        builder, loc,
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, blocks,
                              arith::ConstantIndexOp::create(builder, loc, 0)));
    OpBuilder::InsertionGuard keep(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto entry = SymbolRefAttr::get(
        builder.getContext(), binary,
        {FlatSymbolRefAttr::get(builder.getContext(), launch.entry)});
    Value shared = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(launch.sharedBytes));
    gpu::LaunchFuncOp::create(builder, loc, entry, *grid, *block, shared,
                              params);
    return success();
  }

  FailureOr<gpu::KernelDim3> evaluate3(const PlanFormula (&formulas)[3]) {
    Value values[3];
    for (auto [formula, value] : llvm::zip(formulas, values)) {
      FailureOr<Value> number = evaluate(formula);
      if (failed(number))
        return failure();
      value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         *number);
    }
    return gpu::KernelDim3{values[0], values[1], values[2]};
  }

  Value asParam(LaunchParam::Kind kind, Value value) {
    if (kind == LaunchParam::ptr)
      return LLVM::IntToPtrOp::create(
          builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
          value);
    if (kind == LaunchParam::i64)
      return value;
    Value narrow =
        arith::TruncIOp::create(builder, loc, builder.getI32Type(), value);
    if (kind == LaunchParam::i32)
      return narrow;
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(), narrow);
  }

  /// The value of a formula, by walking its program with a stack of values.
  FailureOr<Value> evaluate(const PlanFormula &formula) {
    Expression expression;
    if (!formula.bind(plan.args, expression).empty())
      return failure();
    for (const PlanDecision &decision : decisions)
      expression.bind(llvm::find(plan.args, decision.name) - plan.args.begin(),
                      decision.value);
    SmallVector<Value> stack;
    for (const Expression::Step &step : expression.steps()) {
      using Op = Expression::Op;
      // The skips only save work, or a division by zero that cannot happen
      // here: arithmetic on values computes both sides.
      if (step.op == Op::skipIfZero || step.op == Op::skipIfNonZero)
        continue;
      // There is no query of the device: use the default of the expression.
      if (step.op == Op::orElse)
        continue;
      Value top = step.source == Expression::Source::stack
                      ? stack.pop_back_val()
                  : step.source == Expression::Source::argument
                      ? Value(args[step.value])
                      : constant(step.value);
      if (step.op == Op::push)
        stack.push_back(top);
      else if (step.op == Op::negate)
        stack.push_back(arith::SubIOp::create(builder, loc, constant(0), top));
      else
        stack.push_back(apply(step.op, stack.pop_back_val(), top));
    }
    return stack.back();
  }

  Value apply(Expression::Op op, Value a, Value b) {
    using Op = Expression::Op;
    switch (op) {
    case Op::add:
      return arith::AddIOp::create(builder, loc, a, b);
    case Op::sub:
      return arith::SubIOp::create(builder, loc, a, b);
    case Op::mul:
      return arith::MulIOp::create(builder, loc, a, b);
    case Op::div:
      return arith::DivSIOp::create(builder, loc, a, b);
    case Op::mod:
      return arith::RemSIOp::create(builder, loc, a, b);
    case Op::ceildiv:
      return arith::CeilDivSIOp::create(builder, loc, a, b);
    case Op::min:
      return arith::MinSIOp::create(builder, loc, a, b);
    case Op::max:
      return arith::MaxSIOp::create(builder, loc, a, b);
    case Op::logicalAnd:
      return extend(arith::AndIOp::create(builder, loc, isTrue(a), isTrue(b)));
    case Op::logicalOr:
      return extend(arith::OrIOp::create(builder, loc, isTrue(a), isTrue(b)));
    default:
      return extend(arith::CmpIOp::create(builder, loc, predicate(op), a, b));
    }
  }

  static arith::CmpIPredicate predicate(Expression::Op op) {
    using Op = Expression::Op;
    switch (op) {
    case Op::ne:
      return arith::CmpIPredicate::ne;
    case Op::lt:
      return arith::CmpIPredicate::slt;
    case Op::le:
      return arith::CmpIPredicate::sle;
    case Op::gt:
      return arith::CmpIPredicate::sgt;
    case Op::ge:
      return arith::CmpIPredicate::sge;
    default:
      return arith::CmpIPredicate::eq;
    }
  }

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value isTrue(Value value) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 constant(0));
  }
  Value extend(Value bit) {
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), bit);
  }

  OpBuilder &builder;
  Location loc;
  OperandRange args;
  const LaunchPlan &plan;
  StringRef binary;
  ArrayRef<PlanDecision> decisions; ///< of the alternative that is written
};

} // namespace

LogicalResult hone::emitGpuLaunch(kernel::LaunchOp launch,
                                  const LaunchPlan &plan, StringRef binary) {
  OpBuilder builder(launch);
  if (failed(PlanWriter(builder, launch, plan, binary).writeFrom(0)))
    return launch.emitError(
        "expected a plan whose expressions can be written out as "
        "arithmetic; use host=runtime");
  // gpu.launch_func refers to kernels only inside of a module that is marked as
  // a container of kernels.
  launch->getParentOfType<ModuleOp>()->setAttr(
      gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());
  launch.erase();
  return success();
}
