//===- Program.h - A compiled module, ready to be called --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of `hone run`: the module after the pipeline, in a Jit,
// registered with libhone_rt or with an emulation of the GPU during its
// lifetime.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_PROGRAM_H
#define HONE_REFERENCE_PROGRAM_H

#include "hone/Driver/Pipeline.h"
#include "hone/Emulate/Emulate.h"
#include "hone/Reference/Call.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

/// Erases the functions that `function` does not call, directly or not.
void keepReachable(mlir::ModuleOp module, llvm::StringRef function);

class Program {
public:
  enum class Target {
    host,   ///< vector code for this CPU
    device, ///< kernels for the GPU in this machine
    standIn ///< a GPU's program, with this CPU instead of the GPU
  };
  /// Changes an emitted module, so that tests can plant faults.
  using Change = llvm::function_ref<void(mlir::ModuleOp emitted)>;

  /// Compiles through `hone-pipeline` with its options; compiled code may call
  /// `symbols`, except on a stand-in, whose behaviour `seed` draws.
  static llvm::Expected<std::unique_ptr<Program>>
  compile(mlir::ModuleOp module, const PipelineOptions &options,
          const SourceFactory &makeSources, Target target,
          llvm::StringMap<void *> symbols, uint64_t seed = 1);
  ~Program();

  Jit &getJit() { return *jit; }
  /// Compiles host code again, for a stand-in, after `change` to the emitted
  /// module. Earlier changes are dropped.
  llvm::Error load(Change change);
  /// The emulation of the GPU; null if there is none.
  Emulation *emulation() { return standIn.get(); }
  /// Memory of the stand-in, or of its host; null without a stand-in.
  std::unique_ptr<Memory> standInMemory(bool isOnHost);

private:
  llvm::Error compileForStandIn(mlir::ModuleOp module,
                                const PipelineOptions &options,
                                const SourceFactory &makeSources);

  std::vector<std::string> images;
  std::vector<void *> handles;
  std::unique_ptr<Emulation> standIn;
  /// Of a stand-in.
  mlir::OwningOpRef<mlir::ModuleOp> emitted;
  std::unique_ptr<Jit> jit;
};

} // namespace hone

#endif // HONE_REFERENCE_PROGRAM_H
