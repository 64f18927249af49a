//===- Projection.h - All of a large product, for little --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Freivalds' check on the CPU: C * x against A * (B * x), in f64, with every x
// 1 or -1 by chance. An x is not as long as C is wide: columns are taken in
// groups, as narrow as some seconds allow, and each row has a sum for each
// group. A right C differs by the roundings of a group's elements, whose signs x
// makes independent: the bound is eight times the root of the sum of the squares
// of their errors (hone/Measure/ErrorBound.h), which chance alone passes once in
// 10^13 sums.
//
// | what is wrong                    | is found                                 |
// |----------------------------------|------------------------------------------|
// | one element, the error is exact  | always, by however little                |
// | one element, with roundings      | from 16 * sqrt(width of a group) times   |
// |                                  | what one of usual size may be off        |
// | a tile, in all of its elements   | from about 16 times that on, in some of  |
// |                                  | its rows                                 |
// | two of a row that cancel         | but for one time in 2 ^ vectors          |
// | a NaN, an infinity               | always                                   |
//
// What is less than that, with roundings, no sum can see: elements that are
// sampled, each by its own tolerance, find it where they meet it, and the same
// mistake in a run with data of 0 and 1 is found by the first line.
// ProductCheck.h does the same where data lies on a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_PROJECTION_H
#define HONE_MEASURE_PROJECTION_H

#include "hone/Schedule/Problem.h"
#include <cstdint>

namespace hone {

/// A matrix of doubles somewhere in memory.
struct MatrixView {
  const double *data = nullptr;
  int64_t rows = 0, cols = 0;
  int64_t rowStride = 0, colStride = 0;

  double at(int64_t row, int64_t col) const {
    return data[row * rowStride + col * colStride];
  }
};

struct ProjectionFindings {
  int64_t sums = 0;  ///< that were compared
  int64_t width = 0; ///< columns of a group
  int64_t wrong = 0;
  int64_t row = -1, column = -1; ///< where the first wrong group starts
  double worst = 0; ///< the largest difference, in units of what is allowed
};

struct ProjectionOptions {
  int vectors = 2;
  int64_t seed = 20;
  double mostMacs = 4e9; ///< multiplications that may be spent on A * (B * X)
};

/// Holds `c`, stored as `type` after sums in f32, against a * b.
ProjectionFindings checkByProjection(const MatrixView &a, const MatrixView &b,
                                     const MatrixView &c, ElementType type,
                                     const ProjectionOptions &options = {});

} // namespace hone

#endif // HONE_MEASURE_PROJECTION_H
