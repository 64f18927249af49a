//===- DbExchange.cpp - Records from file to file -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Db.h.
//
//===----------------------------------------------------------------------===//

#include "Db.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

Expected<int64_t> hone::mergeDatabase(Database &to, Database &from) {
  std::vector<Record> records;
  if (Error error = from.forEach(
          {}, [&](const Record &record) { records.push_back(record); }))
    return std::move(error);
  if (Error error = to.add(records))
    return std::move(error);
  return int64_t(records.size());
}

Expected<int64_t> hone::exportRecords(Database &from, const Filter &filter,
                                      const std::string &path) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code, llvm::sys::fs::OF_Text);
  auto failed = [&](std::error_code why) {
    os.clear_error();
    return llvm::createStringError(formatv(
        "'{0}': expected a file to write, but got: {1}", path, why.message()));
  };
  if (code)
    return failed(code);
  int64_t count = 0;
  if (Error error = from.forEach(filter, [&](const Record &record) {
        os << toJson(record) << "\n";
        ++count;
      }))
    return std::move(error);
  os.flush();
  if (os.has_error())
    return failed(os.error());
  return count;
}

Expected<int64_t> hone::importRecords(Database &to, const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError(
        formatv("'{0}': expected a file of records, but got: {1}", path,
                buffer.getError().message()));
  std::vector<Record> records;
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/true);
       !line.is_at_end(); ++line) {
    Expected<Record> record = recordFromJson(*line);
    if (!record)
      return llvm::createStringError(formatv("'{0}' line {1}: {2}", path,
                                             line.line_number(),
                                             toString(record.takeError())));
    records.push_back(*record);
  }
  if (Error error = to.add(records))
    return std::move(error);
  return int64_t(records.size());
}
