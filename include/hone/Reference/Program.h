//===- Program.h - A compiled module, ready to be called --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `hone run` calls: the module after the pipeline, in a Jit, registered
// with libhone_rt or with an emulation of the GPU while it lives.
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
    standIn ///< a GPU's program, with this CPU in place of the GPU
  };
  /// Changes an emitted module: tests plant faults so.
  using Change = llvm::function_ref<void(mlir::ModuleOp emitted)>;

  /// Compiles through `hone-pipeline` with its options; compiled code may call
  /// `symbols`, except on a stand-in; `seed` draws how that behaves.
  static llvm::Expected<std::unique_ptr<Program>>
  compile(mlir::ModuleOp module, const PipelineOptions &options,
          const SourceFactory &makeSources, Target target,
          llvm::StringMap<void *> symbols, uint64_t seed = 1);
  ~Program();

  Jit &getJit() { return *jit; }
  /// Compiles host code again, for a stand-in, after `change` to what was
  /// emitted. Changes of before are gone.
  llvm::Error load(Change change);
  /// What stands in for the GPU; null if nothing does.
  Emulation *emulation() { return standIn.get(); }
  /// Memory of the stand-in, or of the host it has; null without a stand-in.
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
