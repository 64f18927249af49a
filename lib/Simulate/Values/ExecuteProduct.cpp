//===- ExecuteProduct.cpp - Reference product on real memory --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums in f64 over elements addressed by strides, without regions, plans or
// kernels.
//
//===----------------------------------------------------------------------===//

#include "ExecuteProduct.h"
#include "Elements.h"
#include "ReferenceSums.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

static uint8_t *bytesAt(int64_t address) {
  return reinterpret_cast<uint8_t *>(address);
}

/// An operand whose strides are not negative ends after its last element.
int64_t simulate::spanOf(const Execution &run, const OperandPlace &place) {
  int64_t last = 0;
  for (char letter : place.letters) {
    if (run.extents.at(letter) == 0)
      return 0;
    last += (run.extents.at(letter) - 1) * place.strideOf(letter);
  }
  return last + 1;
}

std::vector<int32_t> simulate::endsOf(const Execution &run) {
  if (!run.segments)
    return {};
  const auto *first = reinterpret_cast<const int32_t *>(*run.segments);
  return {first, first + run.extents.at('b')};
}

std::vector<int64_t> simulate::indexOf(const Execution &run) {
  if (!run.index)
    return {};
  std::vector<int64_t> index;
  for (int64_t i = 0; i < run.extents.at('m'); ++i) {
    const uint8_t *at = bytesAt(*run.index + i * run.indexBytes);
    index.push_back(run.indexBytes == 8
                        ? *reinterpret_cast<const int64_t *>(at)
                        : *reinterpret_cast<const int32_t *>(at));
  }
  return index;
}

ProductCheck::ProductCheck(const Execution &run) : run(run) {
  for (const OperandPlace &place : run.operands) {
    int64_t bytes = spanOf(run, place) * sizeOf(place.type);
    old.emplace_back(bytesAt(place.address), bytesAt(place.address) + bytes);
  }
}

/// A matrix by rows.
std::vector<double> ProductCheck::matrix(size_t operand, int64_t b, int64_t h,
                                         char row, char column) const {
  const OperandPlace &place = run.operands[operand];
  int64_t rows = run.extents.at(row), columns = run.extents.at(column);
  std::vector<double> elements(rows * columns);
  int64_t start = b * place.strideOf('b') + h * place.strideOf('h');
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t at = start + i * place.strideOf(row) + j * place.strideOf(column);
      elements[i * columns + j] =
          decode(place.type, &old[operand][at * sizeOf(place.type)]);
    }
  return elements;
}

std::vector<double> ProductCheck::windows(const WindowArguments &of) const {
  const OperandPlace &place = run.operands.front();
  std::vector<double> elements;
  auto addPixel = [&](int64_t image, int64_t row, int64_t column) {
    bool isInside =
        row >= 0 && row < of.h.in && column >= 0 && column < of.w.in;
    int64_t start = image * place.strideOf('i') + row * place.strideOf('y') +
                    column * place.strideOf('x');
    for (int64_t channel = 0; channel < of.channels; ++channel) {
      int64_t at = (start + channel) * sizeOf(place.type);
      elements.push_back(isInside ? decode(place.type, &old.front()[at]) : 0);
    }
  };
  of.forPixels(addPixel);
  return elements;
}

std::vector<double> ProductCheck::rowsOfA(int64_t b, int64_t h) const {
  if (run.window)
    return windows(*run.window);
  if (!run.index)
    return matrix(0, b, h, 'm', 'k');
  int64_t lines = run.extents.at('r'), k = run.extents.at('k');
  std::vector<double> given = matrix(0, b, h, 'r', 'k'),
                      rows(run.extents.at('m') * k);
  for (auto [i, line] : llvm::enumerate(indexOf(run)))
    if (line >= 0 && line < lines)
      std::copy_n(&given[line * k], k, &rows[i * k]);
  return rows;
}

double ProductCheck::before(size_t operand, std::array<int64_t, 4> at) const {
  const OperandPlace &place = run.operands[operand];
  int64_t index = at[0] * place.strideOf('b') + at[1] * place.strideOf('h') +
                  at[2] * place.strideOf('m') + at[3] * place.strideOf('n');
  return decode(place.type, &old[operand][index * sizeOf(place.type)]);
}

constexpr size_t kC = 2, kFirstOperand = 3; ///< of an execution's operands

bool ProductCheck::visitElement(std::array<int64_t, 4> at, Inexact<double> sum,
                                Visitor visit) const {
  llvm::SmallVector<double> operands;
  for (size_t i = kFirstOperand; i < run.operands.size(); ++i)
    operands.push_back(before(i, at));
  return visit({at, sum, operands});
}

bool ProductCheck::visitMatrix(int64_t b, int64_t h, Visitor visit) const {
  std::vector<double> left = rowsOfA(b, h);
  std::vector<double> right = matrix(1, b, h, 'k', 'n');
  if (run.reference->getProblem().isRaggedSum)
    keepSegment(endsOf(run), b, run.extents.at('n'), right);
  return visitRows({b, h}, 0, run.extents.at('m'), left, right, visit);
}

bool ProductCheck::visitRows(std::array<int64_t, 2> batch, int64_t first,
                             int64_t end, const std::vector<double> &left,
                             const std::vector<double> &right,
                             Visitor visit) const {
  int64_t n = run.extents.at('n'), depth = run.extents.at('k');
  for (int64_t row = first; row < end; ++row) {
    auto place = [&](int64_t col) -> std::array<int64_t, 4> {
      return {batch[0], batch[1], row, col};
    };
    std::vector<Inexact<double>> sums =
        sumsOfRow(run.reference->getProblem(), &left[row * depth], right, depth,
                  n, [&](int64_t col) { return before(kC, place(col)); });
    for (int64_t col = 0; col < n; ++col)
      if (!visitElement(place(col), sums[col], visit))
        return false;
  }
  return true;
}

/// Rows of groups, each with its B, and those of none, with a B of zeros.
void ProductCheck::visitGroups(Visitor visit) const {
  std::vector<double> left = rowsOfA(0, 0);
  int64_t rows = run.extents.at('m'), first = 0;
  bool goesOn = true;
  auto visitUpTo = [&](int64_t end, const std::vector<double> &right) {
    end = std::min(std::max(end, first), rows);
    goesOn = goesOn && visitRows({0, 0}, first, end, left, right, visit);
    first = end;
  };
  for (auto [group, end] : llvm::enumerate(endsOf(run)))
    visitUpTo(end, matrix(1, group, 0, 'k', 'n'));
  visitUpTo(rows,
            std::vector<double>(run.extents.at('k') * run.extents.at('n')));
}

void ProductCheck::forElements(Visitor visit) const {
  if (run.segments && !run.reference->getProblem().isRaggedSum)
    return visitGroups(visit);
  for (int64_t b = 0; b < run.extents.at('b'); ++b)
    for (int64_t h = 0; h < run.extents.at('h'); ++h)
      if (!visitMatrix(b, h, visit))
        return;
}

static uint8_t *elementAt(const OperandPlace &c, std::array<int64_t, 4> at) {
  int64_t index = at[0] * c.strideOf('b') + at[1] * c.strideOf('h') +
                  at[2] * c.strideOf('m') + at[3] * c.strideOf('n');
  return bytesAt(c.address + index * sizeOf(c.type));
}

Inexact<double> ProductCheck::finish(const Element &element) const {
  return run.reference->finish(element.sum, element.operands);
}

void ProductCheck::compare(Verdict &verdict) const {
  const OperandPlace &c = run.operands[2];
  double worst = 0;
  forElements([&](const Element &element) {
    const std::array<int64_t, 4> &at = element.at;
    double got = decode(c.type, elementAt(c, at));
    double units =
        run.reference->distance(got, element.sum, finish(element),
                                [&](size_t i) { return element.operands[i]; });
    worst = std::max(worst, units);
    if (units <= 1)
      return true;
    verdict.findings.push_back(
        {Fault::value,
         formatv("computes {0} for element ({1}, {2}) of batch {3}, but "
                 "expected {4}",
                 textOf(got), at[2], at[3], at[0] * run.extents.at('h') + at[1],
                 textOf(finish(element).value)),
         Place::of(run.subject.kernel)});
    return false;
  });
  verdict.error = worst;
}

void ProductCheck::store() const {
  const OperandPlace &c = run.operands[2];
  forElements([&](const Element &element) {
    encode(c.type, finish(element).value, elementAt(c, element.at));
    return true;
  });
}

void simulate::computeProduct(const Execution &run) {
  ProductCheck(run).store();
}
