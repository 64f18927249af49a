//===- Table.cpp - Tables as text, JSON and CSV ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells are text; a column is numeric if its cells are.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Table.h"
#include "hone/Text/File.h"
#include "hone/Text/Number.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

std::string Table::takeConstant(StringRef column) {
  auto name = llvm::find(columns, column);
  if (rows.empty() || name == columns.end())
    return "";
  size_t at = name - columns.begin();
  std::string cell = rows.front()[at];
  if (llvm::any_of(rows, [&](const auto &row) { return row[at] != cell; }))
    return "";
  columns.erase(name);
  for (std::vector<std::string> &row : rows)
    row.erase(row.begin() + at);
  return cell;
}

void Table::print(llvm::raw_ostream &os) const {
  size_t count = columns.size();
  std::vector<size_t> widths(count);
  std::vector<bool> numeric(count, true);
  for (size_t i = 0; i < count; ++i) {
    widths[i] = columns[i].size();
    for (const auto &row : rows) {
      widths[i] = std::max(widths[i], row[i].size());
      // "3.2 us" and "1,024" are numbers to a reader.
      numeric[i] = numeric[i] && (row[i].empty() || llvm::isDigit(row[i][0]) ||
                                  row[i] == "-" || row[i] == "?");
    }
  }
  auto line = [&](const std::vector<std::string> &cells) {
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      text += i ? "  " : "";
      std::string gap(widths[i] - cells[i].size(), ' ');
      text += numeric[i] ? gap + cells[i] : cells[i] + gap;
    }
    os << StringRef(text).rtrim() << "\n";
  };
  line(columns);
  for (const auto &row : rows)
    line(row);
}

void Table::print(bool asJson) const {
  if (asJson)
    llvm::outs() << formatv("{0:2}\n", toJson());
  else
    print(llvm::outs());
}

llvm::json::Value Table::toJson() const {
  llvm::json::Array array;
  for (const auto &row : rows) {
    llvm::json::Object object;
    for (auto [column, cell] : llvm::zip_equal(columns, row)) {
      std::optional<double> value = realNumber(cell);
      // JSON has no infinities.
      if (value && std::isfinite(*value))
        object[column] = *value;
      else
        object[column] = cell;
    }
    array.push_back(std::move(object));
  }
  return array;
}

llvm::Error Table::writeCsv(StringRef path) const {
  std::string text = csvLine(columns) + "\n";
  for (const auto &row : rows)
    text += csvLine(row) + "\n";
  return writeFile(path, text);
}

std::string hone::csvLine(llvm::ArrayRef<std::string> cells) {
  std::string line;
  for (const std::string &cell : cells) {
    line += line.empty() && &cell == cells.begin() ? "" : ",";
    bool quoted = StringRef(cell).find_first_of(",\"\n") != StringRef::npos;
    line += quoted ? "\"" : "";
    for (char c : cell)
      line += c == '"' ? "\"\"" : c == '\n' ? " " : std::string(1, c);
    line += quoted ? "\"" : "";
  }
  return line;
}

std::vector<std::string> hone::csvCells(StringRef line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    bool escaped = quoted && line.substr(i).starts_with("\"\"");
    if (line[i] == '"' && !escaped)
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += line[i];
    i += escaped;
  }
  return cells;
}

std::string hone::formatTime(double seconds) {
  if (seconds < 1e-3)
    return formatv("{0:F2} us", seconds * 1e6);
  if (seconds < 1)
    return formatv("{0:F2} ms", seconds * 1e3);
  return formatv("{0:F2} s", seconds);
}
