//===- VerdictCache.h - Each kernel is proven once --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search proposes thousands of schedules, and many of them share kernels:
// extents and run-time decisions are not part of a kernel's text. Compilers of
// candidates ask this cache before a GPU sees a kernel; a text that was asked
// for before costs one hash. With a file (VerdictFile.h) what was proven is
// known to others, and on other days.
//
// The proof of a kernel depends on its text and that of the kernels launched
// before it, their targets, the alternative of the plan, what the kernel
// computes for any extents, run-time decisions, and the simulator. The digest
// of all that is the verdict's name, and nothing else goes into the proof:
// extents that a module happens to know are left out of both. The simulator
// stands there as a digest of its sources, so each change of it begins anew.
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

/// Nothing is known to be wrong with a kernel, but the proof cannot tell that it
/// is right: it holds an op that nobody models, or something that no size
/// comes to.
class UndecidedError : public llvm::ErrorInfo<UndecidedError> {
public:
  static char ID;
  explicit UndecidedError(std::string why) : why(std::move(why)) {}
  void log(llvm::raw_ostream &os) const override { os << why; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string why;
};

class VerdictCache {
public:
  /// With `path`, remembers what others have proven there, and adds to it.
  explicit VerdictCache(std::string path = "") : file(std::move(path)) {}

  /// Simulates the barriers of every kernel of `module` at the sizes that prove
  /// it, where that was not done yet. Fails with the first finding, an
  /// UndecidedError where it says nothing of the kernel.
  llvm::Error prove(mlir::ModuleOp module);
  llvm::Error prove(const Subject &subject);
  /// Whether that was done, with success.
  bool isProven(const Subject &subject);

  /// Why verdicts of the file were not read, or not kept: none of it is a
  /// reason to fail. Each is told once.
  std::vector<std::string> takeComplaints();

  int64_t asked() const { return questions; }
  int64_t simulated() const { return runs; }

private:
  struct Judgement {
    std::string why; ///< empty if the kernel is right
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
