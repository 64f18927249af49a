//===- Table.h - Tables as text, JSON and CSV -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table is filled once and printed aligned, as JSON or as CSV, so that the
// three cannot differ. Also a line of progress for long commands.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_COMMAND_TABLE_H
#define HONE_COMMAND_TABLE_H

#include "hone/Text/Progress.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace hone {

class Table {
public:
  explicit Table(std::vector<std::string> columns)
      : columns(std::move(columns)) {}

  void addRow(std::vector<std::string> cells) {
    rows.push_back(std::move(cells));
  }
  bool empty() const { return rows.empty(); }

  /// Removes a column that has the same cell in every row, and gives this cell;
  /// "" if cells differ.
  std::string takeConstant(llvm::StringRef column);
  /// Columns two spaces apart; a column of numbers is set to the right.
  void print(llvm::raw_ostream &os) const;
  /// Writes a file of CSV.
  llvm::Error writeCsv(llvm::StringRef path) const;
  /// An array of objects; cells that parse as numbers are numbers.
  llvm::json::Value toJson() const;
  /// Prints to standard output, as a table or as JSON.
  void print(bool asJson) const;

private:
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A line of CSV, quoted where necessary; and its cells.
std::string csvLine(llvm::ArrayRef<std::string> cells);
std::vector<std::string> csvCells(llvm::StringRef line);

/// "3.21 us", "12.5 ms".
std::string formatTime(double seconds);

} // namespace hone

#endif // HONE_COMMAND_TABLE_H
