//===- Run.cpp - hone run -------------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module, calls one of its functions with random data, and compares
// all its outputs with the reference: N(0, 1) data within the tolerance, 0 and
// 1 exactly where numbers allow it. Then the function is timed.
//
//===----------------------------------------------------------------------===//

#include "hone-c/Runtime.h"
#include "hone/Bench/CallTimes.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Plugin/Sources.h"
#include "hone/Reference/Call.h"
#include "hone/Reference/Compare.h"
#include "hone/Reference/DeviceProducts.h"
#include "hone/Reference/ProductEngine.h"
#include "hone/Reference/Program.h"
#include "hone/Reference/RandomData.h"
#include "hone/Reference/Reference.h"
#include "hone/Reference/Samples.h"
#include "hone/Text/File.h"
#include "passes/Support.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/Options.h"
#include "tools/hone/Program/Route.h"
#include "tools/hone/Table.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

namespace {
struct RunOptions : PipelineChoice {
  std::string function, reference, intervals;
  std::string arguments = "device", rest = "host";
  std::vector<int64_t> dims;
  int64_t repeat = 10, seed = 1, orders = 3;
  bool json = false, standIn = false;
};

/// One run of `hone run`.
class Runner {
public:
  explicit Runner(const RunOptions &options) : options(options) {}

  /// Reads and compiles the module, and makes its reference.
  llvm::Error prepare();
  /// Checks with N(0, 1) data, or with smaller data if that decides nothing.
  llvm::Expected<Comparison> checkNormal();
  llvm::Expected<Comparison> check(Inputs inputs, double scale = 1);
  llvm::Expected<CallTimes> time();

  void print(const Comparison &normal, const Comparison &zeroOne,
             const std::optional<CallTimes> &times) const;
  void printCounts() const;

private:
  bool isOnDevice() const { return !arch.isHost() && !options.standIn; }
  llvm::Error setRanges();
  llvm::Error requireMemory() const;
  llvm::Error compile();
  llvm::Error openEngine();
  llvm::Error makeReference();
  llvm::Expected<Comparison> checkOnce(ArrayRef<Values> data, Inputs inputs,
                                       std::optional<Outcome> &expected);
  bool isTooLarge() const;
  llvm::Expected<Outcome> runOnce(Jit &jit, Memory &memory,
                                  ArrayRef<Values> data, bool isReference);
  llvm::Expected<Outcome> runReference(ReferenceProgram &which, Inputs inputs,
                                       ArrayRef<Values> data);

  const RunOptions &options;
  PipelineOptions pipeline;
  /// The permitted products, for ops that do not define them.
  MatchOptions permitted;
  /// Multiplies for the references; null for the CPU. Declared first: objects
  /// on the GPU must be destroyed before its stream.
  std::unique_ptr<ProductEngine> engine;
  std::unique_ptr<MLIRContext> context = makeContext();
  Arch arch;
  Signature signature;
  std::unique_ptr<Memory> hostMemory = Memory::host();
  std::unique_ptr<Program> program;
  /// The memory of arguments and results; null for the host.
  std::unique_ptr<Memory> deviceMemory;
  OwningOpRef<ModuleOp> module;
  /// Null for a product that is too large. `turned` has its decisions reversed,
  /// and is made on demand.
  std::unique_ptr<ReferenceProgram> reference, turned;
};
} // namespace

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

llvm::Error Runner::compile() {
  if (options.standIn && arch.isHost())
    return asUsage(
        llvm::createStringError("expected the arch of a GPU with --stand-in, "
                                "but got the host; use e.g. --arch=sm_90a"));
  if (isOnDevice()) {
    // Checked first: compiling takes time.
    auto memory = Memory::device();
    if (!memory)
      return memory.takeError();
    deviceMemory = std::move(*memory);
  }
  if (llvm::Error error = openEngine())
    return error;
  pipeline.arguments = sideOf(options.arguments);
  if (options.rest == "gpu")
    pipeline.rest = Rest::gpu;
  pipeline.prove = Prove::yes;
  auto compiled = Program::compile(*module, pipeline, openSources,
                                   options.standIn ? Program::Target::standIn
                                   : isOnDevice()  ? Program::Target::device
                                                   : Program::Target::host,
                                   runtimeSymbols(), uint64_t(options.seed));
  if (!compiled)
    return compiled.takeError();
  program = std::move(*compiled);
  bool isOnHost = pipeline.arguments == MemorySide::host;
  if (options.standIn)
    deviceMemory = program->standInMemory(isOnHost);
  else if (isOnHost) // Its memory then is all that the function is to see.
    deviceMemory.reset();
  return llvm::Error::success();
}

llvm::Error Runner::openEngine() {
  if (options.standIn)
    engine = std::make_unique<StandInProducts>();
  if (!isOnDevice() || signature.macs < DeviceProducts::kMinMacs)
    return llvm::Error::success();
  return DeviceProducts::open().moveInto(engine);
}

/// True for a product whose reference would take minutes, or more memory than
/// the machine has.
bool Runner::isTooLarge() const {
  if (!signature.product)
    return false;
  const PlainProduct &product = *signature.product;
  double m = product.m, n = product.n, k = product.k;
  if (!isOnDevice())
    return m * n * k > kMaxMacs;
  // Pairs of the reference, packed and compared.
  constexpr double kBytesOfElement = 100;
  return (m * k + k * n + m * n) * kBytesOfElement > double(bytesOfMachine());
}

/// The data of all arguments is in memory at once, in f64.
llvm::Error Runner::requireMemory() const {
  double bytes = 0;
  for (const Argument &argument : signature.arguments)
    if (!argument.isScalar)
      bytes += double(argument.extent()) * sizeof(Values::value_type);
  if (bytes <= double(bytesOfMachine()))
    return llvm::Error::success();
  return llvm::createStringError(
      formatv("expected the arguments of '{0}' to fit into this machine's "
              "memory as f64, but got {1:F0} MiB of {2}; use smaller ones",
              signature.name, bytes / double(kMiB), bytesOfMachine() / kMiB));
}

/// Ranges of the command line replace the detected ones.
llvm::Error Runner::setRanges() {
  if (options.intervals.empty())
    return llvm::Error::success();
  auto ranges = parseRanges(options.intervals);
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
  if (llvm::Error error = resolveArchName(options.arch).moveInto(arch))
    return error;
  if (llvm::Error error = readModule(*context, options.file).moveInto(module))
    return error;
  if (llvm::Error error = setOptions(options, pipeline))
    return error;
  permitted.f32 = pipeline.f32;
  permitted.f8 = pipeline.f8;
  permitted.arch = pipeline.arch;
  auto read =
      Signature::read(*module, options.function, options.dims, permitted);
  if (!read) {
    llvm::Error error = read.takeError();
    return error.isA<RequestError>() ? asUsage(std::move(error))
                                     : std::move(error);
  }
  signature = std::move(*read);
  keepReachable(*module, signature.name);
  if (llvm::Error error = setRanges())
    return asUsage(std::move(error));
  if (llvm::Error error = requireMemory())
    return error;
  if (llvm::Error error = compile())
    return error;
  return makeReference();
}

llvm::Error Runner::makeReference() {
  if (!options.reference.empty()) {
    if (llvm::Error error =
            readModule(*context, options.reference).moveInto(module))
      return error;
  } else if (isTooLarge()) {
    return llvm::Error::success(); // Samples and projections will do.
  }
  return ReferenceProgram::create(*module, Decisions::asComputed, permitted)
      .moveInto(reference);
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

/// With weights of deviation 1 a block of a transformer saturates: its output
/// depends on the last bit of the intermediate values, and the comparison
/// decides nothing. Smaller inputs are tried then.
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

/// A stand-in runs the program in several orders; the first wrong result is
/// returned.
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

/// `expected` is the reference's result, once it is computed.
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
    if (llvm::Error error =
            runReference(*reference, inputs, data).moveInto(expected))
      return std::move(error);
  }
  auto comparison = compare(*got, *expected);
  if (!comparison || !comparison->wrong || !reference->hasDecisions())
    return comparison;
  if (!turned) {
    if (llvm::Error error =
            ReferenceProgram::create(*module, Decisions::turned, permitted)
                .moveInto(turned))
      return std::move(error);
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

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

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
  table.print(options.json);
}

/// Prints the work that a stand-in has run.
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
  // The time of a stand-in has no meaning.
  std::optional<CallTimes> times;
  if (!options.standIn) {
    if (llvm::Error error = runner.time().moveInto(times))
      return std::move(error);
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
  options.arch = "host";
  OptionList list("hone run FILE [options]",
                  "Compiles FILE, runs a function of it with random data, "
                  "checks what it computes\nagainst f64, and times it. Errors "
                  "are in units of the tolerance (docs/Tools.md).");
  options.addTo(list);
  list.add("arch", "NAME", options.arch,
           "where to run: host, native, or this machine's GPU by name",
           checkArch);
  list.add("function", "NAME", options.function,
           "the function, where there are several");
  list.add("reference", "FILE", options.reference,
           "compare with the function of the same name of this module");
  list.add("dims", "N,...", options.dims,
           "dynamic dimensions, in order of first appearance", /*least=*/0);
  list.add("range", "ARG:LOW:HIGH,...", options.intervals,
           "values of arguments of integers, by number from 0");
  list.add("arguments", "SIDE", options.arguments,
           "where arguments and results are, device or host",
           {"device", "host"});
  list.add("rest", "SIDE", options.rest,
           "where other ops than matmuls run, host or gpu", {"host", "gpu"});
  list.add("stand-in", options.standIn,
           "let this CPU stand in for the GPU: run all of the program here");
  list.add("orders", "N", options.orders,
           "orders of a stand-in's work: late, early, then drawn ones");
  list.add("repeat", "N", options.repeat, "calls to time");
  list.add("seed", "N", options.seed, "seed of the random data");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&] { return run(options); });
}
