//===- BenchGemm.cpp - hone bench gemm ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU time of our kernels beside cuBLASLt's: graphs of launches back to back,
// rotating over sets of matrices that together exceed the L2 cache. All
// contenders of a shape take turns. A result is checked before it is timed, and
// again afterwards; a time that beats the roofline is an error.
//
//===----------------------------------------------------------------------===//

#include "BenchGemm.h"
#include "Commands.h"
#include "Options.h"
#include "Table.h"
#include "passes/Support.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
struct GemmOptions {
  std::string shapes = "512x512x512,1024x1024x1024,2048x2048x2048,"
                       "4096x4096x4096";
  std::string layouts = "nt", types = "f16:f16", schedules = "default";
  std::string cublas, csv;
  int64_t rounds = 11, candidates = 1;
  bool json = false;
};

struct GemmBench {
  explicit GemmBench(const GemmOptions &options) : options(options) {}

  const GemmOptions &options;
  std::vector<std::array<int64_t, 3>> shapes;
  std::vector<MatmulSpec> specs;   ///< one per layout
  std::vector<Schedule> schedules; ///< empty: each shape's default
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceCheck> check;
  std::unique_ptr<CublasLt> cublas; ///< null where there is none
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  Arch arch;
  Table table = Table({"m", "n", "k", "layout", "types", "what", "us", "p10",
                       "p90", "TFLOP/s", "ratio"});
};
} // namespace

static Error readShapes(StringRef text, GemmBench &bench) {
  for (StringRef part : llvm::split(text, ',')) {
    llvm::SmallVector<StringRef> extents;
    part.split(extents, 'x');
    std::array<int64_t, 3> shape;
    bool good = extents.size() == 3;
    for (size_t i = 0; good && i < 3; ++i)
      good = !extents[i].getAsInteger(10, shape[i]) && shape[i] > 0;
    if (!good)
      return llvm::createStringError(formatv(
          "expected a shape, but got '{0}'; use e.g. 512x512x512", part));
    bench.shapes.push_back(shape);
  }
  return Error::success();
}

static Error readSpecs(const GemmOptions &options, GemmBench &bench) {
  auto [in, out] = StringRef(options.types).split(':');
  auto typeIn = parseElementType(in), typeOut = parseElementType(out);
  if (!typeIn || !typeOut)
    return llvm::createStringError(formatv(
        "expected types, but got '{0}'; use e.g. f16:f32", options.types));
  for (StringRef layout : llvm::split(options.layouts, ',')) {
    MatmulSpec spec;
    spec.in = *typeIn;
    spec.out = *typeOut;
    spec.a = layout.starts_with("t") ? Order::col : Order::row;
    spec.b = layout.ends_with("t") ? Order::col : Order::row;
    if (spec.layout() != layout)
      return llvm::createStringError(formatv(
          "expected a layout, but got '{0}'; use nn, nt, tn or tt", layout));
    bench.specs.push_back(spec);
  }
  return Error::success();
}

static Error readOptions(const GemmOptions &options, GemmBench &bench) {
  if (Error error = readShapes(options.shapes, bench))
    return error;
  if (Error error = readSpecs(options, bench))
    return error;
  if (options.schedules == "default")
    return Error::success();
  for (StringRef text : llvm::split(options.schedules, ';')) {
    llvm::Expected<Schedule> schedule = parseSchedule(text.trim());
    if (!schedule)
      return schedule.takeError();
    bench.schedules.push_back(*schedule);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// One shape
//===----------------------------------------------------------------------===//

namespace {
/// Who takes part in one shape. Kernels live as long as their launches.
struct Field {
  std::vector<std::string> names;
  std::vector<Contender> contenders;
  std::vector<std::unique_ptr<MatmulKernel>> kernels;
  std::unique_ptr<CublasMatmul> cublas;

  void add(std::string name, Contender contender) {
    names.push_back(std::move(name));
    contenders.push_back(std::move(contender));
  }
};
} // namespace

/// Sets of matrices that are more than the cache holds, and launches that take
/// some milliseconds together.
static GpuTiming timingOf(const GemmBench &bench, const Problem &problem) {
  constexpr double kGraphSeconds = 3e-3, kLaunchSeconds = 3e-6;
  constexpr size_t kMostSets = 64, kMostLaunches = 200, kLeastLaunches = 3;
  GpuTiming timing;
  double bytes = *problem.bytes();
  timing.sets = std::clamp<size_t>(2 * bench.device->getL2Bytes() / bytes + 1,
                                   2, kMostSets);
  double seconds = std::max(*problem.flops() / (bench.arch.peakTflops * 1e12),
                            bytes / (bench.arch.memoryGBs * 1e9)) +
                   kLaunchSeconds;
  timing.launches = std::clamp<size_t>(kGraphSeconds / seconds, kLeastLaunches,
                                       kMostLaunches);
  timing.rounds = bench.options.rounds;
  return timing;
}

static Error addOurs(GemmBench &bench, const MatmulSpec &spec,
                     const Problem &problem, GemmData &data, size_t sets,
                     Field &field) {
  std::vector<Schedule> schedules = bench.schedules;
  if (schedules.empty())
    schedules.push_back(defaultSchedule(problem, bench.arch));
  for (const Schedule &schedule : schedules) {
    // One schedule that can not run is no reason to time none.
    auto skip = [&](Error error) {
      llvm::errs() << formatv("skipped {0}: {1}\n", toString(schedule),
                              llvm::toString(std::move(error)));
    };
    if (auto law = check(schedule, &problem, &bench.arch)) {
      skip(llvm::createStringError(*law));
      continue;
    }
    auto kernel =
        MatmulKernel::create(*bench.context, spec, schedule, bench.arch.name);
    if (!kernel) {
      skip(kernel.takeError());
      continue;
    }
    auto contender = contenderOf(**kernel, data, sets);
    if (!contender)
      return contender.takeError();
    if (Error error = data.verify(*contender)) {
      if (bench.device->isLost())
        return error;
      skip(std::move(error));
      continue;
    }
    field.kernels.push_back(std::move(*kernel));
    field.add(toString(schedule), std::move(*contender));
  }
  return Error::success();
}

/// The heuristic's first candidate, or the fastest of several.
static Error addTheirs(GemmBench &bench, const Problem &problem,
                       const GemmData &data, GpuTiming timing, Field &field) {
  auto prepared = bench.cublas->prepare(problem, bench.options.candidates);
  if (!prepared)
    return prepared.takeError();
  field.cublas = std::move(*prepared);
  auto launch = [&data, &matmul = *field.cublas](size_t candidate) {
    return Contender([&data, &matmul, candidate](size_t set) {
      return matmul.run(data.a(set), data.b(set), data.c(set), candidate);
    });
  };
  size_t best = 0;
  double least = 0;
  timing.rounds = 3;
  for (size_t i = 0; i < field.cublas->candidates(); ++i) {
    if (field.cublas->candidates() == 1)
      break;
    auto time = timeOnGpu(*bench.device, {launch(i)}, timing);
    if (!time) {
      llvm::consumeError(time.takeError());
      continue;
    }
    if (least == 0 || time->front().median < least) {
      least = time->front().median;
      best = i;
    }
  }
  field.add(formatv("cublasLt, best of {0}", field.cublas->candidates()),
            launch(best));
  return Error::success();
}

static Error addRows(GemmBench &bench, const MatmulSpec &spec,
                     const Problem &problem, const Field &field,
                     llvm::ArrayRef<Quantiles> times) {
  double baseline = field.cublas ? times.back().median : 0;
  for (auto [name, time] : llvm::zip_equal(field.names, times)) {
    double tflops = *problem.flops() / time.median * 1e-12;
    if (tflops > bench.arch.peakTflops)
      return llvm::createStringError(
          formatv("expected at most {0} TFLOP/s, but got {1:F0} from {2}; the "
                  "measurement is at fault",
                  bench.arch.peakTflops, tflops, name));
    auto number = [](const char *format, double value) {
      return formatv(format, value).str();
    };
    bench.table.addRow(
        {std::to_string(problem.m), std::to_string(problem.n),
         std::to_string(problem.k), spec.layout(), spec.types(), name,
         number("{0:F2}", time.median * 1e6), number("{0:F2}", time.low * 1e6),
         number("{0:F2}", time.high * 1e6), number("{0:F1}", tflops),
         baseline > 0 ? number("{0:F3}", baseline / time.median) : "-"});
  }
  return Error::success();
}

static Error benchShape(GemmBench &bench, const MatmulSpec &spec,
                        std::array<int64_t, 3> extents) {
  auto [m, n, k] = extents;
  Problem problem = spec.problem(m, n, k);
  GpuTiming timing = timingOf(bench, problem);
  auto data =
      GemmData::create(*bench.device, *bench.check, spec, extents, timing.sets);
  if (!data)
    return data.takeError();
  Field field;
  if (Error error = addOurs(bench, spec, problem, **data, timing.sets, field))
    return error;
  if (bench.cublas)
    if (Error error = addTheirs(bench, problem, **data, timing, field))
      return error;
  if (field.contenders.empty())
    return Error::success();
  auto times = timeOnGpu(*bench.device, field.contenders, timing);
  if (!times)
    return times.takeError();
  for (auto [name, contender] : llvm::zip_equal(field.names, field.contenders))
    if (Error error = (*data)->verify(contender))
      return llvm::createStringError(
          name + ", after it was timed: " + llvm::toString(std::move(error)));
  return addRows(bench, spec, problem, field, *times);
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static Error open(GemmBench &bench) {
  llvm::Expected<std::unique_ptr<Device>> device = Device::open();
  if (!device)
    return device.takeError();
  bench.device = std::move(*device);
  llvm::Expected<Arch> arch = resolveArchName("native");
  if (!arch)
    return arch.takeError();
  bench.arch = *arch;
  auto check = DeviceCheck::create(*bench.device);
  if (!check)
    return check.takeError();
  bench.check = std::move(*check);
  auto cublas = CublasLt::open(*bench.device, bench.options.cublas);
  if (cublas)
    bench.cublas = std::move(*cublas);
  else
    llvm::errs() << "skipped cuBLASLt: " << llvm::toString(cublas.takeError())
                 << "\n";
  return Error::success();
}

static int run(GemmBench &bench) {
  const GemmOptions &options = bench.options;
  if (Error error = open(bench))
    return reportError(std::move(error));
  int status = kExitSuccess;
  Progress progress(bench.shapes.size() * bench.specs.size());
  for (std::array<int64_t, 3> shape : bench.shapes)
    for (const MatmulSpec &spec : bench.specs) {
      progress.step(formatv("{0}x{1}x{2} {3}", shape[0], shape[1], shape[2],
                            spec.layout())
                        .str());
      if (bench.device->isLost())
        break;
      if (Error error = benchShape(bench, spec, shape)) {
        progress.clear();
        status = reportError(llvm::createStringError(
            formatv("{0}x{1}x{2} {3}: {4}", shape[0], shape[1], shape[2],
                    spec.layout(), llvm::toString(std::move(error)))));
      }
    }
  progress.clear();
  if (options.json) {
    llvm::outs() << formatv("{0:2}\n", bench.table.toJson());
  } else {
    llvm::outs() << formatv("{0}, driver {1}, cuBLASLt {2}; ratio: cublasLt's "
                            "time over this one\n\n",
                            bench.device->getName(),
                            bench.device->getDriverVersion(),
                            bench.cublas ? bench.cublas->getVersion() : 0);
    bench.table.print(llvm::outs());
  }
  if (!options.csv.empty())
    if (Error error = writeCsv(bench.table, options.csv))
      return reportError(std::move(error));
  return status;
}

int hone::benchGemm(llvm::ArrayRef<StringRef> args) {
  GemmOptions options;
  OptionList list("bench gemm [options]",
                  "GPU time of matmuls in graphs of launches on rotating data, "
                  "beside cuBLASLt.");
  list.add("shapes", "MxNxK,...", options.shapes, "what to multiply");
  list.add("layouts", "LAYOUT,...", options.layouts, "of nn, nt, tn, tt");
  list.add("types", "A:C", options.types, "of the inputs and of the result");
  list.add("schedules", "TEXT;...", options.schedules,
           "ours: default, or schedules");
  list.add("rounds", "N", options.rounds, "turns of each contender");
  list.add("candidates", "N", options.candidates,
           "how many of cuBLASLt's algorithms to try");
  list.add("cublas", "FILE", options.cublas, "the library to compare with");
  list.add("csv", "FILE", options.csv, "write every time there");
  list.add("json", options.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  GemmBench bench(options);
  if (Error error = readOptions(options, bench))
    return reportError(std::move(error), kExitUsage);
  return run(bench);
}
