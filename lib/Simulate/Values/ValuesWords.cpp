//===- ValuesWords.cpp - Numbers of products of f32 -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words that lanes load separately, ldmatrix of words, and mma.m16n8k8 on
// tf32, once or in three products, as in the lowering (LowerKernelMma.cpp); and
// fused multiply-adds of the threads (LowerKernelFma.cpp).
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

/// The numbers in each register's word: for f32 the word that ldmatrix moves,
/// or a lane's own loads, which may widen bytes.
void ValuesOfAgent::gather(ReadOp op, int64_t slot, Tile &fragment) {
  constexpr int64_t kWordBytes = 4;
  RingType ring = op.getRing().getType();
  FragmentType type = op.getFragment().getType();
  ElementType element = toElement(ring.getElement());
  int64_t bytes = sizeOf(element);
  int64_t inWord = kWordBytes / sizeOf(toElement(type.getElement()));
  int64_t first = op.getStep() * type.getStep();
  for (int64_t thread = 0; thread < threads; ++thread) {
    auto place = placeOf<int64_t>(thread, type.getWarpsN());
    int64_t rows = rowsFrom(op) + (type.isA() ? place.warpM : place.warpN) *
                                      type.getWarpRows();
    for (int64_t index = 0; index < fragment.count; ++index) {
      int64_t number = index / inWord;
      auto word = wordOf<int64_t>(place.lane, number % 4, type.isA());
      int64_t line = rows + number / 4 * 16 + word.row;
      int64_t at = first + word.k * inWord + index % inWord;
      if (op.getTransposed())
        std::swap(line, at);
      int64_t from =
          slot + byteOffset<int64_t>(line, at * bytes, ring.getLineBytes(),
                                     ring.getLines());
      fragment.at(thread, index) =
          decode(element, shared(agent.block, from, bytes));
    }
  }
}

void ValuesOfAgent::split(SplitOp op) {
  Tile &whole = tile(op.getFragment());
  std::vector<float> high(whole.elements.begin(), whole.elements.end());
  std::vector<float> low = splitInTwo(high);
  result(op.getHigh()).elements.assign(high.begin(), high.end());
  result(op.getLow()).elements.assign(low.begin(), low.end());
}

/// The sum over a step of the products of `row` and `col` as tensor cores read
/// them.
static float sumOfWords(const float *row, const float *col) {
  float sum = 0;
  for (int64_t k = 0; k < stepOf(sizeof(float)); ++k)
    sum += inTensorCores(row[k]) * inTensorCores(col[k]);
  return sum;
}

/// m16n8k8, and three of them where factors are split.
void ValuesOfAgent::multiplyWords(MmaOp op) {
  constexpr int64_t kStep = stepOf(sizeof(float));
  AccType type = op.getAcc().getType();
  Tile &a = tile(op.getA()), &b = tile(op.getB()), &before = tile(op.getAcc());
  Tile &acc = result(op.getResult());
  acc.elements = before.elements;
  int64_t bands = type.getWarpRows() / 16, pieces = type.getWarpCols() / 8;
  for (int64_t warp = 0; warp < threads / 32; ++warp) {
    std::vector<float> rows = rowsOfWarp(a, warp, bands, sizeof(float));
    std::vector<float> cols = colsOfWarp(b, warp, pieces, sizeof(float));
    // Without `split` the remainders of the rounding are not used.
    std::vector<float> lowRows = splitOff(rows), lowCols = splitOff(cols);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < acc.count; ++i) {
        int64_t band = i / 4 / pieces, piece = i / 4 % pieces;
        int64_t row = (band * 16 + lane / 4 + i % 4 / 2 * 8) * kStep;
        int64_t col = (piece * 8 + lane % 4 * 2 + i % 2) * kStep;
        float sum = 0;
        if (op.getSplit())
          sum = sumOfWords(&lowRows[row], &cols[col]) +
                sumOfWords(&rows[row], &lowCols[col]);
        double &total = acc.at(warp * 32 + lane, i);
        total = float(total) + (sum + sumOfWords(&rows[row], &cols[col]));
      }
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void ValuesOfAgent::readOwn(ReadOp op, int64_t slot, Tile &fragment) {
  constexpr int64_t kBytes = 4;
  RingType ring = op.getRing().getType();
  FragmentType type = op.getFragment().getType();
  int64_t depth = type.getDepth();
  for (int64_t thread = 0; thread < threads; ++thread) {
    auto place = placeOf<int64_t>(thread, type.getWarpsN());
    int64_t first =
        (type.isA() ? place.warpM : place.warpN) * type.getWarpRows();
    for (int64_t index = 0; index < fragment.count; ++index) {
      int64_t from =
          slot +
          ownChunk<int64_t>(place.lane, first, index / depth, op.getStep(),
                            type.isA(), ring.getLineBytes(), ring.getLines()) +
          index % depth * kBytes;
      fragment.at(thread, index) =
          decode(ElementType::f32, shared(agent.block, from, kBytes));
    }
  }
}

/// One product at a time, which is rounded together with the sum.
void ValuesOfAgent::multiplyByThreads(FmaOp op) {
  Provenance *provenance = values.provenance;
  auto added = [&](double sum, float left, float right) -> double {
    return provenance ? provenance->multiply(sum, provenance->keep(left),
                                             provenance->keep(right))
                      : std::fma(left, right, float(sum));
  };
  AccType type = op.getAcc().getType();
  int64_t depth = op.getA().getType().getDepth();
  Tile &a = tile(op.getA()), &b = tile(op.getB()), &before = tile(op.getAcc());
  Tile &acc = result(op.getResult());
  acc.elements = before.elements;
  for (int64_t i = 0; i < acc.count; ++i) {
    OwnProduct own = ownProduct(i, type.getWarpCols());
    for (int64_t thread = 0; thread < threads; ++thread)
      for (int64_t k = 0; k < depth; ++k)
        acc.at(thread, i) =
            added(acc.at(thread, i), float(a.at(thread, own.row * depth + k)),
                  float(b.at(thread, own.col * depth + k)));
  }
}
