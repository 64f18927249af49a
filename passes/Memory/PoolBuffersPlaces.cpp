//===- PoolBuffersPlaces.cpp - Place of each buffer in the pool -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large buffers come first, each at the lowest offset that no buffer in use at
// the same time occupies. It is unknown which of two dynamic extents is larger,
// so buffers with dynamic extents get whole slots, each as large as the largest
// buffer in it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Memory/PoolBuffers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;

Places::Places(ArrayRef<Tenant> tenants)
    : tenants(tenants), offsets(tenants.size(), 0) {
  placeKnown();
  placeOpen();
}

void Places::placeKnown() {
  std::vector<size_t> order;
  for (size_t i = 0; i < tenants.size(); ++i)
    if (!tenants[i].isOpen)
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-tenants[a].bytes, a) < std::pair(-tenants[b].bytes, b);
  });
  auto endOf = [&](size_t i) {
    return offsets[i] +
           int64_t(llvm::alignTo(tenants[i].bytes, kPlaceAlignment));
  };
  for (size_t at = 0; at < order.size(); ++at) {
    size_t i = order[at];
    std::vector<size_t> others;
    for (size_t other : ArrayRef(order).take_front(at))
      if (areTogether(tenants[i], tenants[other]))
        others.push_back(other);
    llvm::sort(others,
               [&](size_t a, size_t b) { return offsets[a] < offsets[b]; });
    for (size_t other : others) {
      if (endOf(i) <= offsets[other])
        break;
      offsets[i] = std::max(offsets[i], endOf(other));
    }
    knownBytes = std::max(knownBytes, endOf(i));
  }
}

void Places::placeOpen() {
  for (size_t i = 0; i < tenants.size(); ++i) {
    if (!tenants[i].isOpen)
      continue;
    auto isFree = [&](ArrayRef<size_t> slot) {
      return llvm::none_of(slot, [&](size_t other) {
        return areTogether(tenants[i], tenants[other]);
      });
    };
    auto slot = llvm::find_if(slots, isFree);
    if (slot == slots.end())
      slot = slots.insert(slots.end(), SmallVector<size_t>());
    slot->push_back(i);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Computes `value` at the insertion point.
static Value cloneTo(OpBuilder &builder, IRMapping &mapping, Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true; // the function's alone
  (void)getBackwardSlice(value, &slice, options);
  for (Operation *op : slice)
    if (!mapping.contains(op))
      builder.clone(*op, mapping);
  return mapping.lookupOrDefault(value);
}

/// The bytes of a tenant with dynamic extents, as a multiple of the alignment.
static Value bytesOf(OpBuilder &builder, Location loc, IRMapping &mapping,
                     const Tenant &tenant) {
  Value bytes = arith::ConstantIndexOp::create(builder, loc, tenant.bytes);
  gpu::AllocOp alloc = tenant.alloc;
  for (Value size : alloc.getDynamicSizes())
    bytes = arith::MulIOp::create(builder, loc, bytes,
                                  cloneTo(builder, mapping, size));
  Value unit = arith::ConstantIndexOp::create(builder, loc, kPlaceAlignment);
  Value rest =
      arith::ConstantIndexOp::create(builder, loc, kPlaceAlignment - 1);
  Value count = arith::DivUIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, bytes, rest), unit);
  return arith::MulIOp::create(builder, loc, count, unit);
}

Places::Values Places::write(OpBuilder &builder, Location loc,
                             IRMapping &mapping) const {
  Values values;
  for (int64_t offset : offsets)
    values.offsets.push_back(
        arith::ConstantIndexOp::create(builder, loc, offset));
  values.bytes = arith::ConstantIndexOp::create(builder, loc, knownBytes);
  for (ArrayRef<size_t> slot : slots) {
    Value max;
    for (size_t i : slot) {
      values.offsets[i] = values.bytes;
      Value bytes = bytesOf(builder, loc, mapping, tenants[i]);
      max = max ? arith::MaxUIOp::create(builder, loc, max, bytes).getResult()
                : bytes;
    }
    values.bytes = arith::AddIOp::create(builder, loc, values.bytes, max);
  }
  return values;
}
