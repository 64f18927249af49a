//===- InvariancePrice.h - Time of invariant products -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second table of hone bench invariance: the same product with invariant
// numbers, with a build's free choice, by cuBLASLt without a workspace (which
// keeps it from splitting K through memory), and by cuBLASLt.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_INVARIANCEPRICE_H
#define HONE_BENCH_INVARIANCEPRICE_H

#include "hone/Bench/Invariance.h"

namespace hone {

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

#endif // HONE_BENCH_INVARIANCEPRICE_H
