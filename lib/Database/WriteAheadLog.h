//===- WriteAheadLog.h - Merge of a database and its log --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A writer that was killed, or ran out of disk space, leaves its log (`-wal`)
// next to the database. SQLite reads such a pair only where it can write a
// third file (`-shm`), which a full disk or a read-only folder does not allow.
// This reader needs no such file: the pages of the log's complete transactions
// replace those of the database.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DATABASE_WRITEAHEADLOG_H
#define HONE_LIB_DATABASE_WRITEAHEADLOG_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hone::detail {

/// The bytes of a database after the complete transactions in `log`. Frames
/// from the first one with a wrong checksum on are ignored, and an invalid log
/// changes nothing.
std::string withLog(llvm::StringRef database, llvm::StringRef log);

} // namespace hone::detail

#endif // HONE_LIB_DATABASE_WRITEAHEADLOG_H
