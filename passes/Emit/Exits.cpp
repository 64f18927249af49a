//===- Exits.cpp - Functions that return where a call fails ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch can leave a block, but not the region of a loop. So the loops and
// branches around a check become blocks first, and the others stay as they are.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Emit/Failures.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static bool hasCheck(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isRequire(inner) ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if a check is inside of an op of this dialect.
template <typename DialectT>
static bool isAround(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        bool found = isa<DialectT>(op->getDialect()) && hasCheck(op);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Affine ops have affine operands, so either all of them are lowered or none.
static LogicalResult lowerAffine(func::FuncOp function) {
  ConversionTarget target(*function.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<affine::AffineDialect>();
  RewritePatternSet patterns(function.getContext());
  populateAffineToStdConversionPatterns(patterns);
  return applyPartialConversion(function, target, std::move(patterns));
}

static LogicalResult lowerStructured(func::FuncOp function) {
  ConversionTarget target(*function.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addDynamicallyLegalDialect<scf::SCFDialect>(
      [](Operation *op) { return !hasCheck(op); });
  RewritePatternSet patterns(function.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  return applyPartialConversion(function, target, std::move(patterns));
}

static LogicalResult lowerAroundChecks(func::FuncOp function) {
  if (isAround<affine::AffineDialect>(function) &&
      failed(lowerAffine(function)))
    return failure();
  if (isAround<scf::SCFDialect>(function) && failed(lowerStructured(function)))
    return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Exits
//===----------------------------------------------------------------------===//

Value hone::zeroOf(OpBuilder &builder, Location loc, Type type) {
  if (TypedAttr zero = builder.getZeroAttr(type))
    return arith::ConstantOp::create(builder, loc, zero);
  LLVMTypeConverter converter(builder.getContext());
  Type lowered = converter.convertType(type);
  if (!lowered)
    return {};
  Value zero = LLVM::ZeroOp::create(builder, loc, lowered);
  return lowered == type
             ? zero
             : UnrealizedConversionCastOp::create(builder, loc, type, zero)
                   .getResult(0);
}

/// The block that frees `memory` and returns.
static FailureOr<Block *> makeExit(func::FuncOp function, ExitMemory &memory) {
  OpBuilder builder(function.getContext());
  Block *exit =
      builder.createBlock(&function.getBody(), function.getBody().end());
  Location loc = function.getLoc();
  memory.free(builder, loc);
  SmallVector<Value> zeros;
  for (Type type : function.getResultTypes()) {
    zeros.push_back(zeroOf(builder, loc, type));
    if (!zeros.back())
      return function.emitError("expected results with a zero to return where "
                                "a call fails, but got ")
             << type << "; use on-error=abort";
  }
  func::ReturnOp::create(builder, loc, zeros);
  return exit;
}

/// Replaces `require` with a branch on the status.
static void branch(LLVM::CallOp require, Block *exit) {
  Block *start = require->getBlock();
  Block *rest = start->splitBlock(std::next(require->getIterator()));
  OpBuilder builder(require);
  Location loc = require.getLoc();
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value isGood = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       require.getOperand(0), zero);
  cf::CondBranchOp::create(builder, loc, isGood, rest, exit);
  Operation *where = require.getOperand(1).getDefiningOp();
  require.erase();
  where->erase();
}

LogicalResult hone::addExits(func::FuncOp function) {
  if (failed(lowerAroundChecks(function)))
    return function.emitError(
        "expected control flow that can be lowered to blocks around calls that "
        "may fail; use on-error=abort");
  SmallVector<LLVM::CallOp> checks;
  WalkResult result = function.walk([&](LLVM::CallOp call) {
    if (!isRequire(call))
      return WalkResult::advance();
    if (call->getParentOp() != function) {
      call.emitError("expected loops and branches of scf or affine around "
                     "calls that may fail, but got '")
          << call->getParentOp()->getName() << "'; use on-error=abort";
      return WalkResult::interrupt();
    }
    checks.push_back(call);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (checks.empty())
    return success();
  ExitMemory memory(function);
  memory.track();
  FailureOr<Block *> exit = makeExit(function, memory);
  if (failed(exit))
    return failure();
  for (LLVM::CallOp require : checks)
    branch(require, *exit);
  return success();
}
