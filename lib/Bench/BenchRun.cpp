//===- BenchRun.cpp - Run of a benchmark ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BenchRun.h.
//
//===----------------------------------------------------------------------===//

#include "BenchContest.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Text/Progress.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

StringRef hone::candidatesHeader() {
  return "m,n,k,layout,types,schedule,estimate_us,us,status,remark";
}

namespace {
class Run {
public:
  Run(const BenchPlan &plan, Workers &workers, CsvFile &csv,
      CsvFile &candidates)
      : plan(plan), workers(workers), csv(csv), candidates(candidates) {}
  llvm::Expected<std::vector<BenchRow>> run();

private:
  Error prepare();
  Error measure(const BenchCell &where);
  Error hear(const BenchCell &where, const Candidate &candidate,
             const Measurement &result);
  Error write(const BenchRow &row);
  void note(const llvm::Twine &text) {
    if (progress)
      progress->clear();
    llvm::errs() << text << "\n";
  }

  const BenchPlan &plan;
  Workers &workers;
  CsvFile &csv, &candidates;
  std::optional<Progress> progress;
  std::set<std::string> skipped; ///< missing libraries
  std::vector<BenchRow> rows;
};
} // namespace

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

Error Run::write(const BenchRow &row) {
  rows.push_back(row);
  return csv ? csv.add(row.csv()) : Error::success();
}

/// Prints a line for every candidate; one that broke down its worker also gets
/// a row.
Error Run::hear(const BenchCell &where, const Candidate &candidate,
                const Measurement &result) {
  auto [m, n, k] = where.extents;
  if (candidates)
    if (Error error = candidates.add(csvLine(
            {std::to_string(m), std::to_string(n), std::to_string(k),
             layoutOf(where.problem), plan.typesOf(where, candidate.isPlain),
             toString(candidate.schedule),
             formatv("{0:F3}", candidate.estimate * 1e6),
             result.isOk() ? formatv("{0:F3}", result.times.median * 1e6).str()
                           : std::string(),
             toString(result.status).str(), result.reason})))
      return error;
  if (result.isOk())
    return Error::success();
  note(plan.nameOf(where) + ", " + toString(candidate.schedule) + ": " +
       toString(result.status) + ": " + result.reason);
  if (result.status != Status::fault && result.status != Status::timeout)
    return Error::success();
  BenchRow row = plan.rowOf(where, "search", "", "");
  row.status = toString(result.status);
  row.schedule = toString(candidate.schedule);
  row.remark = result.reason;
  return write(row);
}

Error Run::prepare() {
  auto kernels = plan.kernels();
  progress.emplace(kernels.size());
  return workers.prepare(kernels, [&] { progress->step("compiling kernels"); });
}

Error Run::measure(const BenchCell &where) {
  progress->step(plan.nameOf(where));
  auto tell = [&](const llvm::Twine &text) { note(text); };
  auto skip = [&](const std::string &text) {
    if (skipped.insert(text).second)
      note(text);
  };
  BenchContest contest(plan, where, workers, tell, skip);
  if (Error error = contest.tryCandidates(
          [&](const Candidate &candidate, const Measurement &result) {
            return hear(where, candidate, result);
          }))
    return error;
  auto decided = contest.decide();
  if (!decided)
    return decided.takeError();
  for (const BenchRow &row : *decided)
    if (Error error = write(row))
      return error;
  return Error::success();
}

llvm::Expected<std::vector<BenchRow>> Run::run() {
  if (Error error = prepare())
    return std::move(error);
  progress.emplace(plan.cells.size());
  for (const BenchCell &cell : plan.cells)
    if (Error error = measure(cell))
      return std::move(error);
  progress->clear();
  return std::move(rows);
}

llvm::Expected<std::vector<BenchRow>> hone::runBench(const BenchPlan &plan,
                                                     Workers &workers,
                                                     CsvFile &csv,
                                                     CsvFile &candidates) {
  return Run(plan, workers, csv, candidates).run();
}
