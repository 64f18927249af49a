//===- Projection.h - Cheap checks of a large product -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Freivalds' check on the CPU: C * x against A * (B * x), in f64, with every x
// randomly 1 or -1. An x is shorter than C is wide: columns are taken in
// groups, as narrow as a few seconds allow, and each row has one sum per group.
// A correct C differs by the roundings of a group's elements, whose signs x
// makes independent: the bound is eight times the root of the sum of the
// squares of their errors (hone/Numerics/ErrorBound.h), which chance alone
// exceeds once in 10^13 sums.
//
// | fault                          | is found                                |
// |--------------------------------|-----------------------------------------|
// | one element, exact values      | always, however small the error         |
// | one element, with roundings    | from 16 * sqrt(width of a group) times  |
// |                                | the tolerance of a typical element      |
// | a tile, in all of its elements | from about 16 times that on, in some of |
// |                                | its rows                                |
// | two of a row that cancel       | except once in 2 ^ vectors              |
// | a NaN, an infinity             | always                                  |
//
// Sums cannot detect a smaller error among roundings. Samples of elements, each
// with its own tolerance, find it if they include the element, and a run with
// data of 0 and 1 finds the same mistake by the first line. ProductCheck.h does
// the same for data on a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_NUMERICS_PROJECTION_H
#define HONE_NUMERICS_PROJECTION_H

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
  int64_t sums = 0;  ///< compared sums
  int64_t width = 0; ///< columns per group
  int64_t wrong = 0;
  int64_t row = -1, column = -1; ///< where the first wrong group starts
  double worst = 0; ///< the largest difference, in units of the tolerance
};

struct ProjectionOptions {
  int vectors = 2;
  int64_t seed = 20;
  double maxMacs = 4e9;                ///< max multiplications for A * (B * X)
  Products products = Products::exact; ///< permission for those of a * b
};

/// Compares `c`, stored as `type` after sums in f32, with a * b.
ProjectionFindings checkByProjection(const MatrixView &a, const MatrixView &b,
                                     const MatrixView &c, ElementType type,
                                     const ProjectionOptions &options = {});

} // namespace hone

#endif // HONE_NUMERICS_PROJECTION_H
