//===- VerdictCache.h - Each structure is proven once -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search proposes thousands of schedules, and many of them share kernels:
// extents and run-time knobs are no part of a kernel's text. Whoever compiles
// candidates asks here before a GPU sees one; a text that has been asked for
// before costs a hash.
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
  /// Runs the protocol of every kernel of `module` at the sizes that prove it.
  /// Fails with the first finding.
  llvm::Error prove(mlir::ModuleOp module);

  int64_t asked() const { return questions; }
  int64_t simulated() const { return runs; }

private:
  /// What is wrong with a kernel, or an empty string.
  std::string judge(const Subject &subject);

  std::mutex mutex;
  llvm::StringMap<std::string> verdicts;
  int64_t questions = 0, runs = 0;
};

} // namespace hone::simulate

#endif // HONE_SIMULATE_VERDICTCACHE_H
