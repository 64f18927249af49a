//===- DatabaseFile.h - Parts of an open database ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the methods of Database. Records are in Database.cpp, kernels in
// Kernels.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DATABASE_DATABASEFILE_H
#define HONE_LIB_DATABASE_DATABASEFILE_H

#include "Schema.h"
#include "hone/Database/Database.h"
#include <map>

namespace hone {

/// The connection, and whether it has tables: a new file that was opened only
/// for reading has none.
class Database::File {
public:
  detail::Connection connection;
  int64_t version = 0;
  /// The texts of problems in a read-only file of an older version.
  std::map<std::string, std::string> spellings;
  bool isEmpty() const { return version == 0; }
  /// The possible texts of a problem: its own, the abbreviated one, and that of
  /// an older version.
  std::array<std::string, 3> textsOf(const Problem &problem) const {
    std::string text = problem.str();
    auto other = spellings.find(text);
    return {text, problem.abbreviated().str(),
            other == spellings.end() ? text : other->second};
  }

  /// Must run within a transaction.
  llvm::Error addKernels(llvm::ArrayRef<WholeKernel> kernels);
  llvm::Expected<std::optional<std::string>> kernel(llvm::StringRef name);
  /// True if the schedule needs no kernel, or the file has its kernel.
  bool hasKernelOf(const Schedule &schedule);
};

} // namespace hone

#endif // HONE_LIB_DATABASE_DATABASEFILE_H
