//===- BenchBed.h - Basis of benchmarks on one GPU --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For benchmarks that run in this process: the first GPU, and the vendor's
// library on it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_BENCHBED_H
#define HONE_BENCH_BENCHBED_H

#include "hone/Device/CublasLt.h"
#include "hone/Driver/Compile.h"
#include "hone/Matmul/GemmData.h"

namespace hone {

struct BenchBed {
  std::unique_ptr<GemmKit> kit;
  std::unique_ptr<CublasLt> cublas;
  std::unique_ptr<mlir::MLIRContext> context;
  Arch arch;

  /// Opens the library in `cublas`, or the usual one if that is empty. With
  /// `mayLack`, `cublas` is null if there is none, with a message.
  static llvm::Expected<BenchBed> open(llvm::StringRef cublas,
                                       bool mayLack = false);
  /// The schedule of a build, unless `given` has one.
  llvm::Expected<Schedule> scheduleOf(const Problem &problem,
                                      llvm::StringRef given) const;
};

} // namespace hone

#endif // HONE_BENCH_BENCHBED_H
