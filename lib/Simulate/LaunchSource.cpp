//===- LaunchSource.cpp - Sources of a launch's operands ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchSource.h.
//
//===----------------------------------------------------------------------===//

#include "LaunchSource.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

Value simulate::withoutCasts(Value memref) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  return memref;
}

Value simulate::rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

Value simulate::addressOf(Value value) {
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    value = sum.getLhs().getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>()
                ? sum.getLhs()
                : sum.getRhs();
  auto pointer = value.getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>();
  return pointer ? pointer.getSource() : Value();
}

Source simulate::sourceOf(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return {Source::constant, Value(), number.getSExtValue()};
  if (Value memref = addressOf(value))
    return {Source::address, withoutCasts(memref), 0};
  if (auto dim = value.getDefiningOp<memref::DimOp>())
    if (auto index = dim.getConstantIndex())
      return {Source::extent, withoutCasts(dim.getSource()), *index};
  if (auto parts = value.getDefiningOp<memref::ExtractStridedMetadataOp>()) {
    for (auto [i, stride] : llvm::enumerate(parts.getStrides()))
      if (stride == value)
        return {Source::distance, withoutCasts(parts.getSource()), int64_t(i)};
    for (auto [i, size] : llvm::enumerate(parts.getSizes()))
      if (size == value)
        return {Source::extent, withoutCasts(parts.getSource()), int64_t(i)};
  }
  return {};
}
