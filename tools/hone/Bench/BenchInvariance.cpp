//===- BenchInvariance.cpp - hone bench invariance ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a comparison of rows (hone/Bench/Invariance.h).
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/InvariancePrice.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"

using namespace hone;
using llvm::StringRef;

/// The check of a value that `parse` reads.
template <typename T>
static ValueCheck asCheck(llvm::Expected<T> (*parse)(StringRef)) {
  return [parse](StringRef text) { return parse(text).takeError(); };
}

static llvm::Expected<int> run(const InvarianceOptions &options,
                               llvm::ArrayRef<Problem> problems) {
  auto result = runInvariance(options, problems);
  if (!result)
    return result.takeError();
  Table table(csvCells(invarianceHeader(options)));
  for (const std::vector<std::string> &line : result->rows)
    table.addRow(line);
  table.print(options.json);
  if (options.price && !options.json) {
    printPrices(result->rows);
    printFastest(result->rows);
  }
  if (!result->isWhole)
    llvm::errs() << "stopped after " << options.minutes
                 << " minutes; the same command goes on\n";
  return result->isRight ? kExitSuccess : kExitFailure;
}

int hone::benchInvariance(llvm::ArrayRef<StringRef> args) {
  InvarianceOptions options;
  OptionList list(
      "hone bench invariance [options]",
      "Checks whether the bits of a row depend on other rows, or "
      "times invariant numbers.\n"
      "Example: hone bench invariance --products=4096x4096 --rows=1-64");
  list.add("products", "NxK,...", options.products,
           "or @FILE: those of a table, with types");
  list.add("types", "A:C,...", options.types, "of the inputs and results");
  list.add("layout", "nt|nn", options.layout, "of A and B", {"nt", "nn"});
  list.add("rows", "M,M-M,...", options.rows, "numbers of rows",
           asCheck(parseRowCounts));
  list.add("pool", "N", options.pool, "number of different rows");
  list.add("numbers", "NAME,...", options.numbers, "numbers of the problems",
           checkNumbersList);
  list.add("sample", "START:STEP", options.sample, "of the products, from 1");
  list.add(
      "price", options.price,
      "time the products in turns with deterministic numbers and cuBLASLt");
  list.add("rounds", "N", options.rounds, "rounds of --price");
  list.add("ranges", "N", options.ranges,
           "maximum number of kernels for a product");
  list.add("schedule", "TEXT", options.schedule,
           "schedule of the products, instead of a build's choice",
           checkSchedule);
  list.add("database", "FILE", options.database,
           "database or tuning file, as in a build");
  list.add("minutes", "N", options.minutes,
           "time after which no further product is begun");
  list.add("csv", "FILE", options.csv,
           "append results; skip products that the file has");
  list.add("seed", "N", options.seed, "seed of data and places");
  list.add("stand-in", options.standIn, "compute on this CPU instead of a GPU");
  list.add("arch", "NAME", options.arch, "chip to compile for", checkGpuArch);
  list.add("cublas", "FILE", options.cublas, "the library to compare with");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&]() -> llvm::Expected<int> {
    auto problems = problemsOf(options);
    if (!problems)
      return asUsage(problems.takeError());
    if (options.price && options.standIn)
      return asUsage(llvm::createStringError(
          "expected a GPU for --price, but got --stand-in; leave one out"));
    return run(options, *problems);
  });
}
