//===- hone.cpp - Main program --------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program with subcommands; Commands.cpp lists them.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Command.h"
#include "tools/hone/Commands.h"

int main(int argc, char **argv) {
  return hone::runMain(argc, argv, hone::runTool);
}
