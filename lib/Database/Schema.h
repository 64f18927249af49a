//===- Schema.h - Tables, and how older ones become today's -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A database says in `user_version` how its tables look, and in
// `application_id` that it is one of ours. Every version has one step that
// leads to it, so any older file becomes today's by the steps behind its own.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DATABASE_SCHEMA_H
#define HONE_LIB_DATABASE_SCHEMA_H

#include "Sqlite.h"
#include <vector>

namespace hone::detail {

/// The version of the file's tables; 0 if it has none. An error where it is
/// somebody else's database, or of a newer hone.
llvm::Expected<int64_t> schemaVersion(Connection &connection);
/// Brings the tables up to date, as a whole or not at all.
llvm::Error migrate(Connection &connection);
/// Texts that this hone spells differently, each with its present spelling.
using Spellings = std::vector<std::pair<std::string, std::string>>;
/// The problems in the file whose spelling has changed.
llvm::Expected<Spellings> outdatedProblems(Connection &connection);
/// Renames a problem's records from the text `before` to `now`. If both have
/// records of one candidate, those of `now` stay.
llvm::Error respellProblem(Connection &connection, llvm::StringRef before,
                           llvm::StringRef now);

} // namespace hone::detail

#endif // HONE_LIB_DATABASE_SCHEMA_H
