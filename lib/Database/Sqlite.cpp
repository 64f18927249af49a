//===- Sqlite.cpp - SQLite with mandatory error checks --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sqlite.h.
//
//===----------------------------------------------------------------------===//

#include "Sqlite.h"
#include "WriteAheadLog.h"
#include "hone/Text/File.h"
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

/// The error with its cause, and a remedy.
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
    return fail("another process has locked the database for 30 s; try again "
                "when that process is done");
  case SQLITE_READONLY:
    return fail("expected a database that can be written, but got a read-only "
                "one");
  case SQLITE_FULL:
    return fail("expected room on the disk, but got none; nothing was written");
  case SQLITE_CANTOPEN:
    return fail("cannot open the file");
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

int Statement::indexOf(StringRef name) const {
  return sqlite3_bind_parameter_index(statement.get(),
                                      (":" + name).str().c_str());
}

Expected<bool> Statement::step() {
  int code = sqlite3_step(statement.get());
  if (code == SQLITE_ROW)
    return true;
  if (code == SQLITE_DONE)
    return false;
  return errorOf(code, sqlite3_db_handle(statement.get()), path);
}

Error Statement::forEach(llvm::function_ref<bool()> use) {
  while (true) {
    Expected<bool> row = step();
    if (!row)
      return row.takeError();
    if (!*row || !use())
      return Error::success();
  }
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

/// The path as a URI.
static std::string uriOf(StringRef path, bool write) {
  std::string uri = "file:";
  for (char c : path)
    uri += c == '?' || c == '#' || c == '%' ? formatv("%{0:X-2}", int(c)).str()
                                            : std::string(1, c);
  return uri + (write ? "?mode=rwc" : "?mode=ro");
}

static bool isInFixedFolder(StringRef path) {
  llvm::SmallString<128> folder(path);
  llvm::sys::path::remove_filename(folder);
  if (folder.empty())
    folder = ".";
  return bool(llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//
//
// For reading a file, SQLite would create a log and a shared-memory file and
// leave them there. So a read-only connection gets a copy in memory if the
// files do not change while they are copied.

namespace {
/// Size and time, to detect a write; all 0 if there is no file.
struct Stand {
  uint64_t bytes = 0;
  llvm::sys::TimePoint<> changed;
  bool operator==(const Stand &other) const {
    return bytes == other.bytes && changed == other.changed;
  }
};
} // namespace

static Stand standOf(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return {};
  return {status.getSize(), status.getLastModificationTime()};
}

/// The bytes of a file; null if it cannot be read, or changes meanwhile.
static std::unique_ptr<llvm::MemoryBuffer> readStill(const std::string &path) {
  Stand before = standOf(path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer || (*buffer)->getBufferSize() != before.bytes ||
      !(standOf(path) == before))
    return nullptr;
  return std::move(*buffer);
}

/// The bytes of a database without a writer; none if there may be one. A writer
/// has a log next to the file, and the file changes when the log is merged into
/// it.
static std::optional<std::string> readQuiet(const std::string &path) {
  constexpr uint64_t kMin = 100, kMax = uint64_t(1) << 28;
  std::string log = path + "-wal";
  uint64_t bytes = standOf(path).bytes;
  if (llvm::sys::fs::exists(log) || bytes < kMin || bytes > kMax)
    return std::nullopt;
  std::unique_ptr<llvm::MemoryBuffer> buffer = readStill(path);
  if (!buffer || llvm::sys::fs::exists(log))
    return std::nullopt;
  return buffer->getBuffer().str();
}

/// The bytes of a database with its log applied; none if both change all the
/// time, or are too large for a copy.
static std::optional<std::string> readWithLog(const std::string &path) {
  constexpr uint64_t kMax = uint64_t(1) << 30;
  constexpr int kTries = 100, kPauseMs = 10;
  std::string logPath = path + "-wal";
  for (int i = 0; i < kTries; ++i) {
    Stand database = standOf(path), log = standOf(logPath);
    if (database.bytes > kMax || log.bytes > kMax)
      return std::nullopt;
    std::unique_ptr<llvm::MemoryBuffer> bytes = readStill(path);
    std::unique_ptr<llvm::MemoryBuffer> logBytes =
        log.bytes ? readStill(logPath) : llvm::MemoryBuffer::getMemBuffer("");
    if (bytes && logBytes && standOf(path) == database &&
        standOf(logPath) == log)
      return withLog(bytes->getBuffer(), logBytes->getBuffer());
    sqlite3_sleep(kPauseMs);
  }
  return std::nullopt;
}

/// Gives `handle`, which is a database in memory, these bytes.
static int fillCopy(sqlite3 *handle, StringRef bytes) {
  if (bytes.empty())
    return SQLITE_OK; // a database without tables
  // The header declares a log; the copy has none.
  constexpr size_t kWriteVersion = 18, kReadVersion = 19;
  auto *copy = static_cast<unsigned char *>(sqlite3_malloc64(bytes.size()));
  if (!copy)
    return SQLITE_NOMEM;
  std::copy(bytes.begin(), bytes.end(), copy);
  for (size_t at : {kWriteVersion, kReadVersion})
    if (at < bytes.size())
      copy[at] = std::min<unsigned char>(copy[at], 1);
  return sqlite3_deserialize(handle, "main", copy, sqlite3_int64(bytes.size()),
                             sqlite3_int64(bytes.size()),
                             SQLITE_DESERIALIZE_FREEONCLOSE |
                                 SQLITE_DESERIALIZE_READONLY);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static constexpr int kPatienceMs = 30000;

Error Connection::openUri(const std::string &uri, int flags) {
  sqlite3 *opened = nullptr;
  int code = sqlite3_open_v2(uri.c_str(), &opened,
                             flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                             /*zVfs=*/nullptr);
  handle.reset(opened);
  if (code != SQLITE_OK)
    return errorOf(code, opened, path);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, kPatienceMs);
  return Error::success();
}

Error Connection::openCopy(StringRef bytes) {
  if (Error error = openUri("file::memory:", SQLITE_OPEN_READWRITE))
    return error;
  int code = fillCopy(handle.get(), bytes);
  return code == SQLITE_OK ? Error::success()
                           : errorOf(code, handle.get(), path);
}

/// Whether SQLite can read the database with its log files. They may belong to
/// a writer that died or ran out of disk space, and the disk may still be full.
/// Fails if another process still locks readers out after the timeout.
Expected<bool> Connection::canRead() {
  int code = sqlite3_exec(handle.get(), "SELECT count(*) FROM sqlite_master",
                          nullptr, nullptr, nullptr);
  switch (code & 0xff) {
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return errorOf(code, handle.get(), path);
  case SQLITE_CANTOPEN:
  case SQLITE_READONLY:
  case SQLITE_IOERR:
  case SQLITE_FULL:
  case SQLITE_PROTOCOL:
    return false;
  default:
    return true; // another error recurs in the next statement
  }
}

Error Connection::openToRead() {
  if (std::optional<std::string> bytes = readQuiet(path))
    return openCopy(*bytes);
  // In a read-only folder there is no writer, and SQLite cannot create the file
  // that readers share.
  bool isFixed = isInFixedFolder(path);
  if (isFixed)
    if (std::optional<std::string> bytes = readWithLog(path))
      return openCopy(*bytes);
  std::string uri = uriOf(path, /*write=*/false);
  if (Error error =
          openUri(uri + (isFixed ? "&immutable=1" : ""), SQLITE_OPEN_READONLY))
    return error;
  Expected<bool> isReadable = isFixed ? Expected<bool>(true) : canRead();
  if (!isReadable)
    return isReadable.takeError();
  if (!*isReadable)
    if (std::optional<std::string> bytes = readWithLog(path))
      return openCopy(*bytes);
  return Error::success();
}

Expected<Connection> Connection::open(const std::string &path, bool write) {
  // Opening a pipe, as database or as log, would block forever.
  for (const std::string &file : {path, path + "-wal", path + "-journal"})
    if (Error error = hone::requireRegularOrNew(file, "a database"))
      return std::move(error);
  Connection connection;
  connection.path = path;
  Error error =
      write ? connection.openUri(uriOf(path, write),
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            : connection.openToRead();
  if (error)
    return std::move(error);
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

/// If two processes switch to the log at the same time, SQLite fails one of
/// them without waiting.
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
