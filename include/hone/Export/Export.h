//===- Export.h - A module as files for other programs ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ahead of time: a module goes in, and out come files that a program in C or
// C++ is built with. That program needs libhone_rt where kernels run on a GPU,
// libc and libm; of MLIR and LLVM it needs nothing.
//
//   | file                | what                                              |
//   |---------------------|---------------------------------------------------|
//   | NAME.h              | declares a C function for each public one         |
//   | NAME.o              | defines them: host code, launch plans, images     |
//   | NAME.KERNEL.ptx     | the same images by themselves, or .cubin          |
//   | NAME.KERNEL.plan    | the same plans                                    |
//
// A C function takes what its signature leaves open: pointers, the extents and
// strides that are not in the types, scalars, and a stream. How it is lowered
// to a call of MLIR's code is lib/Export/Interface.h. The same module, options
// and version of Hone give the same bytes.
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
  /// Names the files, and what the header declares starts with it.
  std::string name;
  /// What host code is compiled for (ObjectOptions::cpu).
  std::string cpu;
};

struct ExportedFile {
  std::string name, bytes;
};

/// Runs the pipeline on `module`, results being memory of the caller's, and
/// compiles what comes out. An error says which function or op can not be
/// served.
llvm::Expected<std::vector<ExportedFile>>
exportModule(mlir::ModuleOp module, const PipelineOptions &pipeline,
             const SourceFactory &makeSources, const ExportOptions &options);

/// Names the locations of functions' arguments as `text`, the module's source,
/// does. Without it they are called arg0, arg1, ...
void nameArguments(mlir::ModuleOp module, llvm::StringRef text);

/// True if C, C++ and everything else can spell `name`.
bool isIdentifier(llvm::StringRef name);

} // namespace hone

#endif // HONE_EXPORT_EXPORT_H
