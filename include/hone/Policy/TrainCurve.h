//===- TrainCurve.h - Learning curve of hone train --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The learning curve of `hone train`, line by line: on the screen, as CSV and
// as a picture. If the process is killed, the lines until then are kept, and a
// resumed training continues the curve.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_TRAINCURVE_H
#define HONE_POLICY_TRAINCURVE_H

#include "hone/Command/Table.h"
#include "hone/Policy/TrainingRun.h"
#include "hone/Text/Chart.h"

namespace hone {

class TrainCurve {
public:
  /// A path may be empty: then there is no such file.
  TrainCurve(std::string csv, std::string svg);

  /// Reads the CSV of an earlier run, if there is one.
  llvm::Error goOn();
  /// A failure to write is kept for `write`: it does not end the training.
  void add(const CurvePoint &point);
  llvm::Error write() const;

private:
  using Row = std::vector<std::string>;

  std::string csv, svg;
  std::vector<Row> rows;
};

/// First proposal, and best of four that were measured, of each network by its
/// total steps in all phases; bands reach down to the 10th percentile. `rows`
/// are those of the CSV.
Chart curveChart(llvm::ArrayRef<std::vector<std::string>> rows);

} // namespace hone

#endif // HONE_POLICY_TRAINCURVE_H
