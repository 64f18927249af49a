//===- DatabaseFile.h - The parts of an open database -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the methods of Database share. Records are in Database.cpp, kernels in
// Kernels.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DATABASE_DATABASEFILE_H
#define HONE_LIB_DATABASE_DATABASEFILE_H

#include "Schema.h"
#include "hone/Database/Database.h"
#include <map>

namespace hone {

/// The connection, and whether it has tables: one that was made by nobody yet
/// and opened to read has none.
class Database::File {
public:
  detail::Connection connection;
  int64_t version = 0;
  /// What problems are called in a file that is read as an older hone left it.
  std::map<std::string, std::string> spellings;
  bool isEmpty() const { return version == 0; }
  /// The texts by which a problem may be known: its own, that of its beginning,
  /// and that of an older hone.
  std::array<std::string, 3> textsOf(const Problem &problem) const {
    std::string text = problem.str();
    auto other = spellings.find(text);
    return {text, problem.abbreviated().str(),
            other == spellings.end() ? text : other->second};
  }

  /// Within a transaction.
  llvm::Error addKernels(llvm::ArrayRef<WholeKernel> kernels);
  llvm::Expected<std::optional<std::string>> kernel(llvm::StringRef name);
  /// True if the schedule needs no kernel, or its kernel is there.
  bool hasKernelOf(const Schedule &schedule);
};

} // namespace hone

#endif // HONE_LIB_DATABASE_DATABASEFILE_H
