//===- Db.h - Functions of hone db ------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone db inspects and maintains a database of measurements. The functions that
// move records between files are in DbExchange.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_TUNE_DB_H
#define HONE_TOOLS_TUNE_DB_H

#include "hone/Database/Database.h"

namespace hone {

/// Adds the records of `from` to `to`; the newer of two measurements stays.
/// Returns the number of records that were read.
llvm::Expected<int64_t> mergeDatabase(Database &to, Database &from);
/// Writes a tuning file (hone/Plugin/TuningFile.h) with the record that a build
/// would get for each key; "-" is standard output.
llvm::Expected<int64_t> exportTuned(Database &from, const Filter &filter,
                                    const std::string &path);
/// Writes a line of JSON for each record; "-" is standard output.
llvm::Expected<int64_t> exportRecords(Database &from, const Filter &filter,
                                      const std::string &path);
/// Reads the output of either export; "-" is standard input. A line that is no
/// record is an error that names the line, and nothing is added.
llvm::Expected<int64_t> importRecords(Database &to, const std::string &path);

} // namespace hone

#endif // HONE_TOOLS_TUNE_DB_H
