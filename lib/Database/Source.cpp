//===- Source.cpp - A database that answers compilers ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One connection behind a lock: passes ask from any thread, and an answer takes
// some microseconds. A database that fails is silent; the chain goes on to the
// default, because a compile never fails for what tuning left behind.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Database.h"
#include <mutex>

using namespace hone;

namespace {
class DatabaseSource : public ScheduleSource {
public:
  DatabaseSource(Database database, Toolchain today)
      : database(std::move(database)), today(std::move(today)) {}

  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override {
    std::lock_guard<std::mutex> lock(mutex);
    llvm::Expected<std::optional<Found>> found =
        database.best(problem, arch.chip, today);
    if (!found) {
      llvm::consumeError(found.takeError());
      return std::nullopt;
    }
    if (!*found)
      return std::nullopt;
    return Answer{(*found)->record.schedule, (*found)->isStale
                                                 ? "database, exact, stale"
                                                 : "database, exact"};
  }

private:
  std::mutex mutex;
  Database database;
  Toolchain today;
};
} // namespace

std::shared_ptr<ScheduleSource> hone::makeDatabaseSource(Database database,
                                                         Toolchain today) {
  return std::make_shared<DatabaseSource>(std::move(database),
                                          std::move(today));
}
