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

#include "Call.h"
#include "Commands.h"
#include "Compile.h"
#include "Options.h"
#include "Program.h"
#include "Reference.h"
#include "Samples.h"
#include "Table.h"
#include "hone-c/Runtime.h"
#include "hone/Measure/Statistics.h"
#include "hone/Measure/Tolerance.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace hone;
using llvm::formatv;

namespace {
struct RunOptions {
  std::string file, arch = "host", function, schedule;
  std::string arguments = "device";
  std::vector<int64_t> dims;
  int64_t repeat = 10, seed = 1;
  bool json = false, standIn = false;

  bool onHost() const { return arguments == "host"; }
};

enum class Inputs { normal, zeroOne };
} // namespace

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Values of one argument, as its type can hold them; NaN where it is poisoned.
static Values makeValues(const Argument &argument, Inputs inputs,
                         std::mt19937_64 &generator) {
  Values values(argument.isScalar ? 1 : argument.extent(), NAN);
  if (argument.isOutput)
    return values;
  std::normal_distribution<double> normal;
  for (double &value : values)
    value = inputs == Inputs::normal ? roundTo(argument.type, normal(generator))
                                     : double(generator() & 1);
  return values;
}

static std::vector<Values> makeData(const Signature &signature, Inputs inputs,
                                    int64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<Values> data;
  for (const Argument &argument : signature.arguments)
    data.push_back(makeValues(argument, inputs, generator));
  return data;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static double rootMeanSquare(const Values &values) {
  double sum = 0;
  for (double value : values)
    sum += std::isfinite(value) ? value * value : 0;
  return values.empty() ? 0 : std::sqrt(sum / values.size());
}

/// What an array of the outcome may differ from the reference. The size of a
/// sum is seen from the reference; each matmul before the last stores a rounded
/// result, which the reference does not.
static Tolerance toleranceOf(const Signature &signature,
                             const Outcome::Array &reference) {
  constexpr double kRoom = 16;
  double scale = std::max(1.0, rootMeanSquare(reference.elements));
  double root = std::sqrt(double(signature.reduction));
  Tolerance tolerance =
      Tolerance::ofSum(reference.type, signature.reduction, scale / root);
  if (signature.matmuls > 1)
    tolerance.absolute += kRoom * unitRoundoff(signature.narrowest) *
                          (signature.matmuls - 1) * scale;
  return tolerance;
}

/// With inputs 0 and 1, a whole number that every type on the way can hold must
/// be met exactly.
static bool mustBeExact(const Signature &signature, double reference) {
  return reference == std::nearbyint(reference) &&
         std::abs(reference) <= largestExactInteger(signature.narrowest);
}

namespace {
struct Comparison {
  double worst = 0; ///< in units of the tolerance
  int64_t wrong = 0, elements = 0, exact = 0;
  std::string firstWrong;
};
} // namespace

static void compare(const Signature &signature, Inputs inputs,
                    const Outcome::Array &got, const Outcome::Array &reference,
                    Comparison &comparison) {
  Tolerance tolerance = toleranceOf(signature, reference);
  for (auto [i, value] : llvm::enumerate(got.elements)) {
    double expected = reference.elements[i];
    double units = tolerance.units(value, expected);
    // What the type can not hold is infinite on both sides.
    if (std::isinf(value) && value == roundTo(got.type, expected))
      units = 0;
    bool exact = inputs == Inputs::zeroOne && mustBeExact(signature, expected);
    ++comparison.elements;
    comparison.exact += exact;
    comparison.worst = std::max(comparison.worst, units);
    if (exact ? value == expected : units <= 1)
      continue;
    if (!comparison.wrong++)
      comparison.firstWrong =
          formatv("expected {0:E5} at element {1} of {2}, but got {3:E5}",
                  expected, i, got.name, value);
  }
}

static llvm::Expected<Comparison> compare(const Signature &signature,
                                          Inputs inputs, const Outcome &got,
                                          const Outcome &reference) {
  Comparison comparison;
  for (auto [left, right] : llvm::zip_equal(got.arrays, reference.arrays)) {
    if (left.sizes != right.sizes)
      return llvm::createStringError(left.name + ": expected the shape of the "
                                                 "reference, but got another");
    compare(signature, inputs, left, right, comparison);
  }
  return comparison;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

namespace {
/// Everything between the command line and what is printed.
class Runner {
public:
  explicit Runner(const RunOptions &options) : options(options) {}

  llvm::Error prepare();
  llvm::Error compile(ModuleOp module);
  llvm::Expected<Comparison> check(Inputs inputs);
  llvm::Expected<Quantiles> time();
  void print(const Comparison &normal, const Comparison &zeroOne,
             const Quantiles &seconds) const;

private:
  llvm::Expected<Outcome> runOnce(Jit &jit, Memory &memory,
                                  ArrayRef<Values> data, bool isReference);

  const RunOptions &options;
  std::unique_ptr<MLIRContext> context = makeContext();
  Arch arch;
  Signature signature;
  std::unique_ptr<Memory> hostMemory = Memory::host();
  std::unique_ptr<Program> program;
  std::unique_ptr<Memory> deviceMemory; ///< the program's, if it has one
  std::unique_ptr<Jit> reference;       ///< null where samples are taken
};
} // namespace

llvm::Error Runner::compile(ModuleOp module) {
  bool onDevice = !arch.isHost() && !options.standIn;
  if (onDevice) {
    // Asked first: compiling takes time.
    auto memory = Memory::device();
    if (!memory)
      return memory.takeError();
    deviceMemory = std::move(*memory);
  }
  PipelineChoice choice = {options.arch, options.schedule};
  choice.arguments = options.arguments;
  auto compiled = Program::compile(module, choice,
                                   options.standIn ? Program::Target::standIn
                                   : onDevice      ? Program::Target::device
                                                   : Program::Target::host);
  if (!compiled)
    return compiled.takeError();
  program = std::move(*compiled);
  if (options.standIn)
    deviceMemory = program->standInMemory();
  // Host memory then is all that the function is to see.
  if (options.onHost())
    deviceMemory.reset();
  return llvm::Error::success();
}

llvm::Error Runner::prepare() {
  llvm::Expected<Arch> found = resolveArchName(options.arch);
  if (!found)
    return found.takeError();
  arch = *found;
  auto module = readModule(*context, options.file);
  if (!module)
    return module.takeError();
  auto read = Signature::read(**module, options.function, options.dims);
  if (!read)
    return read.takeError();
  signature = std::move(*read);

  if (options.standIn && arch.isHost())
    return llvm::createStringError(
        "expected a GPU for the stand-in to stand for, but got the host; use "
        "--arch=sm_90a, say");
  if (llvm::Error error = compile(**module))
    return error;
  if (signature.macs > kMostMacs && signature.product)
    return llvm::Error::success(); // Samples will do.
  if (signature.macs > kMostMacs)
    llvm::errs() << formatv("the reference takes a while: {0:F0}e9 "
                            "multiplications\n",
                            signature.macs * 1e-9);
  auto wide = makeReference(**module);
  if (!wide)
    return wide.takeError();
  auto jit = Jit::create(**wide);
  if (!jit)
    return jit.takeError();
  reference = std::move(*jit);
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
  return call.outcome();
}

llvm::Expected<Comparison> Runner::check(Inputs inputs) {
  std::vector<Values> data = makeData(signature, inputs, options.seed);
  Memory &memory = deviceMemory ? *deviceMemory : *hostMemory;
  auto got = runOnce(program->getJit(), memory, data, /*isReference=*/false);
  if (!got)
    return got.takeError();
  if (!reference) {
    Outcome samples = sampleProduct(signature, *signature.product, data, *got);
    return compare(signature, inputs, *got, samples);
  }
  auto expected = runOnce(*reference, *hostMemory, data, /*isReference=*/true);
  if (!expected)
    return expected.takeError();
  return compare(signature, inputs, *got, *expected);
}

llvm::Expected<Quantiles> Runner::time() {
  std::vector<Values> data = makeData(signature, Inputs::normal, options.seed);
  Memory &memory = deviceMemory ? *deviceMemory : *hostMemory;
  Call call(program->getJit(), signature, memory, /*isReference=*/false);
  if (llvm::Error error = call.prepare(data))
    return std::move(error);
  std::vector<double> seconds;
  for (int64_t i = 0; i < options.repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (llvm::Error error = call.run())
      return std::move(error);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    seconds.push_back(passed.count());
  }
  return quantiles(seconds);
}

void Runner::print(const Comparison &normal, const Comparison &zeroOne,
                   const Quantiles &seconds) const {
  double gflops = 2e-9 * signature.macs / seconds.median;
  Table table({"function", "arch", "matmuls", "N(0,1) error", "0/1 exact",
               "wrong", "median", "p10", "p90", "GFLOP/s"});
  auto time = [&](double value) {
    return options.json ? formatv("{0:E6}", value).str() : formatTime(value);
  };
  table.addRow({signature.name, arch.name, std::to_string(signature.matmuls),
                formatv("{0:F3}", normal.worst),
                formatv("{0}/{1}", zeroOne.exact, zeroOne.elements),
                std::to_string(normal.wrong + zeroOne.wrong),
                time(seconds.median), time(seconds.low), time(seconds.high),
                formatv("{0:F1}", gflops)});
  if (options.json)
    llvm::outs() << formatv("{0:2}\n", table.toJson());
  else
    table.print(llvm::outs());
}

static llvm::Expected<int> run(const RunOptions &options) {
  Runner runner(options);
  if (llvm::Error error = runner.prepare())
    return std::move(error);
  auto normal = runner.check(Inputs::normal);
  if (!normal)
    return normal.takeError();
  auto zeroOne = runner.check(Inputs::zeroOne);
  if (!zeroOne)
    return zeroOne.takeError();
  auto seconds = runner.time();
  if (!seconds)
    return seconds.takeError();
  runner.print(*normal, *zeroOne, *seconds);
  for (const Comparison &comparison : {*normal, *zeroOne})
    if (comparison.wrong)
      return llvm::createStringError(comparison.firstWrong);
  return kExitSuccess;
}

int hone::runCommand(ArrayRef<StringRef> args) {
  RunOptions options;
  OptionList list("run FILE [options]",
                  "Compiles FILE, runs a function of it with random data, "
                  "checks what it computes\nagainst f64, and times it. Errors "
                  "are in units of the tolerance (docs/Tools.md).");
  list.positional("FILE", options.file, "a module; - is standard input");
  list.add("arch", "NAME", options.arch,
           "where to run: host, native, or this machine's GPU by name");
  list.add("function", "NAME", options.function,
           "the function, where there are several");
  list.add("schedule", "TEXT", options.schedule,
           "use this schedule for every matmul, e.g. 'mma_sync, stages = 3'");
  list.add("dims", "N,...", options.dims,
           "dynamic dimensions, in order of first appearance");
  list.add("arguments", "SIDE", options.arguments,
           "where arguments and results are: device, or host (copied in and "
           "out)");
  list.add("stand-in", options.standIn,
           "let this CPU stand in for the GPU, as late as it may be");
  list.add("repeat", "N", options.repeat, "calls to time");
  list.add("seed", "N", options.seed, "seed of the random data");
  list.add("json", options.json, "print JSON");
  if (std::optional<int> status = list.parse(args))
    return *status;
  llvm::Expected<int> status = run(options);
  return status ? *status : reportError(status.takeError());
}
