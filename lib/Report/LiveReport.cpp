//===- LiveReport.cpp - Report of a running search ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LiveReport.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Report/LiveReport.h"
#include "hone/Matmul/KernelText.h"
#include "hone/Report/Report.h"
#include "hone/Text/File.h"
#include "hone/Text/Progress.h"
#include "llvm/Support/Path.h"
#include <ctime>

using namespace hone;
using llvm::Error;
using llvm::StringRef;

/// The text of a whole kernel in the first database that has it.
static std::string wholeKernelIn(llvm::ArrayRef<std::string> files,
                                 StringRef name) {
  for (const std::string &file : files) {
    llvm::Expected<Database> database = Database::open(file, Access::read);
    if (!database) {
      llvm::consumeError(database.takeError()); // a table
      continue;
    }
    auto text = database->kernel(name);
    if (!text)
      llvm::consumeError(text.takeError());
    else if (*text)
      return **text;
  }
  return "";
}

llvm::Expected<size_t> hone::writeReport(llvm::ArrayRef<std::string> files,
                                         const std::string &output,
                                         std::string title, size_t kernels) {
  if (title.empty())
    title = "Hone: " + llvm::sys::path::filename(files.front()).str();
  Report report(title);
  for (const std::string &file : files)
    if (Error error = report.read(file))
      return std::move(error);
  KernelTexts texts([&](StringRef name) { return wholeKernelIn(files, name); });
  Progress progress(kernels);
  report.addKernels(kernels, [&](const Record &record) {
    progress.step("kernels");
    return texts.of(record.problem, record.arch, record.schedule);
  });
  progress.clear();
  auto page = report.page(std::time(nullptr));
  if (!page)
    return page.takeError();
  if (Error error = writeFile(output, *page))
    return std::move(error);
  return page->size();
}

Error LiveReport::write(size_t kernels) {
  return writeReport(database, page, "", kernels).takeError();
}

Error LiveReport::update() {
  Clock::time_point start = Clock::now();
  if (start < next)
    return Error::success();
  Error error = write(/*kernels=*/0);
  constexpr int kShare = 20;
  next = Clock::now() +
         std::max<Clock::duration>((Clock::now() - start) * (kShare - 1),
                                   std::chrono::seconds(2));
  return error;
}

Error LiveReport::finish() {
  constexpr size_t kMaxKernels = 300;
  return write(kMaxKernels);
}
