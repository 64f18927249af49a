//===- Runner.h - One function, compiled and checked ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of `hone run` between its command line and its output.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_PROGRAM_RUNNER_H
#define HONE_TOOLS_PROGRAM_RUNNER_H

#include "hone/Bench/CallTimes.h"
#include "hone/Reference/Call.h"
#include "hone/Reference/Compare.h"
#include "hone/Reference/ProductEngine.h"
#include "hone/Reference/Program.h"
#include "hone/Reference/RandomData.h"
#include "hone/Reference/Reference.h"
#include "tools/hone/Program/Route.h"

namespace hone {

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

  const Signature &getSignature() const { return signature; }
  const Arch &getArch() const { return arch; }
  /// The emulation of a stand-in; null for others.
  Emulation *emulation() const { return program->emulation(); }

private:
  bool isOnDevice() const { return !arch.isHost() && !options.standIn; }
  llvm::Error setRanges();
  llvm::Error requireMemory() const;
  llvm::Error compile();
  llvm::Error openEngine();
  llvm::Error makeReference();
  llvm::Expected<Comparison> checkOnce(llvm::ArrayRef<Values> data,
                                       Inputs inputs,
                                       std::optional<Outcome> &expected);
  bool isTooLarge() const;
  llvm::Expected<Outcome> runOnce(Jit &jit, Memory &memory,
                                  llvm::ArrayRef<Values> data,
                                  bool isReference);
  llvm::Expected<Outcome> runReference(ReferenceProgram &which, Inputs inputs,
                                       llvm::ArrayRef<Values> data);

  const RunOptions &options;
  PipelineOptions pipeline;
  /// The permitted products, for ops that do not define them.
  MatchOptions permitted;
  /// Multiplies for the references; null for the CPU. Declared first: objects
  /// on the GPU must be destroyed before its stream.
  std::unique_ptr<ProductEngine> engine;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  Arch arch;
  Signature signature;
  std::unique_ptr<Memory> hostMemory = Memory::host();
  std::unique_ptr<Program> program;
  /// The memory of arguments and results; null for the host.
  std::unique_ptr<Memory> deviceMemory;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Null for a product that is too large. `turned` has its decisions reversed,
  /// and is made on demand.
  std::unique_ptr<ReferenceProgram> reference, turned;
};

} // namespace hone

#endif // HONE_TOOLS_PROGRAM_RUNNER_H
