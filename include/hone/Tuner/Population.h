//===- Population.h - Proven kernels on islands -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels from which a language model makes others. An island has at most
// sixteen, one for each *niche*: the ops in which a kernel differs from the
// first one. So a kernel with a new idea does not compete with the many forms
// of an older one. A question shows two kernels of one island. After each round
// every island's best one moves on to the next island.
//
// A kernel with a time is better than one without. Times are fractions of the
// time of the schedule that all kernels began as, in the same final. Without
// times, the simulator's ticks count.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_POPULATION_H
#define HONE_TUNER_POPULATION_H

#include "hone/Matmul/WholeKernelFile.h"
#include <map>
#include <memory>

namespace hone {

/// A kernel that is proven.
struct KernelMember {
  WholeKernelFile file;
  std::string niche;
  std::string origin;        ///< "round 2, island 1: {"parent": ...}"
  std::string waits;         ///< table of a run of the simulator
  int64_t ticks = INT64_MAX; ///< of that run
  double seconds = 0;        ///< of a final; 0: not timed
  double fraction = 0;       ///< of the time of the original in that final
  const std::string &name() const { return file.kernel.name; }
};
using MemberPtr = std::shared_ptr<KernelMember>;

bool isBetter(const KernelMember &one, const KernelMember &other);

/// The roles and ops of the lines in which two kernels differ, whatever the
/// names of their values: "consumer: mma.wait". "order" if the same lines are
/// in another order.
std::string nicheOf(llvm::StringRef before, llvm::StringRef after);

class Population {
public:
  static constexpr size_t kMaxMembers = 16;

  /// Every island begins with `first`.
  Population(MemberPtr first, size_t islands);

  size_t size() const { return islands.size(); }
  /// The member takes its niche if it is better than the one there, and the
  /// place of the worst where there is no place.
  void add(size_t island, MemberPtr member);
  /// The island's best, and another one, by the number `drawn`, if it has two.
  std::vector<MemberPtr> parents(size_t island, uint64_t drawn) const;
  /// The best of all islands that have a time, the best first.
  std::vector<MemberPtr> winners(size_t max) const;
  void migrate();

private:
  using Island = std::map<std::string, MemberPtr>; ///< by niche
  static std::vector<MemberPtr> inOrder(const Island &island);
  std::vector<Island> islands;
};

} // namespace hone

#endif // HONE_TUNER_POPULATION_H
