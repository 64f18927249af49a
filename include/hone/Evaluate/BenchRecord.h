//===- BenchRecord.h - One row of a benchmark -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `hone bench gemm` measures, as it lies in its CSV file: one row compares
// our best launch with one baseline, for a shape, a layout, a protocol, and
// with or without programmatic launch. A summary needs nothing else, so it can
// be made again from the file, and a run that ended early continues behind the
// rows that are there.
//
// | columns           | meaning                                             |
// |-------------------|-----------------------------------------------------|
// | m n k layout types| the problem                                         |
// | protocol          | device, wall-offline, wall-server; `search` for a   |
// |                   | candidate that broke down before it could be timed  |
// | programmatic      | on: as the plans say; off: that attribute taken away|
// | baseline          | cublas, cublaslt-heuristic, cublaslt-auto, none     |
// | status            | ok, or what became of ours                          |
// | schedule          | ours                                                |
// | us p10 p90        | ours: median and quantiles of a launch              |
// | base_us ...       | the baseline's                                      |
// | ratio low high    | baseline's time over ours, its 95 % interval        |
// | roofline_us       | the least time this chip can need                   |
// | rounds            | turns of each                                       |
// | device, remark    | where; how many candidates there were               |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_BENCHRECORD_H
#define HONE_EVALUATE_BENCHRECORD_H

#include "hone/Evaluate/BenchShapes.h"
#include "hone/Measure/Statistics.h"
#include <map>
#include <string>

namespace hone {

struct BenchRow {
  Extents shape = {};
  std::string layout, types, protocol, programmatic, baseline;
  std::string status, schedule;
  Quantiles ours, theirs; ///< seconds
  Ratio ratio;
  double roofline = 0; ///< seconds
  size_t rounds = 0;
  std::string device, remark;

  double flops() const {
    return 2.0 * double(shape[0]) * double(shape[1]) * double(shape[2]);
  }
  bool isTimed() const { return status == "ok" && ours.median > 0; }
  /// What a row measures. The newer of two rows with one key counts.
  std::string key() const;
  std::string csv() const;
  /// Reads what `csv` prints.
  static llvm::Expected<BenchRow> parse(llvm::StringRef line);
  static llvm::StringRef header();
};

/// A line of CSV, quoted where it must be; and its cells.
std::string csvLine(llvm::ArrayRef<std::string> cells);
std::vector<std::string> csvCells(llvm::StringRef line);

/// Rows by key, in the order of the file. A last line without an end is not
/// read: whoever wrote it did not finish. No file is no rows.
llvm::Expected<std::vector<BenchRow>> readRows(llvm::StringRef path);

/// A CSV file that grows. Every line is on its way to the disk when `add`
/// returns.
class CsvFile {
public:
  CsvFile() = default;
  CsvFile(CsvFile &&other) : descriptor(std::exchange(other.descriptor, -1)) {}
  CsvFile &operator=(CsvFile &&other) {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~CsvFile();
  /// Cuts off an unfinished last line; writes `header` to a new file, and
  /// refuses a file that begins with something else.
  static llvm::Expected<CsvFile> open(llvm::StringRef path,
                                      llvm::StringRef header);
  llvm::Error add(llvm::StringRef line);
  explicit operator bool() const { return descriptor >= 0; }

private:
  int descriptor = -1;
};

} // namespace hone

#endif // HONE_EVALUATE_BENCHRECORD_H
