//===- ReportCommand.cpp - hone report ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a report.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Options.h"
#include "hone/Report/LiveReport.h"
#include "hone/Text/File.h"
#include "tools/hone/Commands.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

static llvm::Expected<int> report(const std::vector<std::string> &files,
                                  const std::string &output,
                                  const std::string &title, int64_t kernels) {
  if (Error error = requireWritable(output))
    return std::move(error);
  auto size = writeReport(files, output, title, size_t(kernels));
  if (!size)
    return size.takeError();
  llvm::errs() << formatv("{0}: {1} KB\n", output, *size / 1000);
  return kExitSuccess;
}

int hone::reportCommand(llvm::ArrayRef<StringRef> args) {
  std::string output, title;
  int64_t kernels = 300;
  std::vector<std::string> files;
  std::vector<StringRef> rest;
  // Any number of files stand among the options.
  for (size_t i = 0; i < args.size(); ++i) {
    bool isFile = !args[i].starts_with("-");
    if (!isFile)
      rest.push_back(args[i]);
    if (args[i] == "-o" && i + 1 < args.size())
      rest.push_back(args[++i]);
    if (isFile)
      files.push_back(args[i].str());
  }
  OptionList list("hone report FILE... --output=PAGE [options]",
                  "Writes one page of HTML about databases and the tables of "
                  "hone bench gemm.\n"
                  "Example: hone report test/tools/db-v4.db -o page.html");
  list.add("output", "PAGE", output, "the page");
  list.abbreviate('o', "output");
  list.add("title", "TEXT", title, "of the page");
  list.add("kernels", "N", kernels,
           "maximum number of kernels with their IR in the page",
           /*min=*/0);
  list.require("output");
  return list.run(rest, [&]() -> llvm::Expected<int> {
    if (files.empty())
      return asUsage(llvm::createStringError(
          "expected a database or a table of hone bench gemm, but got none; "
          "use hone report FILE -o PAGE"));
    constexpr int64_t kMaxKernels = 300;
    if (kernels > kMaxKernels)
      return asUsage(llvm::createStringError(
          formatv("expected at most {0} kernels, but got {1}; use hone db "
                  "kernel for others",
                  kMaxKernels, kernels)));
    return report(files, output, title, kernels);
  });
}
