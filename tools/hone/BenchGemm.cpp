//===- BenchGemm.cpp - hone bench gemm, hone bench summary ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the command line, compiles every kernel of the run on all cores, hands
// the cells to the supervisor, and prints what came back.
//
//===----------------------------------------------------------------------===//

#include "BenchSummary.h"
#include "BenchSupervisor.h"
#include "BenchWorker.h"
#include "Commands.h"
#include "Options.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// A few rows are printed one by one; of many, only the summary.
static void print(llvm::ArrayRef<BenchRow> rows, StringRef device, bool json) {
  if (json) {
    llvm::json::Object all;
    all["device"] = device;
    all["rows"] = tableOf(rows).toJson();
    all["summary"] = summaryOf(rows).toJson();
    llvm::outs() << formatv("{0:2}\n", llvm::json::Value(std::move(all)));
    return;
  }
  constexpr size_t kFew = 40;
  llvm::outs() << device << "; ratio: baseline's time over ours\n\n";
  if (rows.size() <= kFew) {
    tableOf(rows).print(llvm::outs());
    llvm::outs() << "\n";
  }
  summaryOf(rows).print(llvm::outs());
}

/// What would be measured.
static void list(const BenchPlan &plan) {
  Table table({"m", "n", "k", "layout", "candidates", "first"});
  for (const BenchCell &cell : plan.cells) {
    auto [m, n, k] = cell.extents;
    table.addRow(
        {std::to_string(m), std::to_string(n), std::to_string(k),
         plan.specs[cell.spec].layout(), std::to_string(cell.candidates.size()),
         cell.candidates.empty() ? "-"
                                 : toString(cell.candidates.front().schedule)});
  }
  table.print(llvm::outs());
  llvm::outs() << formatv("\n{0} kernels\n", plan.kernels.size());
}

//===----------------------------------------------------------------------===//
// The commands
//===----------------------------------------------------------------------===//

static Error setArch(BenchPlan &plan) {
  StringRef name = plan.options.arch;
  if (plan.rehearsal)
    plan.device = "rehearsal";
  if (!plan.options.list && !plan.rehearsal) {
    llvm::Expected<GpuFacts> facts = probeGpu();
    if (!facts)
      return facts.takeError();
    plan.device = facts->name;
    if (name == "native")
      plan.options.arch = facts->arch;
  }
  llvm::Expected<Arch> arch = plan.options.arch == "native"
                                  ? resolveArchName("native")
                                  : Arch::lookup(plan.options.arch);
  if (!arch)
    return arch.takeError();
  plan.arch = *arch;
  return Error::success();
}

/// The newer of two rows with one key counts.
static std::vector<BenchRow> merged(std::vector<BenchRow> rows,
                                    std::vector<BenchRow> newer) {
  for (BenchRow &row : newer) {
    auto found = llvm::find_if(
        rows, [&](const BenchRow &old) { return old.key() == row.key(); });
    if (found == rows.end())
      rows.push_back(std::move(row));
    else
      *found = std::move(row);
  }
  return rows;
}

/// True if every comparison has a time of ours.
static bool isWhole(llvm::ArrayRef<BenchRow> rows) {
  return llvm::all_of(rows, [](const BenchRow &row) {
    return row.protocol == "search" || row.isTimed();
  });
}

static llvm::Expected<ExitStatus> run(BenchPlan &plan) {
  const GemmOptions &options = plan.options;
  if (Error error = setArch(plan))
    return std::move(error);
  CsvFile csv, candidates;
  std::vector<BenchRow> done;
  if (!options.csv.empty()) {
    auto rows = readRows(options.csv);
    if (!rows)
      return rows.takeError();
    done = std::move(*rows);
  }
  fillCells(plan, done);
  if (options.list) {
    list(plan);
    return kExitSuccess;
  }
  for (auto [path, header, file] :
       {std::tuple(StringRef(options.csv), BenchRow::header(), &csv),
        std::tuple(StringRef(options.candidatesCsv), candidatesHeader(),
                   &candidates)})
    if (!path.empty()) {
      auto opened = CsvFile::open(path, header);
      if (!opened)
        return opened.takeError();
      *file = std::move(*opened);
    }
  if (!plan.rehearsal || plan.rehearsal->compiles)
    if (Error error = compileKernels(plan))
      return std::move(error);
  if (!plan.rehearsal)
    if (Error error = warmDriverCache(plan))
      return std::move(error);
  auto rows = superviseBench(plan, csv, candidates);
  if (!rows)
    return rows.takeError();
  bool whole = isWhole(*rows);
  print(merged(std::move(done), std::move(*rows)), plan.device, options.json);
  return whole ? kExitSuccess : kExitFailure;
}

int hone::benchGemm(llvm::ArrayRef<StringRef> args) {
  GemmOptions options;
  OptionList list("bench gemm [options]",
                  "Time of matmuls beside cuBLAS's, in turns.");
  list.add("shapes", "MxNxK,...", options.shapes, "or @FILE");
  list.add("grid", "1000", options.grid, "10 extents, cubed, by 2MNK");
  list.add("sample", "START:STEP", options.sample, "of the shapes, from 1");
  list.add("layouts", "LAYOUT,...", options.layouts, "of nn, nt, tn, tt");
  list.add("types", "A:C", options.types, "of the inputs and of the result");
  list.add("schedules", "TEXT;...", options.schedules,
           "ours: default, guess, or schedules");
  list.add("search", "grid[:N]", options.search,
           "and the N (24) that the cost model likes");
  list.add("finalists", "N", options.finalists, "of each side, in the final");
  list.add("baselines", "NAME,...", options.baselines,
           "cublas, cublaslt-heuristic or none");
  list.add("epilogue", "NAME", options.epilogue,
           "e.g. bias+relu; beside plain and separate");
  list.add("protocols", "NAME,...", options.protocols,
           "wall-offline, wall-server");
  list.add("programmatic", "both|on|off", options.programmatic, "launch");
  list.add("rounds", "N", options.rounds, "turns in the final");
  list.add("patience", "SECONDS", options.patience, "for a kernel that hangs");
  list.add("arch", "NAME", options.arch, "to compile for");
  list.add("cublas", "FILE", options.cublas, "libcublasLt to compare with");
  list.add("csv", "FILE", options.csv, "append rows; go on behind them");
  list.add("candidates-csv", "FILE", options.candidatesCsv,
           "append every candidate");
  list.add("rehearse", "smooth", options.rehearse,
           "no GPU: times of the cost model");
  list.add("list", options.list, "print what would be measured");
  list.add("json", options.json, "print JSON");
  if (std::optional<int> usage = list.parse(args))
    return *usage;
  auto plan = readBenchPlan(options);
  if (!plan)
    return reportError(plan.takeError(), kExitUsage);
  auto status = run(*plan);
  return status ? *status : reportError(status.takeError());
}

int hone::benchSummary(llvm::ArrayRef<StringRef> args) {
  std::string path;
  bool json = false;
  OptionList list("bench summary --csv=FILE [options]",
                  "Prints the summary of what hone bench gemm wrote.");
  list.add("csv", "FILE", path, "rows");
  list.add("json", json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  auto rows = readRows(path);
  if (!rows)
    return reportError(rows.takeError());
  if (rows->empty())
    return reportError(llvm::createStringError(
        formatv("expected rows of hone bench gemm, but got none in '{0}'; use "
                "--csv=FILE",
                path)));
  print(*rows, rows->front().device, json);
  return kExitSuccess;
}
