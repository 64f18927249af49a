//===- LaunchOperands.cpp - Operands of a rest kernel's launch ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchOperands.h.
//
//===----------------------------------------------------------------------===//

#include "LaunchOperands.h"
#include "../LaunchSource.h"
#include "Launch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool mayBeSame(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// Extents and strides of a static array, the largest stride first, with as few
/// dimensions as its elements permit. Nothing for another array.
static std::optional<SmallVector<std::pair<int64_t, int64_t>>>
elementsOf(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  if (!type.hasStaticShape() ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return std::nullopt;
  SmallVector<std::pair<int64_t, int64_t>> dims, merged;
  for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides))
    if (extent != 1)
      dims.push_back({extent, stride});
  llvm::stable_sort(dims, [](const auto &one, const auto &other) {
    return one.second > other.second;
  });
  for (auto [extent, stride] : dims)
    if (!merged.empty() && merged.back().second == extent * stride)
      merged.back() = {merged.back().first * extent, stride};
    else
      merged.push_back({extent, stride});
  return merged;
}

/// True if a memref of type `given` may be passed as `wanted`: it may have the
/// same dimensions, or has the same elements. The offset is part of the
/// address; a stride that is never used may be anything.
static bool mayBe(MemRefType given, MemRefType wanted) {
  if (given.getElementType() != wanted.getElementType())
    return false;
  auto elements = elementsOf(given);
  if (elements && elements == elementsOf(wanted))
    return true;
  if (given.getRank() != wanted.getRank())
    return false;
  SmallVector<int64_t> own = given.getStridesAndOffset().first;
  SmallVector<int64_t> expected = wanted.getStridesAndOffset().first;
  for (int64_t i = 0; i < given.getRank(); ++i)
    if (!mayBeSame(given.getDimSize(i), wanted.getDimSize(i)) ||
        (given.getDimSize(i) > 1 && !mayBeSame(own[i], expected[i])))
      return false;
  return true;
}

static Value withoutIndexCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

/// The scalar whose bits `word` contains.
static Value scalarOf(Value word) {
  word = withoutIndexCasts(word);
  if (auto wider = word.getDefiningOp<arith::ExtUIOp>())
    word = wider.getIn();
  if (auto bits = word.getDefiningOp<arith::BitcastOp>())
    word = bits.getIn();
  return word;
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// The source of an extent, followed through casts and to the allocation of its
/// memory; extents change in the same way when the host code is simplified.
static Source resolve(Source extent) {
  while (extent.kind == Source::extent) {
    auto type = cast<MemRefType>(extent.memref.getType());
    if (!type.isDynamicDim(extent.number))
      return {Source::constant, Value(), type.getDimSize(extent.number)};
    Operation *op = extent.memref.getDefiningOp();
    ValueRange sizes;
    if (auto alloc = dyn_cast_or_null<memref::AllocOp>(op))
      sizes = alloc.getDynamicSizes();
    else if (auto alloc = dyn_cast_or_null<gpu::AllocOp>(op))
      sizes = alloc.getDynamicSizes();
    else if (auto view = dyn_cast_or_null<memref::ViewOp>(op))
      sizes = view.getSizes();
    else
      return op ? Source() : extent;
    extent = sourceOf(sizes[type.getDynamicDimIndex(extent.number)]);
  }
  return extent;
}

/// True if the two are certain to be different values, as far as their sources
/// in the host code show.
static bool isOther(const Source &given, const Source &wanted) {
  Source a = resolve(given), b = resolve(wanted);
  if (a.kind == Source::unknown || b.kind == Source::unknown)
    return false;
  // A constant may equal a value that is known only at run time.
  if ((a.kind == Source::constant) != (b.kind == Source::constant))
    return a.kind == Source::address || a.kind == Source::distance;
  return a.kind != b.kind || a.memref != b.memref || a.number != b.number;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
class Operands {
public:
  Operands(kernel::LaunchOp launch, func::FuncOp function)
      : launch(launch), function(function) {
    for (auto [name, value] : llvm::zip(
             launch.getNames().getAsValueRange<StringAttr>(), launch.getArgs()))
      values[name] = value;
  }

  std::string run() {
    // The plan names its function; its kernel has the function's parameters.
    StringRef plan = launch.getPlan().getLeafReference();
    if (!plan.starts_with(function.getName()))
      fail(formatv("expected a plan of '{0}', from which its kernel is made, "
                   "but got '{1}'",
                   function.getName(), plan));
    for (auto &[name, value] : values)
      if (auto param = parseParam(name);
          param && param->argument < function.getNumArguments())
        check(name, *param, value);
    return fault;
  }

private:
  void fail(std::string why) {
    if (fault.empty())
      fault = std::move(why);
  }

  void check(StringRef name, const Param &param, Value value) {
    Type type = function.getArgumentTypes()[param.argument];
    auto memref = dyn_cast<MemRefType>(type);
    if (param.kind == Param::scalar)
      return checkScalar(name, type, value);
    if (!memref)
      return;
    if (param.kind == Param::address)
      return checkAddress(name, memref, param.argument, value);
    auto base = values.find("p" + std::to_string(param.argument));
    if (base == values.end())
      return;
    Source own = sourceOf(base->second);
    if (own.kind != Source::address ||
        param.dim >= cast<MemRefType>(own.memref.getType()).getRank())
      return;
    checkNumber(name, param, sourceOf(value), own.memref);
  }

  bool isWritten(Value argument) {
    return llvm::any_of(function.getOps<linalg::GenericOp>(),
                        [&](linalg::GenericOp op) {
                          return llvm::is_contained(op.getDpsInits(), argument);
                        });
  }

  void checkScalar(StringRef name, Type type, Value value) {
    Source source = sourceOf(value);
    if (source.kind == Source::address)
      return fail(
          formatv("expected a {0} for '{1}', but got an address", type, name));
    Value scalar = scalarOf(value);
    bool isWord = scalar.getType().isInteger(64) || scalar.getType().isIndex();
    if (!isWord && scalar.getType() != type)
      fail(formatv("expected a {0} for '{1}', but got a {2}", type, name,
                   scalar.getType()));
  }

  void checkAddress(StringRef name, MemRefType wanted, unsigned argument,
                    Value value) {
    Source source = sourceOf(value);
    if (source.kind == Source::unknown || source.kind == Source::constant)
      return;
    if (source.kind != Source::address)
      return fail(formatv("expected an address for '{0}', but got an extent or "
                          "a distance",
                          name));
    auto given = cast<MemRefType>(source.memref.getType());
    if (!mayBe(given, wanted))
      return fail(formatv("expected the address of a {0} for '{1}', but got "
                          "that of a {2}",
                          wanted, name, given));
    auto global = rootOf(source.memref).getDefiningOp<memref::GetGlobalOp>();
    if (global && isWritten(function.getArgument(argument)))
      return fail(formatv("expected memory that may be written for '{0}', but "
                          "got the table '{1}'",
                          name, global.getName()));
    checkOffset(name, given, source.memref, value);
  }

  /// Checks the offset of the first element from the start of the memref's
  /// bytes.
  void checkOffset(StringRef name, MemRefType type, Value memref, Value value) {
    Value sum = withoutIndexCasts(value);
    int64_t offset = type.getStridesAndOffset().second;
    auto add = sum.getDefiningOp<arith::AddIOp>();
    if (!add) {
      if (offset != 0 && !ShapedType::isDynamic(offset))
        fail(formatv("expected {0} elements after the start of {1} for '{2}', "
                     "but got the start",
                     offset, type, name));
      return;
    }
    bool isFirst = bool(
        add.getLhs().getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>());
    Value bytes = isFirst ? add.getRhs() : add.getLhs();
    int64_t size = (widthOf(type.getElementType()) + 7) / 8;
    APInt number;
    if (matchPattern(bytes, m_ConstantInt(&number))) {
      if (!ShapedType::isDynamic(offset) &&
          number.getSExtValue() != offset * size)
        fail(formatv("expected {0} elements after the start of {1} for '{2}', "
                     "but got {3} bytes",
                     offset, type, name, number.getSExtValue()));
      return;
    }
    checkOpenOffset(name, bytes, memref, size);
  }

  /// Checks an offset that is known only at the launch: that of the same
  /// memref, in bytes.
  void checkOpenOffset(StringRef name, Value bytes, Value memref,
                       int64_t size) {
    Value elements = bytes;
    APInt number;
    bool isScaled = size == 1;
    if (auto product = bytes.getDefiningOp<arith::MulIOp>()) {
      elements = product.getLhs();
      isScaled = matchPattern(product.getRhs(), m_ConstantInt(&number)) &&
                 number.getSExtValue() == size;
    } else if (auto shift = bytes.getDefiningOp<arith::ShLIOp>()) {
      elements = shift.getLhs();
      isScaled = matchPattern(shift.getRhs(), m_ConstantInt(&number)) &&
                 number.ult(63) && int64_t(1) << number.getZExtValue() == size;
    }
    auto parts = elements.getDefiningOp<memref::ExtractStridedMetadataOp>();
    if (!parts || parts.getOffset() != elements)
      return;
    if (!isScaled)
      return fail(formatv("expected an offset of elements of {0} bytes for "
                          "'{1}', but got another",
                          size, name));
    if (withoutCasts(parts.getSource()) != memref)
      fail(formatv("expected the offset of the same memref for '{0}', but got "
                   "that of another",
                   name));
  }

  void checkNumber(StringRef name, const Param &param, const Source &source,
                   Value memref) {
    bool isExtent = param.kind == Param::extent;
    Source wanted = {isExtent ? Source::extent : Source::distance, memref,
                     param.dim};
    auto type = cast<MemRefType>(memref.getType());
    int64_t stride = type.getStridesAndOffset().first[param.dim];
    if (!isExtent && !ShapedType::isDynamic(stride))
      wanted = {Source::constant, Value(), stride};
    // A dimension of one element has any stride.
    bool isFree = !isExtent && type.getDimSize(param.dim) <= 1 &&
                  !type.isDynamicDim(param.dim);
    if (!isFree && isOther(source, wanted))
      fail(formatv("expected the {0} of operand {1} in dimension {2} for "
                   "'{3}', but got another value",
                   isExtent ? "extent" : "stride", param.argument, param.dim,
                   name));
  }

  kernel::LaunchOp launch;
  func::FuncOp function;
  llvm::MapVector<StringRef, Value> values;
  std::string fault;
};
} // namespace

std::string rest::faultOfOperands(kernel::LaunchOp launch,
                                  func::FuncOp function) {
  return Operands(launch, function).run();
}
