//===- Plans.cpp - Plans for unknown extents, in tools --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Plans.h.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Program/Plans.h"
#include "hone/Database/Database.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Sources/ModelSource.h"

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
