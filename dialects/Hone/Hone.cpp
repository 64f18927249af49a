//===- Hone.cpp - Dialect hone --------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles the dialect: its attributes and ops, its version in bytecode, and
// the verifiers of attributes on linalg ops, modules and binaries.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace hone;

#include "dialects/Hone/HoneDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Hone/HoneOps.cpp.inc"

namespace {

struct HoneVersion : DialectVersion {
  explicit HoneVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

/// Bytecode carries the dialect's version; attributes are stored as their text,
/// which is as stable as the database's keys are.
struct HoneBytecode : BytecodeDialectInterface {
  explicit HoneBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(HoneDialect::kVersion);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > HoneDialect::kVersion) {
      reader.emitError() << "expected version " << HoneDialect::kVersion
                         << " or older of dialect hone, but got version "
                         << number << "; use a newer hone";
      return nullptr;
    }
    return std::make_unique<HoneVersion>(number);
  }
};

/// A matmul means the same in any place, so it can be inlined.
struct HoneInliner : DialectInlinerInterface {
  explicit HoneInliner(Dialect *dialect) : DialectInlinerInterface(dialect) {}

  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override {
    return true;
  }
};

} // namespace

/// The dimensions in `text`, which was a string until version 2.
static DimsAttr dimsOf(DialectBytecodeReader &reader, StringAttr text) {
  return DimsAttr::getChecked([&] { return reader.emitError(); },
                              reader.getContext(), text.getValue());
}

/// The dimensions of A, B or C.
static LogicalResult readDims(DialectBytecodeReader &reader, bool isText,
                              DimsAttr &dims) {
  if (!isText)
    return reader.readOptionalAttribute(dims);
  StringAttr text;
  if (failed(reader.readOptionalAttribute(text)))
    return failure();
  if (text)
    dims = dimsOf(reader, text);
  return success(!text || dims);
}

/// The dimensions of the epilogue's operands.
static LogicalResult readDims(DialectBytecodeReader &reader, bool isText,
                              ArrayAttr &list) {
  if (failed(reader.readOptionalAttribute(list)))
    return failure();
  if (!isText || !list)
    return success();
  SmallVector<Attribute> dims;
  for (Attribute element : list) {
    auto text = dyn_cast<StringAttr>(element);
    if (!text)
      return reader.emitError() << "expected dimensions to be a string, but "
                                   "got "
                                << element;
    dims.push_back(dimsOf(reader, text));
    if (!dims.back())
      return failure();
  }
  list = ArrayAttr::get(reader.getContext(), dims);
  return success();
}

/// Version 1 ends before the dimensions of A, B and C, version 3 before ranges,
/// version 4 before products, version 5 before the window, version 6 before
/// numbers, version 7 before ragged rows, version 8 before a gather.
LogicalResult MatmulOp::readProperties(DialectBytecodeReader &reader,
                                       OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  auto found = reader.getDialectVersion<HoneDialect>();
  uint64_t version = succeeded(found)
                         ? static_cast<const HoneVersion *>(*found)->number
                         : HoneDialect::kVersion;
  bool isText = version < 3;
  if (failed(reader.readAttribute(properties.acc)) ||
      failed(reader.readOptionalAttribute(properties.arch)) ||
      failed(readDims(reader, isText, properties.epilogueDims)) ||
      failed(reader.readOptionalAttribute(properties.init)) ||
      failed(reader.readOptionalAttribute(properties.orderA)) ||
      failed(reader.readOptionalAttribute(properties.orderB)) ||
      failed(reader.readOptionalAttribute(properties.schedule)))
    return failure();
  if (version < 2)
    return success();
  if (failed(readDims(reader, isText, properties.dimsA)) ||
      failed(readDims(reader, isText, properties.dimsB)) ||
      failed(readDims(reader, isText, properties.dimsC)))
    return failure();
  if (version >= 4 && failed(reader.readOptionalAttribute(properties.ranges)))
    return failure();
  if (version >= 5 && failed(reader.readOptionalAttribute(properties.products)))
    return failure();
  if (version >= 6 && failed(reader.readOptionalAttribute(properties.window)))
    return failure();
  if (version >= 7 && failed(reader.readOptionalAttribute(properties.numbers)))
    return failure();
  if (version >= 8 && failed(reader.readOptionalAttribute(properties.ragged)))
    return failure();
  return version < 9 ? success()
                     : reader.readOptionalAttribute(properties.gather);
}

void MatmulOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &properties = getProperties();
  writer.writeAttribute(properties.acc);
  writer.writeOptionalAttribute(properties.arch);
  writer.writeOptionalAttribute(properties.epilogueDims);
  writer.writeOptionalAttribute(properties.init);
  writer.writeOptionalAttribute(properties.orderA);
  writer.writeOptionalAttribute(properties.orderB);
  writer.writeOptionalAttribute(properties.schedule);
  writer.writeOptionalAttribute(properties.dimsA);
  writer.writeOptionalAttribute(properties.dimsB);
  writer.writeOptionalAttribute(properties.dimsC);
  writer.writeOptionalAttribute(properties.ranges);
  writer.writeOptionalAttribute(properties.products);
  writer.writeOptionalAttribute(properties.window);
  writer.writeOptionalAttribute(properties.numbers);
  writer.writeOptionalAttribute(properties.ragged);
  writer.writeOptionalAttribute(properties.gather);
}

void HoneDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Hone/HoneOps.cpp.inc"
      >();
  addInterfaces<HoneBytecode, HoneInliner>();
}

/// Checks kernel::kPlansAttr.
static LogicalResult verifyPlans(Operation *op, Attribute value) {
  bool isEmitted = isa<gpu::BinaryOp>(op);
  auto isPlan = [&](NamedAttribute plan) {
    auto lines = dyn_cast<ArrayAttr>(plan.getValue());
    return isEmitted ? lines && llvm::all_of(lines, llvm::IsaPred<StringAttr>)
                     : isa<kernel::PlanAttr>(plan.getValue());
  };
  auto plans = dyn_cast<DictionaryAttr>(value);
  if (plans && llvm::all_of(plans, isPlan))
    return success();
  return op->emitOpError() << "expected attribute '" << kernel::kPlansAttr
                           << "' to be a dictionary of launch plans, each "
                           << (isEmitted ? "a list of lines of text"
                                         : "a #kernel.plan<...>")
                           << ", but got " << value;
}

LogicalResult HoneDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kernel::kPlansAttr)
    return verifyPlans(op, value);
  if ((name != kScheduleAttrName || isa<ScheduleAttr>(value)) &&
      (name != kRangesAttrName || isa<RangesAttr>(value)) &&
      (name != kProductsAttrName || isa<ProductsAttr>(value)) &&
      (name != kNumbersAttrName || isa<NumbersAttr>(value)))
    return success();
  return op->emitOpError() << "expected attribute '" << name << "' to be a #"
                           << name << ", but got " << value;
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

LogicalResult hone::ConstantOp::verifySymbolUses(SymbolTableCollection &table) {
  auto global =
      table.lookupNearestSymbolFrom<memref::GlobalOp>(*this, getGlobalAttr());
  if (!global || !global.getConstant() || global.getType() != getType())
    return emitOpError() << "expected a constant memref.global '" << getGlobal()
                         << "' of type " << getType()
                         << ", but got none; use memref.get_global for others";
  return success();
}

//===----------------------------------------------------------------------===//
// WaitOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterRowsOp::verify() {
  auto rows = cast<RankedTensorType>(getRows().getType()),
       to = cast<RankedTensorType>(getTo().getType()),
       destination = cast<RankedTensorType>(getDestination().getType());
  auto areRows = [](RankedTensorType type) {
    Type element = type.getElementType();
    return type.getRank() == 2 &&
           (element.isF16() || element.isBF16() || element.isF32());
  };
  if (!areRows(rows) || !areRows(destination))
    return emitOpError("expected rows of f16, bf16 or f32 in two dimensions, "
                       "but got ")
           << (areRows(rows) ? destination : rows) << "; use a conversion";
  if (failed(verifyCompatibleShape({rows.getDimSize(1)},
                                   {destination.getDimSize(1)})))
    return emitOpError("expected rows as wide as those they are added to, but "
                       "got ")
           << rows << " and " << destination << "; use one extent";
  auto verifyVector = [&](RankedTensorType type, bool isLegal,
                          StringRef what) -> LogicalResult {
    if (isLegal && type.getRank() == 1 &&
        succeeded(
            verifyCompatibleShape({type.getDimSize(0)}, {rows.getDimSize(0)})))
      return success();
    return emitOpError("expected ") << what << " for each row, but got " << type
                                    << " for " << rows << "; use a conversion";
  };
  Type index = to.getElementType();
  if (failed(verifyVector(
          to, index.isSignlessInteger(32) || index.isSignlessInteger(64),
          "an index of i32 or i64")))
    return failure();
  if (!getWeights())
    return success();
  auto weights = cast<RankedTensorType>(getWeights().getType());
  return verifyVector(weights, weights.getElementType().isF32(),
                      "a weight of f32");
}

//===----------------------------------------------------------------------===//
// RouteOp
//===----------------------------------------------------------------------===//

LogicalResult RouteOp::verify() {
  constexpr int64_t kMax = 1024;
  int64_t groups = getGroups();
  if (groups < 1 || groups > kMax)
    return emitOpError("expected from 1 to ")
           << kMax << " groups, but got " << groups
           << "; use a number in between";
  auto experts = cast<RankedTensorType>(getExperts().getType());
  Type element = experts.getElementType();
  bool isLegal =
      (element.isSignlessInteger(32) || element.isSignlessInteger(64)) &&
      (experts.getRank() == 1 ||
       (experts.getRank() == 2 && !experts.isDynamicDim(1) &&
        experts.getDimSize(1) > 0));
  if (!isLegal)
    return emitOpError("expected experts of i32 or i64, one or a known number "
                       "for each token, but got ")
           << experts << "; use a conversion or a cast";
  int64_t pairs = experts.hasStaticShape() ? experts.getNumElements()
                                           : ShapedType::kDynamic;
  Type number = IntegerType::get(getContext(), 32);
  auto each = RankedTensorType::get(pairs, number),
       ends = RankedTensorType::get(groups, number);
  if (llvm::equal(getResultTypes(), ArrayRef<Type>{each, each, ends}))
    return success();
  return emitOpError("expected results of type ")
         << each << " twice and " << ends << ", but got " << getResultTypes()
         << "; use these";
}

LogicalResult WaitOp::canonicalize(WaitOp op, PatternRewriter &rewriter) {
  Operation *before = op->getPrevNode();
  while (before && isMemoryEffectFree(before))
    before = before->getPrevNode();
  if (!isa_and_nonnull<WaitOp>(before))
    return rewriter.notifyMatchFailure(
        op, "expected a wait before it and no effects in between");
  rewriter.eraseOp(op);
  return success();
}
