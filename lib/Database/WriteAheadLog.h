//===- WriteAheadLog.h - A database as its log leaves it --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A writer that was killed, or whose disk is full, leaves its log (`-wal`)
// beside the database. SQLite reads such a pair only where it can write a third
// file (`-shm`), which is just what such a disk and a read-only folder do not
// allow. What a reader needs is little: the pages of the log's complete
// transactions take the place of the file's.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DATABASE_WRITEAHEADLOG_H
#define HONE_LIB_DATABASE_WRITEAHEADLOG_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hone::detail {

/// The bytes of a database after the transactions that `log` holds as a whole.
/// Behind the first frame that is not what its checksum says nothing counts,
/// and what is no log changes nothing.
std::string withLog(llvm::StringRef database, llvm::StringRef log);

} // namespace hone::detail

#endif // HONE_LIB_DATABASE_WRITEAHEADLOG_H
