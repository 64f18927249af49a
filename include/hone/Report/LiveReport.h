//===- LiveReport.h - The page of a run that goes on ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a report about a database while records are added to it, at most a
// twentieth of the time. The last page has kernel IR, too.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REPORT_LIVEREPORT_H
#define HONE_REPORT_LIVEREPORT_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>

namespace hone {

class LiveReport {
public:
  LiveReport(std::string page, std::string database)
      : page(std::move(page)), database(std::move(database)) {}
  /// Writes the page, unless that was done a short time ago.
  llvm::Error update();
  llvm::Error finish();

private:
  using Clock = std::chrono::steady_clock;
  llvm::Error write(size_t kernels);

  std::string page, database;
  Clock::time_point next;
};

/// Writes a page about databases and tables, with the kernel IR of at most so
/// many problems. Without a title, the first file's name is in it. Returns the
/// page's bytes.
llvm::Expected<size_t> writeReport(llvm::ArrayRef<std::string> files,
                                   const std::string &output, std::string title,
                                   size_t kernels);

} // namespace hone

#endif // HONE_REPORT_LIVEREPORT_H
