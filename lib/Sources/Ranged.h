//===- Ranged.h - Plans for an unknown extent -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source of RangedSource.h. Ranged plans are in RangedSource.cpp, advice on
// searches in RangeAdvice.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SOURCES_RANGED_H
#define HONE_LIB_SOURCES_RANGED_H

#include "RangePrices.h"
#include "hone/Sources/RangedSource.h"
#include <map>
#include <set>

namespace hone::detail {

/// The sources' answers at each value of one problem, so that no source is
/// called twice.
using Said = std::map<int64_t, std::optional<Answer>>;

/// The input from which a plan is made.
struct Plan {
  std::vector<Answer> candidates;
  RangePrices prices;
  std::vector<RangePoint> points;
  RangeCandidates table; ///< the price of each candidate at each point
  std::vector<RangeRun> runs;
};

class Ranged : public RangedSource {
public:
  Ranged(ScheduleSources sources, std::vector<std::shared_ptr<Lookup>> measured,
         RangeRule rule, RangeJudge judge)
      : sources(std::move(sources)), measured(std::move(measured)), rule(rule),
        judge(std::move(judge)) {}

  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override;
  RangeAdvice advise(const Problem &problem, const Arch &arch,
                     llvm::ArrayRef<int64_t> searched) override;
  std::optional<std::string> kernel(llvm::StringRef name) override;

private:
  std::set<int64_t> measuredValues(const Problem &problem, char letter,
                                   const Arch &arch) const;
  std::optional<Answer> askStatic(const Problem &asked, const Problem &problem,
                                  const Arch &arch) const;
  std::vector<Answer> candidatesFor(const Problem &problem, char letter,
                                    const std::set<int64_t> &values,
                                    RangePrices &prices, const Arch &arch,
                                    Said &said) const;
  void fitBetween(const Problem &problem, char letter, const Arch &arch,
                  const std::map<int64_t, size_t> &places,
                  std::vector<Answer> &candidates) const;
  std::set<int64_t> valuesFor(const Problem &problem, char letter,
                              const Arch &arch) const;
  std::optional<Plan>
  planFor(const Problem &problem, char letter, const Arch &arch,
          const std::set<int64_t> &values, Said &said,
          std::optional<llvm::ArrayRef<int64_t>> searched = {}) const;

  ScheduleSources sources;
  std::vector<std::shared_ptr<Lookup>> measured;
  RangeRule rule;
  RangeJudge judge;
};

/// True if the quotient of the two is less than `factor`.
bool areClose(int64_t one, int64_t other, double factor);

} // namespace hone::detail

#endif // HONE_LIB_SOURCES_RANGED_H
