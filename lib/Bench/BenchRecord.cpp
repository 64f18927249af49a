//===- BenchRecord.cpp - One row of a benchmark ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing, reading and appending rows.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchRecord.h"
#include "hone/Command/Table.h"
#include "hone/Text/File.h"
#include "hone/Text/Number.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <fcntl.h>
#include <unistd.h>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

StringRef BenchRow::header() {
  return "m,n,k,layout,types,protocol,programmatic,baseline,status,schedule,"
         "us,p10,p90,base_us,base_p10,base_p90,ratio,ratio_low,ratio_high,"
         "roofline_us,rounds,device,remark";
}

int64_t BenchRow::batch() const {
  int64_t batch = 1;
  for (StringRef word : llvm::split(types, ' '))
    if (word.consume_front(kBatchMark) &&
        (word.getAsInteger(10, batch) || batch < 1))
      batch = 1;
  return batch;
}

std::string BenchRow::key() const {
  return llvm::join_items(' ', toString(shape), layout, types, protocol,
                          programmatic, baseline,
                          protocol == "search" ? schedule : "");
}

std::string BenchRow::csv() const {
  auto number = [](double value, const char *format) {
    return value > 0 ? formatv(format, value).str() : std::string();
  };
  auto us = [&](double seconds) { return number(seconds * 1e6, "{0:F3}"); };
  return csvLine({std::to_string(shape[0]),
                  std::to_string(shape[1]),
                  std::to_string(shape[2]),
                  layout,
                  types,
                  protocol,
                  programmatic,
                  baseline,
                  status,
                  schedule,
                  us(ours.median),
                  us(ours.p10),
                  us(ours.p90),
                  us(theirs.median),
                  us(theirs.p10),
                  us(theirs.p90),
                  number(ratio.value, "{0:F4}"),
                  number(ratio.low, "{0:F4}"),
                  number(ratio.high, "{0:F4}"),
                  us(roofline),
                  std::to_string(rounds),
                  device,
                  remark});
}

llvm::Expected<BenchRow> BenchRow::parse(StringRef line) {
  std::vector<std::string> cells = csvCells(line);
  size_t columns = csvCells(header()).size();
  if (cells.size() != columns)
    return llvm::createStringError(
        formatv("expected {0} columns, but got {1}", columns, cells.size()));
  bool good = true;
  size_t at = 0;
  auto integer = [&] {
    int64_t value = 0;
    good = good && !StringRef(cells[at++]).getAsInteger(10, value);
    return value;
  };
  auto number = [&](double scale = 1) {
    const std::string &cell = cells[at++];
    std::optional<double> value = cell.empty() ? 0 : realNumber(cell);
    good = good && value;
    return value.value_or(0) * scale;
  };
  BenchRow row;
  for (int64_t &extent : row.shape)
    extent = integer();
  for (std::string *text :
       {&row.layout, &row.types, &row.protocol, &row.programmatic,
        &row.baseline, &row.status, &row.schedule})
    *text = cells[at++];
  for (Quantiles *time : {&row.ours, &row.theirs}) {
    time->median = number(1e-6);
    time->p10 = number(1e-6);
    time->p90 = number(1e-6);
  }
  for (double *value : {&row.ratio.value, &row.ratio.low, &row.ratio.high})
    *value = number();
  row.roofline = number(1e-6);
  row.rounds = integer();
  row.device = cells[at++];
  row.remark = cells[at++];
  if (!good)
    return llvm::createStringError(
        formatv("expected numbers, but got '{0}'", line));
  return row;
}

static constexpr FileKind kTable = {"a table of times", 256 * kMiB};

llvm::Expected<std::vector<BenchRow>> hone::readRows(StringRef path) {
  std::vector<BenchRow> rows;
  if (!llvm::sys::fs::exists(path))
    return rows;
  auto buffer = readMaybePacked(path, kTable);
  if (!buffer)
    return buffer.takeError();
  StringRef text = (*buffer)->getBuffer();
  llvm::StringMap<size_t> places;
  for (size_t number = 1; text.contains('\n'); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (number == 1 || line.trim().empty())
      continue;
    llvm::Expected<BenchRow> row = BenchRow::parse(line);
    if (!row)
      return llvm::createStringError(formatv("{0}:{1}: {2}", path, number,
                                             llvm::toString(row.takeError())));
    auto [place, isNew] = places.try_emplace(row->key(), rows.size());
    if (isNew)
      rows.push_back(std::move(*row));
    else
      rows[place->second] = std::move(*row);
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

CsvFile::~CsvFile() {
  if (descriptor >= 0)
    close(descriptor);
}

/// The length of `text` up to its last complete line.
static size_t finished(StringRef text) {
  size_t end = text.rfind('\n');
  return end == StringRef::npos ? 0 : end + 1;
}

llvm::Expected<CsvFile> CsvFile::open(StringRef path, StringRef header) {
  CsvFile file;
  size_t length = 0;
  if (llvm::sys::fs::exists(path)) {
    auto buffer = readFile(path, kTable);
    if (!buffer)
      return buffer.takeError();
    StringRef text = (*buffer)->getBuffer();
    length = finished(text);
    if (length && text.split('\n').first != header)
      return llvm::createStringError(
          formatv("expected a file that begins with the columns this version "
                  "writes, but got '{0}'; use another",
                  path));
  }
  file.descriptor = ::open(path.str().c_str(), O_CREAT | O_WRONLY, 0666);
  if (file.descriptor < 0 || ftruncate(file.descriptor, length) != 0 ||
      lseek(file.descriptor, 0, SEEK_END) < 0)
    return llvm::createStringError(
        formatv("expected a file to write, but got '{0}': {1}", path,
                llvm::sys::StrError()));
  if (length == 0)
    if (Error error = file.add(header))
      return std::move(error);
  return file;
}

Error CsvFile::add(StringRef line) {
  std::string text = (line + "\n").str();
  for (StringRef left = text; !left.empty();) {
    ssize_t written = write(descriptor, left.data(), left.size());
    if (written <= 0)
      return llvm::createStringError("cannot write a result: " +
                                     llvm::sys::StrError());
    left = left.drop_front(written);
  }
  return Error::success();
}
