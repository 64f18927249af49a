//===- Help.h - hone-opt --help ---------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The help for a new user, on a screen or two. `--help-list` is upstream's list
// of every option of every pass, which is upstream's --help.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_HONEOPT_HELP_H
#define HONE_TOOLS_HONEOPT_HELP_H

#include "mlir/IR/DialectRegistry.h"

namespace hone {

/// True if the command line has an option for the short help.
bool isHelpRequested(int argc, char **argv);

/// Prints the registered passes and pipelines, a line each, and the common
/// options.
void printHelp(mlir::DialectRegistry &registry);

} // namespace hone

#endif // HONE_TOOLS_HONEOPT_HELP_H
