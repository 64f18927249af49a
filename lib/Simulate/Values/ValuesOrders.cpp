//===- ValuesOrders.cpp - Products as nodes of a tree of sums -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that multiply, in a run with nodes instead of numbers (Provenance.h).
// They read the same fragments and slots.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Machine.h"
#include "Elements.h"
#include "Provenance.h"
#include "ValuesOfAgent.h"

using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

/// The numbers of lines of `ofStep` factors each.
static std::vector<uint32_t> keepLines(Provenance &provenance,
                                       llvm::ArrayRef<float> factors,
                                       int64_t ofStep) {
  std::vector<uint32_t> lines;
  for (; !factors.empty(); factors = factors.drop_front(ofStep))
    lines.push_back(provenance.keep(factors.take_front(ofStep)));
  return lines;
}

/// The same where those of one k are adjacent.
static std::vector<uint32_t> keepColumns(Provenance &provenance,
                                         llvm::ArrayRef<float> factors,
                                         int64_t ofStep) {
  return keepLines(provenance,
                   turned(factors, int64_t(factors.size()) / ofStep), ofStep);
}

template <typename OpT>
void ValuesOfAgent::orderRows(OpT op, const std::vector<float> &a,
                              const std::vector<float> &b, bool keep) {
  constexpr int64_t kRows = 64;
  Provenance &provenance = *values.provenance;
  int64_t ofStep = int64_t(a.size()) / kRows;
  std::vector<uint32_t> rows = keepColumns(provenance, a, ofStep),
                        cols = keepColumns(provenance, b, ofStep);
  Tile &before = tile(op.getAcc());
  Tile &acc = result(op.getResult());
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < int64_t(cols.size()); ++j) {
      int64_t thread = i / 16 * 32 + i % 8 * 4 + j % 8 / 2;
      int64_t index = j / 8 * 4 + i % 16 / 8 * 2 + j % 2;
      acc.at(thread, index) = provenance.multiply(
          keep ? before.at(thread, index) : 0.0, rows[i], cols[j]);
    }
}

template void ValuesOfAgent::orderRows(MmaAsyncOp, const std::vector<float> &,
                                       const std::vector<float> &, bool);
template void ValuesOfAgent::orderRows(MmaFetchedOp, const std::vector<float> &,
                                       const std::vector<float> &, bool);

/// mma.sync, once or in the three products of split factors, which threads add
/// to the sum, as they do where steps are apart.
void ValuesOfAgent::orderFragments(MmaOp op) {
  Provenance &provenance = *values.provenance;
  AccType type = op.getAcc().getType();
  int64_t bands = type.getWarpRows() / 16, pieces = type.getWarpCols() / 8;
  ElementType element = toElement(op.getA().getType().getElement());
  int64_t bytes = sizeOf(element), ofStep = stepOf(bytes);
  Tile &a = tile(op.getA()), &b = tile(op.getB()), &before = tile(op.getAcc());
  Tile &acc = result(op.getResult());
  acc.elements = before.elements;
  for (int64_t warp = 0; warp < threads / 32; ++warp) {
    std::vector<float> high[2] = {rowsOfWarp(a, warp, bands, bytes),
                                  colsOfWarp(b, warp, pieces, bytes)};
    std::vector<uint32_t> lines[2], low[2];
    for (int side : {0, 1}) {
      std::vector<float> rest;
      if (element == ElementType::f32)
        rest = splitOff(high[side]);
      for (float &each : rest)
        each = inTensorCores(each);
      lines[side] = keepLines(provenance, high[side], ofStep);
      low[side] = keepLines(provenance, rest, ofStep);
    }
    forElements(warp, bands, pieces, [&](int64_t at, int64_t row, int64_t col) {
      double &total = acc.elements[at];
      bool byThreads = op.getSplit() || op.getApart();
      double sum = byThreads ? 0.0 : total;
      if (op.getSplit()) {
        sum = provenance.multiply(sum, low[0][row], lines[1][col]);
        sum = provenance.multiply(sum, lines[0][row], low[1][col]);
      }
      sum = provenance.multiply(sum, lines[0][row], lines[1][col]);
      total = byThreads ? provenance.add(total, sum) : sum;
    });
  }
}
