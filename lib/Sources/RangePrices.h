//===- RangePrices.h - Prices of kernels at any value -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prices of RangedSource.h: the cost model's, corrected at values with
// known results, and interpolated between those along the logarithm of the
// extent.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SOURCES_RANGEPRICES_H
#define HONE_LIB_SOURCES_RANGEPRICES_H

#include "hone/Sources/RangedSource.h"
#include "hone/Space/Location.h"

namespace hone::detail {

class RangePrices {
public:
  RangePrices(const Arch &arch, const RangeRule &rule, const RangeJudge &judge)
      : arch(arch), rule(rule), judge(judge) {}

  /// Candidate `owner` was chosen at this value, which is `problem`. Values
  /// ascend.
  void addOwner(int64_t value, const Problem &problem, size_t owner,
                Basis basis);
  /// Called after the last owner, with all candidates.
  void setCandidates(std::vector<Schedule> schedules);
  /// Adds the candidates' times at the owners' values.
  void addTimes(Lookup &lookup);
  /// Called after all times: applies the judge's errors at values without
  /// times.
  void spreadTimes();

  /// A value and the candidate chosen there.
  struct Owner {
    int64_t value;
    size_t candidate;
    Basis basis;
  };
  llvm::ArrayRef<Owner> owners() const { return owned; }
  /// log2 of the seconds of a candidate at some value.
  double at(size_t candidate, const Problem &problem, int64_t value) const;
  /// The same for the schedule that a search at this value would find:
  /// interpolated between the two neighbours in `searched` that have times.
  /// Nothing outside of these, and nothing close to one.
  std::optional<double> hoped(int64_t value,
                              llvm::ArrayRef<int64_t> searched) const;
  /// True if a candidate was timed at this owner's value.
  bool isTimed(size_t candidate, size_t owner) const {
    return known[owner].errors[candidate].has_value();
  }

private:
  /// A value with a known result.
  struct Known {
    int64_t value;
    double logValue;
    Problem problem;
    size_t owner;
    Basis basis;
    /// The correction of the model's price of each candidate.
    std::vector<double> corrections;
    /// How much slower it is than the judge's price, where it was timed.
    std::vector<std::optional<double>> errors;

    bool isTimed() const;
  };
  /// Of those that count next to a value: the last below it, and the first that
  /// is not below.
  std::pair<const Known *, const Known *>
  around(double logValue, llvm::function_ref<bool(const Known &)> counts) const;
  /// The owner's price, where it was timed.
  double ownPrice(const Known &at) const;

  /// The number of tiles of C.
  int64_t tiles(size_t candidate, const Problem &problem) const;
  double modelled(const Problem &problem, size_t candidate) const;
  std::vector<double> judged(const Problem &problem) const;
  double errorAt(const Known &at, size_t candidate) const;
  double errorNear(const Known &at, size_t candidate) const;

  const Arch &arch;
  const RangeRule &rule;
  const RangeJudge &judge;
  std::vector<Owner> owned;
  std::vector<Known> known;
  std::vector<Schedule> candidates;
  std::vector<Location> locations; ///< of these
};

} // namespace hone::detail

#endif // HONE_LIB_SOURCES_RANGEPRICES_H
