//===- Workspace.cpp - Addresses of sums and counters ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Workspace.h.
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

std::string Workspace::faultOfCounter(int64_t address) const {
  constexpr int64_t kBytes = 4;
  int64_t at = address - region.base;
  if (!isCleared || !region.contains(address, kBytes))
    return "counts outside of a workspace that starts with zeros";
  if (at + kBytes > LaunchPlan::clearedBytes)
    return formatv("counts {0} bytes from the start of the workspace, of "
                   "which {1} start with zeros",
                   at, LaunchPlan::clearedBytes);
  return "";
}

std::string Workspace::faultOfData(int64_t address, int64_t bytes) const {
  int64_t from = address - region.base, end = from + bytes;
  if (!region.contains(address, bytes))
    return formatv(
        "uses bytes {0} to {1} of a workspace of {2}: beyond its end", from,
        end, region.bytes());
  if (isCleared && from < LaunchPlan::clearedBytes)
    return formatv("uses bytes {0} to {1} of the workspace, but the first {2} "
                   "of it are the counters'",
                   from, end, LaunchPlan::clearedBytes);
  return "";
}
