//===- ValuesSlots.cpp - Numbers of tensor cores that read slots ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma as the PTX ISA describes it, given the descriptors of the lowering, and
// the rows of a fragment where these are in registers.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Machine.h"
#include "Elements.h"
#include "ValuesOfAgent.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

namespace {
/// A matrix descriptor, and the address of an element by it: 8 x 128 bytes are
/// contiguous, permuted by the address's own bits.
struct Descriptor {
  explicit Descriptor(uint64_t bits)
      : start((bits & 0x3fff) * 16), leading((bits >> 16 & 0x3fff) * 16),
        stride((bits >> 32 & 0x3fff) * 16) {}

  int64_t addressOf(int64_t row, int64_t k, bool transposed,
                    int64_t bytes) const {
    int64_t at = transposed
                     ? start + row / 64 * leading + k / 8 * stride +
                           k % 8 * 128 + row % 64 * bytes
                     : start + row / 8 * stride + row % 8 * 128 + k * bytes;
    return at ^ (at / 128 % 8) * 16;
  }

  int64_t start, leading, stride;
};
} // namespace

/// Computed as in the lowering (LowerKernelWgmma.cpp).
static Descriptor descriptorOf(RingType ring, int64_t slot, int64_t first,
                               int64_t step, bool transposed) {
  int64_t address =
      slot + operandOffset<int64_t>(first, 0, transposed, ring.getLines());
  int64_t offset = operandOffset<int64_t>(0, step, transposed, ring.getLines());
  return Descriptor(descriptorAddress(address) +
                    descriptorFields(transposed, ring.getLines()) +
                    offset / 16);
}

/// A number as tensor cores read it.
static float readByCores(ElementType element, double value) {
  return element == ElementType::f32 ? inTensorCores(value) : float(value);
}

/// `count` rows of A, or columns of B, from `first` on, as a matrix descriptor
/// addresses them in a slot; those of one k are adjacent.
std::vector<float> ValuesOfAgent::readSlot(Value ring, Value slot,
                                           int64_t first, int64_t step,
                                           bool transposed, int64_t count) {
  auto type = cast<RingType>(ring.getType());
  ElementType element = toElement(type.getElement());
  int64_t bytes = sizeOf(element), ofStep = stepOf(bytes);
  Descriptor descriptor =
      descriptorOf(type, slotBase(ring, slot), first, step, transposed);
  std::vector<float> elements(count * ofStep);
  for (int64_t row = 0; row < count; ++row)
    for (int64_t k = 0; k < ofStep; ++k) {
      int64_t at = descriptor.addressOf(row, k, transposed, bytes);
      elements[k * count + row] =
          readByCores(element, decode(element, shared(agent.block, at, bytes)));
    }
  return elements;
}

/// 64 rows by the number of columns of the op.
template <typename OpT>
void ValuesOfAgent::multiplyRows(OpT op, const std::vector<float> &a) {
  constexpr int64_t kRows = 64;
  AccType type = op.getAcc().getType();
  int64_t cols = type.getCols(), ofStep = int64_t(a.size()) / kRows;
  std::vector<float> b =
      readSlot(op.getRingB(), op.getSlotB(), reg(op.getCols()).number,
               op.getStep(), op.getTransposedB(), cols);
  bool keep = !op.getKeep() || reg(op.getKeep()).number;
  if (values.provenance)
    return orderRows(op, a, b, keep);
  Tile &before = tile(op.getAcc());
  Tile &acc = result(op.getResult());
  ElementType ofSum = toElement(type.getElement());
  std::vector<float> row(cols);
  for (int64_t i = 0; i < kRows; ++i) {
    std::fill(row.begin(), row.end(), 0.0f);
    for (int64_t k = 0; k < ofStep; ++k) {
      float factor = a[k * kRows + i];
      const float *line = &b[k * cols];
      for (int64_t j = 0; j < cols; ++j)
        row[j] += factor * line[j];
    }
    // Warp i / 16 holds the row, as m16n8 pieces.
    for (int64_t j = 0; j < cols; ++j) {
      int64_t thread = i / 16 * 32 + i % 8 * 4 + j % 8 / 2;
      int64_t index = j / 8 * 4 + i % 16 / 8 * 2 + j % 2;
      acc.at(thread, index) =
          keep ? addAs(ofSum, before.at(thread, index), row[j]) : row[j];
    }
  }
}

void ValuesOfAgent::multiplySlots(MmaAsyncOp op) {
  constexpr int64_t kRows = 64;
  multiplyRows(op,
               readSlot(op.getRingA(), op.getSlotA(), reg(op.getRows()).number,
                        op.getStep(), op.getTransposedA(), kRows));
}

void ValuesOfAgent::multiplyFetched(MmaFetchedOp op) {
  constexpr int64_t kRows = 64, kOfWarp = 16;
  ElementType element = toElement(op.getA().getType().getElement());
  int64_t ofStep = stepOf(sizeOf(element));
  std::vector<float> a(kRows * ofStep);
  for (int64_t warp = 0; warp < kRows / kOfWarp; ++warp) {
    std::vector<float> rows =
        rowsOfWarp(tile(op.getA()), warp, /*bands=*/1, sizeOf(element));
    for (int64_t row = 0; row < kOfWarp; ++row)
      for (int64_t k = 0; k < ofStep; ++k)
        a[k * kRows + warp * kOfWarp + row] =
            readByCores(element, rows[row * ofStep + k]);
  }
  multiplyRows(op, a);
}
