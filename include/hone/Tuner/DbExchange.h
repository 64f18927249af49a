//===- DbExchange.h - Records in files --------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves records between databases and files: JSON, and tuning files that a build
// reads.
//
//   auto database = Database::open("hone.db", Access::read);
//   exportTuned(*database, /*filter=*/{}, "tuned.mlir");
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_DBEXCHANGE_H
#define HONE_TUNER_DBEXCHANGE_H

#include "hone/Database/Database.h"
#include <map>

namespace hone {

/// The faults in the texts of kernels, which a build would refuse.
llvm::Expected<std::vector<std::string>> faultsOfKernels(Database &database);
/// Adds the records of the file `path`; the newer of two measurements stays.
/// Returns the number of records that were read.
llvm::Expected<int64_t> mergeDatabase(Database &database, llvm::StringRef path);
/// Writes a tuning file (hone/Plugin/TuningFile.h) with the record that a build
/// would get for each key; "-" is standard output.
llvm::Expected<int64_t> exportTuned(Database &from, const Filter &filter,
                                    const std::string &path);
/// Writes a line of JSON for each record; "-" is standard output.
llvm::Expected<int64_t> exportRecords(Database &from, const Filter &filter,
                                      const std::string &path);
/// Reads the output of either export; "-" is standard input. Another line is
/// an error that names the line, and nothing is added.
llvm::Expected<int64_t> importRecords(Database &to, const std::string &path);

/// The candidates that did not run, by cause (Cause.h) and proposer:
/// "law 48 (chat)".
llvm::Expected<std::map<std::string, int64_t>>
countFailures(Database &database);

} // namespace hone

#endif // HONE_TUNER_DBEXCHANGE_H
