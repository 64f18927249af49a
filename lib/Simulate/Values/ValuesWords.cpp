//===- ValuesWords.cpp - Numbers of products of f32 -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that lanes load one by one or with ldmatrix, as in the lowering
// (LowerKernelMma.cpp), and fused multiply-adds of threads
// (LowerKernelFma.cpp).
//
//===----------------------------------------------------------------------===//

#include "../Machine/Machine.h"
#include "Elements.h"
#include "Provenance.h"
#include "ValuesOfAgent.h"
#include <cmath>

using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

/// The numbers in each register's word. For f32 it is a word that ldmatrix
/// moves; a lane's own loads may widen bytes.
void ValuesOfAgent::gather(ReadOp op, int64_t slot, Tile &fragment) {
  constexpr int64_t kWordBytes = 4;
  RingType ring = op.getRing().getType();
  FragmentType type = op.getFragment().getType();
  ElementType element = toElement(ring.getElement());
  int64_t bytes = sizeOf(element);
  int64_t inWord = kWordBytes / sizeOf(toElement(type.getElement()));
  int64_t first = op.getStep() * type.getStep();
  int64_t firstRow = rowsFrom(op);
  int64_t warpsN = type.getWarpsN(), warpRows = type.getWarpRows();
  int64_t lineBytes = ring.getLineBytes(), lines = ring.getLines();
  bool isA = type.isA(), transposed = op.getTransposed();
  auto offsetOf = [&](int64_t thread, int64_t index) {
    auto place = placeOf<int64_t>(thread, warpsN);
    int64_t rows = firstRow + (isA ? place.warpM : place.warpN) * warpRows;
    int64_t number = index / inWord;
    auto word = wordOf<int64_t>(place.lane, number % 4, isA);
    int64_t line = rows + number / 4 * 16 + word.row;
    int64_t at = first + word.k * inWord + index % inWord;
    if (transposed)
      std::swap(line, at);
    return byteOffset<int64_t>(line, at * bytes, lineBytes, lines);
  };
  readShared(element, slot,
             offsetsOf(op, firstRow, 0, fragment.count, offsetOf), fragment);
}

void ValuesOfAgent::split(SplitOp op) {
  Tile &whole = tile(op.getFragment());
  std::vector<float> high(whole.elements.begin(), whole.elements.end());
  std::vector<float> low = splitInTwo(high);
  result(op.getHigh()).elements.assign(high.begin(), high.end());
  result(op.getLow()).elements.assign(low.begin(), low.end());
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void ValuesOfAgent::readOwn(ReadOp op, int64_t slot, Tile &fragment) {
  constexpr int64_t kBytes = 4;
  RingType ring = op.getRing().getType();
  FragmentType type = op.getFragment().getType();
  int64_t depth = type.getDepth(), step = op.getStep();
  int64_t warpsN = type.getWarpsN(), warpRows = type.getWarpRows();
  int64_t lineBytes = ring.getLineBytes(), lines = ring.getLines();
  bool isA = type.isA();
  auto offsetOf = [&](int64_t thread, int64_t index) {
    auto place = placeOf<int64_t>(thread, warpsN);
    int64_t first = (isA ? place.warpM : place.warpN) * warpRows;
    return ownChunk<int64_t>(place.lane, first, index / depth, step, isA,
                             lineBytes, lines) +
           index % depth * kBytes;
  };
  readShared(ElementType::f32, slot,
             offsetsOf(op, 0, 0, fragment.count, offsetOf), fragment);
}

/// Adds one product at a time, with one rounding of product and sum.
void ValuesOfAgent::multiplyByThreads(FmaOp op) {
  AccType type = op.getAcc().getType();
  int64_t depth = op.getA().getType().getDepth();
  Tile &a = tile(op.getA()), &b = tile(op.getB());
  Tile &acc = copyOf(op.getResult(), tile(op.getAcc()));
  auto sumWith = [&](auto added) {
    int64_t warpCols = type.getWarpCols();
    for (int64_t i = 0; i < acc.count; ++i) {
      OwnProduct own = ownProduct(i, warpCols);
      for (int64_t thread = 0; thread < threads; ++thread) {
        double sum = acc.at(thread, i);
        for (int64_t k = 0; k < depth; ++k)
          sum = added(sum, float(a.at(thread, own.row * depth + k)),
                      float(b.at(thread, own.col * depth + k)));
        acc.at(thread, i) = sum;
      }
    }
  };
  if (Provenance *provenance = values.provenance)
    return sumWith([&](double sum, float left, float right) {
      return provenance->multiply(sum, provenance->keep(left),
                                  provenance->keep(right));
    });
  sumWith([](double sum, float left, float right) {
    return double(std::fma(left, right, float(sum)));
  });
}
