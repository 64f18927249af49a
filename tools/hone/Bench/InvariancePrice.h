//===- InvariancePrice.h - Time of invariant products -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of hone bench invariance, and its second table: the same product
// with invariant numbers, with a build's free choice, by cuBLASLt without a
// workspace (which keeps it from splitting K through memory), and by cuBLASLt.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BENCH_INVARIANCEPRICE_H
#define HONE_TOOLS_BENCH_INVARIANCEPRICE_H

#include "tools/hone/Bench/BenchBed.h"
#include "tools/hone/Bench/RowProduct.h"

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

llvm::StringRef priceHeader();
/// The rows of a product, one for each m.
llvm::Expected<std::vector<std::vector<std::string>>>
priceOf(InvarianceBed &bed, const Problem &problem,
        llvm::ArrayRef<int64_t> rows);
/// Geometric means, by ranges of m.
void printPrices(llvm::ArrayRef<std::vector<std::string>> rows);
/// For each product that has rows of several numbers, those with the minimum
/// time: the choice for all m, where the rows are as frequent as the program's.
void printFastest(llvm::ArrayRef<std::vector<std::string>> rows);

} // namespace hone

#endif // HONE_TOOLS_BENCH_INVARIANCEPRICE_H
