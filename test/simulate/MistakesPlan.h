//===- MistakesPlan.h - List of the mistakes in a launch plan ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MistakesPlan.cpp has those of launches, guards and workspaces,
// MistakesParams.cpp those of parameters.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SIMULATE_MISTAKESPLAN_H
#define HONE_TEST_SIMULATE_MISTAKESPLAN_H

#include "Mistakes.h"
#include "llvm/Support/FormatVariadic.h"

namespace hone::test {

/// The mistakes in one launch of a plan.
class PlanMistakes {
public:
  PlanMistakes(const simulate::Subject &subject, size_t number)
      : subject(subject), number(number) {
    const PlanAlternative &alternative =
        subject.plan.alternatives[subject.alternative];
    const KernelLaunch &launch = alternative.launches[number];
    ofLaunch(launch);
    for (size_t i = 0; i < launch.params.size(); ++i)
      ofParam(launch, i);
    if (number + 1 == alternative.launches.size()) {
      ofGuard(alternative.guard.str());
      ofWorkspace(alternative);
    }
  }

  std::vector<Mistake> list;

private:
  using Replan = std::function<void(KernelLaunch &)>;
  Mistake &add(llvm::StringRef kind, const llvm::Twine &detail,
               std::function<void(simulate::Subject &)> replan) {
    Mistake mistake;
    mistake.cause = Cause::plan;
    mistake.kind = kind.str();
    mistake.op = "plan";
    mistake.launch = number;
    mistake.detail = detail.str();
    mistake.replan = std::move(replan);
    return list.emplace_back(std::move(mistake));
  }
  Mistake &addToLaunch(llvm::StringRef kind, const llvm::Twine &detail,
                       Replan change) {
    return add(
        kind, detail, [change, number = number](simulate::Subject &subject) {
          change(
              subject.plan.alternatives[subject.alternative].launches[number]);
        });
  }
  void addWrong(llvm::StringRef kind, const llvm::Twine &detail,
                Replan change) {
    addToLaunch(kind, detail, std::move(change)).cannotBeRight = true;
  }

  void ofLaunch(const KernelLaunch &launch);
  void ofGrid(const KernelLaunch &launch);
  void ofParam(const KernelLaunch &launch, size_t number);
  void ofMap(const TensorMap &map, size_t number);
  using Place = std::function<PlanFormula &(KernelLaunch &)>;
  void ofThresholds(const std::string &formula, size_t number, Place place);
  void ofOthers(const std::string &formula, size_t number, Place place);
  void ofGuard(llvm::StringRef guard);
  void ofWorkspace(const PlanAlternative &alternative);

  const simulate::Subject &subject;
  const size_t number;
};

/// `form` with `formula` as its first argument.
template <typename... Args>
PlanFormula changed(const char *form, const PlanFormula &formula,
                    Args... args) {
  return llvm::formatv(form, formula.str(), args...).str();
}

} // namespace hone::test

#endif // HONE_TEST_SIMULATE_MISTAKESPLAN_H
