//===- hone-lab.cpp - Comparisons of policies, models and plans -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Lab.h.
//
//===----------------------------------------------------------------------===//

#include "Lab.h"
#include "hone/Command/Command.h"

int main(int argc, char **argv) {
  return hone::runMain(argc, argv, hone::runLab);
}
