//===- RestStep.cpp - Linalg ops as steps of a kernel ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test of whether a kernel can run an op, and the op's rows.
//
//===----------------------------------------------------------------------===//

#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Rest/Rest.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The op that adds a point to result `index`; null if the result depends on
/// more than that op, or if the order matters.
static Operation *combinerOf(linalg::GenericOp op, unsigned index) {
  BlockArgument sum = op.getRegionOutputArgs()[index];
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  Operation *combiner = yield.getOperand(index).getDefiningOp();
  if (!combiner || !sum.hasOneUse() || *sum.user_begin() != combiner ||
      combiner->getNumOperands() != 2 || !combiner->getResult(0).hasOneUse())
    return nullptr;
  const ScalarOp *row = findScalarOp(combiner->getName().getStringRef());
  bool isFree = row && row->is(ScalarOp::commutative);
  return isFree && arith::getNeutralElement(combiner) ? combiner : nullptr;
}

RestStep RestStep::of(linalg::GenericOp op) {
  RestStep step;
  step.op = op;
  step.extents = op.getStaticLoopRanges();
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    (type == utils::IteratorType::parallel ? step.parallel : step.reduced)
        .push_back(loop);
  if (step.reduced.empty())
    return step;
  for (unsigned i = 0; i < op.getRegionOutputArgs().size(); ++i)
    step.combiners.push_back(combinerOf(op, i));
  // The limit on the results that threads exchange, each of up to 8 bytes.
  constexpr size_t kMaxResults = 4;
  bool known = !llvm::is_contained(step.combiners, nullptr) &&
               step.combiners.size() <= kMaxResults;
  if (!known)
    step.combiners.clear();
  return step;
}

int64_t RestStep::countOf(ArrayRef<unsigned> loops) const {
  int64_t count = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(extents[loop]))
      return ShapedType::kDynamic;
    count *= extents[loop];
  }
  return count;
}

bool RestStep::splitRows(int64_t rows) {
  rowLoops = parallel.size();
  if (reducesRows())
    return countOf(parallel) == rows;
  int64_t count = 1;
  for (rowLoops = 0; count != rows; ++rowLoops) {
    if (rowLoops == parallel.size() ||
        ShapedType::isDynamic(extents[parallel[rowLoops]]))
      return false;
    count *= extents[parallel[rowLoops]];
  }
  return true;
}

/// True if row i is the i-th of equal parts of the memory. Another step then
/// finds its row i in the same part, in any shape.
bool RestStep::staysInRow(OpOperand &operand) const {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return false;
  linalg::GenericOp generic = op;
  AffineMap map = generic.getMatchingIndexingMap(&operand);
  if (map.getNumResults() < rowLoops)
    return false;
  for (unsigned i = 0; i < rowLoops; ++i) {
    unsigned loop = parallel[i];
    AffineExpr at = map.getResult(i);
    auto constant = dyn_cast<AffineConstantExpr>(at);
    bool isOnly = extents[loop] == 1 && constant && constant.getValue() == 0;
    if (type.getDimSize(i) != extents[loop] ||
        (at != getAffineDimExpr(loop, map.getContext()) && !isOnly))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Ops that kernels can run
//===----------------------------------------------------------------------===//

static bool isRestElement(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IndexType>(
             type) ||
         type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

static bool isRestOperand(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return isRestElement(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  // Strides that are unknown may be negative at the launch.
  return isRestElement(memref.getElementType()) && !memref.getMemorySpace() &&
         succeeded(memref.getStridesAndOffset(strides, offset)) &&
         llvm::none_of(strides, [](int64_t stride) {
           return stride < 0 && !ShapedType::isDynamic(stride);
         });
}

/// True if no part of the map can be below zero: positions are unsigned.
static bool isNeverNegative(AffineMap map) {
  bool isNegative = false;
  map.walkExprs([&](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    isNegative |= constant && constant.getValue() < 0;
  });
  return !isNegative && map.getNumSymbols() == 0;
}

static std::string whyNotScalar(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isRestOperand(load.getMemRefType())
               ? ""
               : "it reads memory without strides";
  if (isa<linalg::IndexOp, linalg::YieldOp, scf::YieldOp>(op) ||
      isRestScalar(op))
    return "";
  return ("no kernel can compute '" + op->getName().getStringRef() + "'").str();
}

int64_t hone::launchArgsOf(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return 1;
  auto [strides, offset] = memref.getStridesAndOffset();
  return 1 + memref.getNumDynamicDims() +
         llvm::count(strides, ShapedType::kDynamic);
}

std::string hone::whyNotRest(linalg::GenericOp op) {
  llvm::SetVector<Value> taken;
  taken.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op.getRegion(), taken);
  int64_t args = 0;
  for (Value value : taken) {
    if (!isRestOperand(value.getType()))
      return "an operand is not in strided memory, or is of a type other than "
             "floats and integers of 1, 8, 16, 32 and 64 bits";
    args += launchArgsOf(value.getType());
  }
  if (args > kMaxRestArgs)
    return "it has more operands than a launch can pass";
  if (!llvm::all_of(op.getIndexingMapsArray(), isNeverNegative))
    return "one of its indices may be negative";
  std::string why;
  op.getRegion().walk([&](Operation *inner) {
    if (why.empty())
      why = isa<scf::ForOp>(inner)   ? ""
            : inner->getNumRegions() ? "its body has branches"
                                     : whyNotScalar(inner);
    for (Value operand : inner->getOperands())
      if (why.empty() && !isRestOperand(operand.getType()))
        why = "its body has values that are neither floats nor integers";
  });
  return why;
}
