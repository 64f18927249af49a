//===- CostFit.h - Coefficients from measurements ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quality of a cost model is that of its ranking: the *loss* of a shape is
// the slowdown of the best of the model's first 24 schedules against the best
// of all. Shapes, sorted by work, go alternately into two halves: the model is
// fitted to one, and the other measures the quality of the fit.
//
// A dense table has every legal schedule's time for some shapes. Its text has
// a line for every schedule, so that a schedule is written once:
//
//   # remarks
//   schedule;nt f16:f16;64x128x128;512x512x64;...
//   small, tile = ...;;1.615;2.07;...
//
// Times are in microseconds; the field of an illegal schedule is empty.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_COSTFIT_H
#define HONE_SEARCH_COSTFIT_H

#include "hone/Space/CostModel.h"
#include <functional>
#include <vector>

namespace hone {

/// One shape's times, in the order of the catalogue.
struct DenseShape {
  Problem problem;
  std::vector<Schedule> schedules;
  std::vector<double> seconds;
  /// Schedules without a time because the assembler refused them, for example
  /// because they spill.
  std::vector<Schedule> refused;

  double best() const;
};
/// By 2MNK.
using DenseTable = std::vector<DenseShape>;

/// Orders elements that have a problem by 2MNK.
inline constexpr auto byWork = [](const auto &left, const auto &right) {
  return *left.problem.flops() < *right.problem.flops();
};

/// Reads a dense table or the output of `hone bench gemm --candidates-csv`. A
/// file whose name ends in .zst is unpacked with zstd.
llvm::Expected<DenseTable> parseDenseTable(llvm::StringRef text);
llvm::Expected<DenseTable> readDenseTable(const std::string &path);
/// The text above, without remarks, of shapes of one layout and type.
llvm::Expected<std::string> denseTableText(const DenseTable &table);

/// Every other shape, starting with the first (0) or the second (1).
DenseTable halfOf(const DenseTable &table, int half);

/// For each shape, the best of the model's first `top` over the best of all,
/// less one.
std::vector<double> losses(const DenseTable &table, const Arch &arch,
                           size_t top,
                           const CostCoefficients &coefficients = {});

/// The value that `part` (0.5, 0.9, 1) of `values` do not exceed.
double quantile(std::vector<double> values, double part);

/// Searches coefficients for `table`, one at a time, from `start`.
/// Deterministic. `progress` receives the objective after every round.
CostCoefficients fitCoefficients(const DenseTable &table, const Arch &arch,
                                 CostCoefficients start, int64_t rounds,
                                 std::function<void(double)> progress);

} // namespace hone

#endif // HONE_SEARCH_COSTFIT_H
