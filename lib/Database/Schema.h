//===- Schema.h - Tables and migrations from older versions -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A database has the version of its tables in `user_version`, and Hone's number
// in `application_id`. Each version has one step that leads to it, so an older
// file is migrated by the steps after its own version.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DATABASE_SCHEMA_H
#define HONE_LIB_DATABASE_SCHEMA_H

#include "Sqlite.h"
#include <vector>

namespace hone::detail {

/// The version of the file's tables; 0 if it has none. An error if the database
/// belongs to another application or to a newer version.
llvm::Expected<int64_t> schemaVersion(Connection &connection);
/// Brings the tables up to date, completely or not at all.
llvm::Error migrate(Connection &connection);
/// Texts that this version spells differently, each with its new spelling.
using Spellings = std::vector<std::pair<std::string, std::string>>;
/// The problems in the file whose spelling has changed.
llvm::Expected<Spellings> outdatedProblems(Connection &connection);
/// Renames a problem's records from the text `before` to `now`. If both have
/// records of one candidate, those of `now` stay.
llvm::Error respellProblem(Connection &connection, llvm::StringRef before,
                           llvm::StringRef now);

} // namespace hone::detail

#endif // HONE_LIB_DATABASE_SCHEMA_H
