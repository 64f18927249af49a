//===- CheckCases.h - The cases of hone check -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every layout and pair of types on every critical shape; variants (batches,
// padded and shifted matrices, an initial value, epilogues) on a few. Cases
// that share data and a reference are a group; one compiled kernel serves all
// shapes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHECK_CHECKCASES_H
#define HONE_CHECK_CHECKCASES_H

#include "hone/Check/CheckRunner.h"
#include <map>

namespace hone {

struct CheckPlan {
  /// A layout and a pair of types, with its schedules; those that break a law
  /// are dropped later.
  struct ProblemSchedules {
    Problem problem;
    std::vector<Schedule> schedules;
  };

  Arch arch;
  std::vector<int64_t> extents; ///< that M, N and K take
  std::vector<ProblemSchedules> problems;
  /// Kernel IR that all cases run instead of building their schedules.
  std::string kernel;
  size_t repeats = 0; ///< extra launches per case

  /// Whether bits are compared, which variants and chains are not.
  bool comparesBits() const {
    return repeats || problems.front().problem.numbers.isInvariant();
  }
};

/// Cases that share data and reference, and the mode of their launches.
struct CheckGroup {
  enum Kind { plain, chain, epilogue } kind = plain;
  std::vector<CheckCase> cases;

  /// The special feature of this group, in a word or two.
  llvm::StringRef variantOf(const CheckCase &one) const;
  /// Runs the cases that have a kernel.
  void run(CheckRunner &runner);
};

/// Every case of the plan: all shapes, chains, and variants on a few shapes.
std::vector<CheckGroup> makeGroups(const CheckPlan &plan);

/// Every kernel that the cases need, compiled once.
class CheckKernels {
public:
  /// Drops cases whose schedule breaks a law, or has a rewrite that applies to
  /// other cases and not to these; gives the others their kernel, or a failure.
  /// `cuda` is the driver's version.
  llvm::Error compile(std::vector<CheckGroup> &groups, const CheckPlan &plan,
                      int64_t cuda);

private:
  std::map<std::string, size_t> index;
  std::vector<std::unique_ptr<MatmulKernel>> kernels;
};

} // namespace hone

#endif // HONE_CHECK_CHECKCASES_H
