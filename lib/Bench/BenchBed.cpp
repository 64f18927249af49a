//===- BenchBed.cpp - Basis of benchmarks on one GPU ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BenchBed.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchBed.h"
#include "hone/Plugin/Sources.h"
#include "passes/Support.h"

using namespace hone;

llvm::Expected<BenchBed> BenchBed::open(llvm::StringRef cublas, bool mayLack) {
  BenchBed bed;
  if (llvm::Error error = GemmKit::open().moveInto(bed.kit))
    return std::move(error);
  if (llvm::Error error = resolveArchName("native").moveInto(bed.arch))
    return std::move(error);
  if (llvm::Error error =
          CublasLt::open(*bed.kit->device, cublas).moveInto(bed.cublas)) {
    if (!mayLack)
      return std::move(error);
    llvm::errs() << "skipped cuBLASLt: " << llvm::toString(std::move(error))
                 << "\n";
  }
  bed.context = makeContext();
  return bed;
}

llvm::Expected<Schedule> BenchBed::scheduleOf(const Problem &problem,
                                              llvm::StringRef given) const {
  if (!given.empty())
    return parseSchedule(given);
  auto choice = choiceOfBuild();
  if (!choice)
    return choice.takeError();
  return (*choice)(problem, arch).value_or(defaultSchedule(problem, arch));
}
