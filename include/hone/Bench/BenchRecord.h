//===- BenchRecord.h - One row of a benchmark -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of `hone bench gemm`, in the form of its CSV file: one row
// compares Hone's best launch with one baseline, for a shape, a layout, a
// protocol, and with or without programmatic launch. A summary depends only on
// the file, so it can be recomputed, and a run that ended early continues after
// the existing rows.
//
// | columns            | meaning                                           |
// |--------------------|---------------------------------------------------|
// | m n k layout types | the problem; of a batch, types end in batch=16,   |
// |                    | of a convolution in its name (Convolution.h)      |
// | protocol           | device, wall-offline, wall-server; `search` for a |
// |                    | candidate that failed before it could be timed    |
// | programmatic       | on: as in the plans; off: that attribute removed  |
// | baseline           | cublas, cublaslt-auto, ... (BenchPlan.h), none    |
// | status             | ok, or how Hone's side failed                     |
// | schedule           | Hone's                                            |
// | us p10 p90         | Hone's: median and quantiles of a launch          |
// | base_us ...        | the baseline's                                    |
// | ratio low high     | baseline's time over Hone's, its 95 % interval    |
// | roofline_us        | the shortest time possible on this chip           |
// | rounds             | turns of each                                     |
// | device, remark     | the GPU; the baseline's algorithm, or the fault   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_BENCHRECORD_H
#define HONE_BENCH_BENCHRECORD_H

#include "hone/Bench/BenchShapes.h"
#include "hone/Numerics/Statistics.h"
#include <map>
#include <string>

namespace hone {

/// Precedes a batch's size in the column of types.
constexpr llvm::StringLiteral kBatchMark = "batch=";

struct BenchRow {
  Extents shape = {};
  std::string layout, types, protocol, programmatic, baseline;
  std::string status, schedule;
  Quantiles ours, theirs; ///< seconds
  Ratio ratio;
  double roofline = 0; ///< seconds
  size_t rounds = 0;
  std::string device, remark;

  /// How many products there are; 1 if they are not a batch.
  int64_t batch() const;
  double flops() const {
    return 2.0 * double(batch()) * double(shape[0]) * double(shape[1]) *
           double(shape[2]);
  }
  bool isTimed() const { return status == "ok" && ours.median > 0; }
  /// Identifies the comparison. Of two rows with the same key the newer counts.
  std::string key() const;
  std::string csv() const;
  /// Parses the output of `csv`.
  static llvm::Expected<BenchRow> parse(llvm::StringRef line);
  static llvm::StringRef header();
};

/// Rows by key, in the order of the file. An unfinished last line is ignored. A
/// missing file has no rows.
llvm::Expected<std::vector<BenchRow>> readRows(llvm::StringRef path);

/// A CSV file that grows. When `add` returns, the line has been handed to the
/// operating system.
class CsvFile {
public:
  CsvFile() = default;
  CsvFile(CsvFile &&other) : descriptor(std::exchange(other.descriptor, -1)) {}
  CsvFile &operator=(CsvFile &&other) {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~CsvFile();
  /// Removes an unfinished last line; writes `header` to a new file, and
  /// rejects a file that begins with something else.
  static llvm::Expected<CsvFile> open(llvm::StringRef path,
                                      llvm::StringRef header);
  llvm::Error add(llvm::StringRef line);
  explicit operator bool() const { return descriptor >= 0; }

private:
  int descriptor = -1;
};

} // namespace hone

#endif // HONE_BENCH_BENCHRECORD_H
