//===- ProgramCheck.h - Check of one function of a module -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of hone run. Compiles a module, calls one of its functions with random
// data, and compares all its outputs with the reference: N(0, 1) data within the
// tolerance, 0 and 1 exactly where numbers allow it. Then the function is timed.
//
//   ProgramCheck check(options);
//   check.prepare();
//   auto normal = check.checkNormal();
//   auto zeroOne = check.check(Inputs::zeroOne);
//   auto times = check.time();
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHECK_PROGRAMCHECK_H
#define HONE_CHECK_PROGRAMCHECK_H

#include "hone/Plugin/Route.h"
#include "hone/Reference/CallTimes.h"
#include "hone/Reference/Compare.h"
#include "hone/Reference/ProductEngine.h"
#include "hone/Reference/Program.h"
#include "hone/Reference/RandomData.h"
#include "hone/Reference/Reference.h"

namespace hone {

struct ProgramCheckOptions : PipelineChoice {
  std::string function;  ///< "" if the module has one
  std::string reference; ///< a module with the function to compare with
  std::string intervals; ///< values of integers, as parseRanges reads them
  std::string arguments = "device", rest = "host";
  std::vector<int64_t> dims; ///< dynamic ones
  int64_t repeat = 10, seed = 1;
  int64_t orders = 3;   ///< of a stand-in's work
  bool standIn = false; ///< this CPU instead of the GPU
};

class ProgramCheck {
public:
  explicit ProgramCheck(const ProgramCheckOptions &options)
      : options(options) {}

  /// Reads and compiles the module, and makes its reference.
  llvm::Error prepare();
  /// Checks with N(0, 1) data, or with smaller data if that decides nothing.
  llvm::Expected<Comparison> checkNormal();
  llvm::Expected<Comparison> check(Inputs inputs, double scale = 1);
  llvm::Expected<CallTimes> time();

  const Arch &getArch() const { return arch; }
  const Signature &getSignature() const { return signature; }
  /// The work that a stand-in has run.
  std::optional<EmulationCounts> counts() const;

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

  const ProgramCheckOptions &options;
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

#endif // HONE_CHECK_PROGRAMCHECK_H
