//===- MatchBody.cpp - Bodies that sum products ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the body of a linalg op as c + left * right, of floats or of integers.
// The factors may be any expressions: frontends, and upstream's fusion of
// elementwise ops, move ops that precede a product into its body. Roundings
// between product and sum are followed, because they only define the precision
// of the program's sum.
//
// A contraction that is not a hone.matmul runs without Hone, often much slower.
// So it is a warning, or an error where the build requires measured schedules.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Match/Match.h"
#include "passes/Support.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

Value match::skipExtensions(Value value) {
  while (isa_and_present<arith::ExtFOp, arith::ExtSIOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

namespace {
/// Follows a value up through conversions, and remembers the narrowest type.
struct Narrowest {
  Type type;

  void add(Type other) {
    if (!type || other.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      type = other;
  }

  Value skipConversions(Value value) {
    for (add(value.getType());; add(value.getType())) {
      Operation *op = value.getDefiningOp();
      if (!isa_and_present<arith::ExtFOp, arith::TruncFOp>(op))
        return value;
      value = op->getOperand(0);
    }
  }
};
} // namespace

std::optional<Product> match::readBody(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  Value c = op.getRegionOutputArgs().front();
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  for (Type type : {yielded.getType(), c.getType()})
    if (!isa<FloatType, IntegerType>(type))
      return std::nullopt;
  Narrowest narrowest;
  Value sum = narrowest.skipConversions(yielded);
  Product product;
  if (auto fma = sum.getDefiningOp<math::FmaOp>();
      fma && narrowest.skipConversions(fma.getC()) == c) {
    product.left = fma.getA();
    product.right = fma.getB();
  } else if (Operation *add = sum.getDefiningOp();
             isa_and_present<arith::AddFOp, arith::AddIOp>(add)) {
    Value left = narrowest.skipConversions(add->getOperand(0));
    Value right = narrowest.skipConversions(add->getOperand(1));
    if ((left == c) == (right == c))
      return std::nullopt;
    Operation *multiply = (left == c ? right : left).getDefiningOp();
    if (!isa_and_present<arith::MulFOp, arith::MulIOp>(multiply))
      return std::nullopt;
    product.left = multiply->getOperand(0);
    product.right = multiply->getOperand(1);
  } else {
    return std::nullopt;
  }
  product.wideLeft = std::exchange(product.left, skipExtensions(product.left));
  product.wideRight =
      std::exchange(product.right, skipExtensions(product.right));
  product.sumType = narrowest.type;
  return product;
}

bool match::isPlain(linalg::LinalgOp op, const Product &product) {
  if (op.getNumDpsInputs() != 2)
    return false;
  Value a = op.getBlock()->getArgument(0), b = op.getBlock()->getArgument(1);
  return (product.left == a && product.right == b) ||
         (product.left == b && product.right == a);
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

llvm::SetVector<Operation *> match::expressionOf(Value value, Block *body) {
  llvm::SetVector<Operation *> found;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (op && op->getBlock() == body && found.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  return found;
}

SmallVector<unsigned> match::inputsOf(Value value, linalg::LinalgOp op) {
  llvm::SmallDenseSet<unsigned> found;
  auto add = [&](Value used) {
    if (auto argument = dyn_cast<BlockArgument>(used);
        argument && argument.getOwner() == op.getBlock())
      found.insert(argument.getArgNumber());
  };
  add(value);
  for (Operation *inner : expressionOf(value, op.getBlock()))
    llvm::for_each(inner->getOperands(), add);
  auto result = llvm::to_vector(found);
  llvm::sort(result);
  return result;
}

/// True if the body multiplies values from several inputs and yields a value
/// computed from the product.
static bool multipliesInputs(linalg::LinalgOp op) {
  unsigned inputs = op.getNumDpsInputs();
  auto readsInputs = [&](ArrayRef<unsigned> arguments) {
    return llvm::count_if(arguments,
                          [&](unsigned index) { return index < inputs; });
  };
  Block *body = op.getBlock();
  for (Value yielded : body->getTerminator()->getOperands())
    for (Operation *inner : expressionOf(yielded, body)) {
      if (!isa<arith::MulFOp, arith::MulIOp, math::FmaOp, complex::MulOp>(
              inner))
        continue;
      SmallVector<unsigned> left = inputsOf(inner->getOperand(0), op);
      SmallVector<unsigned> right = inputsOf(inner->getOperand(1), op);
      if (!readsInputs(left) || !readsInputs(right))
        continue;
      llvm::SmallDenseSet<unsigned> both(left.begin(), left.end());
      both.insert(right.begin(), right.end());
      if (readsInputs(llvm::to_vector(both)) > 1)
        return true;
    }
  return false;
}

bool match::looksLikeMatmul(linalg::LinalgOp op) {
  return op.getNumReductionLoops() > 0 &&
         (linalg::isaContractionOpInterface(op) ||
          op->getName().getStringRef().contains("matmul") ||
          multipliesInputs(op));
}

//===----------------------------------------------------------------------===//
// Products that are left alone
//===----------------------------------------------------------------------===//

/// True if users expect a kernel for `op`: it is a contraction by its form or
/// its name, and has something to compute. Convolutions have remarks alone.
static bool isExpected(linalg::LinalgOp op) {
  return (linalg::isaContractionOpInterface(op) ||
          op->getName().getStringRef().contains("matmul")) &&
         !llvm::is_contained(op.getStaticLoopRanges(), 0);
}

void LeftAlone::add(linalg::LinalgOp op, const std::string &why) {
  remarkMissed(op, "not-matched", "not matched: " + why);
  if (isExpected(op))
    byCause["'" + op->getName().getStringRef().str() +
            "' is left alone: " + why]
        .push_back(op.getLoc());
}

bool LeftAlone::report(bool isError) const {
  for (const auto &[cause, locations] : byCause) {
    InFlightDiagnostic said =
        isError ? emitError(locations.front()) : emitWarning(locations.front());
    said << cause;
    for (Location other : llvm::drop_begin(locations))
      said.attachNote(other) << "so is this one";
  }
  return isError && !byCause.empty();
}

SmallVector<linalg::LinalgOp> match::findCandidates(ModuleOp module) {
  llvm::MapVector<Operation *, SmallVector<linalg::LinalgOp>> byFunction;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::GPUModuleOp>(op))
      return WalkResult::skip();
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
        linalgOp && looksLikeMatmul(linalgOp))
      byFunction[op->getParentOfType<FunctionOpInterface>()].push_back(
          linalgOp);
    return WalkResult::advance();
  });
  SmallVector<linalg::LinalgOp> candidates;
  for (const auto &[function, ops] : byFunction)
    llvm::append_range(candidates, llvm::reverse(ops));
  return candidates;
}
