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
#include "Codec.h"
#include "Provenance.h"
#include "Scalars.h"
#include "ValuesOfAgent.h"
#include "WideVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

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
  int64_t lineBytes = ring.getLineBytes(), lines = ring.getLines();
  int64_t warpsN = type.getWarpsN(), warpRows = type.getWarpRows();
  bool isA = type.isA();
  // The row to which a lane points.
  auto addressOf = [&](int64_t lane, int64_t row) {
    auto at = matrixRow<int64_t>(lane, isA, transposed);
    return transposed
               ? chunkOffset<int64_t>(at.line + step * 16, row / 8 + at.chunk,
                                      lineBytes, lines)
               : chunkOffset<int64_t>(row + at.line, at.chunk + step * 2,
                                      lineBytes, lines);
  };
  int64_t bytes = sizeOf(element), ofRegister = 4 / bytes;
  int64_t rows = rowsFrom(op);
  auto offsetOf = [&](int64_t thread, int64_t index) {
    auto place = placeOf<int64_t>(thread, warpsN);
    int64_t matrix = index / ofRegister % 4, piece = index / ofRegister / 4;
    int64_t first = rows + (isA ? place.warpM : place.warpN) * warpRows;
    // Two adjacent elements of a row, or of a column where it transposes; four
    // bytes of a row.
    int64_t row = place.lane / 4;
    int64_t col = place.lane % 4 * ofRegister + index % ofRegister;
    if (transposed)
      std::swap(row, col);
    return addressOf(matrix * 8 + row, first + piece * 16) + col * bytes;
  };
  readShared(element, slot, offsetsOf(op, rows, 0, fragment.count, offsetOf),
             fragment);
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

std::vector<float> simulate::turned(ArrayRef<float> lines, int64_t depth) {
  int64_t count = int64_t(lines.size()) / depth;
  std::vector<float> elements(lines.size());
  for (int64_t line = 0; line < count; ++line)
    for (int64_t k = 0; k < depth; ++k)
      elements[k * count + line] = lines[line * depth + k];
  return elements;
}

/// `kCols` sums of a row, in registers.
template <int64_t kCols>
LLVM_ATTRIBUTE_ALWAYS_INLINE static void
sumProducts(const float *a, int64_t rows, const float *b, int64_t cols,
            int64_t depth, float *to) {
  float sums[kCols] = {};
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t j = 0; j < kCols; ++j)
      sums[j] += a[k * rows] * b[k * cols + j];
  std::copy_n(sums, kCols, to);
}

HONE_WIDE_VECTORS static void multiplyAll(const float *a, const float *b,
                                          int64_t rows, int64_t cols,
                                          int64_t depth, float *to) {
  constexpr int64_t kWide = 32, kNarrow = 8; // of mma's columns
  for (int64_t i = 0; i < rows; ++i, to += cols) {
    int64_t j = 0;
    for (; j + kWide <= cols; j += kWide)
      sumProducts<kWide>(a + i, rows, b + j, cols, depth, to + j);
    for (; j < cols; j += kNarrow)
      sumProducts<kNarrow>(a + i, rows, b + j, cols, depth, to + j);
  }
}

std::vector<float> simulate::productOf(ArrayRef<float> a, ArrayRef<float> b,
                                       int64_t rows, int64_t cols) {
  std::vector<float> products(rows * cols);
  multiplyAll(a.data(), b.data(), rows, cols, int64_t(a.size()) / rows,
              products.data());
  return products;
}

/// The product of words: m16n8k8 of their upper bits, and three of them where
/// factors are split.
static std::vector<float> productOfWords(std::vector<float> a,
                                         std::vector<float> b, int64_t rows,
                                         int64_t cols, bool isSplit) {
  auto inCores = [](std::vector<float> lines) {
    for (float &each : lines)
      each = inTensorCores(each);
    return turned(lines, stepOf(sizeof(float)));
  };
  // Without `isSplit` the remainders of the rounding are not used.
  std::vector<float> lowA = inCores(splitOff(a)), lowB = inCores(splitOff(b));
  a = inCores(a);
  b = inCores(b);
  std::vector<float> products = productOf(a, b, rows, cols);
  if (isSplit) {
    std::vector<float> one = productOf(lowA, b, rows, cols),
                       other = productOf(a, lowB, rows, cols);
    for (size_t i = 0; i < products.size(); ++i)
      products[i] = one[i] + other[i] + products[i];
  }
  return products;
}

/// The lanes and registers of the operands are those of mma.m16n8k16, of
/// m16n8k32 of bytes, or of m16n8k8 of words.
void ValuesOfAgent::multiply(MmaOp op) {
  if (values.provenance)
    return orderFragments(op);
  AccType type = op.getAcc().getType();
  Tile &a = tile(op.getA()), &b = tile(op.getB());
  Tile &acc = copyOf(op.getResult(), tile(op.getAcc()));
  int64_t bands = type.getWarpRows() / 16, pieces = type.getWarpCols() / 8;
  int64_t rows = bands * 16, cols = pieces * 8;
  bool areWords = op.getA().getType().getElement().isF32();
  int64_t bytes = sizeOf(toElement(op.getA().getType().getElement()));
  ElementType ofSum = toElement(type.getElement());
  for (int64_t warp = 0; warp < threads / 32; ++warp) {
    std::vector<float> ofA = rowsOfWarp(a, warp, bands, bytes);
    std::vector<float> ofB = colsOfWarp(b, warp, pieces, bytes);
    std::vector<float> products =
        areWords ? productOfWords(ofA, ofB, rows, cols, op.getSplit())
                 : productOf(turned(ofA, stepOf(bytes)),
                             turned(ofB, stepOf(bytes)), rows, cols);
    // For bytes, these sums are integers below 2^24.
    forElements(warp, bands, pieces, [&](int64_t at, int64_t row, int64_t col) {
      double &total = acc.elements[at];
      total = addAs(ofSum, total, products[row * cols + col]);
    });
  }
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

void ValuesOfAgent::slice(SliceOp op) {
  AccType from = op.getAcc().getType(), to = op.getPart().getType();
  Tile &acc = tile(op.getAcc()), &part = result(op.getPart());
  int64_t bands = from.getWarpRows() / 16, first = op.getFrom() / 8 * 4;
  int64_t fromBand = from.getElements() / bands;
  int64_t toBand = to.getElements() / bands;
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t band = 0; band < bands; ++band)
      std::copy_n(&acc.at(thread, band * fromBand + first), toBand,
                  &part.at(thread, band * toBand));
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
  if (values.provenance) {
    for (auto [sum, to] : llvm::zip_equal(acc.elements, out.elements))
      to = values.provenance->finish(sum);
    return;
  }
  if (isPlain)
    return withCodec(element, [&](auto codec) {
      uint8_t bytes[4];
      for (auto [sum, to] : llvm::zip_equal(acc.elements, out.elements)) {
        codec.store(sum, bytes);
        to = codec.load(bytes);
      }
    });
  Places places = placesIn(type);
  auto argument = [&](size_t number, size_t i) {
    if (number == 0)
      return acc.elements[i];
    const Input &input = inputs[number - 1];
    if (input.tile)
      return input.tile->elements[i];
    auto [row, col] = places[i];
    return inputElement(input, std::min(row + firstRow, lastRow),
                        std::min(col + firstCol, lastCol));
  };
  out.elements = math.inFloat(acc.elements.size(), argument);
}

//===----------------------------------------------------------------------===//
// stmatrix and ldmatrix
//===----------------------------------------------------------------------===//

/// The offsets of elements in 8x8 pieces, of which an instruction moves 16 rows
/// of up to two, from `line` on.
static auto stagedInPieces(AccType type, RingType ring, bool transposed,
                           int64_t line) {
  return [=, warpsN = type.getWarpsN(), warpRows = type.getWarpRows(),
          warpCols = type.getWarpCols(), lineBytes = ring.getLineBytes(),
          lines = ring.getLines()](int64_t thread, int64_t index) {
    auto place = placeOf<int64_t>(thread, warpsN);
    int64_t pieces = warpCols / 8, lane = place.lane;
    int64_t piece = index / 4 % pieces, band = index / 4 / pieces;
    int64_t matrix = piece % 2 * 2 + index / 2 % 2;
    int64_t row = place.warpM * warpRows + band * 16;
    int64_t col = place.warpN * warpCols + piece / 2 * 16;
    int64_t inRow = lane / 4, inCol = lane % 4 * 2 + index % 2;
    if (transposed)
      std::swap(inRow, inCol);
    auto at = matrixRow<int64_t>(matrix * 8 + inRow, /*isA=*/true, transposed);
    return chunkOffset<int64_t>(line + (transposed ? col : row) + at.line,
                                (transposed ? row : col) / 8 + at.chunk,
                                lineBytes, lines) +
           inCol * 2;
  };
}

template <typename Op>
void ValuesOfAgent::stage(Op op) {
  constexpr bool kStores = std::is_same_v<Op, StageOp>;
  AccType type = op.getAcc().getType();
  RingType ring = op.getRing().getType();
  Tile &acc = kStores ? tile(op.getAcc()) : result(op.getAcc());
  ElementType staged = toElement(type.getElement());
  int64_t bytes = sizeOf(staged), first = reg(op.getLine()).number;
  bool transposed = op.getTransposed();
  int64_t lineBytes = ring.getLineBytes(), lines = ring.getLines();
  Places elements = placesIn(type);
  // Elements that stmatrix cannot move are moved in pairs.
  auto inPairs = [&](int64_t thread, int64_t index) {
    auto [line, element] = elements.at(thread, index);
    if (transposed)
      std::swap(line, element);
    return byteOffset<int64_t>(first + line, element * bytes, lineBytes, lines);
  };
  const Offsets &places =
      bytes == 2 ? offsetsOf(op, first, 0, acc.count,
                             stagedInPieces(type, ring, transposed, first))
                 : offsetsOf(op, first, 0, acc.count, inPairs);
  int64_t base = slotBase(op.getRing(), op.getSlot());
  if constexpr (kStores)
    writeShared(staged, base, places, acc);
  else
    readShared(staged, base, places, acc);
}
