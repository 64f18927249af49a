//===- LaunchArgs.cpp - Arguments of a launch -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchArgs.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/LaunchArgs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Support.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

static MemRefType typeOf(Value memref) {
  return cast<MemRefType>(memref.getType());
}

void LaunchArgs::addAddress(StringRef name, Value memref) {
  args.push_back({Arg::address, name.str(), memref});
}

void LaunchArgs::addExtent(StringRef name, Value memref, int64_t dim) {
  args.push_back({Arg::extents, name.str(), memref, dim});
}

void LaunchArgs::addExtents(StringRef name, Value memref, int64_t count) {
  args.push_back({Arg::extents, name.str(), memref, 0, count});
}

void LaunchArgs::addStride(StringRef name, Value memref, int64_t dim) {
  int64_t stride = typeOf(memref).getStridesAndOffset().first[dim];
  if (!ShapedType::isDynamic(stride))
    return addConstant(name, stride);
  args.push_back({Arg::stride, name.str(), memref, dim});
}

void LaunchArgs::addStep(StringRef name, Value memref, int64_t dim,
                         int64_t inner, int64_t unit) {
  MemRefType type = typeOf(memref);
  if (type.getDimSize(dim) != 1)
    return addStride(name, memref, dim);
  if (type.isDynamicDim(inner)) {
    args.push_back({Arg::roundedExtent, name.str(), memref, inner, 1, unit});
    return;
  }
  int64_t min = std::max<int64_t>(type.getDimSize(inner), 1);
  int64_t stride = type.getStridesAndOffset().first[dim];
  bool isStep =
      !ShapedType::isDynamic(stride) && stride >= min && stride % unit == 0;
  addConstant(name, isStep ? stride : int64_t(llvm::alignTo(min, unit)));
}

void LaunchArgs::addConstant(StringRef name, int64_t value) {
  args.push_back({Arg::constant, name.str(), Value(), 0, 1, value});
}

void LaunchArgs::addWord(StringRef name, Value word) {
  args.push_back({Arg::word, name.str(), word});
}

void LaunchArgs::addFact(PlanFormula condition) {
  conditions.push_back(std::move(condition));
}

std::vector<std::string> LaunchArgs::getNames() const {
  std::vector<std::string> names;
  for (const Arg &arg : args)
    names.push_back(arg.name);
  return names;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The known alignment in bytes, up to 16, of the address of the first element.
/// A memref without an offset starts at its allocation (docs/Pipeline.md).
static int64_t alignmentOf(Value memref) {
  MemRefType type = typeOf(memref);
  int64_t bytes = bytesOfElement(type.getElementType()).value_or(1);
  auto meet = [&](int64_t align, int64_t elements) {
    int64_t rest = elements % kBestAlign;
    return rest ? int64_t(llvm::MinAlign(align, rest * bytes)) : align;
  };
  if (auto view = memref.getDefiningOp<memref::ViewOp>()) {
    auto shift = getConstantIntValue(OpFoldResult(view.getByteShift()));
    return shift && *shift ? int64_t(llvm::MinAlign(kBestAlign, *shift))
                           : kBestAlign;
  }
  int64_t offset = type.getStridesAndOffset().second;
  if (!ShapedType::isDynamic(offset))
    return meet(kBestAlign, offset);
  Operation *op = memref.getDefiningOp();
  if (isa_and_nonnull<memref::CastOp, memref::CollapseShapeOp,
                      memref::ExpandShapeOp, memref::TransposeOp>(op))
    return alignmentOf(op->getOperand(0));
  auto slice = dyn_cast_or_null<memref::SubViewOp>(op);
  if (!slice)
    return bytes;
  int64_t align = alignmentOf(slice.getSource());
  SmallVector<int64_t> strides =
      slice.getSourceType().getStridesAndOffset().first;
  for (auto [start, stride] : llvm::zip(slice.getStaticOffsets(), strides)) {
    int64_t divisor = ShapedType::isDynamic(stride) ? 1 : stride;
    align = meet(align, ShapedType::isDynamic(start)
                            ? divisor
                            : start % kBestAlign * (divisor % kBestAlign));
  }
  return align;
}

std::string LaunchArgs::nameOfExtent(Value memref, int64_t dim) const {
  for (const Arg &arg : args)
    if (arg.kind == Arg::extents && arg.value == memref && arg.first == dim &&
        arg.count == 1)
      return arg.name;
  return "";
}

/// The facts that the layout states about an unknown stride.
PlanFormula LaunchArgs::strideFact(const Arg &arg) const {
  MemRefType type = typeOf(arg.value);
  if (!type.getLayout().isIdentity())
    return {};
  int64_t known = 1;
  SmallVector<std::string> factors;
  for (int64_t dim = arg.first + 1; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      factors.push_back(nameOfExtent(arg.value, dim));
    else
      known *= type.getDimSize(dim);
  PlanFormula stride = PlanFormula::argument(arg.name);
  if (llvm::is_contained(factors, ""))
    return both(stride >= 0, equals(stride % known, 0));
  PlanFormula product = known;
  for (const std::string &factor : factors)
    product = product * PlanFormula::argument(factor);
  return equals(stride, product);
}

void LaunchArgs::addFactsOf(const Arg &arg, GuardFacts &facts) const {
  PlanFormula value = PlanFormula::argument(arg.name);
  auto add = [&](const PlanFormula &condition) {
    [[maybe_unused]] std::string error = facts.add(condition);
    assert(error.empty() && "facts are of the arguments");
  };
  switch (arg.kind) {
  case Arg::address:
    return add(equals(value % alignmentOf(arg.value), 0));
  case Arg::constant:
    return add(equals(value, arg.number));
  case Arg::word:
    return;
  case Arg::stride:
    if (PlanFormula fact = strideFact(arg); !fact.empty())
      add(fact);
    return;
  case Arg::roundedExtent:
    add(value > 0);
    add(equals(value % arg.number, 0));
    if (std::string extent = nameOfExtent(arg.value, arg.first);
        !extent.empty())
      add(value >= PlanFormula::argument(extent));
    return;
  case Arg::extents: {
    ArrayRef<int64_t> sizes =
        typeOf(arg.value).getShape().slice(arg.first, arg.count);
    add(value >= 0);
    // Kernels count in 32 bits (Problem::fault).
    if (arg.count == 1)
      add(value <= kLargestExtent);
    if (llvm::none_of(sizes, ShapedType::isDynamic))
      add(equals(value, llvm::product_of(sizes)));
    return;
  }
  }
}

GuardFacts LaunchArgs::facts() const {
  GuardFacts facts(getNames());
  for (const PlanFormula &condition : conditions) {
    [[maybe_unused]] std::string error = facts.add(condition);
    assert(error.empty() && "facts are of the arguments");
  }
  for (const Arg &arg : args)
    addFactsOf(arg, facts);
  return facts;
}

LogicalResult hone::verifyLastAlternative(Operation *op, const LaunchPlan &plan,
                                          const LaunchArgs &args) {
  const PlanAlternative &last = plan.alternatives.back();
  std::string open = last.extent + " <= " + std::to_string(last.max);
  if (last.extent.empty() && args.facts().implies(last.guard, &open))
    return success();
  // Invariant numbers may exclude the kernel for all operands.
  auto matmul = dyn_cast<MatmulOp>(op);
  bool isInvariant = matmul && matmul.getNumbersAttr() &&
                     matmul.getNumbersAttr().getValue().isInvariant();
  return op->emitError("expected a launch plan whose last alternative always "
                       "holds, but got one that asks '")
         << open << "', which the types of the operands do not state; "
         << (isInvariant ? "state it, or use numbers = deterministic"
                         : "report this, with the operands' types");
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static Value emitAddress(OpBuilder &builder, Location loc, Value memref) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  MemRefType type = typeOf(memref);
  if (type.getStridesAndOffset().second == 0)
    return address;
  auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value size = arith::ConstantIndexOp::create(
      builder, loc, *bytesOfElement(type.getElementType()));
  Value bytes = arith::MulIOp::create(builder, loc, parts.getOffset(), size);
  return arith::AddIOp::create(builder, loc, address, bytes);
}

static Value emitExtents(OpBuilder &builder, Location loc, Value memref,
                         int64_t first, int64_t count) {
  Value product = memref::DimOp::create(builder, loc, memref, first);
  for (int64_t dim = first + 1; dim < first + count; ++dim)
    product =
        arith::MulIOp::create(builder, loc, product,
                              memref::DimOp::create(builder, loc, memref, dim));
  return product;
}

/// The smallest multiple of `unit` above an extent.
static Value emitRounded(OpBuilder &builder, Location loc, Value extent,
                         int64_t unit) {
  Value by = arith::ConstantIndexOp::create(builder, loc, unit);
  Value count = arith::DivUIOp::create(builder, loc, extent, by);
  Value below = arith::MulIOp::create(builder, loc, count, by);
  return arith::AddIOp::create(builder, loc, below, by);
}

Value LaunchArgs::emit(OpBuilder &builder, Location loc, const Arg &arg) const {
  auto asWord = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  };
  switch (arg.kind) {
  case Arg::address:
    return asWord(emitAddress(builder, loc, arg.value));
  case Arg::extents:
    return asWord(emitExtents(builder, loc, arg.value, arg.first, arg.count));
  case Arg::stride:
    return asWord(
        memref::ExtractStridedMetadataOp::create(builder, loc, arg.value)
            .getStrides()[arg.first]);
  case Arg::roundedExtent:
    return asWord(emitRounded(
        builder, loc, memref::DimOp::create(builder, loc, arg.value, arg.first),
        arg.number));
  case Arg::constant:
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(arg.number));
  case Arg::word:
    return arg.value;
  }
  llvm_unreachable("a kind of argument");
}

kernel::LaunchOp LaunchArgs::launch(RewriterBase &rewriter, Location loc,
                                    SymbolRefAttr plan) const {
  std::vector<std::string> names = getNames();
  SmallVector<StringRef> keys(names.begin(), names.end());
  auto values = llvm::map_to_vector(
      args, [&](const Arg &arg) { return emit(rewriter, loc, arg); });
  return kernel::LaunchOp::create(rewriter, loc, plan,
                                  rewriter.getStrArrayAttr(keys), values);
}

void LaunchArgs::launch(RewriterBase &rewriter, MatmulOp op,
                        SymbolRefAttr plan) const {
  kernel::LaunchOp launch = this->launch(rewriter, op.getLoc(), plan);
  launch->setAttr("hone.problem",
                  ProblemAttr::get(op.getContext(), op.getProblem()));
  launch->setAttr("hone.schedule", op.getScheduleAttr());
  if (RangesAttr ranges = op.getRangesAttr())
    launch->setAttr("hone.ranges", ranges);
  rewriter.eraseOp(op);
}
