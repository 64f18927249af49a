//===- VerdictCache.h - Cache of kernel proofs ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search proposes thousands of schedules, and many of them share kernels:
// extents and run-time decisions are not part of a kernel's text. Compilers of
// candidates use this cache before a kernel runs on a GPU; a known text costs
// one hash. With a file (VerdictFile.h), verdicts are shared with other
// processes and later runs.
//
// The proof of a kernel depends on its text and that of the kernels launched
// before it, their targets, the alternative of the plan, the problem without
// its extents, run-time decisions, and the simulator. A digest of all that is
// the verdict's key. The proof depends on nothing else: both ignore extents
// that a module contains. The digest knowledge the simulator's sources, so each
// change of the simulator invalidates all verdicts.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_VERDICTCACHE_H
#define HONE_SIMULATE_VERDICTCACHE_H

#include "hone/Simulate/Simulate.h"
#include "hone/Simulate/VerdictFile.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace hone::simulate {

/// All that the proof of `subject` depends on, as 64 digits.
std::string digestOf(const Subject &subject);

/// The proof found no fault in a kernel, but cannot decide that it is correct:
/// the kernel has an op without a model, or code that no size reaches.
class UndecidedError
    : public llvm::ErrorInfo<UndecidedError, llvm::StringError> {
public:
  static char ID;
  explicit UndecidedError(const llvm::Twine &why)
      : ErrorInfo(why, llvm::inconvertibleErrorCode()) {}
};

class VerdictCache {
public:
  /// With `path`, uses the verdicts in that file and adds new ones.
  explicit VerdictCache(std::string path = "") : file(std::move(path)) {}

  /// Simulates the barriers of every kernel of `module` at the sizes that prove
  /// it, if that was not done yet. Fails with the first finding, or with an
  /// UndecidedError if the kernel is undecided.
  llvm::Error prove(mlir::ModuleOp module);
  llvm::Error prove(const Subject &subject);
  /// Whether the kernel was proven correct.
  bool isProven(const Subject &subject);

  /// Why verdicts of the file could not be read or written, for warnings. Each
  /// is returned once.
  std::vector<std::string> takeComplaints();

  int64_t asked() const { return questions; }
  int64_t simulated() const { return runs; }

private:
  struct Judgement {
    std::string why; ///< empty if the kernel is correct
    bool isDecided = true;
  };
  Judgement judge(const Subject &subject);
  /// The verdict, if there is one.
  std::optional<Judgement> find(llvm::StringRef digest) const;
  void keep(llvm::StringRef digest, const Judgement &judgement);

  std::mutex mutex;
  VerdictFile file;
  llvm::StringMap<Judgement> verdicts;
  std::string unwritten;
  bool hasComplained = false;
  int64_t questions = 0, runs = 0;
};

} // namespace hone::simulate

#endif // HONE_SIMULATE_VERDICTCACHE_H
