//===- Search.cpp - Search for several problems ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Search.h.
//
//===----------------------------------------------------------------------===//

#include "SearchLoop.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;

SearchOptions hone::contestOf(WantedSchedules wanted, SearchOptions search) {
  search.policy = kDefaultPolicy.str();
  search.makePolicy = nullptr;
  search.seeds = nullptr;
  search.ofBuild = nullptr;
  search.trials = search.rewrites = search.stale = 0;
  search.wanted = [wanted = std::move(wanted)](const Problem &problem) {
    auto found = wanted.find(problem.str());
    return found == wanted.end() ? std::vector<Schedule>() : found->second;
  };
  return search;
}

Search::Search(Evaluator &evaluator, Database *database, SearchOptions options,
               SearchHooks hooks)
    : evaluator(evaluator), database(database), options(std::move(options)),
      hooks(std::move(hooks)) {}

Search::~Search() = default;

Expected<std::vector<SearchResult>>
Search::run(llvm::ArrayRef<Problem> problems) {
  Loop loop(*this);
  if (Error error = loop.run(problems))
    return std::move(error);
  return loop.takeResults();
}
