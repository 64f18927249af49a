//===- Run.cpp - hone run -------------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module, calls one of its functions with random data, and compares
// everything it leaves behind with the reference: N(0, 1) data within the
// tolerance, 0 and 1 exactly where numbers allow it. Then it is timed.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "OptionChecks.h"
#include "Options.h"
#include "Route.h"
#include "Table.h"
#include "hone-c/Runtime.h"
#include "hone/Evaluate/Call.h"
#include "hone/Evaluate/CallTimes.h"
#include "hone/Evaluate/Compare.h"
#include "hone/Evaluate/Compile.h"
#include "hone/Evaluate/DeviceProducts.h"
#include "hone/Evaluate/Program.h"
#include "hone/Evaluate/RandomData.h"
#include "hone/Evaluate/Reference.h"
#include "hone/Evaluate/Samples.h"
#include "hone/Measure/Statistics.h"
#include "hone/Plugin/Sources.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using llvm::formatv;

namespace {
struct RunOptions {
  std::string file, arch = "host", function, schedule, database, reference;
  std::string arguments = "device", rest = "host", ranges, pipeline;
  std::vector<int64_t> dims;
  int64_t repeat = 10, seed = 1, orders = 3;
  bool json = false, standIn = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

namespace {
/// Everything between the command line and what is printed.
class Runner {
public:
  explicit Runner(const RunOptions &options) : options(options) {}

  llvm::Error prepare();
  llvm::Error setRanges();
  llvm::Error compile();
  bool isOnDevice() const { return !arch.isHost() && !options.standIn; }
  llvm::Expected<Comparison> check(Inputs inputs, double scale = 1);
  llvm::Expected<Comparison> checkOnce(ArrayRef<Values> data, Inputs inputs,
                                       std::optional<Outcome> &expected);
  llvm::Expected<Comparison> checkNormal();
  llvm::Expected<CallTimes> time();
  void print(const Comparison &normal, const Comparison &zeroOne,
             const std::optional<CallTimes> &times) const;
  void printCounts() const;

private:
  llvm::Error openEngine();
  bool isTooLarge() const;
  llvm::Expected<Outcome> runOnce(Jit &jit, Memory &memory,
                                  ArrayRef<Values> data, bool isReference);
  llvm::Expected<Outcome> runReference(ReferenceProgram &which, Inputs inputs,
                                       ArrayRef<Values> data);

  const RunOptions &options;
  PipelineOptions pipeline;
  /// What products may be computed as, where their ops do not say it.
  MatchOptions permitted;
  /// Multiplies for the references; null for the CPU. First, because all that
  /// is on the GPU goes before its stream does.
  std::unique_ptr<ProductEngine> engine;
  std::unique_ptr<MLIRContext> context = makeContext();
  Arch arch;
  Signature signature;
  std::unique_ptr<Memory> hostMemory = Memory::host();
  std::unique_ptr<Program> program;
  /// Where arguments and results are; null for the host.
  std::unique_ptr<Memory> deviceMemory;
  OwningOpRef<ModuleOp> module;
  /// Null for a product that is too large. The other has its decisions turned,
  /// and is made when it is asked for.
  std::unique_ptr<ReferenceProgram> reference, turned;
};
} // namespace

llvm::Error Runner::compile() {
  if (options.standIn && arch.isHost())
    return llvm::createStringError(
        "expected a GPU for the stand-in to stand for, but got the host; use "
        "--arch=sm_90a, say");
  if (isOnDevice()) {
    // Asked first: compiling takes time.
    auto memory = Memory::device();
    if (!memory)
      return memory.takeError();
    deviceMemory = std::move(*memory);
  }
  if (llvm::Error error = openEngine())
    return error;
  pipeline.arguments = options.arguments;
  if (options.rest == "gpu")
    pipeline.rest = Rest::gpu;
  else if (options.rest != "host")
    return llvm::createStringError(
        formatv("--rest: expected host or gpu, but got '{0}'", options.rest));
  pipeline.prove = Prove::yes;
  auto compiled = Program::compile(*module, pipeline, openSources,
                                   options.standIn ? Program::Target::standIn
                                   : isOnDevice()  ? Program::Target::device
                                                   : Program::Target::host,
                                   runtimeSymbols(), uint64_t(options.seed));
  if (!compiled)
    return compiled.takeError();
  program = std::move(*compiled);
  if (options.standIn)
    deviceMemory = program->standInMemory();
  // Host memory then is all that the function is to see.
  if (options.arguments == "host")
    deviceMemory.reset();
  return llvm::Error::success();
}

llvm::Error Runner::openEngine() {
  if (options.standIn)
    engine = std::make_unique<StandInProducts>();
  if (!isOnDevice() || signature.macs < DeviceProducts::kLeastMacs)
    return llvm::Error::success();
  auto products = DeviceProducts::open();
  if (!products)
    return products.takeError();
  engine = std::move(*products);
  return llvm::Error::success();
}

/// True for a product whose reference would take minutes, or more memory than
/// there is.
bool Runner::isTooLarge() const {
  if (!signature.product)
    return false;
  const PlainProduct &product = *signature.product;
  double m = product.m, n = product.n, k = product.k;
  if (!isOnDevice())
    return m * n * k > kMostMacs;
  // Pairs of the reference, packed and compared.
  constexpr double kBytesOfElement = 100;
  return (m * k + k * n + m * n) * kBytesOfElement > double(bytesOfMachine());
}

/// Ranges that were given, in the place of those that were found.
llvm::Error Runner::setRanges() {
  if (options.ranges.empty())
    return llvm::Error::success();
  auto ranges = parseRanges(options.ranges);
  if (!ranges)
    return ranges.takeError();
  for (auto [number, range] : *ranges) {
    bool isInteger = number < signature.arguments.size() &&
                     signature.arguments[number].element.isInteger();
    if (!isInteger)
      return llvm::createStringError(
          formatv("expected a range of an argument of integers, but got one of "
                  "argument {0} of {1}",
                  number, signature.arguments.size()));
    Argument &argument = signature.arguments[number];
    if (range.low < argument.element.least() ||
        range.high > argument.element.largest())
      return llvm::createStringError(formatv(
          "expected values of argument {0} from {1} to {2}, but got {3} "
          "to {4}",
          number, argument.element.least(), argument.element.largest(),
          range.low, range.high));
    argument.range = range;
  }
  return llvm::Error::success();
}

llvm::Error Runner::prepare() {
  llvm::Expected<Arch> found = resolveArchName(options.arch);
  if (!found)
    return found.takeError();
  arch = *found;
  auto source = readModule(*context, options.file);
  if (!source)
    return source.takeError();
  module = std::move(*source);
  PipelineChoice choice = {options.arch, options.schedule, options.database};
  choice.pipeline = options.pipeline;
  if (llvm::Error error = setOptions(choice, pipeline))
    return error;
  permitted.f32 = pipeline.f32;
  permitted.f8 = pipeline.f8;
  auto read =
      Signature::read(*module, options.function, options.dims, permitted);
  if (!read)
    return read.takeError();
  signature = std::move(*read);
  keepReachable(*module, signature.name);
  if (llvm::Error error = setRanges())
    return error;

  if (llvm::Error error = compile())
    return error;
  if (!options.reference.empty()) {
    auto other = readModule(*context, options.reference);
    if (!other)
      return other.takeError();
    module = std::move(*other);
  } else if (isTooLarge()) {
    return llvm::Error::success(); // Samples and projections will do.
  }
  auto made =
      ReferenceProgram::create(*module, Decisions::asComputed, permitted);
  if (!made)
    return made.takeError();
  reference = std::move(*made);
  return llvm::Error::success();
}

llvm::Expected<Outcome> Runner::runOnce(Jit &jit, Memory &memory,
                                        ArrayRef<Values> data,
                                        bool isReference) {
  Call call(jit, signature, memory, isReference);
  if (llvm::Error error = call.prepare(data))
    return std::move(error);
  if (llvm::Error error = call.run())
    return std::move(error);
  // Memory of the host is read at once: the program itself has waited.
  auto outcome = call.outcome();
  if (Emulation *device = isReference ? nullptr : program->emulation())
    if (llvm::Error error = device->finish()) {
      consumeError(outcome.takeError());
      return std::move(error);
    }
  return outcome;
}

/// With weights of deviation 1 a block of a transformer saturates: what comes
/// out hangs on the last bit of what is in between, and nothing can be told.
/// Smaller inputs are then asked.
llvm::Expected<Comparison> Runner::checkNormal() {
  constexpr double kScales[] = {1, 0.25, 0.0625};
  for (double scale : kScales) {
    auto comparison = check(Inputs::normal, scale);
    bool isLast = scale == kScales[std::size(kScales) - 1];
    if (!comparison || comparison->wrong || comparison->unanswered.empty() ||
        isLast)
      return comparison;
    llvm::errs() << formatv("inputs of deviation {0} tell nothing: {1}; trying "
                            "smaller ones\n",
                            scale, comparison->unanswered);
  }
  llvm_unreachable("the last scale returns");
}

/// A stand-in runs the program in several orders: the first wrong result is
/// the answer.
llvm::Expected<Comparison> Runner::check(Inputs inputs, double scale) {
  std::vector<Values> data = makeData(signature, inputs, options.seed, scale);
  Emulation *device = program->emulation();
  int64_t orders = device ? std::max<int64_t>(options.orders, 1) : 1;
  std::optional<Outcome> expected;
  for (int64_t i = 0;; ++i) {
    if (device)
      device->setOrder(WorkOrder::number(i, options.seed));
    auto comparison = checkOnce(data, inputs, expected);
    if (!comparison || comparison->wrong || i + 1 == orders)
      return comparison;
  }
}

/// `expected` is what the reference says, once it was asked.
llvm::Expected<Comparison> Runner::checkOnce(ArrayRef<Values> data,
                                             Inputs inputs,
                                             std::optional<Outcome> &expected) {
  Memory &memory = deviceMemory ? *deviceMemory : *hostMemory;
  auto got = runOnce(program->getJit(), memory, data, /*isReference=*/false);
  if (!got)
    return got.takeError();
  if (!reference)
    return checkLargeProduct(signature, *signature.product, data, *got);
  if (!expected) {
    auto computed = runReference(*reference, inputs, data);
    if (!computed)
      return computed.takeError();
    expected = std::move(*computed);
  }
  auto comparison = compare(*got, *expected);
  if (!comparison || !comparison->wrong || !reference->hasDecisions())
    return comparison;
  if (!turned) {
    auto made = ReferenceProgram::create(*module, Decisions::turned, permitted);
    if (!made)
      return made.takeError();
    turned = std::move(*made);
  }
  auto other = runReference(*turned, inputs, data);
  if (!other)
    return other.takeError();
  return compare(*got, *expected, &*other);
}

llvm::Expected<Outcome> Runner::runReference(ReferenceProgram &which,
                                             Inputs inputs,
                                             ArrayRef<Values> data) {
  which.setErrorSum(inputs == Inputs::normal ? ErrorSum::independent
                                             : ErrorSum::worst);
  return runOnce(which.getJit(), *hostMemory, data, /*isReference=*/true);
}

llvm::Expected<CallTimes> Runner::time() {
  std::vector<Values> data = makeData(signature, Inputs::normal, options.seed);
  Memory &memory = deviceMemory ? *deviceMemory : *hostMemory;
  Call call(program->getJit(), signature, memory, /*isReference=*/false);
  if (llvm::Error error = call.prepare(data))
    return std::move(error);
  return timeCalls(call, options.repeat, isOnDevice());
}

void Runner::print(const Comparison &normal, const Comparison &zeroOne,
                   const std::optional<CallTimes> &times) const {
  Table table({"function", "arch", "matmuls", "N(0,1) error", "0/1 exact",
               "wrong", "median", "p10", "p90", "GFLOP/s", "not comparable",
               "device"});
  auto time = [&](double value) {
    return options.json ? formatv("{0:E6}", value).str() : formatTime(value);
  };
  auto wall = [&](double Quantiles::*which) {
    return times ? time(times->wall.*which) : "-";
  };
  std::string gflops = "-", onDevice = "-";
  if (times) {
    double median = times->device ? times->device->median : times->wall.median;
    gflops = formatv("{0:F1}", 2e-9 * signature.macs / median);
  }
  if (times && times->device)
    onDevice = time(times->device->median);
  table.addRow(
      {signature.name, arch.name, std::to_string(signature.matmuls),
       formatv("{0:F3}", normal.worst),
       formatv("{0}/{1}", zeroOne.exact, zeroOne.elements),
       std::to_string(normal.wrong + zeroOne.wrong), wall(&Quantiles::median),
       wall(&Quantiles::low), wall(&Quantiles::high), gflops,
       std::to_string(normal.notComparable + zeroOne.notComparable), onDevice});
  if (options.json)
    llvm::outs() << formatv("{0:2}\n", table.toJson());
  else
    table.print(llvm::outs());
}

/// What a stand-in has run, and how.
void Runner::printCounts() const {
  Emulation *device = program->emulation();
  if (!device)
    return;
  EmulationCounts counts = device->counts();
  llvm::errs() << formatv(
      "stand-in: {0} launches ({1} kernels run from kernel IR, {2} from LLVM "
      "IR, {3} products computed from the problem), {4} copies, {5} waits\n",
      counts.launches, counts.products, counts.rest, counts.computed,
      counts.copies, counts.waits);
}

static llvm::Expected<int> run(const RunOptions &options) {
  Runner runner(options);
  if (llvm::Error error = runner.prepare())
    return std::move(error);
  auto normal = runner.checkNormal();
  if (!normal)
    return normal.takeError();
  auto zeroOne = runner.check(Inputs::zeroOne);
  if (!zeroOne)
    return zeroOne.takeError();
  // The time that a stand-in takes says nothing.
  std::optional<CallTimes> times;
  if (!options.standIn) {
    auto seconds = runner.time();
    if (!seconds)
      return seconds.takeError();
    times = *seconds;
  }
  runner.print(*normal, *zeroOne, times);
  runner.printCounts();
  for (const Comparison &comparison : {*normal, *zeroOne})
    if (comparison.wrong)
      return llvm::createStringError(comparison.firstWrong);
  if (normal->unanswered.empty())
    return kExitSuccess;
  llvm::errs() << "not checked: " << normal->unanswered << '\n';
  return kExitUnchecked;
}

int hone::runCommand(ArrayRef<StringRef> args) {
  RunOptions options;
  OptionList list("run FILE [options]",
                  "Compiles FILE, runs a function of it with random data, "
                  "checks what it computes\nagainst f64, and times it. Errors "
                  "are in units of the tolerance (docs/Tools.md).");
  list.positional("FILE", options.file, "a module; - is standard input");
  list.add("arch", "NAME", options.arch,
           "where to run: host, native, or this machine's GPU by name",
           checkArch);
  list.add("function", "NAME", options.function,
           "the function, where there are several");
  list.add("schedule", "TEXT", options.schedule,
           "use this schedule for every matmul, e.g. 'mma_sync, stages = 3'",
           checkSchedule);
  list.add("database", "FILE", options.database,
           "database or tuning file that a build would ask");
  list.add("pipeline", "TEXT", options.pipeline,
           "more options of hone-pipeline, e.g. 'f32=tf32x3'");
  list.add(
      "reference", "FILE", options.reference,
      "compare with what this module's function of the same name computes");
  list.add("dims", "N,...", options.dims,
           "dynamic dimensions, in order of first appearance", /*least=*/0);
  list.add("range", "ARG:LOW:HIGH,...", options.ranges,
           "values of arguments of integers, by number from 0");
  list.add("arguments", "SIDE", options.arguments,
           "where arguments and results are, device or host");
  list.add("rest", "SIDE", options.rest,
           "where what is not a matmul runs, host or gpu");
  list.add("stand-in", options.standIn,
           "let this CPU stand in for the GPU: run all of the program here");
  list.add("orders", "N", options.orders,
           "orders of a stand-in's work: late, early, then drawn ones");
  list.add("repeat", "N", options.repeat, "calls to time");
  list.add("seed", "N", options.seed, "seed of the random data");
  list.add("json", options.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  llvm::Expected<int> status = run(options);
  return status ? *status : reportError(status.takeError());
}
