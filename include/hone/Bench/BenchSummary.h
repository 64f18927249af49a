//===- BenchSummary.h - Summary of many shapes ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of `hone bench gemm` by class of work: 2MNK below 1e9, from 1e9, from
// 1e11. One line for each class, protocol, baseline, and with or without
// programmatic launch:
//
// | column     | meaning                                                    |
// |------------|------------------------------------------------------------|
// | shapes     | with both sides measured, of those that should have both   |
// | geomean    | of the ratio in the better layout: the baseline's minimum  |
// |            | over all layouts against Hone's minimum                    |
// | nt, nn ... | geomean within one layout                                  |
// | min        | the smallest ratio, better layout                          |
// | wins       | shapes with a ratio above 1, better layout                 |
// | upper      | the smallest upper bound of a shape's 95 % interval        |
// | roofline   | median part of the roofline that Hone reaches              |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_BENCHSUMMARY_H
#define HONE_BENCH_BENCHSUMMARY_H

#include "hone/Bench/BenchRecord.h"
#include "hone/Command/Table.h"

namespace hone {

/// One line per class, protocol, baseline and mode that has a row.
Table summaryOf(llvm::ArrayRef<BenchRow> rows);
/// One line per row.
Table tableOf(llvm::ArrayRef<BenchRow> rows);

} // namespace hone

#endif // HONE_BENCH_BENCHSUMMARY_H
