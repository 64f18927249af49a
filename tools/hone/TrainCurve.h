//===- TrainCurve.h - How a training went -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The learning curve of `hone train`, line by line as it comes: on the screen,
// as CSV and as a picture. Whoever is killed has what was written until then,
// and a training that goes on continues the curve it has.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_TRAINCURVE_H
#define HONE_TOOLS_TRAINCURVE_H

#include "Table.h"
#include "hone/Policy/TrainingRun.h"
#include "hone/Text/Chart.h"

namespace hone {

class TrainCurve {
public:
  /// Paths may be empty: then there is no such file.
  TrainCurve(std::string csv, std::string svg);

  /// Takes what an earlier run wrote to its CSV, if there is any.
  llvm::Error goOn();
  /// A failure to write is kept for `write`: a training does not end for it.
  void add(const CurvePoint &point);
  llvm::Error write() const;

private:
  using Row = std::vector<std::string>;

  std::string csv, svg;
  std::vector<Row> rows;
};

/// First proposal, and best of four that were heard, of each network by all the
/// steps that it has made in any phase; bands reach down to the 10th
/// percentile. `rows` are those of the CSV.
Chart curveChart(llvm::ArrayRef<std::vector<std::string>> rows);

} // namespace hone

#endif // HONE_TOOLS_TRAINCURVE_H
