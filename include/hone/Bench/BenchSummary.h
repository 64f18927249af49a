//===- BenchSummary.h - Summary of many shapes ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of `hone bench gemm` by class of work: 2MNK below 1e9, from 1e9, from
// 1e11, and all. One line for each class, protocol, baseline, and with or
// without programmatic dependent launch (`pdl`). A shape's ratio is that of the
// better layout: the baseline's minimum over all layouts against Hone's.
//
// | column     | meaning                                                    |
// |------------|------------------------------------------------------------|
// | shapes     | with both sides measured, of those that should have both   |
// | geomean    | geometric mean of the ratio                                |
// | mean       | arithmetic mean of the ratio                               |
// | nt, nn ... | geometric mean within one layout                           |
// | min        | the smallest ratio                                         |
// | won        | shapes whose 95 % interval lies above 1                    |
// | lost       | shapes whose interval lies below 1; the rest is noise      |
// | roof       | median part of the roofline that Hone reaches              |
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
