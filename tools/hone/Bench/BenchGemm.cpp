//===- BenchGemm.cpp - hone bench gemm, hone bench summary ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the command line, starts the workers that measure, and prints the rows.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchRun.h"
#include "hone/Bench/BenchSummary.h"
#include "hone/Command/Options.h"
#include "hone/Matmul/WholeKernelFile.h"
#include "hone/Plugin/Sources.h"
#include "hone/Schedule/Spelling.h"
#include "passes/Support.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// Prints a few rows one by one; for many rows, only the summary. Cells that all
/// its lines share stand above it.
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
  Table summary = summaryOf(rows);
  llvm::outs() << device;
  for (StringRef column : {"types", "protocol", "baseline"})
    if (std::string value = summary.takeConstant(column); !value.empty())
      llvm::outs() << ", " << column << ' ' << value;
  llvm::outs() << "; ratio: baseline's time over ours\n\n";
  if (rows.size() <= kFew) {
    tableOf(rows).print(llvm::outs());
    llvm::outs() << "\n";
  }
  summary.print(llvm::outs());
}

/// "16*" in front of the extents of a batch of 16.
static std::string batchOf(const BenchCell &cell) {
  return cell.problem.batch ? formatv("{0}*", *cell.problem.batch).str()
                            : std::string();
}

/// "nn", "nt conv:8x28x28x64:96x3x3:1:1"
static std::string layoutAndNameOf(const BenchCell &cell) {
  std::string layout = layoutOf(cell.problem);
  return cell.shape.convolution ? layout + " " + cell.shape.convolution->str()
                                : layout;
}

/// Lists the planned measurements.
static void list(const BenchPlan &plan) {
  Table table({"m", "n", "k", "layout", "candidates", "first"});
  std::string search = formatv("by a tune of {0}", plan.tuneTrials);
  for (const BenchCell &cell : plan.cells) {
    auto [m, n, k] = cell.shape.extents;
    table.addRow({batchOf(cell) + std::to_string(m), std::to_string(n),
                  std::to_string(k), layoutAndNameOf(cell),
                  std::to_string(cell.candidates.size()),
                  !cell.candidates.empty()
                      ? toString(cell.candidates.front().schedule)
                  : plan.tuneTrials ? search
                                    : "-"});
  }
  table.print(llvm::outs());
  llvm::outs() << formatv("\n{0} kernels\n", plan.kernels().size());
}

//===----------------------------------------------------------------------===//
// The commands
//===----------------------------------------------------------------------===//

/// The workers that measure; none if the plan is only listed.
static llvm::Expected<std::unique_ptr<Workers>>
startWorkers(const GemmOptions &options) {
  std::vector<std::string> devices;
  if (!options.rehearse.empty())
    devices.push_back(
        "rehearsal:" + (options.arch == "native" ? "h200" : options.arch) +
        ":exact");
  auto settings =
      WorkerOptions::make(/*program=*/"", std::move(devices), options.rehearse);
  if (!settings)
    return settings.takeError();
  settings->patience = double(options.patience);
  settings->library = options.cublas;
  if (!options.database.empty())
    settings->kernelText = kernelTextsIn({options.database});
  settings->note = [](const std::string &text) {
    llvm::errs() << text << "\n";
  };
  if (options.arch != "native" && options.rehearse.empty())
    settings->arch = options.arch;
  return Workers::start(std::move(*settings));
}

static Error setArch(BenchPlan &plan, const Workers *workers) {
  StringRef name = plan.options.arch;
  llvm::Expected<Arch> arch = workers            ? workers->arch()
                              : name == "native" ? resolveArchName(name)
                                                 : Arch::lookup(name);
  if (!arch)
    return arch.takeError();
  plan.arch = *arch;
  if (plan.isRehearsal())
    plan.device = "rehearsal";
  else if (workers)
    plan.device = formatv("{0}, driver {1}", workers->device().name,
                          workers->device().cuda);
  return Error::success();
}

/// Joins rows; of two rows with one key the newer one stays.
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

/// True if every comparison has a time of Hone.
static bool isWhole(llvm::ArrayRef<BenchRow> rows) {
  return llvm::all_of(rows, [](const BenchRow &row) {
    return row.protocol == "search" || row.isTimed();
  });
}

static llvm::Expected<int> run(BenchPlan &plan) {
  const GemmOptions &options = plan.options;
  std::unique_ptr<Workers> workers;
  if (!options.list) {
    if (Error error = startWorkers(options).moveInto(workers))
      return std::move(error);
  }
  if (Error error = setArch(plan, workers.get()))
    return std::move(error);
  CsvFile csv, candidates;
  std::vector<BenchRow> done;
  if (!options.csv.empty()) {
    if (Error error = readRows(options.csv).moveInto(done))
      return std::move(error);
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
      if (Error error = CsvFile::open(path, header).moveInto(*file))
        return std::move(error);
    }
  if (plan.tuneTrials)
    if (Error error = tuneCells(plan, *workers, choiceOfBuild))
      return std::move(error);
  auto rows = runBench(plan, *workers, csv, candidates);
  if (!rows)
    return rows.takeError();
  bool whole = isWhole(*rows);
  print(merged(std::move(done), std::move(*rows)), plan.device, options.json);
  return whole ? kExitSuccess : kExitFailure;
}

static Error checkBenchArch(StringRef text) {
  if (text == "host")
    return llvm::createStringError(
        "expected the arch of a GPU, but got 'host'; "
        "use hone bench host for this CPU");
  return checkArch(text);
}

int hone::benchGemm(llvm::ArrayRef<StringRef> args) {
  GemmOptions options;
  OptionList list("hone bench gemm [options]",
                  "Times matmuls in turns with cuBLAS.\n"
                  "Example: hone bench gemm --shapes=4096x4096x4096 "
                  "--layouts=nt --csv=bench.csv");
  list.add("shapes", "MxNxK,...", options.shapes, "or @FILE, or convolutions");
  list.add("grid", "1000", options.grid,
           "every M, N and K of ten extents, in order of 2MNK");
  list.add("sample", "START:STEP", options.sample,
           "every STEPth shape, from number START");
  list.add("part", "I/N", options.part, "shapes of one of N workers",
           checkPart);
  list.add("layouts", "LAYOUT,...", options.layouts, "of nn, nt, tn, tt");
  list.add("types", "A:C", options.types, "of the inputs and of the result");
  list.add("schedules", "TEXT;...", options.schedules,
           "schedules to time: default, guess (a build's choice), or texts");
  list.add("search", "KIND:N", options.search,
           "tune:64: a tune's choice; grid:24: the model's best; sample:24");
  list.add("db", "FILE", options.database,
           "the database that tune:N reads and extends");
  list.add("finalists", "N", options.finalists,
           "schedules in the final that chooses one");
  list.add("baselines", "NAME,...", options.baselines,
           "cublas, cublaslt-auto, guess (a build's choice), ... or none");
  list.add("epilogue", "NAME", options.epilogue,
           "e.g. bias+relu; adds the baselines plain and separate");
  list.add("protocols", "NAME,...", options.protocols,
           "wall-offline, wall-server");
  list.add("programmatic", "both|on|off", options.programmatic,
           "programmatic launch: with, without, or both ways");
  list.add("rounds", "N", options.rounds, "turns in the final");
  list.add("patience", "SECONDS", options.patience,
           "time limit of a kernel that hangs");
  list.add("arch", "NAME", options.arch, "chip to compile for", checkBenchArch);
  list.add("cublas", "FILE", options.cublas, "libcublasLt to compare with");
  list.add("csv", "FILE", options.csv,
           "append results; skip shapes that the file has");
  list.add("candidates-csv", "FILE", options.candidatesCsv,
           "append the times of every candidate");
  list.add("rehearse", "PLAN", options.rehearse,
           "no GPU: times of the cost model, as in hone tune", checkRehearsal);
  list.add("list", options.list, "print what would be measured");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&]() -> llvm::Expected<int> {
    auto plan = readBenchPlan(options);
    if (!plan)
      return asUsage(plan.takeError());
    return run(*plan);
  });
}

static llvm::Expected<int> summarize(StringRef path, bool json) {
  // Rows may be appended to a missing file, but not read from it.
  if (!llvm::sys::fs::exists(path))
    return llvm::createStringError(
        formatv("expected rows of hone bench gemm, but got '{0}': No such file "
                "or directory",
                path));
  auto rows = readRows(path);
  if (!rows)
    return rows.takeError();
  if (rows->empty())
    return llvm::createStringError(
        formatv("expected rows of hone bench gemm, but got none in '{0}'; use "
                "--csv=FILE",
                path));
  print(*rows, rows->front().device, json);
  return kExitSuccess;
}

int hone::benchSummary(llvm::ArrayRef<StringRef> args) {
  std::string path;
  bool json = false;
  OptionList list("hone bench summary --csv=FILE [options]",
                  "Prints the summary of a file that hone bench gemm wrote.\n"
                  "Example: hone bench summary "
                  "--csv=test/tools/Inputs/bench.csv");
  list.add("csv", "FILE", path, "rows");
  list.require("csv");
  list.add("json", json, "print JSON");
  return list.run(args, [&] { return summarize(path, json); });
}
