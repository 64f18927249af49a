//===- BenchBed.cpp - Basis of benchmarks on one GPU ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BenchBed.h.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Bench/BenchBed.h"
#include "hone/Plugin/Sources.h"
#include "passes/Support.h"

using namespace hone;

llvm::Expected<BenchBed> BenchBed::open(llvm::StringRef cublas) {
  BenchBed bed;
  auto kit = GemmKit::open();
  if (!kit)
    return kit.takeError();
  bed.kit = std::move(*kit);
  llvm::Expected<Arch> arch = resolveArchName("native");
  if (!arch)
    return arch.takeError();
  bed.arch = *arch;
  auto library = CublasLt::open(*bed.kit->device, cublas);
  if (!library)
    return library.takeError();
  bed.cublas = std::move(*library);
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
