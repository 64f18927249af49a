//===- Sqlite.h - SQLite with mandatory error checks ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few SQLite calls that a database needs, with llvm::Error for their status
// and destructors for their handles. Errors name the file.
//
//   Expected<Statement> select =
//       file.prepare("SELECT text FROM t WHERE id = ?");
//   select->bind(1, id);
//   Error error = select->forEach([&] { return use(select->text(0)); });
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_DATABASE_SQLITE_H
#define HONE_LIB_DATABASE_SQLITE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace hone::detail {

class Statement {
public:
  /// Parameters are numbered from 1; values are copied.
  void bind(int index, int64_t value);
  void bind(int index, double value);
  void bind(int index, llvm::StringRef value);
  /// The same for the parameter `:name`, if there is one.
  template <typename T>
  void bind(llvm::StringRef name, const T &value) {
    if (int index = indexOf(name))
      bind(index, value);
  }

  /// True if there is a row.
  llvm::Expected<bool> step();
  /// Calls `use` at every row until it returns false.
  llvm::Error forEach(llvm::function_ref<bool()> use);
  /// Runs a statement without rows, and resets it.
  llvm::Error run();
  void reset();

  /// Columns are numbered from 0.
  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

private:
  friend class Connection;
  /// 0 if there is none.
  int indexOf(llvm::StringRef name) const;
  struct Finalize {
    void operator()(sqlite3_stmt *statement) const;
  };
  Statement(sqlite3_stmt *statement, const std::string &path)
      : statement(statement), path(path) {}
  std::unique_ptr<sqlite3_stmt, Finalize> statement;
  std::string path;
};

class Connection {
public:
  static llvm::Expected<Connection> open(const std::string &path, bool write);

  llvm::Expected<Statement> prepare(llvm::StringRef text);
  /// Switches to write-ahead logging, so that readers continue during a write.
  llvm::Error useLog();
  /// Runs statements without values or rows.
  llvm::Error run(const std::string &text);
  /// The first column of the only row.
  llvm::Expected<int64_t> number(llvm::StringRef text);
  /// The number of rows changed by the last statement.
  int64_t changes() const;
  const std::string &getPath() const { return path; }

  /// Runs `body` completely or not at all; other writers wait.
  template <typename Body>
  llvm::Error transaction(Body body) {
    if (llvm::Error error = run("BEGIN IMMEDIATE"))
      return error;
    if (llvm::Error error = body()) {
      llvm::consumeError(run("ROLLBACK"));
      return error;
    }
    if (llvm::Error error = run("COMMIT")) {
      llvm::consumeError(run("ROLLBACK"));
      return error;
    }
    return llvm::Error::success();
  }

private:
  llvm::Error openUri(const std::string &uri, int flags);
  llvm::Error openCopy(llvm::StringRef bytes);
  llvm::Error openToRead();
  llvm::Expected<bool> canRead();
  struct Close {
    void operator()(sqlite3 *handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle;
  std::string path;
};

} // namespace hone::detail

#endif // HONE_LIB_DATABASE_SQLITE_H
