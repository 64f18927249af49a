//===- Plans.cpp - Plans for unknown extents, in tools --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Plans.h.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"
#include "hone/Database/Database.h"
#include "hone/Policy/LearnedSource.h"
#include "hone/Search/ModelSource.h"

using namespace hone;

llvm::Expected<std::shared_ptr<Lookup>>
hone::openLookup(const std::string &path, Origin origin) {
  auto database = Database::open(path, Access::read);
  if (!database)
    return database.takeError();
  return makeLookup(std::move(*database), thisToolchain(), origin);
}

std::shared_ptr<RangedSource> hone::makePlans(std::shared_ptr<Lookup> known,
                                              RangeRule rule, bool modelOnly) {
  return makeRangedSource(
      {makeExactSource(known), std::make_shared<LearnedSource>(kBriefLooks),
       std::make_shared<ModelSource>()},
      {known}, rule, modelOnly ? RangeJudge() : learnedJudge());
}
