//===- NewDatabase.h - Removal of a database made in vain -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command that fails leaves no database that it has made itself.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_TUNE_NEWDATABASE_H
#define HONE_TOOLS_TUNE_NEWDATABASE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

namespace hone {

/// Removes a closed database with the files that SQLite keeps next to it.
inline void removeDatabase(llvm::StringRef path) {
  for (const char *end : {"", "-wal", "-shm"})
    llvm::sys::fs::remove(path + llvm::Twine(end));
}

} // namespace hone

#endif // HONE_TOOLS_TUNE_NEWDATABASE_H
