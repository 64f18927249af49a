//===- Export.h - A module as files for other programs ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ahead-of-time compilation: turns a module into files for building a program
// in C or C++. That program needs libhone_rt if kernels run on a GPU, libc and
// libm, but neither MLIR nor LLVM.
//
//   | file                | contents                                          |
//   |---------------------|---------------------------------------------------|
//   | NAME.h              | declares a C function for each public one         |
//   | NAME.o              | defines them: host code, launch plans, images     |
//   | NAME.KERNEL.ptx     | the same images by themselves, or .cubin          |
//   | NAME.KERNEL.plan    | the same plans                                    |
//
// The arguments of a C function are those that its types leave open: pointers,
// unknown extents and strides, scalars, and a stream. lib/Export/Interface.h
// lowers it to a call of MLIR's code. The same module, options and version of
// Hone give the same bytes.
//
//   hone::ExportOptions options;
//   options.name = "block";
//   auto files = hone::exportModule(module, pipeline, openSources, options);
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EXPORT_EXPORT_H
#define HONE_EXPORT_EXPORT_H

#include "hone/Driver/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hone {

struct ExportOptions {
  /// The name of the files, and the prefix of all declarations in the header.
  std::string name;
  /// The CPU that host code is compiled for (ObjectOptions::cpu).
  std::string cpu;
};

struct ExportedFile {
  std::string name, bytes;
};

/// Runs the pipeline on `module`, with results in the caller's memory, and
/// compiles the outcome. An error names the function or op that is not
/// supported.
llvm::Expected<std::vector<ExportedFile>>
exportModule(mlir::ModuleOp module, const PipelineOptions &pipeline,
             const SourceFactory &makeSources, const ExportOptions &options);

/// Names the locations of functions' arguments as in `text`, the module's
/// source. Without it they are called arg0, arg1, ...
void nameArguments(mlir::ModuleOp module, llvm::StringRef text);

/// True if `name` has only letters, digits and underscores, and does not begin
/// with a digit.
bool isIdentifier(llvm::StringRef name);

} // namespace hone

#endif // HONE_EXPORT_EXPORT_H
