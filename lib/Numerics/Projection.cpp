//===- Projection.cpp - Check of a large product by projection ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums in f64 have errors, too, but of 2^-53 of the norms: negligible compared
// with an error of f32, and zero where the sums are integers.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/Projection.h"
#include "hone/Numerics/ErrorBound.h"
#include "llvm/Support/Parallel.h"
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace hone;

namespace {
class Projector {
public:
  Projector(const MatrixView &a, const MatrixView &b, const MatrixView &c,
            ElementType type, const ProjectionOptions &options)
      : a(a), b(b), c(c), type(type), products(options.products),
        vectors(options.vectors) {
    double macs = double(vectors) * a.rows * a.cols * b.cols;
    width = std::clamp<int64_t>(std::ceil(macs / options.maxMacs), kNarrowest,
                                std::max(kNarrowest, b.cols));
    groups = (b.cols + width - 1) / width;
    std::mt19937_64 random(options.seed);
    signs.resize(vectors * b.cols);
    for (double &sign : signs)
      sign = random() >> 63 ? 1 : -1;
    summaries[0] = summarize(a.rows, a.cols, [&](int64_t row, int64_t k) {
      return this->a.at(row, k);
    });
    summaries[1] = summarize(b.cols, b.rows, [&](int64_t col, int64_t k) {
      return this->b.at(k, col);
    });
  }

  ProjectionFindings run();

private:
  static constexpr int64_t kNarrowest = 16, kRows = 8;
  /// A row of A or a column of B.
  struct Line {
    double norm = 0;
    bool isWhole = true;
  };
  template <typename At>
  static std::vector<Line> summarize(int64_t lines, int64_t depth, At at);

  double sign(int64_t vector, int64_t col) const {
    return signs[vector * b.cols + col];
  }
  void projectRight();
  void projectLeft(int64_t first, int64_t last, double *sums) const;
  double errorOf(int64_t row, int64_t col) const;
  void judge(int64_t row, const double *sums, ProjectionFindings &found) const;

  MatrixView a, b, c;
  ElementType type;
  Products products;
  int64_t vectors, width, groups;
  std::vector<double> signs; ///< by vector and column
  std::vector<Line> summaries[2];
  std::vector<double> right; ///< B * X: by k, vector and group
};
} // namespace

template <typename At>
std::vector<Projector::Line> Projector::summarize(int64_t lines, int64_t depth,
                                                  At at) {
  std::vector<Line> result(lines);
  llvm::parallelFor(0, lines, [&](size_t line) {
    double squares = 0;
    bool isWhole = true;
    for (int64_t k = 0; k < depth; ++k) {
      double value = at(line, k);
      squares += value * value;
      isWhole &= value == std::nearbyint(value);
    }
    result[line] = {std::sqrt(squares), isWhole};
  });
  return result;
}

void Projector::projectRight() {
  right.assign(b.rows * vectors * groups, 0);
  llvm::parallelFor(0, b.rows, [&](size_t k) {
    double *to = &right[k * vectors * groups];
    for (int64_t vector = 0; vector < vectors; ++vector)
      for (int64_t col = 0; col < b.cols; ++col)
        to[vector * groups + col / width] += sign(vector, col) * b.at(k, col);
  });
}

/// Computes some rows of A * (B * X).
void Projector::projectLeft(int64_t first, int64_t last, double *sums) const {
  int64_t count = vectors * groups;
  for (int64_t k = 0; k < a.cols; ++k) {
    const double *from = &right[k * count];
    for (int64_t row = first; row < last; ++row) {
      double factor = a.at(row, k), *to = sums + (row - first) * count;
      for (int64_t i = 0; i < count; ++i)
        to[i] += factor * from[i];
    }
  }
}

/// The tolerance of a right element. Its value is taken from C, limited to its
/// possible maximum.
double Projector::errorOf(int64_t row, int64_t col) const {
  const Line &x = summaries[0][row], &y = summaries[1][col];
  double norms = x.norm * y.norm;
  double size = std::fabs(c.at(row, col)), value = std::min(size, norms);
  // No partial sum exceeds the product of the norms. A store is monotonic, so a
  // value below the limit now was below it before.
  bool isExactSum = x.isWhole && y.isWhole &&
                    std::max(x.norm, y.norm) <= largestExactFactor(products) &&
                    norms <= largestExactSum(products);
  if (isExactSum && size < largestExactInteger(type))
    return 0;
  double sum =
      isExactSum ? 0 : errorOfSum(value, norms, double(a.cols), products);
  return sum + std::max(unitRoundoff(type) * value, smallestError(type));
}

void Projector::judge(int64_t row, const double *sums,
                      ProjectionFindings &found) const {
  constexpr double kDeviations = 8;
  for (int64_t group = 0; group < groups; ++group) {
    int64_t from = group * width, to = std::min(from + width, b.cols);
    double squares = 0, norms = 0;
    for (int64_t col = from; col < to; ++col) {
      double error = errorOf(row, col);
      squares += error * error;
      norms += summaries[0][row].norm * summaries[1][col].norm;
    }
    double allowed = kDeviations * std::sqrt(squares);
    if (squares > 0)
      allowed += norms * std::ldexp(double(a.cols), -53);
    for (int64_t vector = 0; vector < vectors; ++vector) {
      double sum = 0;
      for (int64_t col = from; col < to; ++col)
        sum += sign(vector, col) * c.at(row, col);
      double off = std::fabs(sum - sums[vector * groups + group]);
      ++found.sums;
      found.worst = std::max(found.worst, allowed > 0 ? off / allowed : 0);
      if (off <= allowed)
        continue;
      if (!found.wrong++)
        found.row = row, found.column = from;
    }
  }
}

ProjectionFindings Projector::run() {
  projectRight();
  int64_t blocks = (a.rows + kRows - 1) / kRows;
  std::vector<ProjectionFindings> found(blocks);
  llvm::parallelFor(0, blocks, [&](size_t block) {
    int64_t first = block * kRows, last = std::min(first + kRows, a.rows);
    std::vector<double> sums(kRows * vectors * groups, 0);
    projectLeft(first, last, sums.data());
    for (int64_t row = first; row < last; ++row)
      judge(row, &sums[(row - first) * vectors * groups], found[block]);
  });
  ProjectionFindings all;
  all.width = width;
  for (const ProjectionFindings &each : found) {
    if (!all.wrong)
      all.row = each.row, all.column = each.column;
    all.wrong += each.wrong;
    all.sums += each.sums;
    all.worst = std::max(all.worst, each.worst);
  }
  return all;
}

ProjectionFindings hone::checkByProjection(const MatrixView &a,
                                           const MatrixView &b,
                                           const MatrixView &c,
                                           ElementType type,
                                           const ProjectionOptions &options) {
  return Projector(a, b, c, type, options).run();
}
