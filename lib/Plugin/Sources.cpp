//===- Sources.cpp - What hone-select-schedule asks -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sources.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Plugin/Sources.h"
#include "hone/Database/Database.h"
#include "hone/Search/ModelSource.h"

using namespace hone;

llvm::Expected<ScheduleSources> hone::openSources(const std::string &database,
                                                  bool guess) {
  ScheduleSources sources;
  if (!database.empty()) {
    llvm::Expected<Database> opened = Database::open(database, Access::read);
    if (!opened)
      return opened.takeError();
    sources.push_back(makeDatabaseSource(std::move(*opened), thisToolchain()));
  }
  if (guess)
    sources.push_back(std::make_shared<ModelSource>());
  return sources;
}
