//===- VerdictCache.h - Each kernel is proven once --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search proposes thousands of schedules, and many of them share kernels:
// extents and run-time decisions are not part of a kernel's text. Compilers of
// candidates ask this cache before a GPU sees a kernel; a text that was asked
// for before costs one hash.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_VERDICTCACHE_H
#define HONE_SIMULATE_VERDICTCACHE_H

#include "hone/Simulate/Simulate.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace hone::simulate {

class VerdictCache {
public:
  /// Simulates the barriers of every kernel of `module` at the sizes that prove
  /// it. Fails with the first finding.
  llvm::Error prove(mlir::ModuleOp module);

  int64_t asked() const { return questions; }
  int64_t simulated() const { return runs; }

private:
  /// What is wrong with a kernel; empty if nothing is.
  std::string judge(const Subject &subject);

  std::mutex mutex;
  llvm::StringMap<std::string> verdicts;
  int64_t questions = 0, runs = 0;
};

} // namespace hone::simulate

#endif // HONE_SIMULATE_VERDICTCACHE_H
