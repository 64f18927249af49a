//===- ProgramCheck.cpp - Check of one function of a module ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProgramCheck.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/ProgramCheck.h"
#include "hone-c/Runtime.h"
#include "hone/Command/Options.h"
#include "hone/Plugin/Sources.h"
#include "hone/Reference/Call.h"
#include "hone/Reference/DeviceProducts.h"
#include "hone/Reference/Samples.h"
#include "hone/Text/File.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

llvm::Error ProgramCheck::compile() {
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

llvm::Error ProgramCheck::openEngine() {
  if (options.standIn)
    engine = std::make_unique<StandInProducts>();
  if (!isOnDevice() || signature.macs < DeviceProducts::kMinMacs)
    return llvm::Error::success();
  return DeviceProducts::open().moveInto(engine);
}

/// True for a product whose reference would take minutes, or more memory than
/// the machine has.
bool ProgramCheck::isTooLarge() const {
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
llvm::Error ProgramCheck::requireMemory() const {
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
llvm::Error ProgramCheck::setRanges() {
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
    if (range.low < argument.element.smallest() ||
        range.high > argument.element.largest())
      return llvm::createStringError(formatv(
          "expected values of argument {0} from {1} to {2}, but got {3} "
          "to {4}",
          number, argument.element.smallest(), argument.element.largest(),
          range.low, range.high));
    argument.range = range;
  }
  return llvm::Error::success();
}

llvm::Error ProgramCheck::prepare() {
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

llvm::Error ProgramCheck::makeReference() {
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

llvm::Expected<Outcome> ProgramCheck::runOnce(Jit &jit, Memory &memory,
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
llvm::Expected<Comparison> ProgramCheck::checkNormal() {
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
llvm::Expected<Comparison> ProgramCheck::check(Inputs inputs, double scale) {
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
llvm::Expected<Comparison>
ProgramCheck::checkOnce(ArrayRef<Values> data, Inputs inputs,
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

llvm::Expected<Outcome> ProgramCheck::runReference(ReferenceProgram &which,
                                                   Inputs inputs,
                                                   ArrayRef<Values> data) {
  which.setErrorSum(inputs == Inputs::normal ? ErrorSum::independent
                                             : ErrorSum::worst);
  return runOnce(which.getJit(), *hostMemory, data, /*isReference=*/true);
}

llvm::Expected<CallTimes> ProgramCheck::time() {
  std::vector<Values> data = makeData(signature, Inputs::normal, options.seed);
  Memory &memory = deviceMemory ? *deviceMemory : *hostMemory;
  Call call(program->getJit(), signature, memory, /*isReference=*/false);
  if (llvm::Error error = call.prepare(data))
    return std::move(error);
  return timeCalls(call, options.repeat, isOnDevice());
}

std::optional<EmulationCounts> ProgramCheck::counts() const {
  if (Emulation *device = program->emulation())
    return device->counts();
  return std::nullopt;
}
