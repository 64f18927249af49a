//===- BenchFinal.h - Ours and theirs, in turns -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contenders that a short timing has chosen take turns under every
// protocol, and the rows of the CSV come out:
//
// | protocol     | one measurement                                            |
// |--------------|------------------------------------------------------------|
// | device       | GPU time of a graph of launches back to back, on sets of   |
// |              | inputs that exceed the L2 cache twice, over their number   |
// | wall-offline | one launch and the wait for its end, by the host's clock   |
// | wall-server  | the same, after a pause of random length, exponentially    |
// |              | distributed around a millisecond                           |
//
// Both sides send as many contenders, and the fastest of a side counts. A
// kernel whose plan asks for programmatic launch takes part a second time
// without. Ours are checked before and after.
//
// Where a run has an epilogue both sides are ours: kernels with the epilogue,
// and as baselines the plain product and a kernel behind that.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BENCHFINAL_H
#define HONE_TOOLS_BENCHFINAL_H

#include "BenchRivals.h"

namespace hone {

class BenchFinal {
public:
  BenchFinal(const BenchPlan &plan, const BenchCell &cell, GemmKit &kit,
             GemmData &data, size_t sets)
      : plan(plan), cell(cell), kit(kit), data(data), sets(sets) {}

  /// Candidate `at` of the cell. A plain product beside an epilogue takes part
  /// as every baseline that it is one of.
  llvm::Error addCandidate(size_t at, MatmulKernel &kernel);
  /// A contender that `who` is blamed for.
  void addTheirs(int64_t who, Rival rival);

  /// `seconds`: about what a launch takes. `announce` hears who is about to
  /// run. An error means that the GPU's context is lost, or the cell is.
  llvm::Expected<std::vector<BenchRow>>
  run(double seconds, llvm::function_ref<void(int64_t who)> announce);

  /// Who was found to be wrong, and how; one line each.
  std::vector<std::string> failures() const;

private:
  struct Entry {
    int64_t who = 0; ///< for the beacon
    bool isOurs = false;
    bool with = false, without = false; ///< modes of programmatic launch
    size_t index = 0;                   ///< candidate or baseline
    Part outcome = Part::product;
    Contender launch;
    std::string remark, failure;
    TimedRounds timed; ///< under the protocol at hand
  };
  llvm::Error addEntry(size_t at, MatmulKernel &kernel, bool with,
                       bool without);
  llvm::Error addOwnBaselines(Entry entry);
  llvm::Error verify(llvm::function_ref<void(int64_t who)> announce,
                     const char *when);
  llvm::Expected<std::vector<TimedRounds>>
  sample(Protocol protocol, double seconds, const Announce &announce) const;
  /// The fastest of the entries that `counts` takes; null if there is none.
  const Entry *fastest(llvm::function_ref<bool(const Entry &)> counts) const;
  void fillRow(BenchRow &row) const;

  const BenchPlan &plan;
  const BenchCell &cell;
  GemmKit &kit;
  GemmData &data;
  size_t sets;
  std::vector<Entry> entries;
  std::vector<std::unique_ptr<MatmulKernel>> siblings;
};

} // namespace hone

#endif // HONE_TOOLS_BENCHFINAL_H
