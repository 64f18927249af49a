//===- Check.cpp - A program, emulated and compared -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Check.h.
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "hone/Evaluate/Call.h"
#include "hone/Evaluate/Compare.h"
#include "hone/Evaluate/Compile.h"
#include "hone/Evaluate/Program.h"
#include "hone/Evaluate/RandomData.h"
#include "hone/Evaluate/Reference.h"
#include "hone/Plugin/Sources.h"

using namespace mlir;
using namespace hone;
using namespace hone::seeds;

namespace {
class Checker {
public:
  explicit Checker(const Subject &subject) : subject(subject) {}

  llvm::Error prepare(const Plant &plant) {
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
    auto change = [&](ModuleOp emitted) {
      Emitted program(emitted);
      if (plant)
        plant(program);
    };
    auto compiled =
        Program::compile(*module, options, openSources,
                         Program::Target::standIn, {}, /*seed=*/1, change);
    if (!compiled)
      return compiled.takeError();
    program = std::move(*compiled);
    auto made = ReferenceProgram::create(*module, Decisions::asComputed, {});
    if (!made)
      return made.takeError();
    reference = std::move(*made);
    memory = StringRef(subject.options).contains("arguments=host")
                 ? Memory::host()
                 : program->standInMemory();
    data = makeData(signature, Inputs::normal, /*seed=*/1, /*scale=*/1);
    return llvm::Error::success();
  }

  llvm::Expected<Outcome> run(Jit &jit, Memory &where, bool isReference) {
    Call call(jit, signature, where, isReference);
    if (llvm::Error error = call.prepare(data))
      return std::move(error);
    if (llvm::Error error = call.run())
      return std::move(error);
    // Memory of the host is read at once: the program itself has waited.
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
    auto hostMemory = Memory::host();
    auto expected = run(reference->getJit(), *hostMemory, /*isReference=*/true);
    if (!expected)
      return expected.takeError();
    auto comparison = compare(*got, *expected);
    if (!comparison)
      return comparison.takeError();
    return comparison->wrong
               ? llvm::createStringError("results: " + comparison->firstWrong)
               : llvm::Error::success();
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
    // What the program does after the call that failed is a finding.
    return llvm::joinErrors(std::move(error), program->emulation()->finish());
  }

private:
  const Subject &subject;
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module;
  Signature signature;
  std::unique_ptr<Program> program;
  std::unique_ptr<ReferenceProgram> reference;
  std::unique_ptr<Memory> memory;
  std::vector<Values> data;
};
} // namespace

std::string seeds::check(const Subject &subject, const Plant &plant) {
  Checker checker(subject);
  if (llvm::Error error = checker.prepare(plant))
    return "compile: " + llvm::toString(std::move(error));
  return llvm::toString(checker.compareInAllOrders());
}

std::string seeds::checkFailure(const Subject &subject, int64_t failing,
                                const Plant &plant) {
  Checker checker(subject);
  if (llvm::Error error = checker.prepare(plant))
    return "compile: " + llvm::toString(std::move(error));
  return llvm::toString(checker.runFailing(failing));
}
