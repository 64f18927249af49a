//===- BenchLaunch.cpp - hone bench launch --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a caller for one tiny matmul: launch, then wait for its end. Hone
// goes through honeLaunch with a plan, as compiled code does; cuBLASLt has its
// descriptors and its algorithm ready. An empty kernel through the same
// honeLaunch is the lower bound.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchBed.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Schedule/Spelling.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

namespace {
struct LaunchOptions {
  std::vector<int64_t> sizes = {64, 128};
  int64_t rounds = 30, calls = 100;
  std::string schedule, cublas;
  bool json = false;
};

/// Objects that are made once for all sizes.
struct LaunchBench {
  const LaunchOptions &options;
  BenchBed bed;
  Table table = Table({"size", "what", "median", "p10", "p90", "ratio"});
};
} // namespace

/// A call that launches and waits.
static Contender synchronous(Contender launch) {
  return [launch = std::move(launch)](size_t) -> Error {
    if (Error error = launch(0))
      return error;
    if (honeSynchronize() == HONE_OK)
      return Error::success();
    return llvm::createStringError(
        formatv("honeSynchronize: {0}", honeLastError()));
  };
}

static llvm::Expected<std::unique_ptr<MatmulKernel>> emptyKernel() {
  auto kernel = compiledKernel({measureImage().str()}, "hone-plan 2\n"
                                                       "args a\n"
                                                       "alternative 1\n"
                                                       "launch hone_empty\n"
                                                       "grid 1 ; 1 ; 1\n"
                                                       "block 32 ; 1 ; 1\n"
                                                       "shared 0\n");
  if (!kernel)
    return kernel.takeError();
  return MatmulKernel::create(std::move(*kernel));
}

namespace {
/// Hone's kernel of one size, and its operands.
struct LaunchedMatmul {
  std::unique_ptr<GemmData> data;
  std::unique_ptr<MatmulKernel> kernel;
  Contender contender;
};
} // namespace

static Error prepare(LaunchBench &bench, const Problem &problem,
                     LaunchedMatmul &ours) {
  auto task = GemmTask::of(*bench.bed.context, problem);
  if (!task)
    return task.takeError();
  if (Error error = GemmData::create(*bench.bed.kit, std::move(*task), {})
                        .moveInto(ours.data))
    return error;
  llvm::Expected<Schedule> schedule =
      bench.options.schedule.empty() ? defaultSchedule(problem, bench.bed.arch)
                                     : parseSchedule(bench.options.schedule);
  if (!schedule)
    return schedule.takeError();
  if (Error error = MatmulKernel::create(*bench.bed.context,
                                         KernelRequest::of(problem, *schedule),
                                         bench.bed.arch.name)
                        .moveInto(ours.kernel))
    return error;
  if (Error error = contenderOf(*ours.kernel, *schedule, *ours.data)
                        .moveInto(ours.contender))
    return error;
  return ours.data->verify(ours.contender, Part::whole, /*whole=*/true)
      .takeError();
}

static Error benchSize(LaunchBench &bench, int64_t size) {
  Problem problem = withExtents(Problem(), size, size, size);
  LaunchedMatmul ours;
  if (Error error = prepare(bench, problem, ours))
    return error;
  GemmData &data = *ours.data;

  auto empty = emptyKernel();
  if (!empty)
    return empty.takeError();
  std::vector<std::string> names = {"hone", "empty kernel"};
  std::vector<Contender> contenders = {synchronous(ours.contender),
                                       synchronous([&](size_t) {
                                         constexpr int64_t kNothing[] = {0};
                                         return (*empty)->launch(kNothing);
                                       })};
  std::unique_ptr<CublasMatmul> theirs;
  if (bench.bed.cublas) {
    if (Error error =
            bench.bed.cublas->prepare(problem, /*max=*/1).moveInto(theirs))
      return error;
    Contender launch = [&](size_t) {
      return theirs->run(data.a(0), data.b(0), data.c(0));
    };
    if (Error error =
            data.verify(launch, Part::whole, /*whole=*/true).takeError())
      return error;
    names.push_back("cublasLt");
    contenders.push_back(synchronous(launch));
  }
  auto times =
      timeOnHost(contenders, bench.options.rounds, bench.options.calls);
  if (!times)
    return times.takeError();
  double baseline = theirs ? times->back().median : 0;
  for (auto [name, time] : llvm::zip_equal(names, *times))
    bench.table.addRow({formatv("{0}^3", size), name,
                        formatv("{0:F2} us", time.median * 1e6),
                        formatv("{0:F2} us", time.p10 * 1e6),
                        formatv("{0:F2} us", time.p90 * 1e6),
                        theirs ? formatv("{0:F3}", time.median / baseline).str()
                               : std::string("-")});
  return Error::success();
}

static llvm::Expected<int> run(const LaunchOptions &options) {
  auto bed = BenchBed::open(options.cublas, /*mayLack=*/true);
  if (!bed)
    return bed.takeError();
  LaunchBench bench{options, std::move(*bed)};
  for (int64_t size : options.sizes)
    if (Error error = benchSize(bench, size))
      return std::move(error);
  if (!options.json)
    llvm::outs() << formatv(
        "{0}, driver {1}, cuBLASLt {2}; f16, {3} launches each; ratio to "
        "cublasLt\n\n",
        bench.bed.kit->device->getName(),
        bench.bed.kit->device->getDriverVersion(),
        bench.bed.cublas ? bench.bed.cublas->getVersion() : 0,
        options.rounds * options.calls);
  bench.table.print(options.json);
  return kExitSuccess;
}

int hone::benchLaunch(llvm::ArrayRef<llvm::StringRef> args) {
  LaunchOptions options;
  OptionList list(
      "hone bench launch [options]",
      "Host time of one launch of a tiny f16 matmul and of the wait for its "
      "end, in turns\nwith cuBLASLt and an empty kernel.\n"
      "Example: hone bench launch --sizes=64");
  list.add("sizes", "N,...", options.sizes, "M = N = K (default 64,128)");
  list.add("rounds", "N", options.rounds,
           "rounds, in which each takes one turn");
  list.add("calls", "N", options.calls, "launches in a turn");
  list.add("schedule", "TEXT", options.schedule,
           "the schedule, instead of the default", checkSchedule);
  list.add("cublas", "FILE", options.cublas, "the library to compare with");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&] { return run(options); });
}
