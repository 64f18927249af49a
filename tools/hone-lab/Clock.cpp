//===- Clock.cpp - hone-lab clock -----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chip at its power limit sets its clock by the load of the last
// milliseconds. So the time of a large product depends on the measurements
// around it, and a comparison on the order of turns. This measures one schedule
// and cuBLASLt's fastest algorithms under several such regimes. Only the order
// of turns, the pauses between them and the number of buffers differ.
//
//===----------------------------------------------------------------------===//

#include "Lab.h"
#include "hone/Bench/BenchBed.h"
#include "hone/Bench/BenchShapes.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Device/Nvml.h"
#include "hone/Schedule/Spelling.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct ClockOptions {
  std::string shapes, layout = "nt", schedule, cublas;
  int64_t rounds = 11;
  bool json = false;
};

/// The shapes of a run that names none.
constexpr StringRef kLargeShapes =
    "16384x16384x256,12288x16384x2048,16384x4096x2048,8192x8192x8192,"
    "4096x4096x4096";

/// The order of contenders. The lists name the participants: 0 is Hone, 1 and
/// up are the algorithms.
struct Regime {
  StringRef name;
  std::vector<std::vector<size_t>> finals;
  GpuTiming timing;
};

/// Objects that are made once for all shapes.
struct Bench {
  const ClockOptions &options;
  BenchBed bed;
  std::unique_ptr<Nvml> nvml = nullptr;
  Table table = Table({"shape", "regime", "hone us", "MHz", "cublaslt us",
                       "MHz", "algorithm", "ratio"});
};

/// One shape, ready to be timed.
class Clocked {
public:
  Clocked(Bench &bench, Problem problem)
      : bench(bench), problem(std::move(problem)) {}
  Error prepare();
  Error run(const Regime &regime);
  std::vector<Regime> regimes() const;

private:
  Error addOurs();
  Error addTheirs();
  /// Seconds of a turn of some milliseconds, once the graph has been created.
  llvm::Expected<double> timeOnce(const Contender &contender, size_t launches);

  Bench &bench;
  Problem problem;
  size_t sets = 1;
  std::unique_ptr<GemmData> data;
  std::unique_ptr<MatmulKernel> kernel;
  std::unique_ptr<CublasMatmul> theirs;
  std::vector<Contender> contenders;
  std::vector<size_t> algorithms; ///< of contenders from 1 on, by number from 1
  size_t launches = 1;
};
} // namespace

//===----------------------------------------------------------------------===//
// One shape
//===----------------------------------------------------------------------===//

Error Clocked::addOurs() {
  llvm::Expected<Schedule> schedule =
      bench.bed.scheduleOf(problem, bench.options.schedule);
  if (!schedule)
    return schedule.takeError();
  if (Error error = MatmulKernel::create(*bench.bed.context,
                                         KernelRequest::of(problem, *schedule),
                                         bench.bed.arch.name)
                        .moveInto(kernel))
    return error;
  auto ours = contenderOf(*kernel, *schedule, *data);
  if (!ours)
    return ours.takeError();
  contenders.push_back(std::move(*ours));
  return data->verify(contenders.front(), Part::whole, /*whole=*/false)
      .takeError();
}

llvm::Expected<double> Clocked::timeOnce(const Contender &contender,
                                         size_t launches) {
  GpuTiming timing{sets, launches, /*rounds=*/2};
  auto timed = sampleOnGpu(*bench.bed.kit->device, contender, timing);
  if (!timed)
    return timed.takeError();
  return *llvm::min_element(timed->front().rounds);
}

/// Adds the four algorithms that are fastest in a first try.
Error Clocked::addTheirs() {
  constexpr size_t kFinalists = 4;
  constexpr int kMax = 100;
  constexpr double kTurnSeconds = 4e-3;
  if (Error error = bench.bed.cublas->prepare(problem, kMax).moveInto(theirs))
    return error;
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < theirs->candidates(); ++i) {
    auto seconds = timeOnce(
        [&](size_t set) {
          return theirs->run(data->a(set), data->b(set), data->c(set), i);
        },
        /*launches=*/3);
    if (seconds)
      order.push_back({*seconds, i});
    else
      llvm::consumeError(seconds.takeError());
  }
  if (order.empty())
    return llvm::createStringError("expected an algorithm that runs");
  llvm::sort(order);
  launches = std::clamp<size_t>(kTurnSeconds / order.front().first, 3, 2000);
  order.resize(std::min(order.size(), kFinalists));
  for (auto [seconds, i] : order) {
    algorithms.push_back(i + 1);
    contenders.push_back([this, i = i](size_t set) {
      return theirs->run(data->a(set), data->b(set), data->c(set), i);
    });
  }
  return Error::success();
}

Error Clocked::prepare() {
  auto task = GemmTask::of(*bench.bed.context, problem);
  if (!task)
    return task.takeError();
  sets = GemmData::countSets(*bench.bed.kit, problem);
  if (Error error = GemmData::create(*bench.bed.kit, std::move(*task), sets)
                        .moveInto(data))
    return error;
  if (Error error = addOurs())
    return error;
  return addTheirs();
}

//===----------------------------------------------------------------------===//
// Regimes
//===----------------------------------------------------------------------===//

std::vector<Regime> Clocked::regimes() const {
  size_t rounds = bench.options.rounds;
  std::vector<size_t> all, blocks(16, 0);
  std::vector<std::vector<size_t>> alone, pairs;
  for (size_t i = 0; i < contenders.size(); ++i) {
    all.push_back(i);
    alone.push_back(std::vector<size_t>(1, i));
    if (i)
      blocks.insert(blocks.end(), 2, i);
    if (i)
      pairs.push_back({0, i});
  }
  GpuTiming drawn{sets, launches, rounds};
  GpuTiming rested = drawn, given = drawn, longer = drawn, one = drawn;
  rested.restSeconds = 0.02;
  given.order = TurnOrder::given;
  longer.rounds = 8 * rounds;
  one.sets = 1;
  return {{"rested: 20 ms of idleness before every turn", {all}, rested},
          {"turns: drawn anew in every round", {all}, drawn},
          {"pairs: ours with one algorithm at a time", pairs, drawn},
          {"fixed: ours first, then theirs", {all}, given},
          {"blocks: 16 turns of ours, then 8 of theirs", {blocks}, given},
          {"alone: each by itself, eight times as long", alone, longer},
          {"one set: turns on one set of buffers", {all}, one}};
}

/// Medians by contender. A contender that runs twice in a round has twice the
/// samples.
Error Clocked::run(const Regime &regime) {
  std::vector<std::vector<double>> seconds(contenders.size()),
      clocks(contenders.size());
  for (const std::vector<size_t> &final : regime.finals) {
    std::vector<Contender> now;
    for (size_t who : final)
      now.push_back(contenders[who]);
    std::optional<size_t> last;
    auto announce = [&](size_t i) {
      if (bench.nvml && last)
        clocks[final[*last]].push_back(bench.nvml->clockMHz());
      last = i;
    };
    auto timed =
        sampleOnGpu(*bench.bed.kit->device, now, regime.timing, announce);
    if (!timed)
      return timed.takeError();
    for (auto [who, rounds] : llvm::zip_equal(final, *timed))
      llvm::append_range(seconds[who], rounds.rounds);
  }
  std::vector<double> medians;
  for (std::vector<double> &each : seconds)
    medians.push_back(quantiles(each).median);
  size_t best =
      std::min_element(medians.begin() + 1, medians.end()) - medians.begin();
  auto clockOf = [&](size_t who) {
    double clock = quantiles(clocks[who]).median;
    return clock > 0 ? formatv("{0:F0}", clock).str() : std::string("-");
  };
  bench.table.addRow(
      {formatv("{0}x{1}x{2} {3}", problem.m, problem.n, problem.k,
               bench.options.layout),
       regime.name.str(), formatv("{0:F2}", medians[0] * 1e6), clockOf(0),
       formatv("{0:F2}", medians[best] * 1e6), clockOf(best),
       formatv("{0} of {1}", algorithms[best - 1], theirs->candidates()),
       formatv("{0:F3}", medians[best] / medians[0])});
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static Error run(const ClockOptions &options, llvm::ArrayRef<BenchShape> shapes,
                 Problem form) {
  auto bed = BenchBed::open(options.cublas);
  if (!bed)
    return bed.takeError();
  Bench bench{options, std::move(*bed)};
  bench.nvml = Nvml::open(bench.bed.kit->device->getPciBusId());
  for (const BenchShape &shape : shapes) {
    auto [m, n, k] = shape.extents;
    form.batch = shape.batch;
    Clocked clocked(bench, withExtents(form, m, n, k));
    if (Error error = clocked.prepare())
      return error;
    for (const Regime &regime : clocked.regimes())
      if (Error error = clocked.run(regime))
        return error;
  }
  if (options.json) {
    llvm::outs() << formatv("{0:2}\n", bench.table.toJson());
    return Error::success();
  }
  llvm::outs() << formatv("{0}, driver {1}, cuBLASLt {2}; medians; ratio: "
                          "cuBLASLt's time over ours\n\n",
                          bench.bed.kit->device->getName(),
                          bench.bed.kit->device->getDriverVersion(),
                          bench.bed.cublas->getVersion());
  bench.table.print(llvm::outs());
  return Error::success();
}

int hone::labClock(llvm::ArrayRef<StringRef> args) {
  ClockOptions options;
  OptionList list(
      "hone-lab clock [options]",
      "Times one schedule and cuBLASLt's fastest algorithms in several orders "
      "of turns, to\nshow the effect of the chip's clock on a comparison.\n"
      "Example: hone-lab clock --shapes=4096x4096x4096");
  list.add("shapes", "MxNxK,...", options.shapes,
           "or @FILE; default: five large products");
  list.add("layout", "LAYOUT", options.layout, "nn, nt, tn or tt");
  list.add("schedule", "TEXT", options.schedule,
           "the schedule, instead of a build's choice", checkSchedule);
  list.add("rounds", "N", options.rounds, "number of rounds");
  list.add("cublas", "FILE", options.cublas, "the library to compare with");
  list.add("json", options.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  auto shapes =
      parseShapes(options.shapes.empty() ? kLargeShapes : options.shapes);
  if (!shapes)
    return reportError(shapes.takeError(), kExitUsage);
  Problem form;
  if (Error error = setLayout(form, options.layout))
    return reportError(std::move(error), kExitUsage);
  if (options.rounds < 1)
    return reportError(
        llvm::createStringError(formatv(
            "expected --rounds of at least 1, but got {0}", options.rounds)),
        kExitUsage);
  if (Error error = run(options, *shapes, form))
    return reportError(std::move(error));
  return kExitSuccess;
}
