//===- BenchError.cpp - hone bench error ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accuracy of products, next to the vendor's. `hone check` tests that a
// result is within a tolerance; this command shows the cost of products with
// less than f32 precision. The vendor's rival of `f32` and `tf32x3` computes in
// f32; for other types it computes as the problem states.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchBed.h"
#include "hone/Bench/BenchShapes.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Text/Number.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct ErrorOptions {
  std::string shapes = "512x512x64,512x512x1024,512x512x16384";
  std::string types = "f32:f32,tf32x3:f32,tf32:f32", layouts = "nt", schedule,
              cublas, max;
  bool json = false;
};

/// Objects that are made once for all products.
struct ErrorBench {
  const ErrorOptions &options;
  BenchBed bed;
  Table table = Table({"shape", "types", "kind", "rms", "largest", "cublas rms",
                       "largest", "rms ratio", "largest ratio"});
  double worst = 0; ///< ratio of the root mean squares
};
} // namespace

static llvm::Expected<SumError> errorOfOurs(ErrorBench &bench, GemmData &data,
                                            const Schedule &schedule) {
  auto kernel = MatmulKernel::create(
      *bench.bed.context, KernelRequest::of(data.problem(), schedule),
      bench.bed.arch.name);
  if (!kernel)
    return kernel.takeError();
  auto ours = contenderOf(**kernel, schedule, data);
  if (!ours)
    return ours.takeError();
  return data.errorOf(*ours);
}

/// The error of the first algorithm that the vendor's heuristic returns.
static llvm::Expected<SumError> errorOfTheirs(ErrorBench &bench,
                                              GemmData &data) {
  Problem problem = data.problem();
  if (problem.products == Products::tf32x3)
    problem.products = Products::exact;
  auto theirs = bench.bed.cublas->prepare(problem, /*max=*/1);
  if (!theirs)
    return theirs.takeError();
  return data.errorOf([&](size_t set) {
    return (*theirs)->run(data.a(set), data.b(set), data.c(set));
  });
}

static std::string text(double error) { return formatv("{0:e2}", error); }

static Error measure(ErrorBench &bench, const Problem &problem) {
  llvm::Expected<Schedule> schedule =
      bench.bed.scheduleOf(problem, bench.options.schedule);
  if (!schedule)
    return schedule.takeError();
  auto task = GemmTask::of(*bench.bed.context, problem);
  if (!task)
    return task.takeError();
  auto data = GemmData::create(*bench.bed.kit, std::move(*task), /*sets=*/1);
  if (!data)
    return data.takeError();
  llvm::Expected<SumError> ours = errorOfOurs(bench, **data, *schedule);
  if (!ours)
    return ours.takeError();
  std::vector<std::string> row = {formatv("{0}x{1}x{2} {3}", problem.m,
                                          problem.n, problem.k,
                                          layoutOf(problem)),
                                  typesOf(problem), schedule->kind().name.str(),
                                  text(ours->rms), text(ours->largest)};
  if (llvm::Expected<SumError> theirs = errorOfTheirs(bench, **data)) {
    auto ratio = [](double one, double other) -> std::string {
      return other > 0 ? formatv("{0:F2}", one / other).str() : "-";
    };
    if (theirs->rms > 0)
      bench.worst = std::max(bench.worst, ours->rms / theirs->rms);
    llvm::append_range(
        row, std::vector<std::string>{text(theirs->rms), text(theirs->largest),
                                      ratio(ours->rms, theirs->rms),
                                      ratio(ours->largest, theirs->largest)});
  } else {
    llvm::errs() << typesOf(problem) << ": " << toString(theirs.takeError())
                 << "\n";
    row.resize(9, "-");
  }
  bench.table.addRow(row);
  return Error::success();
}

/// All types of every shape, one below the other.
static llvm::Expected<std::vector<Problem>>
problemsOf(const ErrorOptions &options) {
  auto shapes = parseShapes(options.shapes);
  if (!shapes)
    return shapes.takeError();
  std::vector<Problem> problems;
  for (const BenchShape &shape : *shapes)
    for (StringRef layout : llvm::split(options.layouts, ','))
      for (StringRef types : llvm::split(options.types, ',')) {
        Problem form;
        if (Error error = setLayout(form, layout))
          return std::move(error);
        if (Error error = setTypes(form, types))
          return std::move(error);
        auto [m, n, k] = shape.extents;
        form.batch = shape.batch;
        problems.push_back(withExtents(form, m, n, k));
      }
  return problems;
}

static llvm::Expected<int> run(const ErrorOptions &options,
                               llvm::ArrayRef<Problem> problems, double max) {
  auto bed = BenchBed::open(options.cublas);
  if (!bed)
    return bed.takeError();
  ErrorBench bench{options, std::move(*bed)};
  for (const Problem &problem : problems)
    if (Error error = measure(bench, problem))
      return std::move(error);
  if (!options.json)
    llvm::outs() << formatv("{0}, driver {1}, cuBLASLt {2}; parts of the size "
                            "of a result, N(0, 1) data\n\n",
                            bench.bed.kit->device->getName(),
                            bench.bed.kit->device->getDriverVersion(),
                            bench.bed.cublas->getVersion());
  bench.table.print(options.json);
  return bench.worst > max ? kExitFailure : kExitSuccess;
}

int hone::benchError(llvm::ArrayRef<StringRef> args) {
  ErrorOptions options;
  OptionList list(
      "hone bench error [options]",
      "Error of products against f64, compared with cuBLASLt's error.\n"
      "Example: hone bench error --types=tf32x3:f32 --shapes=512x512x4096");
  list.add("shapes", "MxNxK,...", options.shapes, "or @FILE");
  list.add("types", "A:C,...", options.types, "of the inputs and results");
  list.add("layouts", "LAYOUT,...", options.layouts, "of nn, nt, tn, tt");
  list.add("schedule", "TEXT", options.schedule,
           "the schedule, instead of a build's choice", checkSchedule);
  list.add(
      "most", "RATIO", options.max,
      "status 1 if a root mean square is more than RATIO times cuBLASLt's");
  list.add("cublas", "FILE", options.cublas, "the library to compare with");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&]() -> llvm::Expected<int> {
    double max =
        options.max.empty() ? HUGE_VAL : realNumber(options.max).value_or(0);
    if (!(max > 0))
      return asUsage(llvm::createStringError(formatv(
          "expected --most of more than 0, but got '{0}'", options.max)));
    auto problems = problemsOf(options);
    if (!problems)
      return asUsage(problems.takeError());
    return run(options, *problems, max);
  });
}
