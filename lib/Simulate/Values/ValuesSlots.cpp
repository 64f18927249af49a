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
#include "Codec.h"
#include "Elements.h"
#include "ValuesOfAgent.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

static constexpr int64_t kRows = 64; ///< of an instruction

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
  static constexpr int64_t kPeriod = 1024; ///< of the permutation

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
  // The permutation repeats after 1024 bytes, so the rest of the address is a
  // base.
  int64_t base = descriptor.start - descriptor.start % Descriptor::kPeriod;
  descriptor.start -= base;
  const Offsets &places = values.tables.get(
      {nullptr, descriptor.leading << 32 | descriptor.stride,
       descriptor.start << 32 | count << 8 | bytes << 1 | transposed},
      ofStep, count, [&](int64_t k, int64_t row) {
        return descriptor.addressOf(row, k, transposed, bytes);
      });
  std::vector<float> elements(count * ofStep);
  withCodec(element, [&](auto codec) {
    if (const uint8_t *all = allShared(agent.block, base, places, bytes)) {
      for (size_t i = 0; i < elements.size(); ++i)
        elements[i] = float(codec.load(all + places.of[i]));
      return;
    }
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] =
          float(codec.load(shared(agent.block, base + places.of[i], bytes)));
  });
  if (element == ElementType::f32)
    for (float &each : elements)
      each = inTensorCores(each);
  return elements;
}

/// Adds 64 rows of products, which warp i / 16 holds as m16n8 pieces, to
/// `before`, if there is one.
void ValuesOfAgent::addRows(ElementType type,
                            const std::vector<float> &products,
                            const Tile *before, Tile &acc) {
  int64_t cols = int64_t(products.size()) / kRows;
  auto addAll = [&](auto sumOf) {
    for (int64_t i = 0; i < kRows; ++i) {
      const float *row = &products[i * cols];
      int64_t thread = i / 16 * 32 + i % 8 * 4, inPiece = i % 16 / 8 * 2;
      for (int64_t pair = 0; pair < 4; ++pair) {
        double *to = &acc.elements[(thread + pair) * acc.count + inPiece];
        // Without `before` the old elements are not used.
        const double *from =
            to - acc.elements.data() + (before ? *before : acc).elements.data();
        for (int64_t piece = 0; piece < cols / 8; ++piece)
          for (int64_t i : {0, 1}) {
            int64_t at = piece * 4 + i;
            to[at] = sumOf(from[at], row[piece * 8 + pair * 2 + i]);
          }
      }
    }
  };
  if (!before)
    return addAll([](double, float product) { return double(product); });
  if (isInteger(type))
    return addAll([](double from, float product) {
      return addAs(ElementType::i32, from, product);
    });
  addAll([](double from, float product) {
    return addAs(ElementType::f32, from, product);
  });
}

template <typename OpT>
void ValuesOfAgent::multiplyRows(OpT op, const std::vector<float> &a) {
  AccType type = op.getAcc().getType();
  int64_t cols = type.getCols();
  std::vector<float> b =
      readSlot(op.getRingB(), op.getSlotB(), reg(op.getCols()).number,
               op.getStep(), op.getTransposedB(), cols);
  bool keep = !op.getKeep() || reg(op.getKeep()).number;
  if (values.provenance)
    return orderRows(op, a, b, keep);
  Tile &before = tile(op.getAcc());
  Tile &acc = result(op.getResult());
  addRows(toElement(type.getElement()), productOf(a, b, kRows, cols),
          keep ? &before : nullptr, acc);
}

void ValuesOfAgent::multiplySlots(MmaAsyncOp op) {
  multiplyRows(op,
               readSlot(op.getRingA(), op.getSlotA(), reg(op.getRows()).number,
                        op.getStep(), op.getTransposedA(), kRows));
}

void ValuesOfAgent::multiplyFetched(MmaFetchedOp op) {
  constexpr int64_t kOfWarp = 16;
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
