//===- Winners.h - Choices of a run as a source -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_TUNER_WINNERS_H
#define HONE_LIB_TUNER_WINNERS_H

#include "hone/Plugin/Sources.h"
#include "hone/Search/Search.h"
#include <map>

namespace hone {

/// The text of a whole kernel; empty if it is unknown.
using KernelText = std::function<std::string(llvm::StringRef name)>;

/// The winners of this run, for the module that is written.
class Winners : public ScheduleSource {
public:
  Winners(llvm::ArrayRef<SearchResult> results, KernelText texts)
      : texts(std::move(texts)) {
    for (const SearchResult &result : results)
      if (result.chosen)
        schedules[result.problem.str()] = *result.chosen;
  }
  std::optional<Answer> ask(const Problem &problem, const Arch &) override {
    auto found = schedules.find(problem.str());
    if (found == schedules.end())
      return std::nullopt;
    return Answer{found->second, "hone tune"};
  }
  std::optional<std::string> kernel(llvm::StringRef name) override {
    std::string text = texts(name);
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  }

private:
  KernelText texts;
  std::map<std::string, Schedule> schedules;
};

} // namespace hone

#endif // HONE_LIB_TUNER_WINNERS_H
