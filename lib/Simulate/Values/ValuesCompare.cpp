//===- ValuesCompare.cpp - Comparison of C with the reference -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums in f64 from the inputs, then the epilogue, each with its error bound: a
// kernel's result may differ by the effect of its roundings
// (hone/Numerics/ErrorBound.h).
//
//===----------------------------------------------------------------------===//

#include "Codec.h"
#include "Elements.h"
#include "ReferenceSums.h"
#include "Values.h"
#include "hone/Numerics/ErrorBound.h"
#include "hone/Simulate/Reference.h"
#include "hone/Simulate/Simulate.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

namespace {
class Comparison {
public:
  Comparison(const Reference &reference, const Trial &trial,
             const LaunchValues &launch, const Values &values,
             mlir::Location loc)
      : reference(reference), problem(reference.getProblem()), trial(trial),
        launch(launch), values(values), loc(loc), result(elementsOf("c")),
        old(elementsOf("c", /*isOld=*/true)) {
    for (const OperandRegion &region : launch.regions)
      if (region.name[0] == 'e')
        operands.push_back({&region, elementsOf(region.name, /*isOld=*/true),
                            reference.dimsOf(operands.size())});
  }

  void run(Verdict &verdict) {
    double worst = 0;
    if (problem.groups)
      compareGroups(worst, verdict);
    for (int64_t batch = 0; batch < trial.batch && !problem.groups; ++batch) {
      std::vector<double> b =
          matrix("b", batch, trial.k, trial.n, problem.b.order == Order::row);
      std::vector<double> a =
          trial.window ? windows(*trial.window) : rowsOfA(batch);
      if (problem.isRaggedSum)
        keepSegment(launch.ends, batch, trial.n, b);
      for (int64_t row = 0; row < trial.m; ++row)
        compareRow(batch, row, &a[row * trial.k], b, worst, verdict);
    }
    verdict.error = worst;
    if (verdict.findings.empty())
      checkBetween(verdict);
  }

private:
  /// The elements of a region, located once.
  struct Elements {
    ElementType type;
    const uint8_t *bytes;

    double operator[](int64_t at) const {
      return decode(type, bytes + at * sizeOf(type));
    }
    /// True if the bytes of an element differ.
    bool differs(const Elements &other, int64_t at) const {
      int64_t size = sizeOf(type);
      return !std::equal(bytes + at * size, bytes + (at + 1) * size,
                         other.bytes + at * size);
    }
  };
  Elements elementsOf(llvm::StringRef name, bool isOld = false) const {
    auto [type, bytes] = values.contents(name, isOld);
    return {type, bytes};
  }

  /// An operand of the epilogue, with its dimensions.
  struct Operand {
    Operand(const OperandRegion *region, Elements elements,
            llvm::StringRef dims)
        : region(region), elements(elements), hasM(dims.contains('m')),
          hasN(dims.contains('n')) {}

    const OperandRegion *region;
    Elements elements;
    bool hasM, hasN;
  };

  /// Checks that bytes between the elements of the result are unchanged.
  void checkBetween(Verdict &verdict) const {
    const OperandRegion &c = *launch.find("c");
    std::vector<bool> isResult(c.elements());
    for (int64_t batch = 0; batch < trial.batch; ++batch)
      for (int64_t row = 0; row < trial.m; ++row)
        for (int64_t col = 0; col < trial.n; ++col)
          isResult[indexOf(c, batch, row, col)] = true;
    for (int64_t at = 0; at < c.elements(); ++at)
      if (!isResult[at] && result.differs(old, at)) {
        verdict.findings.push_back(
            {Fault::bounds,
             formatv("writes between the lines of the result, {0} elements "
                     "from its start",
                     at),
             Place{loc, "gpu.func"}});
        return;
      }
  }

  static int64_t indexOf(const OperandRegion &region, int64_t batch,
                         int64_t line, int64_t column) {
    return region.startOf(batch) + line * region.lineStride + column;
  }

  /// A matrix by rows.
  std::vector<double> matrix(llvm::StringRef name, int64_t batch, int64_t rows,
                             int64_t cols, bool isRow) const {
    const OperandRegion &region = *launch.find(name);
    Elements given = elementsOf(name, /*isOld=*/true);
    std::vector<double> elements(rows * cols);
    int64_t start = region.startOf(batch);
    int64_t rowStride = isRow ? region.lineStride : 1;
    int64_t colStride = isRow ? 1 : region.lineStride;
    withCodec(given.type, [&](auto codec) {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j) {
          int64_t at = start + i * rowStride + j * colStride;
          elements[i * cols + j] = codec.load(given.bytes + at * codec.bytes());
        }
    });
    return elements;
  }

  /// A by rows, from the images, by the definition of a convolution.
  std::vector<double> windows(const WindowArguments &of) const {
    const OperandRegion &region = *launch.find("a");
    Elements given = elementsOf("a", /*isOld=*/true);
    std::vector<double> elements;
    auto addPixel = [&](int64_t image, int64_t row, int64_t column) {
      bool isInside =
          row >= 0 && row < of.h.in && column >= 0 && column < of.w.in;
      int64_t start = image * region.batchStride + row * region.headStride +
                      column * region.lineStride;
      for (int64_t channel = 0; channel < of.channels; ++channel)
        elements.push_back(isInside ? given[start + channel] : 0);
    };
    of.forPixels(addPixel);
    return elements;
  }

  /// A by rows, through the index if there is one.
  std::vector<double> rowsOfA(int64_t batch) const {
    bool isRow = problem.a.order == Order::row;
    if (!problem.isIndexed)
      return matrix("a", batch, trial.m, trial.k, isRow);
    int64_t lines = launch.find("a")->lines;
    std::vector<double> given = matrix("a", batch, lines, trial.k, isRow),
                        rows(trial.m * trial.k);
    for (int64_t i = 0; i < trial.m; ++i)
      if (int64_t line = launch.index[i]; line >= 0 && line < lines)
        std::copy_n(&given[line * trial.k], trial.k, &rows[i * trial.k]);
    return rows;
  }

  /// Rows of groups, each with its B, and those of none, with a B of zeros.
  void compareGroups(double &worst, Verdict &verdict) {
    std::vector<double> a = rowsOfA(/*batch=*/0);
    int64_t row = 0;
    auto compareUpTo = [&](int64_t end, const std::vector<double> &b) {
      for (; row < end; ++row)
        compareRow(/*batch=*/0, row, &a[row * trial.k], b, worst, verdict);
    };
    for (auto [group, end] : llvm::enumerate(launch.ends))
      compareUpTo(
          std::min<int64_t>(end, trial.m),
          matrix("b", group, trial.k, trial.n, problem.b.order == Order::row));
    compareUpTo(trial.m, std::vector<double>(trial.k * trial.n));
  }

  void compareRow(int64_t batch, int64_t row, const double *a,
                  const std::vector<double> &b, double &worst,
                  Verdict &verdict) {
    const OperandRegion &c = *launch.find("c");
    std::vector<Inexact<double>> sums =
        sumsOfRow(problem, a, b, trial.k, trial.n, [&](int64_t col) {
          return old[indexOf(c, batch, row, col)];
        });
    auto wanted = reference.finish(sums, [&](size_t operand, size_t element) {
      return operandAt(operands[operand], batch, row, int64_t(element));
    });
    for (int64_t col = 0; col < trial.n; ++col) {
      double got = result[indexOf(c, batch, row, col)];
      double units =
          reference.distance(got, sums[col], wanted[col], [&](size_t operand) {
            return operandAt(operands[operand], batch, row, col);
          });
      worst = std::max(worst, units);
      if (units > 1 && verdict.findings.empty())
        verdict.findings.push_back(
            differs(batch, row, col, wanted[col].value, got));
    }
  }

  double operandAt(const Operand &operand, int64_t batch, int64_t row,
                   int64_t col) const {
    // With one dimension, or both: see placeOperands.
    int64_t line = operand.hasM && operand.hasN ? row : 0;
    int64_t column = operand.hasN ? col : operand.hasM ? row : 0;
    return operand.elements[indexOf(*operand.region, batch, line, column)];
  }

  Finding differs(int64_t batch, int64_t row, int64_t col, double wanted,
                  double got) const {
    return {Fault::value,
            formatv("computes {0} for element ({1}, {2}) of batch {3}, but "
                    "expected {4}",
                    textOf(got), row, col, batch, textOf(wanted)),
            Place{loc, "gpu.func"}};
  }

  const Reference &reference;
  const Problem &problem;
  const Trial &trial;
  const LaunchValues &launch;
  const Values &values;
  mlir::Location loc;
  Elements result, old; ///< of C
  llvm::SmallVector<Operand> operands;
};
} // namespace

void simulate::compare(const Reference &reference, const Trial &trial,
                       const LaunchValues &launch, const Values &values,
                       mlir::Location loc, Verdict &verdict) {
  Comparison(reference, trial, launch, values, loc).run(verdict);
}
