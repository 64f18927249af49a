//===- ValuesProducts.cpp - Numbers of tensor cores and epilogues ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, mma.sync and stmatrix as the PTX ISA describes them, given the
// addresses of the lowering.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Machine.h"
#include "Provenance.h"
#include "Scalars.h"
#include "ValuesOfAgent.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

void ValuesOfAgent::run() {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LoadOp op) { load(op); })
      .Case([&](StoreAsyncOp op) { storeAsync(op); })
      .Case([&](CopyOp op) { copy(op); })
      .Case([&](StoreOp op) { store(op); })
      .Case([&](StoreLinesOp op) { storeLines(op); })
      .Case([&](CopyLinesOp op) { copyLines(op); })
      .Case([&](TransposeLinesOp op) { transposeLines(op); })
      .Case([&](SumsPutOp op) { putSums(op); })
      .Case([&](SumsTotalOp op) { totalSums(op); })
      .Case([&](PartialPutOp op) { put(op); })
      .Case([&](PartialSumOp op) { sum(op); })
      .Case([&](ReadOp op) { read(op); })
      .Case([&](MmaOp op) { multiply(op); })
      .Case([&](FmaOp op) { multiplyByThreads(op); })
      .Case([&](MmaAsyncOp op) { multiplySlots(op); })
      .Case([&](MmaFetchedOp op) { multiplyFetched(op); })
      .Case([&](SplitOp op) { split(op); })
      .Case([&](AccAddOp op) {
        Tile &sum = result(op.getSum());
        ElementType element = toElement(op.getSum().getType().getElement());
        const Tile &before = tile(op.getBefore()), &block = tile(op.getBlock());
        for (size_t i = 0; i < sum.elements.size(); ++i)
          sum.elements[i] = add(element, before.elements[i], block.elements[i]);
      })
      .Case([&](SliceOp op) { slice(op); })
      .Case([&](EpilogueOp op) { epilogue(op); })
      .Case<StageOp, UnstageOp>([&](auto op) { stage(op); })
      .Case([&](AccUndefinedOp op) { result(op.getAcc()); })
      .Case([&](ZeroOp op) {
        Tile &zero = result(op.getAcc());
        std::fill(zero.elements.begin(), zero.elements.end(), 0.0);
      });
}

//===----------------------------------------------------------------------===//
// ldmatrix and mma.sync
//===----------------------------------------------------------------------===//

int64_t ValuesOfAgent::rowsFrom(ReadOp op) const {
  return op.getRows() ? reg(op.getRows()).number : 0;
}

void ValuesOfAgent::read(ReadOp op) {
  RingType ring = op.getRing().getType();
  FragmentType type = op.getFragment().getType();
  ElementType element = toElement(type.getElement());
  bool transposed = op.getTransposed();
  int64_t slot = slotBase(op.getRing(), op.getSlot()), step = op.getStep();
  Tile &fragment = result(op.getFragment());
  if (type.getDepth())
    return readOwn(op, slot, fragment);
  if (element == ElementType::f32 || op.isGathered())
    return gather(op, slot, fragment);
  // The row to which a lane points.
  auto addressOf = [&](int64_t lane, int64_t row) {
    auto at = matrixRow<int64_t>(lane, type.isA(), transposed);
    return transposed
               ? chunkOffset<int64_t>(at.line + step * 16, row / 8 + at.chunk,
                                      ring.getLineBytes(), ring.getLines())
               : chunkOffset<int64_t>(row + at.line, at.chunk + step * 2,
                                      ring.getLineBytes(), ring.getLines());
  };
  int64_t bytes = sizeOf(element), ofRegister = 4 / bytes;
  for (int64_t thread = 0; thread < threads; ++thread) {
    auto place = placeOf<int64_t>(thread, type.getWarpsN());
    int64_t first = rowsFrom(op) + (type.isA() ? place.warpM : place.warpN) *
                                       type.getWarpRows();
    for (int64_t piece = 0; piece * 16 < type.getWarpRows(); ++piece)
      for (int64_t matrix = 0; matrix < 4; ++matrix)
        for (int64_t i = 0; i < ofRegister; ++i) {
          // Two adjacent elements of a row, or of a column where it transposes;
          // four bytes of a row.
          int64_t row = place.lane / 4, col = place.lane % 4 * ofRegister + i;
          if (transposed)
            std::swap(row, col);
          int64_t from = slot + addressOf(matrix * 8 + row, first + piece * 16);
          fragment.at(thread, (piece * 4 + matrix) * ofRegister + i) =
              decode(element, shared(agent.block, from + col * bytes, bytes));
        }
  }
}

std::vector<float> simulate::rowsOfWarp(const Tile &a, int64_t warp,
                                        int64_t bands, int64_t bytes) {
  int64_t ofStep = stepOf(bytes), ofRegister = 4 / bytes;
  std::vector<float> rows(bands * 16 * ofStep);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t band = 0; band < bands; ++band)
      for (int64_t r = 0; r < 4; ++r)
        for (int64_t i = 0; i < ofRegister; ++i) {
          int64_t row = band * 16 + lane / 4 + r % 2 * 8;
          int64_t k = lane % 4 * ofRegister + i + r / 2 * ofStep / 2;
          rows[row * ofStep + k] =
              a.at(warp * 32 + lane, (band * 4 + r) * ofRegister + i);
        }
  return rows;
}

std::vector<float> simulate::colsOfWarp(const Tile &b, int64_t warp,
                                        int64_t pieces, int64_t bytes) {
  int64_t ofStep = stepOf(bytes), ofRegister = 4 / bytes;
  std::vector<float> cols(pieces * 8 * ofStep);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < ofRegister; ++i) {
      int64_t g = lane / 4, k = lane % 4 * ofRegister + i,
              thread = warp * 32 + lane;
      for (int64_t piece = 0; piece < pieces; ++piece)
        for (int64_t r = 0; r < 2; ++r)
          cols[(piece * 8 + g) * ofStep + k + r * ofStep / 2] =
              b.at(thread, (piece * 2 + r) * ofRegister + i);
    }
  return cols;
}

void ValuesOfAgent::multiply(MmaOp op) {
  if (values.provenance)
    return orderFragments(op);
  if (op.getA().getType().getElement().isF32())
    return multiplyWords(op);
  AccType type = op.getAcc().getType();
  Tile &a = tile(op.getA()), &b = tile(op.getB()), &before = tile(op.getAcc());
  Tile &acc = result(op.getResult());
  acc.elements = before.elements;
  int64_t bands = type.getWarpRows() / 16, pieces = type.getWarpCols() / 8;
  int64_t bytes = sizeOf(toElement(op.getA().getType().getElement()));
  int64_t ofStep = stepOf(bytes);
  ElementType ofSum = toElement(type.getElement());
  for (int64_t warp = 0; warp < threads / 32; ++warp) {
    // The lanes and registers of the operands of mma.m16n8k16, or m16n8k32 of
    // bytes.
    std::vector<float> rows = rowsOfWarp(a, warp, bands, bytes);
    std::vector<float> cols = colsOfWarp(b, warp, pieces, bytes);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < acc.count; ++i) {
        int64_t band = i / 4 / pieces, piece = i / 4 % pieces;
        const float *row =
            &rows[(band * 16 + lane / 4 + i % 4 / 2 * 8) * ofStep];
        const float *col = &cols[(piece * 8 + lane % 4 * 2 + i % 2) * ofStep];
        float sum = 0;
        for (int64_t k = 0; k < ofStep; ++k)
          sum += row[k] * col[k];
        // For bytes, these sums are integers below 2^24.
        double &total = acc.at(warp * 32 + lane, i);
        total = addAs(ofSum, total, sum);
      }
  }
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

void ValuesOfAgent::slice(SliceOp op) {
  AccType from = op.getAcc().getType(), to = op.getPart().getType();
  Tile &acc = tile(op.getAcc()), &part = result(op.getPart());
  int64_t bands = from.getWarpRows() / 16;
  int64_t fromBand = from.getElements() / bands;
  int64_t toBand = to.getElements() / bands;
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t i = 0; i < part.count; ++i)
      part.at(thread, i) = acc.at(
          thread, i / toBand * fromBand + op.getFrom() / 8 * 4 + i % toBand);
}

/// An input of an epilogue other than the sum: looked up once for all elements.
struct ValuesOfAgent::Input {
  const Tile *tile = nullptr; ///< registers, or else memory:
  ElementType type = ElementType::f32;
  int64_t base = 0, rowStride = 0, colStride = 0;
};

ValuesOfAgent::Input ValuesOfAgent::inputOf(Value value) {
  if (isa<AccType>(value.getType()))
    return {&tile(value)};
  const Register &place = reg(value);
  auto type = cast<OperandType>(value.getType());
  StringRef dims = type.getDims();
  return {nullptr, toElement(type.getElement()), place.number,
          dims.contains('m') ? place.extra[0] : 0,
          dims.contains('n') ? place.extra[1] : 0};
}

double ValuesOfAgent::inputElement(const Input &input, int64_t row,
                                   int64_t col) const {
  int64_t index = row * input.rowStride + col * input.colStride;
  int64_t size = sizeOf(input.type);
  const uint8_t *bytes = values.address(input.base + index * size, size);
  return bytes ? decode(input.type, bytes) : unwritten(input.type);
}

void ValuesOfAgent::epilogue(EpilogueOp op) {
  AccType type = op.getAcc().getType();
  Tile &acc = tile(op.getAcc()), &out = result(op.getResult());
  int64_t lastRow = reg(op.getExtents()[0]).number - 1;
  int64_t lastCol = reg(op.getExtents()[1]).number - 1;
  int64_t firstRow = reg(op.getOrigin()[0]).number;
  int64_t firstCol = reg(op.getOrigin()[1]).number;
  Block &body = op.getBody().front();
  // Most kernels only convert.
  bool isPlain = llvm::hasNItemsOrLess(body, 2) &&
                 body.getNumArguments() == 1 &&
                 isa<arith::TruncFOp>(body.front());
  ElementType element = toElement(op.getResult().getType().getElement());
  ScalarRegion math(body);
  auto inputs = llvm::map_to_vector(
      op.getInputs(), [&](Value input) { return inputOf(input); });
  SmallVector<double, 8> arguments;
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t i = 0; i < acc.count; ++i) {
      double sum = acc.at(thread, i);
      if (values.provenance) {
        out.at(thread, i) = values.provenance->finish(sum);
        continue;
      }
      if (isPlain) {
        out.at(thread, i) = rounded(element, sum);
        continue;
      }
      auto [row, col] = placeIn(type, thread, i);
      row = std::min(row + firstRow, lastRow);
      col = std::min(col + firstCol, lastCol);
      arguments.assign(1, sum);
      for (const Input &input : inputs)
        arguments.push_back(input.tile ? input.tile->at(thread, i)
                                       : inputElement(input, row, col));
      out.at(thread, i) = math.inFloat(arguments);
    }
}

//===----------------------------------------------------------------------===//
// stmatrix and ldmatrix
//===----------------------------------------------------------------------===//

/// Moves a value from a thread's registers to a slot, or back.
static void moveStaged(StageOp, ElementType element, double &held,
                       uint8_t *bytes) {
  encode(element, held, bytes);
}
static void moveStaged(UnstageOp, ElementType element, double &held,
                       uint8_t *bytes) {
  held = decode(element, bytes);
}

/// 8x8 pieces: 16 rows of `count` pieces of 8 columns.
template <typename Op>
void ValuesOfAgent::stagePieces(Op op, Tile &acc, int64_t warp, int64_t band,
                                int64_t piece, int64_t count) {
  AccType type = op.getAcc().getType();
  RingType ring = op.getRing().getType();
  ElementType element = toElement(type.getElement());
  bool transposed = op.getTransposed();
  int64_t base = slotBase(op.getRing(), op.getSlot());
  auto place = placeOf<int64_t>(warp * 32, type.getWarpsN());
  int64_t row = place.warpM * type.getWarpRows() + band * 16;
  int64_t col = place.warpN * type.getWarpCols() + piece * 8;
  for (int64_t matrix = 0; matrix < count * 2; ++matrix)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t half = 0; half < 2; ++half) {
        int64_t index =
            ((band * (type.getWarpCols() / 8) + piece + matrix / 2) * 4) +
            matrix % 2 * 2 + half;
        int64_t inRow = lane / 4, inCol = lane % 4 * 2 + half;
        if (transposed)
          std::swap(inRow, inCol);
        auto at =
            matrixRow<int64_t>(matrix * 8 + inRow, /*isA=*/true, transposed);
        int64_t line = (transposed ? col : row) + at.line;
        int64_t chunk = (transposed ? row : col) / 8 + at.chunk;
        int64_t where =
            base +
            chunkOffset<int64_t>(reg(op.getLine()).number + line, chunk,
                                 ring.getLineBytes(), ring.getLines()) +
            inCol * 2;
        moveStaged(op, element, acc.at(warp * 32 + lane, index),
                   shared(agent.block, where, 2));
      }
}

template <typename Op>
void ValuesOfAgent::stage(Op op) {
  AccType type = op.getAcc().getType();
  RingType ring = op.getRing().getType();
  Tile &acc =
      std::is_same_v<Op, StageOp> ? tile(op.getAcc()) : result(op.getAcc());
  ElementType staged = toElement(type.getElement());
  // Elements that stmatrix cannot move are moved in pairs.
  int64_t bytes = sizeOf(staged);
  if (bytes == 2) {
    int64_t pieces = type.getWarpCols() / 8;
    for (int64_t warp = 0; warp < threads / 32; ++warp)
      for (int64_t band = 0; band < type.getWarpRows() / 16; ++band)
        for (int64_t piece = 0; piece < pieces; piece += 2)
          stagePieces(op, acc, warp, band, piece,
                      std::min<int64_t>(2, pieces - piece));
    return;
  }
  int64_t base = slotBase(op.getRing(), op.getSlot());
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t i = 0; i < acc.count; ++i) {
      auto [line, element] = placeIn(type, thread, i);
      if (op.getTransposed())
        std::swap(line, element);
      int64_t where =
          base + byteOffset<int64_t>(reg(op.getLine()).number + line,
                                     element * bytes, ring.getLineBytes(),
                                     ring.getLines());
      moveStaged(op, staged, acc.at(thread, i),
                 shared(agent.block, where, bytes));
    }
}
