//===- Help.h - hone-opt --help ---------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a newcomer asks for, on a screen or two. `--help-list` is upstream's
// list of every option of every pass, which --help was.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_HONEOPT_HELP_H
#define HONE_TOOLS_HONEOPT_HELP_H

#include "mlir/IR/DialectRegistry.h"

namespace hone {

/// True if the command line asks for the short help.
bool wantsHelp(int argc, char **argv);

/// Prints the passes and pipelines that are registered, a line each, and the
/// options that people use.
void printHelp(mlir::DialectRegistry &registry);

} // namespace hone

#endif // HONE_TOOLS_HONEOPT_HELP_H
