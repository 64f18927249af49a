//===- MachineNames.cpp - Names and bounds of a measured GPU --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MeasureMachine.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/MeasureMachine.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using llvm::StringRef;

std::string hone::machineNameOf(StringRef device) {
  constexpr size_t kMaxLength = 48;
  std::string name;
  for (StringRef word : llvm::split(device, ' ')) {
    if (word == "NVIDIA" || word == "GeForce" || word == "Tesla")
      continue;
    std::string part = (name.empty() ? "" : "-") + word.lower();
    for (char c : part) {
      bool isInName = llvm::isAlnum(c) || c == '.';
      if (isInName || !llvm::StringRef(name).ends_with("-"))
        name += isInName ? c : '-';
    }
  }
  StringRef trimmed = StringRef(name).trim("-.").take_front(kMaxLength);
  return trimmed.empty() ? "gpu" : trimmed.str();
}

double hone::boundOfTflops(int capability, int64_t processors,
                           double clockGHz) {
  struct Generation {
    int capability; ///< and newer
    double flops;   ///< of a processor in a clock
  };
  constexpr Generation kGenerations[] = {
      {80, 2048}, {86, 1024},  {87, 2048},  {89, 1024},
      {90, 4096}, {100, 8192}, {120, 1024}, {130, 16384},
  };
  double flops = 0;
  for (const Generation &each : kGenerations)
    if (capability >= each.capability)
      flops = each.flops;
  return flops * processors * clockGHz / 1000;
}
