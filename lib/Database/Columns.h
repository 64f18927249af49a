//===- Columns.h - Records as rows ------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A column has the name of its field (hone/Database/Record.h), and so has the
// parameter of a statement that is bound to it, with a colon before. Problems
// and toolchains have tables of their own; a grade and an origin are numbers.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DATABASE_COLUMNS_H
#define HONE_LIB_DATABASE_COLUMNS_H

#include "Sqlite.h"
#include "hone/Database/Record.h"

namespace hone::detail {

/// Adds a candidate, or puts it in the place of an older one.
std::string insertionText();
/// Makes what was chosen before a finalist, where a candidate is chosen.
std::string demotionText();
/// "SELECT ... FROM ..." of every field, in a file of `version`.
std::string selectionText(int64_t version);
/// The grade of a candidate there: files of version 1 know none.
std::string gradeText(int64_t version);
/// The origin: files before version 6 say it by the driver.
std::string originText(int64_t version);
/// A number that stands for none is the least reliable.
Origin originOfNumber(int64_t number);

/// Binds the fields that a statement has parameters for.
void bind(Statement &statement, const Record &record);
/// A row of what is selected, or why it can not be trusted.
llvm::Expected<Record> recordOf(const Statement &row);

} // namespace hone::detail

#endif // HONE_LIB_DATABASE_COLUMNS_H
