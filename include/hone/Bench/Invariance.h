//===- Invariance.h - Bits of rows in products of many rows -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison of hone bench invariance. A row's bits in a product of its own,
// with m = 1, are the expected ones; then rows are placed at random in products of
// every m. One row of CSV for each product, so that a run may be continued:
//
//   auto problems = problemsOf(options);        // products x types x numbers
//   auto result = runInvariance(options, *problems);
//   result->isRight                             // no row had other bits
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_INVARIANCE_H
#define HONE_BENCH_INVARIANCE_H

#include "hone/Bench/BenchBed.h"
#include "hone/Bench/RowProduct.h"
#include <array>

namespace hone {

struct InvarianceOptions {
  std::string products = "4096x4096,14336x4096", types = "f16:f16",
              layout = "nt", rows = "1-600", numbers = "invariant", sample,
              schedule, database, csv, arch = "native", cublas;
  int64_t pool = 600, ranges = 0, rounds = 7, minutes = 7, seed = 1;
  bool price = false, standIn = false, json = false;

  RowProductOptions product() const {
    return {arch, schedule, database, ranges, standIn};
  }
};

struct InvarianceBed {
  const InvarianceOptions &options;
  std::optional<BenchBed> gpu = {}; ///< none on a stand-in
  std::unique_ptr<mlir::MLIRContext> context = {};
  std::string device = {};

  static llvm::Expected<InvarianceBed> open(const InvarianceOptions &options);
};

/// The first cells of a product's rows.
std::vector<std::string> productCells(const Problem &problem);

/// "1-600,1024": numbers and ranges of them.
llvm::Expected<std::vector<int64_t>> parseRowCounts(llvm::StringRef text);
/// "4096x4096": N and K.
llvm::Expected<std::vector<std::array<int64_t, 2>>>
parseWidths(llvm::StringRef text);
/// All types and numbers of every product, or those of the table in a file
/// (`@FILE`); of those, the ones in the sample.
llvm::Expected<std::vector<Problem>>
problemsOf(const InvarianceOptions &options);

struct InvarianceResult {
  std::vector<std::vector<std::string>> rows; ///< those of the file first
  bool isRight = true;
  bool isWhole = true; ///< false if the time was over before the last product
};
/// The columns of the result's rows.
llvm::StringRef invarianceHeader(const InvarianceOptions &options);
/// Compares, or times with `price`, each product that the CSV file lacks, and
/// adds it there. A GPU is opened only if there is such a product.
llvm::Expected<InvarianceResult>
runInvariance(const InvarianceOptions &options,
              llvm::ArrayRef<Problem> problems);

} // namespace hone

#endif // HONE_BENCH_INVARIANCE_H
