//===- Check.cpp - Emulation and comparison of a program ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Check.h.
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "hone/Driver/Compile.h"
#include "hone/Plugin/Sources.h"
#include "hone/Reference/Call.h"
#include "hone/Reference/Compare.h"
#include "hone/Reference/Program.h"
#include "hone/Reference/RandomData.h"
#include "hone/Reference/Reference.h"

using namespace mlir;
using namespace hone;
using namespace hone::seeds;

namespace {
/// A program, compiled once; faults are planted in copies of it.
class Checker {
public:
  explicit Checker(const Subject &subject) : subject(subject) {}

  llvm::Error prepare() {
    auto parsed = parseModule(*context, subject.text);
    if (!parsed)
      return parsed.takeError();
    module = std::move(*parsed);
    auto read = Signature::read(*module, "", subject.dims);
    if (!read)
      return read.takeError();
    signature = std::move(*read);
    PipelineOptions options;
    options.arch = "sm_90a";
    if (failed(options.parseFromString(subject.options)))
      return llvm::createStringError("expected options of the pipeline");
    auto compiled = Program::compile(*module, options, openSources,
                                     Program::Target::standIn, {});
    if (!compiled)
      return compiled.takeError();
    program = std::move(*compiled);
    memory = program->standInMemory(
        StringRef(subject.options).contains("arguments=host"));
    data = makeData(signature, Inputs::normal, /*seed=*/1, /*scale=*/1);
    return computeExpected();
  }

  llvm::Error plant(const Plant &plant) {
    return program->load([&](ModuleOp emitted) {
      Emitted program(emitted);
      if (plant)
        plant(program);
    });
  }

  llvm::Error compareInAllOrders() {
    constexpr int64_t kOrders = 3;
    for (int64_t i = 0; i < kOrders; ++i)
      if (llvm::Error error = compareIn(WorkOrder::number(i, /*seed=*/1)))
        return error;
    return llvm::Error::success();
  }

  llvm::Error runFailing(int64_t failing) {
    Call call(program->getJit(), signature, *memory, /*isReference=*/false);
    if (llvm::Error error = call.prepare(data))
      return error;
    program->emulation()->failCall(failing);
    llvm::Error error = call.run();
    // Faults after the failed call are findings too.
    return llvm::joinErrors(std::move(error), program->emulation()->finish());
  }

private:
  llvm::Error computeExpected() {
    auto reference =
        ReferenceProgram::create(*module, Decisions::asComputed, {});
    if (!reference)
      return reference.takeError();
    auto hostMemory = Memory::host();
    auto outcome = run((*reference)->getJit(), *hostMemory, true);
    if (!outcome)
      return outcome.takeError();
    expected = std::move(*outcome);
    return llvm::Error::success();
  }

  llvm::Expected<Outcome> run(Jit &jit, Memory &where, bool isReference) {
    Call call(jit, signature, where, isReference);
    if (llvm::Error error = call.prepare(data))
      return std::move(error);
    if (llvm::Error error = call.run())
      return std::move(error);
    // The program has waited by itself, so the host's memory is final.
    auto outcome = call.outcome();
    if (!isReference)
      if (llvm::Error error = program->emulation()->finish()) {
        consumeError(outcome.takeError());
        return std::move(error);
      }
    return outcome;
  }

  llvm::Error compareIn(WorkOrder order) {
    program->emulation()->setOrder(order);
    auto got = run(program->getJit(), *memory, /*isReference=*/false);
    if (!got)
      return got.takeError();
    auto comparison = compare(*got, expected);
    if (!comparison)
      return comparison.takeError();
    return comparison->wrong
               ? llvm::createStringError("results: " + comparison->firstWrong)
               : llvm::Error::success();
  }

  const Subject &subject;
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module;
  Signature signature;
  std::unique_ptr<Program> program;
  Outcome expected;
  std::unique_ptr<Memory> memory;
  std::vector<Values> data;
};
} // namespace

/// The checker of `subject`, with `plant` applied. Only one emulation can
/// exist, so the one of the previous subject is destroyed first. The last one
/// is never destroyed: its JIT would compile unused functions, and LLVM's
/// statics no longer exist at exit.
static llvm::Expected<Checker *> checkerOf(const Subject &subject,
                                           const Plant &plant) {
  static Checker *checker = nullptr;
  static const Subject *known = nullptr;
  if (known != &subject) {
    known = nullptr;
    delete checker;
    checker = new Checker(subject);
    if (llvm::Error error = checker->prepare())
      return std::move(error);
    known = &subject;
  }
  if (llvm::Error error = checker->plant(plant))
    return std::move(error);
  return checker;
}

std::string seeds::check(const Subject &subject, const Plant &plant) {
  auto checker = checkerOf(subject, plant);
  if (!checker)
    return "compile: " + llvm::toString(checker.takeError());
  return llvm::toString((*checker)->compareInAllOrders());
}

std::string seeds::checkFailure(const Subject &subject, int64_t failing,
                                const Plant &plant) {
  auto checker = checkerOf(subject, plant);
  if (!checker)
    return "compile: " + llvm::toString(checker.takeError());
  return llvm::toString((*checker)->runFailing(failing));
}
