//===- Columns.h - Conversion of records to rows ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A column has the name of its field (hone/Database/Record.h), and so has the
// statement's parameter for it, after a colon. Problems and toolchains have
// tables of their own; a grade and an origin are numbers.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DATABASE_COLUMNS_H
#define HONE_LIB_DATABASE_COLUMNS_H

#include "Sqlite.h"
#include "hone/Database/Record.h"

namespace hone::detail {

/// Adds a candidate, or replaces an older one.
std::string insertionText();
/// When a candidate is chosen, turns the previously chosen one into a finalist.
std::string demotionText();
/// "SELECT ... FROM ..." of every field, in a file of `version`.
std::string selectionText(int64_t version);
/// The grade of a candidate there: files of version 1 have none.
std::string gradeText(int64_t version);
/// The origin: in files before version 6 it follows from the driver.
std::string originText(int64_t version);
/// An invalid number counts as the least reliable origin.
Origin originOfNumber(int64_t number);

/// Binds the fields to the statement's parameters.
void bind(Statement &statement, const Record &record);
/// The record in a selected row, or an error if it is not valid.
llvm::Expected<Record> recordOf(const Statement &row);
/// Calls `each` for every row of `select` until it returns false.
llvm::Error forEachRow(Statement &select,
                       llvm::function_ref<bool(llvm::Expected<Record>)> each);

} // namespace hone::detail

#endif // HONE_LIB_DATABASE_COLUMNS_H
