//===- Sqlite.cpp - SQLite with errors that one can not forget ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sqlite.h.
//
//===----------------------------------------------------------------------===//

#include "Sqlite.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <optional>
#include <sqlite3.h>

using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

/// What went wrong, and what can be done about it.
static Error errorOf(int code, sqlite3 *handle, StringRef path) {
  std::string said = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  auto fail = [&](const auto &text) {
    return llvm::createStringError(formatv("'{0}': {1}", path, text));
  };
  switch (code & 0xff) {
  case SQLITE_NOTADB:
    return fail("expected a database, but got a file of another kind");
  case SQLITE_CORRUPT:
    return fail(formatv("expected a sound database, but got: {0}; use 'hone db "
                        "check' and a copy",
                        said));
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return fail("expected another process to be done with the database within "
                "30 s, but got no answer");
  case SQLITE_READONLY:
    return fail("expected a database that can be written, but got a read-only "
                "one");
  case SQLITE_FULL:
    return fail("expected room on the disk, but got none; nothing was written");
  case SQLITE_CANTOPEN:
    return fail("expected a database, but the file can not be opened");
  default:
    return fail(said);
  }
}

//===----------------------------------------------------------------------===//
// Statement
//===----------------------------------------------------------------------===//

void Statement::Finalize::operator()(sqlite3_stmt *statement) const {
  sqlite3_finalize(statement);
}

void Statement::bind(int index, int64_t value) {
  sqlite3_bind_int64(statement.get(), index, value);
}

void Statement::bind(int index, double value) {
  sqlite3_bind_double(statement.get(), index, value);
}

void Statement::bind(int index, StringRef value) {
  // A null pointer would be NULL, which equals nothing.
  sqlite3_bind_text(statement.get(), index, value.empty() ? "" : value.data(),
                    int(value.size()), SQLITE_TRANSIENT);
}

Expected<bool> Statement::step() {
  int code = sqlite3_step(statement.get());
  if (code == SQLITE_ROW)
    return true;
  if (code == SQLITE_DONE)
    return false;
  return errorOf(code, sqlite3_db_handle(statement.get()), path);
}

Error Statement::run() {
  Expected<bool> row = step();
  reset();
  return row ? Error::success() : row.takeError();
}

void Statement::reset() { sqlite3_reset(statement.get()); }

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement.get(), column);
}

std::string Statement::text(int column) const {
  const unsigned char *bytes = sqlite3_column_text(statement.get(), column);
  int length = sqlite3_column_bytes(statement.get(), column);
  return bytes ? std::string(reinterpret_cast<const char *>(bytes), length)
               : std::string();
}

//===----------------------------------------------------------------------===//
// Connection
//===----------------------------------------------------------------------===//

void Connection::Close::operator()(sqlite3 *handle) const {
  sqlite3_close_v2(handle);
}

/// The path as a URI. In a folder that can not be written, SQLite can not make
/// the file that readers share, but then nobody else writes either.
static std::string uriOf(StringRef path, bool write) {
  std::string uri = "file:";
  for (char c : path)
    uri += c == '?' || c == '#' || c == '%' ? formatv("%{0:X-2}", int(c)).str()
                                            : std::string(1, c);
  if (write)
    return uri + "?mode=rwc";
  llvm::SmallString<128> folder(path);
  llvm::sys::path::remove_filename(folder);
  if (folder.empty())
    folder = ".";
  bool isFixed =
      bool(llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write));
  return uri + "?mode=ro" + (isFixed ? "&immutable=1" : "");
}

/// Where a file stands, to see whether it was written meanwhile.
static std::optional<llvm::sys::fs::file_status>
quietStatus(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::exists(path + "-wal") ||
      llvm::sys::fs::status(path, status))
    return std::nullopt;
  return status;
}

/// The bytes of a file that nobody writes; nothing where somebody may. A writer
/// has a log beside the file, and the file changes when that is taken in.
static std::unique_ptr<llvm::MemoryBuffer> readQuiet(const std::string &path) {
  constexpr uint64_t kLeast = 100, kMost = uint64_t(1) << 28;
  auto before = quietStatus(path);
  if (!before || before->getSize() < kLeast || before->getSize() > kMost)
    return nullptr;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  auto after = quietStatus(path);
  if (!buffer || !after || before->getSize() != (*buffer)->getBufferSize() ||
      before->getSize() != after->getSize() ||
      before->getLastModificationTime() != after->getLastModificationTime())
    return nullptr;
  return std::move(*buffer);
}

/// Gives `handle` a copy of the file instead of the file. To read from the file
/// SQLite would lay a log and shared memory beside it, and leave them there.
static int openCopy(sqlite3 *handle, llvm::StringRef bytes) {
  // Its header says that the file has a log; the copy has none.
  constexpr size_t kWriteVersion = 18, kReadVersion = 19;
  auto *copy = static_cast<unsigned char *>(sqlite3_malloc64(bytes.size()));
  if (!copy)
    return SQLITE_NOMEM;
  std::copy(bytes.begin(), bytes.end(), copy);
  for (size_t at : {kWriteVersion, kReadVersion})
    copy[at] = std::min<unsigned char>(copy[at], 1);
  return sqlite3_deserialize(handle, "main", copy, sqlite3_int64(bytes.size()),
                             sqlite3_int64(bytes.size()),
                             SQLITE_DESERIALIZE_FREEONCLOSE |
                                 SQLITE_DESERIALIZE_READONLY);
}

static constexpr int kPatienceMs = 30000;

Expected<Connection> Connection::open(const std::string &path, bool write) {
  if (!write && !llvm::sys::fs::exists(path))
    return llvm::createStringError(
        formatv("'{0}': expected a database, but got no such file", path));
  Connection connection;
  connection.path = path;
  sqlite3 *handle = nullptr;
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
              (write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                     : SQLITE_OPEN_READONLY);
  std::unique_ptr<llvm::MemoryBuffer> bytes = write ? nullptr : readQuiet(path);
  std::string uri = bytes ? "file::memory:" : uriOf(path, write);
  int code = sqlite3_open_v2(uri.c_str(), &handle,
                             bytes ? SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                                         SQLITE_OPEN_READWRITE
                                   : flags,
                             /*zVfs=*/nullptr);
  connection.handle.reset(handle);
  if (code == SQLITE_OK && bytes)
    code = openCopy(handle, bytes->getBuffer());
  if (code != SQLITE_OK)
    return errorOf(code, handle, path);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kPatienceMs);
  return connection;
}

Expected<Statement> Connection::prepare(StringRef text) {
  sqlite3_stmt *statement = nullptr;
  int code = sqlite3_prepare_v2(handle.get(), text.data(), int(text.size()),
                                &statement, /*pzTail=*/nullptr);
  if (code != SQLITE_OK)
    return errorOf(code, handle.get(), path);
  return Statement(statement, path);
}

/// Where two processes turn to the log at once, SQLite refuses one of them
/// without waiting.
Error Connection::useLog() {
  constexpr int kPauseMs = 10;
  int code = SQLITE_OK;
  for (int waited = 0; waited < kPatienceMs; waited += kPauseMs) {
    code = sqlite3_exec(handle.get(), "PRAGMA journal_mode = WAL", nullptr,
                        nullptr, nullptr);
    if ((code & 0xff) != SQLITE_BUSY)
      break;
    sqlite3_sleep(kPauseMs);
  }
  return code == SQLITE_OK ? Error::success()
                           : errorOf(code, handle.get(), path);
}

Error Connection::run(const std::string &text) {
  int code =
      sqlite3_exec(handle.get(), text.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Error::success()
                           : errorOf(code, handle.get(), path);
}

Expected<int64_t> Connection::number(StringRef text) {
  Expected<Statement> statement = prepare(text);
  if (!statement)
    return statement.takeError();
  Expected<bool> row = statement->step();
  if (!row)
    return row.takeError();
  return *row ? statement->integer(0) : 0;
}

int64_t Connection::changes() const { return sqlite3_changes(handle.get()); }
